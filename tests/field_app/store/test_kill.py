"""A writer killed at 200 random moments: never an unreadable store, never an acknowledged change lost."""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


def test_a_writer_killed_at_200_random_moments(tmp_path):
    command = [sys.executable, str(Path(__file__).with_name("killed_writer.py")), str(tmp_path / "store"), "200", "7"]
    done = subprocess.run(command, cwd=ROOT, env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, timeout=200)
    assert done.returncode == 0, done.stderr
    assert "writer failed" not in done.stderr, done.stderr
    result = json.loads(done.stdout)
    assert result["found"] >= result["acknowledged"] > 500
    assert result["opened"] >= 100, "too few writers came as far as writing for the test to mean anything"
    assert result["unfinished"] > 0, "no kill fell into a compaction"

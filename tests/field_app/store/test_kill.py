"""A writer killed at 200 random moments: never an unreadable store, never an acknowledged change lost."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize(("rounds", "sealed"), [(60, []), (200, ["sealed"])], ids=["open", "sealed"])
def test_a_writer_killed_at_random_moments(tmp_path, rounds, sealed):
    writer = str(Path(__file__).with_name("killed_writer.py"))
    command = [sys.executable, writer, str(tmp_path / "store"), str(rounds), "7", *sealed]
    done = subprocess.run(command, cwd=ROOT, env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, timeout=200)
    assert done.returncode == 0, done.stderr
    assert "writer failed" not in done.stderr, done.stderr
    result = json.loads(done.stdout)
    assert result["found"] >= result["acknowledged"] > rounds * 2
    assert result["opened"] >= rounds / 2, "too few writers came as far as writing for the test to mean anything"
    assert result["unfinished"] > 0, "no kill fell into a compaction"

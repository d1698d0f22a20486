"""Thirty photos of 50 megapixels and their report need no more memory than three: the peak of a process of its own."""

import json
import subprocess
import sys
from pathlib import Path

from tests.support.large_photos import large_jpeg

ROOT = Path(__file__).resolve().parents[3]


def test_thirty_photos_of_50_megapixels_need_at_most_1_2_times_the_memory_of_three(tmp_path):
    photo = tmp_path / "photo.jpg"
    photo.write_bytes(large_jpeg(8_688, 5_792, 15_000_000))
    command = [sys.executable, "-m", "tests.field_app.work.many_photos", str(tmp_path / "tablet"), str(photo)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    print(seen)
    assert (seen["kept"], seen["previews"]) == (30, 30)
    assert seen["after_30_kb"] <= 1.2 * seen["after_3_kb"]
    assert seen["on_paper"] >= 1  # the same plain picture thirty times, which a paper holds once
    assert seen["after_report_kb"] <= 1.2 * seen["after_3_kb"]

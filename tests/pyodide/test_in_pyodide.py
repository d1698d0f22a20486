"""The pure rooms, the store's format, the sync engine and the papers, once more in the tablet's own Python."""

import json
import subprocess

import pytest

from tests.pyodide import harness

# What must be among the files that ran: without these the run would say little.
CORE = (
    "tests/sync/ordinance",
    "tests/sync/records",
    "tests/sync/client",
    "tests/sync/documents",
    "tests/field_app/store",
)


@pytest.mark.timeout(900)  # a minute of CPU in one process, beside whatever else runs
def test_the_rooms_that_a_tablet_runs_pass_inside_pyodide():
    runs, others = harness.chosen()
    result, output = harness.run(runs)
    assert result["exit"] == 0, f"{output[-12_000:]}\nnot run there: {json.dumps(others, indent=1)}"
    assert (result["platform"], result["python"][:4]) == ("emscripten", "3.14")
    for folder in CORE:
        assert any(file.startswith(folder) for file in result["files"]), f"no test of {folder} ran inside Pyodide"
    assert result["passed"] >= 200


def test_a_failing_test_inside_pyodide_fails_out_here(tmp_path):
    place = harness.ROOT / "build" / "inside"
    place.mkdir(parents=True, exist_ok=True)
    bad = place / "test_bad.py"
    bad.write_text("import sys\n\ndef test_bad():\n    assert sys.platform == 'a tablet made of wood'\n")
    try:
        result, output = harness.run(["build/inside/test_bad.py"])
    finally:
        bad.unlink()
    assert result["exit"] == 1 and result["passed"] == 0
    assert "a tablet made of wood" in output


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("import PIL", "Pillow"),
        ("from sync.server.app import make_app", "server"),
        ("from playwright.sync_api import Page", "browser"),
        ("import subprocess\n\ndef helper():\n    subprocess.run([])\n", "other processes"),
        ("import subprocess\n\ndef test_one():\n    subprocess.run([])\n", None),
        ("import json, hashlib\nfrom sync.records import wire\n", None),
        ("def test_one():\n    import PIL\n", None),
    ],
)
def test_what_cannot_run_there_is_found_out(text, why, tmp_path):
    place = harness.ROOT / "build" / "inside"
    place.mkdir(parents=True, exist_ok=True)
    file = place / f"test_{tmp_path.name}.py"
    file.write_text(text)
    try:
        found = harness.cannot(file)
        dead = harness.dead_tests(file)
    finally:
        file.unlink()
    assert (found is None) == (why is None)
    assert why is None or why in found
    assert dead == (["test_one"] if "subprocess" in text and why is None else [])


def test_a_machine_without_node_uses_the_one_that_playwright_brings(monkeypatch):
    monkeypatch.setenv("PATH", "/nonexistent")
    inside = harness.node()
    assert inside.endswith("driver/node")
    said = subprocess.run([inside, "--version"], capture_output=True, text=True)
    assert int(said.stdout.lstrip("v").split(".")[0]) >= 20

"""One more try in CI: for browsers and processes alone, told in full, never for what was lost."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CONFTEST = """
from tests.support.again import *  # noqa: F403
def pytest_configure(config):
    for mark in ("browser", "processes"):
        config.addinivalue_line("markers", mark)
"""
TESTS = """
import pytest
from tests.support.again import Lost
tries, started = [], []

@pytest.fixture(scope="module")
def server():
    started.append(1)
    yield len(started)

@pytest.mark.browser
def test_slow_machine(server):
    print("the page was", "half drawn" if server == 1 else "whole")
    assert server > 1, "too early"

@pytest.mark.processes
def test_lost():
    tries.append(1)
    if len(tries) < 2:
        raise Lost("a record is gone")

@pytest.mark.browser
def test_always_wrong():
    assert 1 == 2

def test_plain():
    tries.append(1)
    assert len(tries) > 5

@pytest.mark.browser
def test_fine(server):
    assert server > 1
"""


def played(folder: Path, again: str) -> str:
    (folder / "conftest.py").write_text(CONFTEST)
    (folder / "test_some.py").write_text(TESTS)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-v", "-p", "xdist", "-n", "1" if again else "0", "-p", "pytest_timeout",
         "-p", "no:cacheprovider", "-o", f"pythonpath={ROOT}", "--rootdir", str(folder), str(folder)],
        cwd=folder, capture_output=True, text=True, timeout=120,
        env={**os.environ, "SILTWATCH_AGAIN": again, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"})
    return done.stdout + done.stderr


def test_in_ci_a_browser_gets_one_more_try_and_its_first_failure_is_told_in_full(tmp_path):
    said = played(tmp_path, "1")
    assert "3 failed, 2 passed, 2 repeated" in said, said
    for name in ("test_lost", "test_always_wrong", "test_plain"):
        assert f"FAILED test_some.py::{name}" in said, said
    told = said.partition("FAILED AT FIRST, AND REPEATED")[2].partition("short test summary")[0]
    told = told.partition("= FAILURES =")[0]
    assert "AssertionError: too early" in told and "the page was half drawn" in told, said
    assert "assert 1 == 2" in told and "a record is gone" not in told, said


def test_elsewhere_nothing_is_tried_again(tmp_path):
    said = played(tmp_path, "")
    assert "5 failed" in said and "repeated" not in said, said

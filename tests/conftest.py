"""How a run is spread over its workers (`pytest -n 4`): what is long begins first, and a file whose
tests share a start (a server, a browser, an app built for it) stays on one worker.

The tests start some hundred processes. Compiling the whole program in each of them would take minutes, so bytecode is
kept here even where the environment says otherwise.
"""

import gc
import os
import sys

import pytest

from tests.support.again import (  # noqa: F401  (hooks)
    pytest_report_teststatus,
    pytest_runtest_makereport,
    pytest_runtest_protocol,
    pytest_terminal_summary,
)

# From the longest down, by their time on a quiet machine. What waits for a browser and what computes take turns, so
# that neither all workers wait nor all compute at once.
LONG = (
    "tests/browser/test_web_app_day.py",
    "tests/browser/test_server_mode_acts.py",
    "tests/browser/test_every_screen.py",
    "tests/pyodide/test_in_pyodide.py::test_the_rooms_that_a_tablet_runs_pass_inside_pyodide",
    "tests/browser/test_quick_start.py",
    "tests/model/test_sync_machine.py",
    "tests/browser/test_server_mode_day.py",
    "tests/browser/test_server_mode_recommended.py",
    "tests/field_app/store/test_opfs.py",
    "tests/browser/test_server_mode_finding.py",
    "tests/sync/server/test_copies_and_restores.py",
    "tests/field_app/hardware/test_in_chromium.py",
    "tests/faults/test_a_day_of_photos.py",
    "tests/field_app/work/test_memory.py",
    "tests/browser/test_uploads_in_browser.py",
    "tests/faults/test_a_slow_line.py",
    "tests/field_app/work/test_killed_for_real.py",
    "tests/sync/server/postgresql",
    "tests/sync/server/test_process.py",
    "tests/browser/test_service_worker.py",
    "tests/field_app/packaging/test_web.py",
    "tests/sync/server/test_demo.py",
)
# Tests of one file that share nothing and are long enough to go to whichever worker is free.
EACH_ALONE = (
    "tests/browser/test_web_app_day.py",
    "tests/model/test_sync_machine.py",
    "tests/pyodide/test_in_pyodide.py",
    "tests/field_app/ui/test_screens.py",
    "tests/sync/server/db/test_killed_migration.py",
)

if sys.platform != "emscripten":  # whose files are these same files
    sys.dont_write_bytecode = False
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


def pytest_configure(config: pytest.Config) -> None:
    """The order below is the order in which the workers get their tests."""
    config.option.loadscopereorder = False


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    ranks = {item: _rank(item.nodeid) for item in items}
    items.sort(key=ranks.__getitem__)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log):
    """By file. `--dist loadgroup` would write the group into each test's name, which this pytest no longer lets it do:
    it groups nothing and says nothing."""
    from xdist.scheduler import LoadScopeScheduling

    class ByFile(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file = nodeid.split("::")[0]
            return nodeid if file in EACH_ALONE else file

    return ByFile(config, log)


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """What was loaded up to here stays to the end: it is set apart from the garbage collector, which else walks it over
    and over. A store does the same with what it loaded; with hundreds of stores in one process nothing would ever be
    collected any more, so they no longer do. And it looks as seldom as the server lets it (sync/server/serving.py): a
    tenth of the time of a run went into looking."""
    gc.collect()
    gc.freeze()
    gc.freeze = lambda: None
    gc.set_threshold(20_000, 20, 20)


def _rank(name: str) -> int:
    return next((rank for rank, start in enumerate(LONG) if name.startswith(start)), len(LONG))

"""One more try for a test that drives a real browser or real processes, where CI asks for it (`SILTWATCH_AGAIN=1`).

What failed first is told in full at the end of the run and counted as "repeated", never silently: it is a fault of the
test to be mended (docs/decisions/0034). Everything is set up anew for the second try. What was `Lost` stays lost:
a kill after which something is gone has failed, whatever the next one says.
"""

import os
from contextlib import suppress

import pytest
from _pytest.runner import runtestprotocol

MARKS = ("browser", "processes")
REPEATED = "repeated"
_SECOND = pytest.StashKey[bool]()


class Lost(AssertionError):
    """Something that had been kept, sent or registered is gone or is there twice. Never tried again."""


def may_be_repeated(item: pytest.Item) -> bool:
    """Whether a failure of this test is given one more try."""
    return bool(os.environ.get("SILTWATCH_AGAIN")) and any(item.get_closest_marker(mark) for mark in MARKS)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """The first try of a test that may have a second one; everything else is left to pytest."""
    if not may_be_repeated(item) or item.stash.get(_SECOND, False):
        return None
    item.stash[_SECOND] = True
    hook = item.ihook
    hook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    reports = runtestprotocol(item, nextitem=nextitem, log=False)
    again = any(report.failed for report in reports) and not any(getattr(report, "lost", False) for report in reports)
    for report in reports:
        if again and report.failed:
            report.outcome = REPEATED
        if not again or report.outcome == REPEATED:
            hook.pytest_runtest_logreport(report=report)
    hook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    if again:
        with suppress(Exception):  # the browser and the server of the whole file too, which may be dead already
            item.session._setupstate.teardown_exact(None)
        hook.pytest_runtest_protocol(item=item, nextitem=nextitem)  # with a time limit of its own
    return True


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo):
    report = yield
    report.lost = call.excinfo is not None and isinstance(call.excinfo.value, Lost)
    return report


def pytest_report_teststatus(report: pytest.TestReport):
    if report.outcome == REPEATED:
        return REPEATED, "R", ("REPEATED", {"yellow": True})
    return None


def pytest_terminal_summary(terminalreporter) -> None:
    """Each first failure in full: what was asserted, and all that the test had printed."""
    found = terminalreporter.getreports(REPEATED)
    if found:
        terminalreporter.write_sep("=", "FAILED AT FIRST, AND REPEATED: a fault to be mended", yellow=True, bold=True)
    for report in found:
        terminalreporter.write_sep("_", f"{report.nodeid} ({report.when})", yellow=True)
        terminalreporter._outrep_summary(report)

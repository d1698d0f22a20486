"""What runs inside Pyodide: pytest with an event loop that works there, and one line that says how it went.

Pyodide's own loop belongs to JavaScript and cannot be waited for from synchronous code, so `asyncio.run` gets a plain
loop without sockets; what would go to a thread runs at once, as it does in Pyodide.
"""

import asyncio
import gc
import json
import sys
import time

import hypothesis
import pytest


class _NoSockets:
    """A selector with nothing to select from: it only sleeps until the next timer."""

    def select(self, timeout):
        if timeout:
            time.sleep(timeout)
        return []


class PlainLoop(asyncio.BaseEventLoop):
    """Timers, tasks and futures; no I/O."""

    def __init__(self):
        super().__init__()
        self._selector = _NoSockets()

    def _process_events(self, events):
        pass

    def _write_to_self(self):
        pass

    def run_in_executor(self, executor, func, *args):
        future = self.create_future()
        try:
            future.set_result(func(*args))
        except BaseException as error:
            future.set_exception(error)
        return future


def run_plainly(main, *, debug=None, loop_factory=None):
    """In the place of `asyncio.run`."""
    outer = asyncio._get_running_loop()
    asyncio._set_running_loop(None)
    loop = PlainLoop()
    try:
        return loop.run_until_complete(main)
    finally:
        for task in asyncio.all_tasks(loop):
            task.cancel()
            loop.run_until_complete(asyncio.gather(task, return_exceptions=True))
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()
        asyncio._set_running_loop(outer)


def fewer_examples() -> None:
    """A tenth of the examples of each property: what they find is found outside, where a second costs a tenth; in here
    they show that the code runs at all."""
    plain = hypothesis.settings.__init__

    def scaled(self, parent=None, *, max_examples=None, **others):
        if max_examples is not None:
            others["max_examples"] = -(-max_examples // 10)
        plain(self, parent, **others)

    hypothesis.settings.__init__ = scaled


class Count:
    """A pytest plugin that leaves out what was named, and counts what really ran.

    A test whose own code (not the product's) asks for a package that Pyodide does not have counts as left out.
    """

    def __init__(self, without, absent):
        self.without, self.absent, self.left_out = tuple(without), frozenset(absent), []
        self.passed, self.other, self.files = 0, [], {}

    def pytest_collection_modifyitems(self, config, items):
        self.left_out = [item.nodeid for item in items if any(name in item.nodeid for name in self.without)]
        items[:] = [item for item in items if item.nodeid not in set(self.left_out)]

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item, call):
        report = yield
        error = call.excinfo and call.excinfo.value
        if isinstance(error, ImportError) and (error.name or "").split(".")[0] in self.absent:
            asked_by = str(call.excinfo.traceback[-1].path)
            if asked_by.startswith("/project/tests/"):
                self.left_out.append(f"{item.nodeid} needs {error.name}")
                report.outcome, report.longrepr = "skipped", (asked_by, 0, f"needs {error.name}")
        return report

    def pytest_runtest_logreport(self, report):
        if report.passed and report.when == "call":
            self.passed += 1
            file = report.nodeid.split("::")[0]
            self.files[file] = self.files.get(file, 0) + 1
        elif report.failed:
            self.other.append(f"{report.nodeid}: {report.outcome}")


def run(arguments: list[str], without: list[str], absent: list[str]) -> int:
    """Run pytest without the tests whose ids contain one of `without`; the exit code is also in the last line."""
    asyncio.run = run_plainly
    fewer_examples()
    gc.set_threshold(20_000, 20, 20)
    count = Count(without, absent)
    code = int(pytest.main(arguments, plugins=[count]))
    answer = {"exit": code, "passed": count.passed, "other": count.other, "files": count.files}
    answer["without"] = count.left_out
    print("PYODIDE", json.dumps({**answer, "python": sys.version.split()[0], "platform": sys.platform}), flush=True)
    return code

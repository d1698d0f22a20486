"""Python run in the web app's own interpreter, for tests and benchmarks: the app itself has nothing made for them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from playwright.sync_api import Page

MODULES = ("inside_window", "led_steps")  # beside this file
LOAD = """
import json, sys, types
for name, source in {sources!r}.items():
    sys.modules[name] = types.ModuleType(name)
    exec(source, sys.modules[name].__dict__)
import led_steps
from inside_window import window
None
"""


class InsideApp:
    """The interpreter of the app that the page runs now; another one after the page was loaded again."""

    def __init__(self, page: Page) -> None:
        self._worker = next(worker for worker in page.workers if "python-worker" in worker.url)
        self.run(LOAD.format(sources={name: Path(__file__).with_name(f"{name}.py").read_text() for name in MODULES}))

    def run(self, code: str) -> Any:
        """Runs Python between two events of the app (top-level await allowed; `window()` is the app's window); its last
        expression, which must be JSON text or None, as a value."""
        said = self._worker.evaluate("code => self.pyodide.runPythonAsync(code)", code)
        return None if said is None else json.loads(said)

    def do(self, code: str) -> Any:
        """The same, and what it changed is shown."""
        try:
            return self.run(code)
        finally:
            self.run("window().redraw(); window().page.update()")

    @property
    def heap(self) -> int:
        """Bytes of the interpreter's memory; it never shrinks."""
        return self._worker.evaluate("() => self.pyodide._module.HEAPU8.length")

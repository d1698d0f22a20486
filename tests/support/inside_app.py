"""Python run in the web app's own interpreter, for tests and benchmarks: the app itself has nothing made for them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from playwright.sync_api import Page

INSIDE = Path(__file__).with_name("inside_window.py")
LOAD = """
import json, sys, types
sys.modules["inside_window"] = types.ModuleType("inside_window")
exec({source!r}, sys.modules["inside_window"].__dict__)
from inside_window import window
None
"""


class InsideApp:
    """The interpreter of the app that the page runs now; another one after the page was loaded again."""

    def __init__(self, page: Page) -> None:
        self._worker = next(worker for worker in page.workers if "python-worker" in worker.url)
        self.run(LOAD.format(source=INSIDE.read_text()))

    def run(self, code: str) -> Any:
        """Runs Python between two events of the app (top-level await allowed; `window()` is the app's window); its last
        expression, which must be JSON text or None, as a value."""
        said = self._worker.evaluate("code => self.pyodide.runPythonAsync(code)", code)
        return None if said is None else json.loads(said)

    @property
    def heap(self) -> int:
        """Bytes of the interpreter's memory; it never shrinks."""
        return self._worker.evaluate("() => self.pyodide._module.HEAPU8.length")

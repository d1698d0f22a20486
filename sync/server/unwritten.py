"""What a person is told when a file that they asked for cannot be written: no room, no right, no such place."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from sync.records.problems import Problem


@contextmanager
def writing(what: str, where: Path, undo: Callable[[], object] = lambda: None) -> Iterator[None]:
    """Writes ``what`` in here. Whatever fails, ``undo`` takes away what was begun, as far as it can; what the disk
    refuses becomes Problem "file-not-written" about ``where``."""
    try:
        yield
    except Exception as error:
        with suppress(OSError):
            undo()
        if isinstance(error, OSError | sqlite3.Error):
            told = getattr(error, "strerror", None) or error
            raise Problem("file-not-written", f"{what} cannot be written: {told}", where=str(where)) from None
        raise

"""Where a data folder lies, said so that no copy of it says the same.

Copying makes new files: the database of a copy was born at another time, also where the copy was put back into the
very place of the original, and one that was copied over the files that were there has younger files. A move within a
disk, a change of owner or rights, another mount and a crash change none of it. An image of a whole disk that is put
back, and a copy with all its times over the files that were there, say the same as before: of those only tablets can
tell (see `sync.server.casework.witness`).
"""

from __future__ import annotations

import ctypes
import os
import sys
from contextlib import suppress
from pathlib import Path

_AT_FDCWD, _BORN, _ROOM, _BORN_AT = -100, 0x800, 256, 80


def place_of(database: Path | None, secret: Path, born: str = "-") -> str:
    """What the file system says of the city's two files: when the database was born, when the secret was written, in
    nanoseconds, each "-" where it does not say. ``born``: what a database that is no file says of itself."""
    return f"{_said(_born_ns(database)) if database else born}/{_said(_written_ns(secret))}"


def is_elsewhere(noted: str | None, now: str) -> bool:
    """Whether files of which ``noted`` was said cannot be those of which ``now`` is said."""
    if not noted or not now:
        return False
    return any(before != after and "-" not in (before, after)
               for before, after in zip(noted.split("/"), now.split("/"), strict=True))


def _said(moment: int | None) -> str:
    return "-" if moment is None else str(moment)


def _written_ns(path: Path) -> int | None:
    with suppress(OSError):
        return path.stat().st_mtime_ns
    return None


def _born_ns(path: Path) -> int | None:
    with suppress(OSError):
        found = path.stat()
        born = getattr(found, "st_birthtime_ns", None)
        if born is None and hasattr(found, "st_birthtime"):
            born = int(found.st_birthtime * 1_000_000_000)
        return born if born is not None else _asked_of_linux(path)
    return None


def _asked_of_linux(path: Path) -> int | None:
    """Python's own `stat` does not tell it there yet."""
    if not sys.platform.startswith("linux"):
        return None
    try:
        statx = ctypes.CDLL(None, use_errno=True).statx
    except (OSError, AttributeError):
        return None
    found = ctypes.create_string_buffer(_ROOM)
    if statx(_AT_FDCWD, os.fsencode(path), 0, _BORN, found) != 0:
        return None
    mask = int.from_bytes(found.raw[:4], sys.byteorder)
    seconds = int.from_bytes(found.raw[_BORN_AT:_BORN_AT + 8], sys.byteorder, signed=True)
    nanoseconds = int.from_bytes(found.raw[_BORN_AT + 8:_BORN_AT + 12], sys.byteorder)
    return seconds * 1_000_000_000 + nanoseconds if mask & _BORN and seconds > 0 else None

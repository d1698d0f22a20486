"""Looks at a file that arrived, before it counts: by the same rules as the tablet, and without unpacking a picture.

A picture is judged by its header alone: a small file may claim to be enormous, and unpacking it would be the harm.
"""

from __future__ import annotations

import io
import mmap
from typing import BinaryIO

from sync.records.evidence_files import Seen, check_file


def look_at(kind: str, file: BinaryIO) -> Seen:
    """What the file of this kind is; ``file`` is not empty. Raises Problem as `check_file` does."""
    try:
        number = file.fileno()
    except io.UnsupportedOperation:  # in memory already
        file.seek(0)
        return check_file(kind, file.read())
    # Mapped, so that 64 MB are looked at without being read into memory.
    with mmap.mmap(number, 0, access=mmap.ACCESS_READ) as data:
        return check_file(kind, data)

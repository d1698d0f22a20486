"""A real small disk: a tmpfs of its own, where this machine lets us mount one."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def small_disk(place: Path, size: int) -> Iterator[bool]:
    """At ``place`` a tmpfs of ``size`` bytes; gives False, and changes nothing, when this machine does not allow it."""
    command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(place)]
    may = os.geteuid() == 0 and subprocess.run(command, capture_output=True).returncode == 0
    try:
        yield may
    finally:
        if may:
            subprocess.run(["umount", str(place)], check=True)


def grow(place: Path, size: int) -> None:
    """The disk at ``place`` has ``size`` bytes from now on."""
    subprocess.run(["mount", "-o", f"remount,size={size}", str(place)], check=True)

"""Files are hashed, looked at and made durable in a process apart, out of memory that both share.

    python -m sync.server.blobs.apart FOLDER LINE MEMORY     (the last two are open files of whoever starts it)

In the server's own process every step to the disk gives the interpreter away and waits for it again, behind whoever
computes; with eight tablets that took longer than the disk. Here a photo is received into a slot of shared memory. The
process apart is told which slot holds what, does all that a `LocalBlobs` does, and says what the file is once it and
its folder are on the disk. What it does not like it only leaves undone, like whatever it had in hand when it ended: the
ordinary way finds out anew. It ends with the process that started it.
"""

from __future__ import annotations

import asyncio
import logging
import mmap
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from sync.records.evidence_files import Seen, check_file
from sync.server.blobs.local import LocalBlobs

SLOT = 1024 * 1024
SLOTS = 32
THREADS = 8
"""So many files are hashed and flushed side by side."""
PAUSE_S = 30.0
"""So long it is not started again after it could not be, or ended."""
_LONGEST = 512
_READY = b"ready"
log = logging.getLogger(__name__)

Done = Callable[[Seen | None], None]
"""Told what the file is, which is durable now; None: it is not, for whatever reason."""


class Slot:
    """A place for one file: ``room``, as many bytes as it has."""

    __slots__ = ("_number", "_of", "room")

    def __init__(self, of: Apart, number: int, room: memoryview) -> None:
        self._of, self._number, self.room = of, number, room

    def keep(self, sha256: str, kind: str, done: Done) -> bool:
        """Has what lies in it made durable under its hash, if that is a file of this kind; ``done`` is told in the
        event loop, and the slot is read until then. False: nobody can be asked."""
        return self._of.send(self._number, f"{self._number} {len(self.room)} {sha256} {kind}", done)

    def free(self) -> None:
        """Nobody reads it or writes to it any more."""
        self._of.leave(self._number)


class Apart:
    """The process beside the one server of the files in ``root``, as its event loop sees it. It is started when it is
    first of use."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._free = list(range(SLOTS))
        self._errands: dict[int, Done] = {}
        self._handle = -1
        self._memory: memoryview | None = None
        self._line: socket.socket | None = None
        self._ready = False
        self._process: subprocess.Popen[bytes] | None = None
        self._loop: Any = None
        self._not_before = 0.0

    def slot(self, size: int) -> Slot | None:
        """A place for so many bytes, if there is one and somebody to work on it. Asked in the event loop."""
        loop = asyncio.get_running_loop()
        if self._line is None:
            self._start(loop)
        if not self._ready or self._loop is not loop or size > SLOT or not self._free or self._memory is None:
            return None
        number = self._free.pop()  # the one that was left last: few tablets use little memory
        return Slot(self, number, self._memory[number * SLOT : number * SLOT + size])

    def leave(self, number: int) -> None:
        """The slot is free again."""
        self._free.append(number)

    def send(self, number: int, errand: str, done: Done) -> bool:
        """Sends the process on an errand about this slot, see ``Slot.keep``."""
        try:
            if self._line is None:
                return False
            self._line.send(errand.encode())
        except OSError:  # it has much to do, or it ended
            return False
        self._errands[number] = done
        return True

    def _start(self, loop: asyncio.AbstractEventLoop) -> None:
        if loop.time() < self._not_before:
            return
        self._not_before = loop.time() + PAUSE_S
        try:
            if self._memory is None:
                self._handle = os.memfd_create("siltwatch-files")
                os.ftruncate(self._handle, SLOT * SLOTS)
                self._memory = memoryview(mmap.mmap(self._handle, SLOT * SLOTS))
            ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            with theirs:
                self._process = subprocess.Popen(
                    [sys.executable, "-m", __name__, os.fspath(self._root), str(theirs.fileno()), str(self._handle)],
                    stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, pass_fds=(theirs.fileno(), self._handle))
        except (AttributeError, OSError):  # not on every system, and not when it has no more processes to give
            log.info("there is no process apart for files", exc_info=True)
            if self._memory is None and self._handle >= 0:
                os.close(self._handle)
                self._handle = -1
            return
        ours.setblocking(False)
        self._line, self._loop, self._ready = ours, loop, False
        loop.add_reader(ours, self._hear)

    def _hear(self) -> None:
        while self._line is not None:
            try:
                said = self._line.recv(_LONGEST)
            except BlockingIOError:
                return
            except OSError:
                said = b""
            if not said:
                log.warning("the process apart for files ended")
                self.close()
            elif said == _READY:
                self._ready = True
            else:
                number, _, found = said.decode().partition(" ")
                _tell(self._errands.pop(int(number)), _read(found))

    def close(self) -> None:
        """Ends the process; what it had in hand is given back undone."""
        line, self._line, self._ready = self._line, None, False
        if line is None:
            return
        with suppress(RuntimeError):  # the loop was closed
            self._loop.remove_reader(line)
        line.close()
        if self._process is not None and self._process.poll() is None:
            with suppress(RuntimeError):  # no thread is to be had: the next process that is started sees to it
                threading.Thread(target=self._process.wait, daemon=True).start()
        undone, self._errands = list(self._errands.values()), {}
        for done in undone:
            _tell(done, None)


def _tell(done: Done, seen: Seen | None) -> None:
    """Gives one errand back; a failure of one keeps none of the others."""
    try:
        done(seen)
    except Exception:
        log.exception("what became of a file could not be told")


def _said(seen: Seen) -> str:
    return f"{seen.media} {seen.width or ''} {seen.height or ''}"


def _read(found: str) -> Seen | None:
    if not found:
        return None
    media, width, height = found.split(" ")
    return Seen(media, int(width) if width else None, int(height) if height else None)


# --- the process apart ------------------------------------------------------------------------------------------------
def main(argv: list[str]) -> int:
    """Works until the other one ends."""
    for one in (signal.SIGINT, signal.SIGTERM):  # whoever ends the server ends this by that
        signal.signal(one, signal.SIG_IGN)
    blobs, talk = LocalBlobs(Path(argv[0])), socket.socket(fileno=int(argv[1]))
    memory = memoryview(mmap.mmap(int(argv[2]), SLOT * SLOTS, access=mmap.ACCESS_READ))
    threads = [threading.Thread(target=_work, args=(blobs, talk, memory)) for _ in range(THREADS)]
    for one in threads:
        one.start()
    talk.send(_READY)
    for one in threads:
        one.join()
    return 0


def _work(blobs: LocalBlobs, talk: socket.socket, memory: memoryview) -> None:
    with suppress(OSError):  # the other one ended
        while said := talk.recv(_LONGEST):
            number, size, sha256, kind = said.decode().split(" ")
            at = int(number) * SLOT
            try:
                found = _said(_keep(blobs, memory[at : at + int(size)], sha256, kind))
            except Exception:  # it is done again, and refused or reported there
                found = ""
            talk.send(f"{number} {found}".encode())


def _keep(blobs: LocalBlobs, data: memoryview, sha256: str, kind: str) -> Seen:
    incoming = blobs.coming(sha256)
    try:
        incoming.write(data)
        if incoming.digest() != sha256:
            raise ValueError(sha256)
        # What is no JPEG may be looked for in it, and a view cannot be searched.
        seen = check_file(kind, data if data[:2] == b"\xff\xd8" else bytes(data))
        incoming.keep()
    finally:
        incoming.drop()
    return seen


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

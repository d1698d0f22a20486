"""One at a time writes to an upload, and a newcomer never waits for a dead one.

Whoever asks for an upload gets it at once: a transfer that still holds it (its tablet drove into a tunnel) is
stopped, keeps what it brought, and is told so. A PATCH that does not fit what is there is refused without disturbing
anybody. All of it happens in one event loop; only the disk is touched in threads.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta

import anyio
from anyio import to_thread
from starlette.requests import ClientDisconnect

from sync.records.macs import is_fingerprint
from sync.records.problems import Problem
from sync.server.casework.city import City
from sync.server.casework.enrolment import Tablet
from sync.server.casework.evidence import already_held, check_announced, hold_evidence
from sync.server.uploads.core import Append, Checksum, Conflict, Create, check_append, metadata
from sync.server.uploads.partials import CAPS, KEPT, Caps, Head, Partial, Partials, Whole

SLAB = 1024 * 1024
_SWEEP_EVERY = timedelta(hours=1)
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Standing:
    """How far an upload is: ``offset`` of ``length`` bytes are on the disk. ``receipt``: it is whole and held."""

    offset: int
    length: int
    expires: datetime | None = None
    receipt: dict[str, str] | None = None
    said: str = ""


@dataclass(slots=True, eq=False)
class _Turn:
    """Somebody has the upload now. ``scope`` stops the one wait that may be long, the wait for bytes from afar;
    ``over`` says that the upload was let go."""

    over: anyio.Event = field(default_factory=anyio.Event)
    partial: Partial | None = None
    scope: anyio.CancelScope | None = None
    stopped: bool = False

    def stop(self) -> None:
        """Somebody else wants the upload: no more bytes are waited for."""
        self.stopped = True
        if self.scope is not None:
            self.scope.cancel()


class Transfers:
    """The uploads of one city in its one server process."""

    def __init__(self, city: City, caps: Caps = CAPS) -> None:
        self._city, self._partials = city, Partials(city.blobs, caps)
        self._turns: dict[str, _Turn] = {}
        self._swept: datetime | None = None

    @staticmethod
    def _name(tablet: Tablet, sha256: str) -> str:
        if not is_fingerprint(sha256):  # no other text ever becomes a file name
            raise Problem("upload-unknown", where="sha256")
        return f"{tablet.id}.{sha256}"

    # --- what is asked ---

    async def create(self, tablet: Tablet, ask: Create, body: AsyncIterator[bytes]) -> Standing:
        """Makes the upload, or finds the one that is there; takes the bytes that came along if they are its first.

        Raises Problem "evidence-too-large", "evidence-hash-malformed", "body-malformed", "evidence-empty",
        "upload-too-many".
        """
        check_announced(self._city, ask.sha256, ask.kind, ask.length, ask.of)
        if ask.length == 0:
            raise Problem("evidence-empty")
        await self._sweep()
        head = Head(ask.sha256, ask.kind, ask.length, ask.said)

        def find() -> Partial:
            found = self._partials.open(name, self._city.now())
            if found is not None and found.head == head:
                return found
            if found is not None:
                found.close()
            return self._partials.create(name, head, self._city.now())

        name = self._name(tablet, ask.sha256)
        async with self._turn(name) as turn:
            if held := await self._held(tablet, ask.sha256, ask.kind):
                return held
            turn.partial = await to_thread.run_sync(find)
            if ask.first and turn.partial.offset == 0:
                await self._receive(turn, turn.partial, ask.checksum, body)
            return await self._standing(tablet, turn.partial)

    async def look(self, tablet: Tablet, sha256: str) -> Standing:
        """How far the upload is; whoever was writing to it is stopped, so that the answer stays true.

        Raises Problem "upload-unknown".
        """
        name = self._name(tablet, sha256)
        async with self._turn(name) as turn:
            if held := await self._held(tablet, sha256):
                return held
            turn.partial = await to_thread.run_sync(self._open, name)
            return await self._standing(tablet, turn.partial)

    async def append(self, tablet: Tablet, sha256: str, ask: Append, body: AsyncIterator[bytes]) -> Standing:
        """Adds bytes where the upload ends. Raises Problem "upload-unknown", "upload-offset", "upload-checksum",
        "upload-malformed", and what `hold_evidence` raises when these were the last bytes."""
        name = self._name(tablet, sha256)
        async with self._turn(name, ask.offset) as turn:
            try:
                turn.partial = await to_thread.run_sync(self._open, name)
            except Problem:
                if held := await self._held(tablet, sha256):  # the answer to its last bytes was lost
                    check_append(ask, held.offset, held.length)
                    return held
                raise
            check_append(ask, turn.partial.offset, turn.partial.length)
            await self._receive(turn, turn.partial, ask.checksum, body)
            return await self._standing(tablet, turn.partial)

    async def remove(self, tablet: Tablet, sha256: str) -> None:
        """Ends an unfinished upload. A file that is held stays. Raises Problem "upload-unknown"."""
        name = self._name(tablet, sha256)
        async with self._turn(name) as turn:
            turn.partial = await to_thread.run_sync(self._open, name)
            await to_thread.run_sync(turn.partial.remove)

    # --- how it is done ---

    def _open(self, name: str) -> Partial:
        found = self._partials.open(name, self._city.now())
        if found is None:
            raise Problem("upload-unknown", where="sha256")
        return found

    async def _held(self, tablet: Tablet, sha256: str, kind: str | None = None) -> Standing | None:
        def ask() -> Standing | None:
            receipt = already_held(self._city, tablet, sha256, kind)
            if receipt is None:
                return None
            size = self._city.blobs.size(sha256)
            return Standing(size, size, receipt=receipt)

        return await to_thread.run_sync(ask)

    @asynccontextmanager
    async def _turn(self, name: str, offset: int | None = None) -> AsyncIterator[_Turn]:
        """The upload is ours until the block ends. Raises Conflict when it does not go on at ``offset``."""
        while (other := self._turns.get(name)) is not None:
            if offset is not None and other.partial is not None and other.partial.written != offset:
                raise Conflict(other.partial.written)
            other.stop()
            await other.over.wait()
        turn = self._turns[name] = _Turn()
        try:
            yield turn
        finally:
            with anyio.CancelScope(shield=True):
                if turn.partial is not None:
                    await to_thread.run_sync(turn.partial.close)
            del self._turns[name]
            turn.over.set()

    async def _receive(self, turn: _Turn, partial: Partial, checksum: Checksum | None,
                       body: AsyncIterator[bytes]) -> None:
        """Takes the bytes as they come. Whatever ends it early, what came without a checksum is kept.

        Raises Conflict when somebody else took the upload.
        """
        partial.expect(checksum)
        waiting: list[bytes] = []
        size, whole = 0, False
        try:
            with anyio.CancelScope() as turn.scope:
                if turn.stopped:
                    turn.scope.cancel()
                async for piece in body:
                    waiting.append(piece)
                    size += len(piece)
                    if size >= SLAB:
                        slab, waiting, size = b"".join(waiting), [], 0
                        await to_thread.run_sync(partial.write, slab, self._city.now())
                whole = True
        except ClientDisconnect:
            whole = False
        finally:
            turn.scope = None
            with anyio.CancelScope(shield=True):
                await to_thread.run_sync(self._settle, partial, b"".join(waiting), whole, checksum is not None)
        if turn.stopped and not whole:
            raise Conflict(partial.offset)

    def _settle(self, partial: Partial, last: bytes, whole: bool, must_match: bool) -> None:
        try:
            if last:
                partial.write(last, self._city.now())
            if must_match and not (whole and partial.checked()):
                raise Problem("upload-checksum" if whole else "upload-malformed")
            partial.commit(self._city.now())
        except Problem:
            partial.roll_back()
            if whole:
                raise
        except OSError:  # the disk is full: what was not acknowledged takes no room
            partial.roll_back()
            raise

    async def _standing(self, tablet: Tablet, partial: Partial) -> Standing:
        if partial.offset < partial.length:
            return Standing(partial.offset, partial.length, partial.used + KEPT, said=partial.head.said)
        receipt = await to_thread.run_sync(self._finish, tablet, partial)
        return Standing(partial.length, partial.length, receipt=receipt, said=partial.head.said)

    def _finish(self, tablet: Tablet, partial: Partial) -> dict[str, str]:
        """The whole file goes the way of every evidence file. If that refuses it for good, it is thrown away."""
        head = partial.head
        try:
            receipt = hold_evidence(self._city, tablet, head.sha256, head.kind, Whole(partial, self._city.blobs),
                                    metadata(head.said).get("of", ""))
        except Problem as problem:
            if problem.code.startswith("evidence-"):
                partial.remove()
            raise
        partial.remove()
        return receipt

    async def _sweep(self) -> None:
        """Now and then, when somebody begins an upload, those whose time is over are removed."""
        now = self._city.now()
        if self._swept is not None and now - self._swept < _SWEEP_EVERY:
            return
        self._swept = now
        for name in await to_thread.run_sync(self._partials.expired, now):
            if name not in self._turns:
                self._partials.remove(name)
                log.info("the unfinished upload %s was given up", name)

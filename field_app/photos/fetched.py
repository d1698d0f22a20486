"""The box of files that came down (plan pages, small pictures of findings), on native files.

It lies apart from the evidence box, so that making room here can never touch evidence: whatever is in it can be
fetched again. A file gets its name only after its SHA-256 was checked and it is on the medium; until then it is a part
that a later run goes on with. With keys whole files are sealed under the tablet's, as evidence is; a part lies open.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

from field_app.photos import box, sealed
from field_app.photos.native import NativeBox
from field_app.store.native import NO_ROOM, sync_folder
from field_app.store.problems import StoreFull

PART = ".partial"


class FetchedBox(Protocol):
    """Where fetched files lie. Every ``sha`` is 64 lower-case hex digits."""

    def use(self, keys: Any) -> None:
        """From now on whole files are sealed under the tablet's key (of a `field_app.store.keyring.KeyRing`)."""

    async def seal_old(self) -> int:
        """Seals what was fetched before there were keys; gives their number. Raises StoreFull."""

    async def read(self, sha: str) -> bytes:
        """The bytes, checked against their hash. Raises Problem evidence-unknown, evidence-damaged."""

    async def shas(self) -> list[str]:
        """All whole files, sorted."""

    async def part_size(self, sha: str) -> int:
        """How many bytes of an unfinished file are here; 0 for none."""

    async def sink(self, sha: str, at: int) -> Any:
        """What a transport writes the bytes from ``at`` on into: ``write(piece) -> None`` and ``close()``. The part is
        cut to ``at`` first. Writing raises StoreFull."""

    async def finish(self, sha: str) -> bool:
        """The part is complete: True when it has its hash and is now a whole file; else it is dropped."""

    async def drop_part(self, sha: str) -> None:
        """Forgets what has come of an unfinished file."""

    async def delete(self, sha: str) -> None:
        """Removes a file, whole or not. Does nothing when there is none."""

    async def parts(self) -> list[str]:
        """The hashes of all unfinished files."""


class _Sink:
    """An open part; told to the medium when it is closed."""

    def __init__(self, place: Path, at: int) -> None:
        self._place = place
        self._file = open(place, "r+b" if place.exists() else "w+b")
        os.chmod(place, 0o600)
        self._file.truncate(at)
        self._file.seek(at)

    def write(self, piece: bytes) -> None:
        try:
            self._file.write(piece)
        except OSError as error:
            raise _full(error, self._place) from error

    def close(self) -> None:
        try:
            try:
                self._file.flush()
                os.fsync(self._file.fileno())
            finally:
                with suppress(OSError):  # it failed above already
                    self._file.close()
        except OSError as error:
            raise _full(error, self._place) from error


def _full(error: OSError, place: Path) -> Exception:
    return StoreFull(str(place.parent)) if error.errno in NO_ROOM else error


async def open_fetched(folder: str | os.PathLike[str]) -> NativeFetched:
    """Opens (or creates) the box in ``folder``."""
    place = Path(folder)
    await asyncio.to_thread(place.mkdir, mode=0o700, parents=True, exist_ok=True)
    return NativeFetched(place)


class _Shelf(NativeBox):
    """How files are sealed and read is the evidence box's; here they lie side by side, and nothing is derived."""

    def _place(self, sha: str) -> Path:
        return self._folder / box.a_sha(sha)

    async def shas(self) -> list[str]:
        return sorted(file.name for file in self._folder.iterdir() if len(file.name) == 64)

    def _forget_open_thumbnails(self) -> None:
        return


class NativeFetched:
    """FetchedBox on a folder: one file per hash, ``.partial`` while it is coming."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._shelf = _Shelf(folder)

    def use(self, keys: Any) -> None:
        self._shelf.use(keys)

    async def seal_old(self) -> int:
        return await self._shelf.seal_old()

    async def read(self, sha: str) -> bytes:
        return await self._shelf.read(sha)

    async def shas(self) -> list[str]:
        return await self._shelf.shas()

    async def parts(self) -> list[str]:
        return sorted(file.name.removesuffix(PART) for file in self._folder.glob(f"*{PART}"))

    async def part_size(self, sha: str) -> int:
        try:
            return self._part(sha).stat().st_size
        except FileNotFoundError:
            return 0

    async def sink(self, sha: str, at: int) -> _Sink:
        try:
            return await asyncio.to_thread(_Sink, self._part(sha), at)
        except OSError as error:
            raise _full(error, self._folder) from error

    async def finish(self, sha: str) -> bool:
        return await asyncio.to_thread(self._finish, sha)

    def _finish(self, sha: str) -> bool:
        part = self._part(sha)
        digest = hashlib.sha256()
        with part.open("rb") as file:
            while piece := file.read(box.SLICE):
                digest.update(piece)
        if digest.hexdigest() != sha:
            part.unlink()
            return False
        if self._shelf.sealing:
            with part.open("rb") as file:
                self._shelf._write(sha, iter(lambda: file.read(sealed.PIECE), b""), part.stat().st_size, shared=True)
            part.unlink()
        else:
            os.replace(part, self._place(sha))
            sync_folder(self._folder)
        return True

    async def drop_part(self, sha: str) -> None:
        await asyncio.to_thread(self._part(sha).unlink, missing_ok=True)

    async def delete(self, sha: str) -> None:
        await self.drop_part(sha)
        await asyncio.to_thread(self._place(sha).unlink, missing_ok=True)

    def _place(self, sha: str) -> Path:
        return self._folder / box.a_sha(sha)

    def _part(self, sha: str) -> Path:
        return self._folder / f"{box.a_sha(sha)}{PART}"

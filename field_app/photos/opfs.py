"""The evidence box in the browser's private file system: one file per original, handles only while writing.

A file is written under a temporary name, flushed, and moved to its hash. Where a browser cannot move files it
is written under its hash at once; a crash may then leave a part there, which ``keep`` and ``read`` recognise
by the hash. No original stays in the memory of Python: bodies and hashes go by slices.
"""

from __future__ import annotations

import asyncio
import hashlib
from contextlib import suppress

from pyodide.ffi import JsException

from field_app.photos import box
from field_app.store.disk import DiskFull
from field_app.store.opfs import FULL, exclusive, folder, write_at
from field_app.store.problems import StoreFull

_PATIENCE = 10.0


async def open_opfs_box(name: str = "evidence", images: box.Images | None = None) -> OpfsBox:
    """Opens (or creates) the box in the OPFS folder ``name`` and clears what a crash left half written."""
    originals, derived = await folder(name), await folder(f"{name}/derived")
    opened = OpfsBox(originals, derived, images)
    await opened.prepare()
    return opened


class OpfsBox:
    """EvidenceBox on an OPFS folder."""

    def __init__(self, originals, derived, images: box.Images | None = None):
        self._originals = originals
        self._derived = derived
        self._images = images
        self._one_at_a_time = asyncio.Lock()  # One file is written by one handle, and memory is small here.

    async def prepare(self) -> None:
        for place in (self._originals, self._derived):
            for name in [entry async for entry in place.keys() if entry.endswith(".part")]:
                with suppress(JsException):  # Another tab may be writing it; then it is not ours to clear.
                    await place.removeEntry(name)

    async def keep(self, data: bytes, *, photo: bool = False, kind: str = "") -> str:
        data = bytes(data)
        sha = box.fingerprint(data)
        box.refuse_unusable(data, kind or ("photo" if photo else ""))
        async with self._one_at_a_time:
            if not await self.check(sha):
                await _write_new(self._originals, sha, data)
        return sha

    async def read(self, sha: str) -> bytes:
        data = await _bytes_of(await self.upload_body(sha))
        if box.fingerprint(data) != sha:
            raise box.damaged(sha)
        return data

    async def size(self, sha: str) -> int:
        return (await self.upload_body(sha)).size

    async def has(self, sha: str) -> bool:
        return await _find(self._originals, box.a_sha(sha)) is not None

    async def check(self, sha: str) -> bool:
        file = await _find(self._originals, box.a_sha(sha))
        if file is None:
            return False
        digest = hashlib.sha256()
        for at in range(0, file.size, box.SLICE):
            digest.update(await _bytes_of(file.slice(at, at + box.SLICE)))
        return digest.hexdigest() == sha

    async def delete(self, sha: str) -> None:
        box.a_sha(sha)
        for name in [entry async for entry in self._derived.keys() if entry.startswith(sha)]:
            await self._derived.removeEntry(name)
        if await self.has(sha):
            await self._originals.removeEntry(sha)

    async def shas(self) -> list[str]:
        return sorted([entry async for entry in self._originals.keys() if len(entry) == 64])

    async def upload_body(self, sha: str):
        file = await _find(self._originals, box.a_sha(sha))
        if file is None:
            raise box.unknown(sha)
        return file

    async def thumbnail(self, sha: str, longest: int = 320) -> bytes:
        name = f"{box.a_sha(sha)}.{longest}.jpg"
        if file := await _find(self._derived, name):
            return await _bytes_of(file)
        small = await box.make_thumbnail(self._images, await self.read(sha), longest, sha)
        with suppress(StoreFull):  # It is only kept to be faster next time.
            await _write_new(self._derived, name, small)
        return small

    async def smaller(self, sha: str, longest: int) -> bytes:
        return await box.make_thumbnail(self._images, await self.upload_body(sha), longest, sha)


async def _bytes_of(blob) -> bytes:
    return (await blob.arrayBuffer()).to_bytes()


async def _find(place, name: str):
    """The JS File of an entry, read-only and not in memory; None when there is none."""
    try:
        return await (await place.getFileHandle(name)).getFile()
    except JsException as error:
        if error.name == "NotFoundError":
            return None
        raise


async def _write_new(place, name: str, data: bytes) -> None:
    """Writes, flushes and moves to ``name``. Raises StoreFull with nothing left behind."""
    part = f"{name}.part"
    try:
        await _write(place, part, data)
        file = await place.getFileHandle(part)
        if hasattr(file, "move"):
            await file.move(name)
        else:
            await _write(place, name, data)
            await place.removeEntry(part)
    except StoreFull:
        with suppress(JsException):
            await place.removeEntry(part)
        raise


async def _write(place, name: str, data: bytes) -> None:
    handle = await exclusive(place, name, _PATIENCE)
    try:
        handle.truncate(0)
        for at in range(0, len(data), box.SLICE):
            write_at(handle, at, data[at : at + box.SLICE])
        handle.flush()
    except (DiskFull, JsException) as error:
        if not isinstance(error, DiskFull) and error.name not in FULL:
            raise
        handle.truncate(0)
        raise StoreFull(name) from error
    finally:
        handle.close()

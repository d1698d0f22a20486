"""The box of files that came down, in the browser's private file system. Not a byte of them enters Python's memory
while they are fetched: the sink takes the browser's own arrays, and the browser makes the hash and seals whole files.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress

import js
from pyodide.ffi import JsException, to_js

from field_app.photos import box
from field_app.photos.opfs import OpfsBox
from field_app.store.opfs import FULL, exclusive, folder
from field_app.store.problems import StoreFull

PART = ".partial"
_PATIENCE = 10.0


async def open_opfs_fetched(name: str = "fetched") -> OpfsFetched:
    """Opens (or creates) the box in the OPFS folder ``name``."""
    return OpfsFetched(await folder(name))


class _Sink:
    """An access handle on a part; ``write`` takes a Uint8Array of the browser as it is."""

    def __init__(self, handle, at: int) -> None:
        self._handle, self._at, self.written = handle, at, 0
        handle.truncate(at)

    def write(self, piece) -> None:
        try:
            written = self._handle.write(piece, to_js({"at": self._at}, dict_converter=js.Object.fromEntries))
        except JsException as error:
            if error.name in FULL:
                raise StoreFull("fetched") from error
            raise
        if written != piece.byteLength:
            raise StoreFull("fetched")
        self._at += written
        self.written += written

    def close(self) -> None:
        try:
            self._handle.flush()
        except JsException as error:
            raise StoreFull("fetched") from error
        finally:
            self._handle.close()


class OpfsFetched:
    """FetchedBox on an OPFS folder."""

    def __init__(self, place) -> None:
        self._place = place
        self._one_at_a_time = asyncio.Lock()  # an access handle is exclusive
        self._shelf = OpfsBox(place, None)  # how files are sealed and read is the evidence box's
        self._keys = None

    def use(self, keys) -> None:
        self._keys = keys
        self._shelf.use(keys)

    async def seal_old(self) -> int:
        count = 0
        for sha in await self.shas() if hasattr(js.FileSystemFileHandle.prototype, "move") else ():
            async with self._one_at_a_time:
                count += await self._shelf.seal_one(sha)
        return count

    async def read(self, sha: str) -> bytes:
        return await self._shelf.read(sha)

    async def shas(self) -> list[str]:
        return sorted([entry async for entry in self._place.keys() if len(entry) == 64])

    async def parts(self) -> list[str]:
        return sorted([entry.removesuffix(PART) async for entry in self._place.keys() if entry.endswith(PART)])

    async def part_size(self, sha: str) -> int:
        file = await self._file(f"{box.a_sha(sha)}{PART}")
        return 0 if file is None else int(file.size)

    async def sink(self, sha: str, at: int) -> _Sink:
        async with self._one_at_a_time:
            handle = await exclusive(self._place, f"{box.a_sha(sha)}{PART}", _PATIENCE)
            try:
                return _Sink(handle, at)
            except BaseException:
                handle.close()
                raise

    async def finish(self, sha: str) -> bool:
        name = f"{box.a_sha(sha)}{PART}"
        file = await self._file(name)
        digest = await js.crypto.subtle.digest("SHA-256", await file.arrayBuffer())
        if digest.to_bytes().hex() != sha:
            await self.drop_part(sha)
            return False
        if self._keys is not None and self._keys.tablet is not None:
            await self._shelf.seal_file(sha, file)
            await self.drop_part(sha)
            return True
        part = await self._place.getFileHandle(name)
        if hasattr(part, "move"):
            await part.move(sha)
            return True
        # A browser that cannot move files: copied inside the browser. After a crash `read` rejects it.
        sink = _Sink(await exclusive(self._place, sha, _PATIENCE), 0)
        try:
            sink.write(js.Uint8Array.new(await file.arrayBuffer()))
        finally:
            sink.close()
        await self.drop_part(sha)
        return True

    async def drop_part(self, sha: str) -> None:
        await self._remove(f"{box.a_sha(sha)}{PART}")

    async def delete(self, sha: str) -> None:
        await self.drop_part(sha)
        await self._remove(box.a_sha(sha))

    async def _remove(self, name: str) -> None:
        with suppress(JsException):  # there is none
            await self._place.removeEntry(name)

    async def _file(self, name: str):
        try:
            return await (await self._place.getFileHandle(name)).getFile()
        except JsException as error:
            if error.name == "NotFoundError":
                return None
            raise

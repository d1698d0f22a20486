"""The evidence box in the browser's private file system: one file per original, handles only while writing.

A file is written under a temporary name, flushed, and moved to its hash. Where a browser cannot move files it
is written under its hash at once; a crash may then leave a part there, which ``keep`` and ``read`` recognise
by the hash. No photo enters the memory of Python: what is kept lies in the browser's (`Outside`), which hashes, seals
and writes it, and opens it again piece by piece; checking a file by its hash alone reads slices.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

import js
from pyodide.ffi import JsException, to_js

from field_app.photos import box, sealed
from field_app.photos.outside import Outside, outside
from field_app.photos.stamp import Stamp, mark
from field_app.store.ciphers import NONCE_BYTES, Forged
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


class SealedBody:
    """The plain bytes of a sealed file; ``plain`` gives a part of them as a Blob, which the browser holds."""

    def __init__(self, file, find, key, head: sealed.Head, sha: str) -> None:
        self._file, self._find, self._key, self._head, self._sha = file, find, key, head, sha
        self.size = head.size

    async def plain(self, first: int = 0, end: int | None = None):
        """Raises Problem evidence-damaged, evidence-unknown."""
        try:
            return await self._part(first, end)
        except JsException as error:
            if error.name not in ("NotReadableError", "NotFoundError"):
                raise box.damaged(self._sha) from error
        # It was released just now, which changes its head: a File of before cannot be read any more.
        self._file = await self._find()
        if self._file is None:
            raise box.unknown(self._sha)
        try:
            return await self._part(first, end)
        except JsException as error:
            raise box.damaged(self._sha) from error

    async def _part(self, first: int, end: int | None):
        """Piece after piece, from the file's own Blob into one of plain bytes; none of them enters Python."""
        end, head = self.size if end is None else min(end, self.size), self._head
        about, parts = to_js(sealed.about_piece(self._sha, self.size)), js.Array.new()
        for number in head.pieces(first, end):
            at, length = head.offset(number), head.length(number)
            how = _options(name="AES-GCM", iv=sealed.nonce(number), additionalData=about)
            piece = await self._file.slice(at, at + length + sealed.TAG).arrayBuffer()
            plain = await js.crypto.subtle.decrypt(how, self._key, piece)
            begin, until = max(0, first - number * head.piece), min(length, end - number * head.piece)
            parts.push(plain if (begin, until) == (0, length) else plain.slice(begin, until))
        return js.Blob.new(parts)


class OpfsBox:
    """EvidenceBox on an OPFS folder."""

    def __init__(self, originals, derived, images: box.Images | None = None):
        self._originals = originals
        self._derived = derived
        self._images = images
        self._one_at_a_time = asyncio.Lock()  # One file is written by one handle, and memory is small here.
        self._keys: Any = None
        self._released: set[str] = set()

    async def prepare(self) -> None:
        for place in (self._originals, self._derived):
            for name in [entry async for entry in place.keys() if entry.endswith(".part")]:
                with suppress(JsException):  # Another tab may be writing it; then it is not ours to clear.
                    await place.removeEntry(name)

    def use(self, keys: Any) -> None:
        self._keys = keys

    # --- keeping ---

    async def keep(self, data: bytes | Outside, *, photo: bool = False, kind: str = "") -> str:
        data = data if isinstance(data, Outside) else bytes(data)
        held = data if isinstance(data, Outside) else Outside(to_js(data))
        sha = await _fingerprint(held)
        box.refuse_unusable(data, kind or ("photo" if photo else ""))
        async with self._one_at_a_time:
            if not await self.check(sha):
                await self._write(sha, held)
        return sha

    async def _write(self, sha: str, data: Any, *, shared: bool = False) -> None:
        """A new file of these plain bytes (an `Outside`, or a plain File), sealed where there are keys."""
        keys = self._keys
        if keys is None or keys.tablet is None:
            await _write_new(self._originals, sha, data)
            return
        # Somebody else's photo of the same bytes lies here: then it is no secret of either, and both must find it.
        shared = shared or keys.own is None or await self.has(sha)
        held, raw = (keys.tablet if shared else keys.own), os.urandom(32)
        size = _size(data)
        filled = sealed.slot(held.id, await held.files.seal(raw, sealed.about_key(sha)))
        head = sealed.pack(size, tablet=filled) if shared else sealed.pack(size, person=filled)
        key, about = await _imported(sealed.pieces_key(raw)), to_js(sealed.about_piece(sha, size))

        async def seal(number: int, piece):
            how = _options(name="AES-GCM", iv=sealed.nonce(number), additionalData=about)
            return js.Uint8Array.new(await js.crypto.subtle.encrypt(how, key, piece))

        await _write_new(self._originals, sha, data, head=head, seal=seal)

    async def release(self, shas: Iterable[str]) -> None:
        if self._keys is None or self._keys.tablet is None:
            return
        for sha in [sha for sha in shas if sha not in self._released]:
            async with self._one_at_a_time:
                await self._release(sha)
            self._released.add(sha)

    async def _release(self, sha: str) -> None:
        keys = self._keys
        file = await _find(self._originals, box.a_sha(sha))
        head = None if file is None else await _head(file)
        if head is None or head.person is None or await self._unwrap(sha, head.tablet, keys.tablet) is not None:
            return
        raw = await self._unwrap(sha, head.person, keys.own)
        if raw is None:
            raise box.locked(sha)
        slot = sealed.slot(keys.tablet.id, await keys.tablet.files.seal(raw, sealed.about_key(sha)))
        handle = await exclusive(self._originals, sha, _PATIENCE)
        try:
            write_at(handle, sealed.TABLETS_AT, slot)
            handle.flush()
        finally:
            handle.close()

    async def seal_old(self) -> int:
        if self._keys is None or self._keys.tablet is None:
            return 0
        for name in [entry async for entry in self._derived.keys()]:
            file = await _find(self._derived, name)
            if file is not None and await _bytes_of(file.slice(0, len(sealed.MAGIC))) != sealed.MAGIC:
                await self._derived.removeEntry(name)
        count = 0
        # Where files cannot be moved an old one could only be written over in place, and a crash would lose it.
        for sha in await self.shas() if hasattr(js.FileSystemFileHandle.prototype, "move") else ():
            async with self._one_at_a_time:
                count += await self.seal_one(sha)
        return count

    async def seal_one(self, sha: str) -> bool:
        """Seals one file that lies open, where files can be moved; whether it did."""
        file = await _find(self._originals, sha)
        if file is None or await _head(file) is not None or not await self.check(sha):
            return False
        await self.seal_file(sha, file)
        return True

    async def seal_file(self, sha: str, file: Any) -> None:
        """Keeps the plain bytes of a File of the browser, sealed under the tablet's key. Raises StoreFull."""
        await self._write(sha, file, shared=True)

    # --- reading ---

    async def read(self, sha: str) -> bytes:
        data = await _bytes_of(await self._blob(sha))
        if box.fingerprint(data) != sha:
            raise box.damaged(sha)
        return data

    async def _held(self, sha: str) -> Outside:
        """The plain bytes, checked against their hash, outside of Python's memory."""
        held = await outside(await self._blob(sha))
        if await _fingerprint(held) != sha:
            raise box.damaged(sha)
        return held

    async def _blob(self, sha: str):
        """The plain bytes as a Blob or File of the browser."""
        body = await self.upload_body(sha)
        return await body.plain() if isinstance(body, SealedBody) else body

    async def size(self, sha: str) -> int:
        file = await self._file(sha)
        head = await _head(file)
        return int(file.size) if head is None else head.size

    async def has(self, sha: str) -> bool:
        return await _find(self._originals, box.a_sha(sha)) is not None

    async def check(self, sha: str) -> bool:
        digest = hashlib.sha256()
        try:
            body = await self.upload_body(sha)
            for at in range(0, body.size, box.SLICE):
                piece = body.plain(at, at + box.SLICE) if isinstance(body, SealedBody) else None
                digest.update(await _bytes_of(await piece if piece is not None else body.slice(at, at + box.SLICE)))
        except box.Problem as problem:
            if problem.code == "evidence-hash-malformed":
                raise
            return False
        return digest.hexdigest() == sha

    async def delete(self, sha: str) -> None:
        box.a_sha(sha)
        self._released.discard(sha)
        for name in [entry async for entry in self._derived.keys() if entry.startswith(sha)]:
            await self._derived.removeEntry(name)
        if await self.has(sha):
            await self._originals.removeEntry(sha)

    async def shas(self) -> list[str]:
        return sorted([entry async for entry in self._originals.keys() if len(entry) == 64])

    async def _file(self, sha: str):
        file = await _find(self._originals, box.a_sha(sha))
        if file is None:
            raise box.unknown(sha)
        return file

    async def upload_body(self, sha: str):
        file = await self._file(sha)
        head = await _head(file)
        if head is None:
            return file
        key = await _imported(sealed.pieces_key(await self._key_of(sha, head)))
        return SealedBody(file, lambda: _find(self._originals, sha), key, head, sha)

    async def _key_of(self, sha: str, head: sealed.Head) -> bytes:
        keys = self._keys
        for slot, held in ((head.tablet, keys and keys.tablet), (head.person, keys and keys.own)):
            if (raw := await self._unwrap(sha, slot, held)) is not None:
                return raw
        mine = keys is not None and keys.own is not None and head.person and head.person[0] == keys.own.id
        raise box.damaged(sha) if mine else box.locked(sha)

    @staticmethod
    async def _unwrap(sha: str, slot: tuple[int, bytes] | None, held: Any) -> bytes | None:
        if slot is None or held is None or slot[0] != held.id:
            return None
        try:
            return await held.files.open(slot[1], sealed.about_key(sha))
        except Forged:
            return None

    # --- small pictures ---

    async def thumbnail(self, sha: str, longest: int = 320, stamp: Stamp = ()) -> bytes:
        name = f"{box.a_sha(sha)}.{longest}{mark(stamp)}.jpg"
        file = await _find(self._derived, name)
        small = None if file is None else await self._small(sha, name, await _bytes_of(file))
        if small is None:
            small = await box.make_thumbnail(self._images, await self._held(sha), longest, sha, stamp=stamp)
            with suppress(StoreFull):  # It is only kept to be faster next time.
                await self._keep_small(sha, name, small)
        return small

    async def _small(self, sha: str, name: str, data: bytes) -> bytes | None:
        if not data.startswith(sealed.MAGIC):
            return data if self._keys is None else None
        key, data = await self._derived_key(sha), data[len(sealed.MAGIC):]
        how = _options(name="AES-GCM", iv=data[:NONCE_BYTES], additionalData=name.encode())
        try:
            return (await js.crypto.subtle.decrypt(how, key, to_js(data[NONCE_BYTES:]))).to_bytes()
        except JsException:  # of an earlier copy of the file, under another key
            return None

    async def _keep_small(self, sha: str, name: str, small: bytes) -> None:
        if (key := await self._derived_key(sha)) is not None:
            nonce = os.urandom(NONCE_BYTES)
            how = _options(name="AES-GCM", iv=nonce, additionalData=name.encode())
            small = sealed.MAGIC + nonce + (await js.crypto.subtle.encrypt(how, key, to_js(small))).to_bytes()
        await _write_new(self._derived, name, small)

    async def _derived_key(self, sha: str):
        head = await _head(await self._file(sha))
        return None if head is None else await _imported(sealed.derived_key(await self._key_of(sha, head)))

    async def smaller(self, sha: str, longest: int, stamp: Stamp = ()) -> Outside:
        return await box.make_thumbnail(self._images, await self._blob(sha), longest, sha, stay=True, stamp=stamp)


def _options(**values):
    return to_js(values, dict_converter=js.Object.fromEntries)


async def _fingerprint(held: Outside) -> str:
    """SHA-256 in lower-case hex, made by the browser."""
    return (await js.crypto.subtle.digest("SHA-256", held.array)).to_bytes().hex()


def _size(data: Any) -> int:
    return len(data) if isinstance(data, bytes | Outside) else int(data.size)


async def _imported(key: bytes):
    return await js.crypto.subtle.importKey("raw", to_js(key), "AES-GCM", False, to_js(["encrypt", "decrypt"]))


async def _head(file) -> sealed.Head | None:
    """The head of a sealed file; None for an open one."""
    return sealed.unpack(await _bytes_of(file.slice(0, sealed.HEAD_BYTES)))


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


async def _write_new(place, name: str, data: Any, **how: Any) -> None:
    """Writes, flushes and moves to ``name``. Raises StoreFull with nothing left behind."""
    part = f"{name}.part"
    try:
        await _write(place, part, data, **how)
        file = await place.getFileHandle(part)
        if hasattr(file, "move"):
            await file.move(name)
        else:
            await _write(place, name, data, **how)
            await place.removeEntry(part)
    except StoreFull:
        with suppress(JsException):
            await place.removeEntry(part)
        raise


async def _write(place, name: str, data: Any, *, head: bytes = b"", seal: Any = None) -> None:
    """``data``: bytes, an `Outside`, or a File of the browser. ``seal(number, piece)`` makes what is written of each
    piece."""
    size, step = _size(data), (sealed.PIECE if seal else box.SLICE)
    handle = await exclusive(place, name, _PATIENCE)
    try:
        handle.truncate(0)
        if head:
            write_at(handle, 0, head)
        to = len(head)
        for number, at in enumerate(range(0, size, step)):
            if isinstance(data, bytes):
                piece = to_js(data[at : at + step])
            elif isinstance(data, Outside):
                piece = data.array.subarray(at, at + step)
            else:
                piece = js.Uint8Array.new(await data.slice(at, at + step).arrayBuffer())
            if seal is not None:
                piece = await seal(number, piece)
            written = handle.write(piece, _options(at=to))
            if written != piece.byteLength:
                raise DiskFull(f"only {written} of {piece.byteLength} bytes were taken")
            to += written
        handle.flush()
    except (DiskFull, JsException) as error:
        if not isinstance(error, DiskFull) and error.name not in FULL:
            raise
        handle.truncate(0)
        raise StoreFull(name) from error
    finally:
        handle.close()

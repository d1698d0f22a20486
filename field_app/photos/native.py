"""The evidence box on native files: temporary file, fsync, rename to the hash, fsync of the folder. Mode 0600.

A file under its final name is whole, because it only ever gets there by a rename after the sync. Once the box has keys,
files are sealed (`sealed`); those from before are read as they are until `seal_old` has replaced them. Work on files
runs in a thread, so that a large photo never stops the app, and reading holds one piece in memory, never the file.
"""

from __future__ import annotations

import asyncio
import errno
import hashlib
import io
import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from field_app.photos import box, sealed
from field_app.photos.stamp import Stamp, mark
from field_app.store.ciphers import NONCE_BYTES, Forged
from field_app.store.native import NO_ROOM, sync_folder, sync_to_medium, write_all
from field_app.store.problems import StoreFull

_BINARY = getattr(os, "O_BINARY", 0)


async def open_native_box(folder: str | os.PathLike[str], images: box.Images | None = None) -> NativeBox:
    """Opens (or creates) the box in ``folder`` and clears what a crash left half written."""
    opened = NativeBox(Path(folder), images)
    await asyncio.to_thread(opened.prepare)
    return opened


class NativeBox:
    """EvidenceBox on a folder: ``ab/abcd...`` per original, ``derived/`` for thumbnails."""

    def __init__(self, folder: Path, images: box.Images | None = None):
        self._folder = folder
        self._derived = folder / "derived"
        self._images = images
        self._keys: Any = None
        self._released: set[str] = set()

    def prepare(self) -> None:
        made = not self._folder.exists()
        for place in (self._folder, self._derived):
            place.mkdir(mode=0o700, parents=True, exist_ok=True)
        for left in self._folder.rglob("*.part-*"):
            left.unlink()
        sync_folder(self._folder)
        if made:
            sync_folder(self._folder.parent)

    def use(self, keys: Any) -> None:
        self._keys = keys

    @property
    def sealing(self) -> bool:
        """Whether what is kept now is sealed."""
        return self._keys is not None and self._keys.tablet is not None

    # --- keeping ---

    async def keep(self, data: bytes, *, photo: bool = False, kind: str = "") -> str:
        data = bytes(data)
        sha = box.fingerprint(data)
        box.refuse_unusable(data, kind or ("photo" if photo else ""))
        await asyncio.to_thread(self._keep, sha, data)
        return sha

    def _keep(self, sha: str, data: bytes) -> None:
        place = self._place(sha)
        if self._hash(sha) == sha:
            return
        if not place.parent.exists():
            place.parent.mkdir(mode=0o700, exist_ok=True)
            sync_folder(self._folder)
        self._write(sha, (data[at : at + sealed.PIECE] for at in range(0, len(data), sealed.PIECE)), len(data))

    def _write(self, sha: str, pieces: Iterable[bytes], size: int, *, shared: bool = False) -> None:
        """A new file of these plain pieces, sealed where there are keys."""
        keys = self._keys
        if keys is None or keys.tablet is None:
            _write_new(self._place(sha), pieces)
            return
        # Somebody else's photo of the same bytes lies here: then it is no secret of either, and both must find it.
        shared = shared or keys.own is None or self._place(sha).exists()
        held, raw = (keys.tablet if shared else keys.own), os.urandom(32)
        filled = sealed.slot(held.id, held.files.seal_now(raw, sealed.about_key(sha)))
        head = sealed.pack(size, tablet=filled) if shared else sealed.pack(size, person=filled)
        _write_new(self._place(sha), self._sealed_pieces(head, raw, sha, pieces, size))

    @staticmethod
    def _sealed_pieces(head: bytes, raw: bytes, sha: str, pieces: Iterable[bytes], size: int) -> Iterator[bytes]:
        yield head
        cipher, about = AESGCM(sealed.pieces_key(raw)), sealed.about_piece(sha, size)
        for number, piece in enumerate(pieces):
            yield cipher.encrypt(sealed.nonce(number), piece, about)

    async def release(self, shas: Iterable[str]) -> None:
        new = [sha for sha in shas if sha not in self._released]
        if new and self._keys is not None and self._keys.tablet is not None:
            await asyncio.to_thread(lambda: [self._release(sha) for sha in new])
            self._released.update(new)

    def _release(self, sha: str) -> None:
        keys, place = self._keys, self._place(sha)
        try:
            head = _head(place)
        except FileNotFoundError:
            return
        if head is None or head.person is None or self._unwrap(sha, head.tablet, keys.tablet) is not None:
            return
        raw = self._unwrap(sha, head.person, keys.own)
        if raw is None:
            raise box.locked(sha)
        fd = os.open(place, os.O_RDWR | _BINARY)
        try:
            os.lseek(fd, sealed.TABLETS_AT, os.SEEK_SET)
            write_all(fd, sealed.slot(keys.tablet.id, keys.tablet.files.seal_now(raw, sealed.about_key(sha))))
            sync_to_medium(fd)
        finally:
            os.close(fd)

    async def seal_old(self) -> int:
        if self._keys is None or self._keys.tablet is None:
            return 0
        await asyncio.to_thread(self._forget_open_thumbnails)
        count = 0
        for sha in await self.shas():
            count += await asyncio.to_thread(self._seal_old, sha)
        return count

    def _seal_old(self, sha: str) -> bool:
        place = self._place(sha)
        if not place.exists() or _head(place) is not None or self._hash(sha) != sha:
            return False
        with place.open("rb") as file:
            self._write(sha, iter(lambda: file.read(sealed.PIECE), b""), place.stat().st_size, shared=True)
        return True

    def _forget_open_thumbnails(self) -> None:
        for small in self._derived.iterdir():
            with small.open("rb") as file:
                if not file.read(len(sealed.MAGIC)).startswith(sealed.MAGIC):
                    small.unlink(missing_ok=True)

    # --- reading ---

    async def read(self, sha: str) -> bytes:
        data = await asyncio.to_thread(self._read, sha)
        if box.fingerprint(data) != sha:
            raise box.damaged(sha)
        return data

    def _read(self, sha: str) -> bytes:
        try:
            with self._open(sha) as file:
                return file.read()
        except DamagedFile:
            raise box.damaged(sha) from None

    def _open(self, sha: str) -> BinaryIO:
        """The plain bytes as a file. Raises Problem evidence-unknown, evidence-locked, evidence-damaged."""
        place = self._place(sha)
        try:
            head = _head(place)
            if head is None:
                return place.open("rb")
            return io.BufferedReader(_PlainFile(place, head, self._key_of(sha, head), sha), sealed.PIECE)
        except FileNotFoundError:
            raise box.unknown(sha) from None

    def _key_of(self, sha: str, head: sealed.Head) -> bytes:
        keys = self._keys
        for slot, held in ((head.tablet, keys and keys.tablet), (head.person, keys and keys.own)):
            if (raw := self._unwrap(sha, slot, held)) is not None:
                return raw
        mine = keys is not None and keys.own is not None and head.person and head.person[0] == keys.own.id
        raise box.damaged(sha) if mine else box.locked(sha)

    @staticmethod
    def _unwrap(sha: str, slot: tuple[int, bytes] | None, held: Any) -> bytes | None:
        if slot is None or held is None or slot[0] != held.id:
            return None
        try:
            return held.files.open_now(slot[1], sealed.about_key(sha))
        except Forged:
            return None

    async def size(self, sha: str) -> int:
        try:
            head = _head(self._place(sha))
            return self._place(sha).stat().st_size if head is None else head.size
        except FileNotFoundError:
            raise box.unknown(sha) from None

    async def has(self, sha: str) -> bool:
        return self._place(sha).exists()

    async def check(self, sha: str) -> bool:
        return await asyncio.to_thread(self._hash, box.a_sha(sha)) == sha

    def _hash(self, sha: str) -> str | None:
        digest = hashlib.sha256()
        try:
            with self._open(sha) as file:
                while piece := file.read(box.SLICE):
                    digest.update(piece)
        except (box.Problem, OSError):
            return None
        return digest.hexdigest()

    async def delete(self, sha: str) -> None:
        place = self._place(sha)
        self._released.discard(sha)
        for small in self._derived.glob(f"{sha}.*"):
            small.unlink(missing_ok=True)
        if place.exists():
            place.unlink(missing_ok=True)
            sync_folder(place.parent)

    async def shas(self) -> list[str]:
        return sorted(file.name for file in self._folder.glob("??/*") if len(file.name) == 64)

    async def upload_body(self, sha: str) -> BinaryIO:
        return self._open(box.a_sha(sha))

    # --- small pictures ---

    async def thumbnail(self, sha: str, longest: int = 320, stamp: Stamp = ()) -> bytes:
        place = self._derived / f"{box.a_sha(sha)}.{longest}{mark(stamp)}.jpg"
        small = await asyncio.to_thread(self._small, sha, place)
        if small is None:
            small = await box.make_thumbnail(self._images, await self.read(sha), longest, sha, stamp=stamp)
            with suppress(StoreFull, FileNotFoundError):  # It is only kept to be faster next time.
                await asyncio.to_thread(self._keep_small, sha, place, small)
        return small

    def _small(self, sha: str, place: Path) -> bytes | None:
        if not place.exists():
            return None
        data = place.read_bytes()
        if not data.startswith(sealed.MAGIC):
            return data if self._keys is None else None
        head = _head(self._place(sha))
        cipher, data = self._derived_cipher(sha, head), data[len(sealed.MAGIC):]
        try:
            return cipher.decrypt(data[:NONCE_BYTES], data[NONCE_BYTES:], place.name.encode())
        except InvalidTag:  # of an earlier copy of the file, under another key
            return None

    def _keep_small(self, sha: str, place: Path, small: bytes) -> None:
        if (head := _head(self._place(sha))) is not None:
            nonce = os.urandom(NONCE_BYTES)
            small = sealed.MAGIC + nonce + self._derived_cipher(sha, head).encrypt(nonce, small, place.name.encode())
        _write_new(place, [small])

    def _derived_cipher(self, sha: str, head: sealed.Head | None) -> AESGCM:
        if head is None:
            raise box.unknown(sha)
        return AESGCM(sealed.derived_key(self._key_of(sha, head)))

    async def smaller(self, sha: str, longest: int, stamp: Stamp = ()) -> bytes:
        return await box.make_thumbnail(self._images, await self.read(sha), longest, sha, stamp=stamp)

    def _place(self, sha: str) -> Path:
        return self._folder / box.a_sha(sha)[:2] / sha


class DamagedFile(OSError):
    """A piece of a sealed file does not open: to whoever reads it, a file that cannot be read."""


class _PlainFile(io.RawIOBase):
    """The plain bytes of a sealed file, read and sought like any file; one piece of it is in memory."""

    def __init__(self, place: Path, head: sealed.Head, raw: bytes, sha: str) -> None:
        self._file = place.open("rb", buffering=0)
        self._head, self._sha = head, sha
        self._cipher, self._about = AESGCM(sealed.pieces_key(raw)), sealed.about_piece(sha, head.size)
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, to: int, whence: int = os.SEEK_SET) -> int:
        self._at = max(0, to + {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self._head.size}[whence])
        return self._at

    def tell(self) -> int:
        return self._at

    def readinto(self, into: Any) -> int:
        if self._at >= self._head.size or not len(into):
            return 0
        number, begin = divmod(self._at, self._head.piece)
        self._file.seek(self._head.offset(number))
        piece = self._file.read(self._head.length(number) + sealed.TAG)
        try:
            plain = self._cipher.decrypt(sealed.nonce(number), piece, self._about)
        except InvalidTag:
            raise DamagedFile(errno.EIO, "a piece of it was changed", self._sha) from None
        part = plain[begin : begin + len(into)]
        into[: len(part)] = part
        self._at += len(part)
        return len(part)

    def close(self) -> None:
        self._file.close()
        super().close()


def _head(place: Path) -> sealed.Head | None:
    """The head of a sealed file; None for an open one. Raises FileNotFoundError."""
    with place.open("rb") as file:
        return sealed.unpack(file.read(sealed.HEAD_BYTES))


def _write_new(place: Path, pieces: Iterable[bytes]) -> None:
    part = place.with_name(f"{place.name}.part-{os.urandom(4).hex()}")
    try:
        fd = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, 0o600)
        try:
            for piece in pieces:
                write_all(fd, piece)
            sync_to_medium(fd)
        finally:
            os.close(fd)
        os.replace(part, place)
        sync_folder(place.parent)
    except OSError as error:
        part.unlink(missing_ok=True)
        if error.errno in NO_ROOM:
            raise StoreFull(str(place.parent)) from error
        raise

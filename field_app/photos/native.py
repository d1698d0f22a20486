"""The evidence box on native files: temporary file, fsync, rename to the hash, fsync of the folder. Mode 0600.

A file under its final name is whole, because it only ever gets there by a rename after the sync. Work on
files runs in a thread, so that a large photo never stops the app.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from field_app.photos import box
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

    def prepare(self) -> None:
        made = not self._folder.exists()
        for place in (self._folder, self._derived):
            place.mkdir(mode=0o700, parents=True, exist_ok=True)
        for left in self._folder.rglob("*.part-*"):
            left.unlink()
        sync_folder(self._folder)
        if made:
            sync_folder(self._folder.parent)

    async def keep(self, data: bytes, *, photo: bool = False, kind: str = "") -> str:
        data = bytes(data)
        sha = box.fingerprint(data)
        box.refuse_unusable(data, kind or ("photo" if photo else ""))
        await asyncio.to_thread(self._keep, sha, data)
        return sha

    def _keep(self, sha: str, data: bytes) -> None:
        place = self._place(sha)
        if self._hash(place) == sha:
            return
        if not place.parent.exists():
            place.parent.mkdir(mode=0o700, exist_ok=True)
            sync_folder(self._folder)
        _write_new(place, data)

    async def read(self, sha: str) -> bytes:
        data = await asyncio.to_thread(self._read, sha)
        if box.fingerprint(data) != sha:
            raise box.damaged(sha)
        return data

    def _read(self, sha: str) -> bytes:
        try:
            return self._place(sha).read_bytes()
        except FileNotFoundError:
            raise box.unknown(sha) from None

    async def size(self, sha: str) -> int:
        try:
            return self._place(sha).stat().st_size
        except FileNotFoundError:
            raise box.unknown(sha) from None

    async def has(self, sha: str) -> bool:
        return self._place(sha).exists()

    async def check(self, sha: str) -> bool:
        return await asyncio.to_thread(self._hash, self._place(sha)) == sha

    @staticmethod
    def _hash(place: Path) -> str | None:
        digest = hashlib.sha256()
        try:
            with place.open("rb") as file:
                while piece := file.read(box.SLICE):
                    digest.update(piece)
        except FileNotFoundError:
            return None
        return digest.hexdigest()

    async def delete(self, sha: str) -> None:
        place = self._place(sha)
        for small in self._derived.glob(f"{sha}.*"):
            small.unlink(missing_ok=True)
        if place.exists():
            place.unlink(missing_ok=True)
            sync_folder(place.parent)

    async def shas(self) -> list[str]:
        return sorted(file.name for file in self._folder.glob("??/*") if len(file.name) == 64)

    async def upload_body(self, sha: str) -> BinaryIO:
        try:
            return self._place(sha).open("rb")
        except FileNotFoundError:
            raise box.unknown(sha) from None

    async def thumbnail(self, sha: str, longest: int = 320) -> bytes:
        place = self._derived / f"{box.a_sha(sha)}.{longest}.jpg"
        if place.exists():
            return await asyncio.to_thread(place.read_bytes)
        small = await box.make_thumbnail(self._images, await self.read(sha), longest, sha)
        with suppress(StoreFull):  # It is only kept to be faster next time.
            await asyncio.to_thread(_write_new, place, small)
        return small

    async def smaller(self, sha: str, longest: int) -> bytes:
        return await box.make_thumbnail(self._images, await self.read(sha), longest, sha)

    def _place(self, sha: str) -> Path:
        return self._folder / box.a_sha(sha)[:2] / sha


def _write_new(place: Path, data: bytes) -> None:
    part = place.with_name(f"{place.name}.part-{os.urandom(4).hex()}")
    try:
        fd = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, 0o600)
        try:
            write_all(fd, data)
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

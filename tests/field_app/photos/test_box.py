"""The evidence box on native files, with Pillow for the small pictures."""

import asyncio
import tracemalloc

import pytest

from field_app.hardware.crypto import NativeCrypto
from field_app.hardware.images_pillow import PillowImages
from field_app.photos import native
from field_app.photos.fetched import open_fetched
from field_app.photos.native import open_native_box
from field_app.photos.pieces import pieces
from tests.contract import box_contract
from tests.contract.pictures import TURNED_JPEG
from tests.contract.sealed_box import LARGE, SEALED_CHECKS, key_ring


class NativeWorld:
    def __init__(self, folder):
        self.folder = folder / "evidence"

    async def open(self):
        return await open_native_box(self.folder, PillowImages())

    async def spoil(self, sha, data):
        (self.folder / sha[:2] / sha).write_bytes(data)

    async def leave_half(self):
        (self.folder / "ab").mkdir(exist_ok=True)
        (self.folder / "ab" / f"{'ab' * 32}.part-0badcafe").write_bytes(TURNED_JPEG[:50])

    async def names(self):
        return {path.name for path in self.folder.rglob("*") if path.is_file()}

    async def body(self, body):
        with body:
            return body.read()


class SealedWorld(NativeWorld):
    """A box with keys."""

    can_move = True

    def __init__(self, folder):
        super().__init__(folder)
        self.keys = None

    async def open(self, sealed=True):
        box = await super().open()
        if sealed:
            self.keys = self.keys or await key_ring(NativeCrypto())
            box.use(self.keys)
        return box

    async def fetched(self, sealed=True):
        files = await open_fetched(self.folder.with_name("fetched"))
        if sealed:
            files.use(self.keys)
        return files

    @staticmethod
    def pour(sink, data):
        sink.write(data)

    async def raw_fetched(self, name):
        return (self.folder.with_name("fetched") / name).read_bytes()

    async def raw(self, name):
        (place,) = [path for path in self.folder.rglob(name) if path.is_file()]
        return place.read_bytes()

    async def slice(self, body, first, end):
        with body:
            body.seek(first)
            return body.read(end - first)


@pytest.mark.parametrize("world", [NativeWorld, SealedWorld])
@pytest.mark.parametrize("name", box_contract.CHECKS)
def test_contract(name, world, tmp_path):
    asyncio.run(box_contract.CHECKS[name](world(tmp_path)))


@pytest.mark.parametrize("name", SEALED_CHECKS)
def test_a_sealed_box(name, tmp_path):
    asyncio.run(SEALED_CHECKS[name](SealedWorld(tmp_path)))


@pytest.mark.parametrize("piece", range(0, 9))
def test_killed_while_old_files_are_sealed_every_file_is_whole(piece, tmp_path, monkeypatch):
    """It dies at the piece-th write: each file is the old or the new one, and the next run finishes."""
    world = SealedWorld(tmp_path)

    class Killed(BaseException):
        pass

    async def main():
        old = await world.open(sealed=False)
        files = {await old.keep(data): data for data in (TURNED_JPEG, LARGE, LARGE[:-1] + b"!")}
        left, write = piece, native.write_all

        def dying(fd, data):
            nonlocal left
            left -= 1
            if left < 0:
                write(fd, bytes(data)[: len(data) // 2])
                raise Killed
            write(fd, data)

        with monkeypatch.context() as patched, pytest.raises(Killed):
            patched.setattr(native, "write_all", dying)
            await (await world.open()).seal_old()
        box = await world.open()
        for sha, data in files.items():
            assert await box.read(sha) == data
        await box.seal_old()
        for sha, data in files.items():
            assert await box.read(sha) == data and data[:200] not in await world.raw(sha)
        assert await world.names() == set(files)

    asyncio.run(main())


def test_reading_a_large_sealed_file_by_pieces_keeps_memory_flat(tmp_path):
    """60 MB: hashing and sending it holds a few pieces, not the file."""

    async def main():
        world = SealedWorld(tmp_path)
        box = await world.open()
        sha = await box.keep(bytes(60_000_000))
        tracemalloc.start()
        assert await box.check(sha)
        size = 0
        async for part in pieces(await box.upload_body(sha)):
            size += len(part)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert size == 60_000_000 and peak < 8_000_000

    asyncio.run(main())


def test_only_the_owner_may_read_the_files(tmp_path):
    async def main():
        box = await NativeWorld(tmp_path).open()
        await box.thumbnail(await box.keep(TURNED_JPEG), 8)

    asyncio.run(main())
    modes = {oct(path.stat().st_mode & 0o777) for path in (tmp_path / "evidence").rglob("*") if path.is_file()}
    assert modes == {"0o600"}

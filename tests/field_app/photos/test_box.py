"""The evidence box on native files, with Pillow for the small pictures."""

import asyncio

import pytest

from field_app.hardware.images_pillow import PillowImages
from field_app.photos.native import open_native_box
from tests.contract import box_contract
from tests.contract.pictures import TURNED_JPEG


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


@pytest.mark.parametrize("name", box_contract.CHECKS)
def test_contract(name, tmp_path):
    asyncio.run(box_contract.CHECKS[name](NativeWorld(tmp_path)))


def test_only_the_owner_may_read_the_files(tmp_path):
    async def main():
        box = await NativeWorld(tmp_path).open()
        await box.thumbnail(await box.keep(TURNED_JPEG), 8)

    asyncio.run(main())
    modes = {oct(path.stat().st_mode & 0o777) for path in (tmp_path / "evidence").rglob("*") if path.is_file()}
    assert modes == {"0o600"}

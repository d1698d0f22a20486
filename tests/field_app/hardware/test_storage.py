"""The storage port: the disk natively, the page's answer in the browser; what is not told is None."""

import asyncio
import shutil
from pathlib import Path

from field_app.hardware.ports import StorageState
from field_app.hardware.storage import DiskStorage, from_page


def test_the_disk_is_the_one_the_folder_lies_on(tmp_path: Path):
    told = asyncio.run(DiskStorage(tmp_path).look())
    total = shutil.disk_usage(tmp_path).total
    assert 0 < told.free <= total
    assert (told.used, told.kept) == (None, None)
    assert asyncio.run(DiskStorage(tmp_path).ask_to_keep()) is None


def test_a_folder_that_is_gone_tells_nothing(tmp_path: Path):
    assert asyncio.run(DiskStorage(tmp_path / "gone").look()) == StorageState()


def test_the_answer_of_the_page():
    assert from_page({"quota": 900.0, "usage": 300.0, "persisted": False}) == StorageState(600, 300, False)
    assert from_page({"quota": 100.0, "usage": 300.0, "persisted": True}) == StorageState(0, 300, True)
    assert from_page({}) == StorageState()
    assert from_page({"quota": None, "usage": 3, "persisted": None}) == StorageState()

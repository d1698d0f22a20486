"""The new version of the app meets the old store and finds no room: what was there stays, and opens once there is room.

The medium is full from one write after the other on, for good: kept stores of every format, on the native disk.
"""

import asyncio
import errno
import json
import os
import shutil

import pytest

from field_app.store import native
from field_app.store.problems import StoreFull
from tests.field_app.store.test_fixtures import FIXTURES, FOLDERS, content, opened

WRITES = ("write", "pwrite", "posix_fallocate")


@pytest.fixture
def full_after(monkeypatch):
    """``full_after(n)``: from the write after n more on, the disk takes nothing; None: it takes all."""
    left = [None]

    def refusing(real):
        def act(*arguments):
            if left[0] is not None:
                left[0] -= 1
                if left[0] < 0:
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            return real(*arguments)

        return act

    for name in WRITES:
        monkeypatch.setattr(native.os, name, refusing(getattr(os, name)))

    def set_to(count):
        left[0] = count

    return set_to


async def _update(folder):
    store = await opened(folder)
    try:
        async with store.change() as tx:
            tx.put("settings", "updated", {"step": 1})
        await store.compact()
    finally:
        await store.close()


async def _look(folder):
    store = await opened(folder)
    try:
        return content(store)
    finally:
        await store.close()


@pytest.mark.parametrize("name", FOLDERS)
def test_the_old_data_stays_and_opens_when_there_is_room(name, tmp_path, full_after):
    expected = json.loads((FIXTURES / f"{name}.json").read_text())
    refused = 0
    for count in range(100):
        folder = tmp_path / str(count)
        shutil.copytree(FIXTURES / name, folder)
        full_after(count)
        try:
            asyncio.run(_update(folder))
        except StoreFull as full:
            assert full.detail.startswith("There is no room left on this tablet."), full.detail
            refused, done = refused + 1, False
        else:
            done = True
        full_after(None)
        found = asyncio.run(_look(folder))
        if found.get("settings", {}).pop("updated", None) is None:
            assert not done, "what was acknowledged is gone"
        if not found.get("settings", True):
            del found["settings"]
        assert found == expected, f"full after {count} writes"
        if done:
            break
    assert done and refused >= 2, "the disk was never full in the middle"

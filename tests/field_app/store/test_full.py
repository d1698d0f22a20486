"""A full disk: the old data stays, the person is told plainly, and it goes on when there is room again.

On a real small tmpfs where this machine lets us mount one (root), and always with a limit on the size of files.
"""

import asyncio
import json
import os
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

from field_app.store.native import open_native

ROOT = Path(__file__).resolve().parents[3]


def fill(folder, *limit):
    command = [sys.executable, str(Path(__file__).with_name("filling_writer.py")), str(folder), *map(str, limit)]
    done = subprocess.run(command, cwd=ROOT, env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def is_as_promised(result):
    assert result["code"] == "store-full"
    assert result["detail"].startswith("There is no room left on this tablet. The last step was not saved")
    assert result["saved"] == result["held"] > 10 and result["again"] and result["repairs"] == 0
    assert result["photo"] == "store-full" and result["kept"]


def goes_on(folder):
    async def main():
        store = await open_native(folder / "store")
        async with store.change() as tx:
            tx.put("facts", "later", {"n": -1})
        await store.compact()
        count = len(store.table("facts"))
        await store.close()
        store = await open_native(folder / "store")
        assert len(store.table("facts")) == count and store.table("facts").get("later") == {"n": -1}
        await store.close()

    asyncio.run(main())


@contextmanager
def small_disk(place, size):
    """A tmpfs of ``size`` bytes; False when this machine does not allow it."""
    command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(place)]
    may = os.geteuid() == 0 and subprocess.run(command, capture_output=True).returncode == 0
    try:
        yield may
    finally:
        if may:
            subprocess.run(["umount", str(place)], check=True)


def test_files_that_cannot_grow(tmp_path):
    is_as_promised(fill(tmp_path, 300_000))
    goes_on(tmp_path)


@pytest.mark.parametrize("size", [400_000, 3_000_000])
def test_a_full_disk(tmp_path, size):
    """The larger one is full in the middle of compactions too."""
    with small_disk(tmp_path, size) as mounted:
        result = fill(tmp_path) if mounted else fill(tmp_path, size // 2)
        is_as_promised(result)
        if mounted:
            subprocess.run(["mount", "-o", f"remount,size={4 * size}", str(tmp_path)], check=True)
        goes_on(tmp_path)

"""What only native files have: modes, the lock against another process, leftovers of a killed compaction."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest

from field_app.store import StoreBusy, StoreDamaged, disk
from field_app.store.native import open_native

ROOT = Path(__file__).resolve().parents[3]
HOLDER = """
import asyncio, sys
from field_app.store.native import open_native
async def main():
    store = await open_native(sys.argv[1])
    print("held", flush=True)
    sys.stdin.read()
asyncio.run(main())
"""


def test_only_the_owner_may_read_the_files(tmp_path):
    async def main():
        store = await open_native(tmp_path / "a" / "store")
        async with store.change() as tx:
            tx.put("sites", "s1", {})
        await store.compact()
        await store.close()

    asyncio.run(main())
    folder = tmp_path / "a" / "store"
    assert folder.stat().st_mode & 0o777 == 0o700
    assert {path.name: oct(path.stat().st_mode & 0o777) for path in folder.iterdir()} == {
        name: "0o600" for name in ("lock", "journal-0", "journal-1", "snapshot-0")
    }


def test_another_process_holds_it_until_it_is_killed(tmp_path):
    command = [sys.executable, "-c", HOLDER, str(tmp_path / "store")]
    holder = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        assert holder.stdout.readline() == b"held\n"
        with pytest.raises(StoreBusy):
            asyncio.run(open_native(tmp_path / "store"))
    finally:
        holder.kill()
        holder.communicate()

    async def main():
        store = await open_native(tmp_path / "store")
        await store.close()

    asyncio.run(main())


def test_a_half_written_snapshot_of_a_killed_process_is_cleared(tmp_path):
    async def main():
        store = await open_native(tmp_path)
        async with store.change() as tx:
            tx.put("sites", "s1", {"n": 1})
        await store.close()
        (tmp_path / "snapshot-0.new").write_bytes(b"half")
        store = await open_native(tmp_path)
        assert store.table("sites").get("s1") == {"n": 1}
        await store.close()

    asyncio.run(main())
    assert not list(tmp_path.glob("*.new"))


def test_after_a_failing_medium_nothing_more_is_written(tmp_path):
    """An I/O error that is no full disk: what is on the medium is unknown, so the store stops until reopened."""

    async def main():
        store = await open_native(tmp_path)
        async with store.change() as tx:
            tx.put("sites", "s1", {"n": 1})
        # The journal's descriptor is closed behind the store's back: each write and each cut gives EBADF.
        native = store._journal._disk
        for fd in native._open.values():
            os.close(fd)
        with pytest.raises(StoreDamaged):
            async with store.change() as tx:
                tx.put("sites", "s2", {"n": 2})
        with pytest.raises(Exception, match="not known for sure"):
            async with store.change() as tx:
                tx.put("sites", "s3", {"n": 3})
        assert store.table("sites").ids() == ["s1"]
        native._open = {}
        await store.close()
        store = await open_native(tmp_path)
        assert store.table("sites").ids() == ["s1"]
        await store.close()

    asyncio.run(main())


def test_the_port_names_the_six_files():
    assert disk.NAMES == ("journal-0", "journal-1", "snapshot-0", "snapshot-1", "keys-0", "keys-1")

"""Nothing is acknowledged before it is on the medium: the order of the real system calls, which no kill can show."""

import asyncio
import os

import pytest

from field_app.photos.native import open_native_box
from field_app.store.native import open_native


@pytest.fixture
def calls(monkeypatch):
    """The file calls as they happen, each with the name of its file; they are really made."""
    seen = []

    def name(target):
        path = os.readlink(f"/proc/self/fd/{target}") if isinstance(target, int) else os.fspath(target)
        return os.path.basename(path)

    def watch(function, *which):
        real = getattr(os, function)

        def watched(*arguments, **named):
            seen.append((function, *(name(arguments[index]) for index in which)))
            return real(*arguments, **named)

        monkeypatch.setattr(os, function, watched)

    watch("write", 0)
    watch("fsync", 0)
    watch("ftruncate", 0)
    watch("unlink", 0)
    watch("replace", 0, 1)
    return seen


def test_a_change_is_written_then_synced(tmp_path, calls):
    async def main():
        store = await open_native(tmp_path / "store")
        del calls[:]
        for number in range(3):
            async with store.change() as tx:
                tx.put("sites", "s1", {"n": number})
            assert calls == [("write", "journal-0"), ("fsync", "journal-0")]
            del calls[:]
        await store.close()

    asyncio.run(main())


def test_a_snapshot_is_synced_named_and_its_name_synced_before_the_journal_goes(tmp_path, calls):
    async def main():
        store = await open_native(tmp_path / "store")
        async with store.change() as tx:
            tx.put("sites", "s1", {"n": 1})
        del calls[:]
        await store.compact()
        await store.close()

    asyncio.run(main())
    assert calls[:2] == [("write", "journal-1"), ("fsync", "journal-1")]
    rest = [call for call in calls[2:] if call != ("write", "snapshot-0.new")]
    assert rest == [
        ("fsync", "snapshot-0.new"),
        ("replace", "snapshot-0.new", "snapshot-0"),
        ("fsync", "store"),
        ("ftruncate", "journal-0"),
        ("fsync", "journal-0"),
    ]


def test_a_new_store_is_synced_before_its_first_change(tmp_path, calls):
    async def main():
        store = await open_native(tmp_path / "store")
        await store.close()

    asyncio.run(main())
    assert calls == [("fsync", "store"), ("fsync", tmp_path.name), ("write", "journal-0"), ("fsync", "journal-0")]


def test_a_photo_is_synced_named_and_its_name_synced(tmp_path, calls):
    async def main():
        box = await open_native_box(tmp_path / "evidence")
        del calls[:]
        return await box.keep(b"%PDF-1.7")

    sha = asyncio.run(main())
    assert [call[0] for call in calls] == ["fsync", "write", "fsync", "replace", "fsync"]
    assert calls[3][2] == sha and calls[4] == ("fsync", sha[:2])

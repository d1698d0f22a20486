"""Every release opens every older store: the kept ones, byte for byte as they were written."""

import asyncio
import json
import shutil
from pathlib import Path

import pytest

from field_app.hardware.crypto import NativeCrypto
from field_app.store import frames
from field_app.store.native import open_native
from tests.store_fixtures.make_format_2 import PERSON, PIN

FIXTURES = Path(__file__).resolve().parents[2] / "store_fixtures"
FOLDERS = sorted(path.name for path in FIXTURES.glob("format-*") if path.is_dir())


def content(store):
    return {name: {doc.doc_id: dict(doc) for doc in store.table(name)} for name in store.db.tables()}


def test_each_format_has_its_fixture():
    assert [f"format-{number}" for number in range(1, frames.VERSION + 1)] == FOLDERS


async def opened(folder):
    """The store as the app opens it: with keys, and with the PIN where there is one."""
    store = await open_native(folder, NativeCrypto())
    if store.locked:
        await store.unlock(PERSON, await store.keys.fits(PERSON, PIN))
    return store


@pytest.mark.parametrize("name", FOLDERS)
def test_an_older_store_is_read_and_goes_on(name, tmp_path):
    expected = json.loads((FIXTURES / f"{name}.json").read_text())
    shutil.copytree(FIXTURES / name, tmp_path / "store")

    async def main():
        store = await opened(tmp_path / "store")
        assert content(store) == expected and not store.repairs
        async with store.change() as tx:
            tx.put("settings", "language", {"value": "en"})
        await store.compact()
        await store.close()
        store = await opened(tmp_path / "store")
        assert content(store) == expected | {"settings": {"language": {"value": "en"}}}
        await store.close()

    asyncio.run(main())


def test_a_store_from_before_there_were_keys_is_sealed_by_opening_it(tmp_path):
    expected = json.loads((FIXTURES / "format-1.json").read_text())
    shutil.copytree(FIXTURES / "format-1", tmp_path / "store")
    docs = [doc for table in expected.values() for doc in table.values()]
    known = [json.dumps(text)[1:-1].encode() for doc in docs for text in doc.values()
             if isinstance(text, str) and len(text) > 6]
    assert len(known) >= 5

    async def main():
        store = await opened(tmp_path / "store")
        assert content(store) == expected
        await store.close()
        raw = b"".join(place.read_bytes() for place in (tmp_path / "store").iterdir())
        assert not [text for text in known if text in raw]

    asyncio.run(main())

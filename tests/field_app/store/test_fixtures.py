"""Every release opens every older store: the kept ones, byte for byte as they were written."""

import asyncio
import json
import shutil
from pathlib import Path

import pytest

from field_app.store import frames
from field_app.store.native import open_native

FIXTURES = Path(__file__).resolve().parents[2] / "store_fixtures"
FOLDERS = sorted(path.name for path in FIXTURES.iterdir() if path.is_dir())


def content(store):
    return {name: {doc.doc_id: dict(doc) for doc in store.table(name)} for name in store.db.tables()}


def test_each_format_has_its_fixture():
    assert [f"format-{number}" for number in range(1, frames.VERSION + 1)] == FOLDERS


@pytest.mark.parametrize("name", FOLDERS)
def test_an_older_store_is_read_and_goes_on(name, tmp_path):
    expected = json.loads((FIXTURES / f"{name}.json").read_text())
    shutil.copytree(FIXTURES / name, tmp_path / "store")

    async def main():
        store = await open_native(tmp_path / "store")
        assert content(store) == expected and not store.repairs
        async with store.change() as tx:
            tx.put("settings", "language", {"value": "en"})
        await store.compact()
        await store.close()
        store = await open_native(tmp_path / "store")
        assert content(store) == expected | {"settings": {"language": {"value": "en"}}}
        await store.close()

    asyncio.run(main())

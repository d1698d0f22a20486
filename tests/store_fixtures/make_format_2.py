"""How `format-2/` was made: a sealed store with a snapshot and changes after it, one person with a PIN and a draft.

``python -m tests.store_fixtures.make_format_2 FOLDER`` with the program of that format. Never run it over the kept one.
"""

import asyncio
import json
import sys
from pathlib import Path

from field_app.hardware.crypto import NativeCrypto
from field_app.store.native import open_native

PERSON, PIN, ROUNDS = "ada", "271828", 1000


async def make(folder: Path) -> dict:
    store = await open_native(folder, NativeCrypto())
    async with store.change() as tx:
        tx.put("sites", "s1", {"id": "s1", "name": "Corner lot", "address": "12 Mud Lane"})
    await store.keys.add(PERSON, "Ada Lindqvist", PIN, ROUNDS)
    async with store.change() as tx:
        tx.put("drafts", "d1", {"id": "d1", "site": "s1", "note": "written under the first key"})
        tx.put("facts", "f1", {"id": "f1", "text": "signed"})
    await store.compact()
    async with store.change() as tx:
        tx.put("drafts", "d1", {"id": "d1", "site": "s1", "note": "and once more after the snapshot"})
        tx.put("meta", "last", {"n": 1})
    content = {name: {doc.doc_id: dict(doc) for doc in store.table(name)} for name in store.db.tables()}
    await store.close()
    return content


if __name__ == "__main__":
    place = Path(sys.argv[1])
    content = asyncio.run(make(place))
    (place / "lock").unlink()
    place.with_suffix(".json").write_text(json.dumps(content, indent=1, sort_keys=True) + "\n")

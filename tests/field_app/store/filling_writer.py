"""Run by test_full.py: fills the medium under a store with saves and a photo, and prints what it met as JSON.

``python filling_writer.py FOLDER [FILE_LIMIT]``: with a limit (bytes) no file can grow beyond it, which the
system reports in the same place as a full disk.
"""

import asyncio
import json
import resource
import sys

from field_app.photos.native import open_native_box
from field_app.store import StoreFull
from field_app.store.native import open_native


async def main(folder: str) -> None:
    store = await open_native(f"{folder}/store")
    box = await open_native_box(f"{folder}/evidence")
    small = await box.keep(b"%PDF-1.7 the first paper")
    n, said = 0, None
    while said is None:
        try:
            async with store.change() as tx:
                tx.put("facts", f"f{n}", {"n": n, "text": "x" * 5000})
                tx.put("meta", "last", {"n": n})
        except StoreFull as full:
            said = full
        else:
            n += 1
            assert n < 10_000, "the medium never became full"
    held = store.table("meta").get("last")["n"]
    try:
        photo = await box.keep(b"%PDF-1.7" + b"x" * 2_000_000)
    except StoreFull as full:
        photo = full.code
    kept = await box.shas()
    intact = await box.read(small) == b"%PDF-1.7 the first paper"
    await store.close()

    store = await open_native(f"{folder}/store")
    again = sorted(doc["n"] for doc in store.table("facts").all())
    print(json.dumps({"saved": n, "held": held + 1, "again": again == list(range(n)), "code": said.code,
                      "detail": said.detail, "photo": photo, "kept": kept == [small] and intact,
                      "repairs": len(store.repairs)}))
    await store.close()


if __name__ == "__main__":
    if len(sys.argv) > 2:
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), int(sys.argv[2])))
    asyncio.run(main(sys.argv[1]))

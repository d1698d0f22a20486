"""A writer that may be killed at any moment, and what must be found after it: the same for every backend.

The state after change ``n`` is a function of ``n`` alone, so a store that opens tells its last change, and its
whole content can be compared. Compaction is made frequent, so that many kills fall into one.
"""

from field_app.store import journal

KEPT = 40
TEXT = "soil on the street, inlet open, silt fence down; " * 6


def compact_often() -> None:
    """Lets a compaction begin about every twenty changes, in pieces of a few documents."""
    journal.COMPACT_AT = 6_000
    journal.PART_BYTES = 1_500


def expected(n: int) -> dict:
    """The whole content after change ``n``."""
    facts = {f"f{k}": {"n": k, "text": TEXT} for k in range(max(1, n - KEPT + 1), n + 1)}
    return {"facts": facts, "meta": {"last": {"n": n}}} if n else {}


def found(store) -> int:
    """The number of the store's last change. Fails when the content is not exactly what belongs to it."""
    last = store.table("meta").get("last")
    n = last["n"] if last else 0
    content = {name: {doc.doc_id: dict(doc) for doc in store.table(name)} for name in store.db.tables()}
    assert {name: rows for name, rows in content.items() if rows} == expected(n), f"the content after {n} is wrong"
    return n


async def write_on(store, n: int, acknowledge) -> None:
    """Makes change after change, from ``n + 1`` on without end, and acknowledges each when it is durable."""
    while True:
        n += 1
        async with store.change() as tx:
            tx.put("facts", f"f{n}", {"n": n, "text": TEXT})
            tx.delete("facts", f"f{n - KEPT}")
            tx.put("meta", "last", {"n": n})
        acknowledge(n)

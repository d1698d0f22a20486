"""What people have begun, sealed under their keys inside the store: which table that is, and how it comes and goes.

A sealed document stands in its table's place on the medium as ``{"~sealed": [key id, base64], "about": {...}}``. In
memory both forms are kept for the person at work, so that a snapshot need not seal anew what has not changed; for
everybody else only the sealed one, and the table reads as if it were not there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from field_app.store import frames, tables
from field_app.store.ciphers import Forged
from field_app.store.keyring import HeldKey, data_of, text
from field_app.store.problems import StoreDamaged

PRIVATE = frozenset({"drafts", "order_drafts", "reports"})
"""Tables of what is begun and not signed."""
ENDED = frozenset({"done", "abandoned"})
MARK = "~sealed"
Sealed = dict[tuple[str, str], dict]
Write = tuple[str, str, Mapping | None]


def is_private(table: str, doc: Mapping) -> bool:
    """Whether a document is a person's own: begun, and neither signed nor given up."""
    if table == "reports":
        return doc.get("stage") == "open"
    return table in PRIVATE and doc.get("stage") not in ENDED


def _place(table: str, name: str, key: int) -> bytes:
    return f"siltwatch document {key} {table}/{name}".encode()


class SealedRows:
    """The sealed documents of one store, beside the tables that can be read now."""

    def __init__(self, state: dict[str, dict[str, tables.Document]]):
        self._state = state
        self._rows: Sealed = {}
        self.describe: Callable[[str, Mapping], dict] = lambda table, doc: {}

    def set_apart(self) -> None:
        """After loading: sealed documents go out of the tables."""
        for table in PRIVATE & self._state.keys():
            for name in [name for name, doc in self._state[table].items() if MARK in doc]:
                self._rows[table, name] = dict(self._state[table].pop(name))

    async def reveal(self, own: HeldKey) -> None:
        """The documents of this key can be read from now on. Raises StoreDamaged for one that does not open."""
        mine = [(place, row) for place, row in self._rows.items() if row[MARK][0] == own.id]
        try:
            found = await own.records.open_all(
                [(data_of(row[MARK][1]), _place(*place, own.id)) for place, row in mine])
        except Forged:
            raise StoreDamaged("what this person has begun does not open", where="drafts") from None
        for ((table, name), _row), opened in zip(mine, found, strict=True):
            self._state.setdefault(table, {})[name] = tables.document(frames.loads(opened), name)

    def hide(self, key: int) -> None:
        """The documents of this key cannot be read any more."""
        for table, name in self.of_key(key):
            self._state.get(table, {}).pop(name, None)

    def hidden(self, table: str) -> list[dict]:
        """What is known of the documents that cannot be read now."""
        shown = self._state.get(table, {})
        return [{"id": name, **row.get("about", {})} for (of, name), row in self._rows.items()
                if of == table and name not in shown]

    def key_of(self, table: str, name: str) -> int | None:
        """The id of the key a document is sealed under."""
        row = self._rows.get((table, name))
        return row[MARK][0] if row else None

    def of_key(self, key: int) -> dict[tuple[str, str], dict]:
        """Every document that is sealed under this key: table and name, and what was said of it."""
        return {place: row.get("about", {}) for place, row in self._rows.items() if row[MARK][0] == key}

    async def seal(self, own: HeldKey, writes: Iterable[Write]) -> Sealed:
        """The sealed forms of those writes that are the person's own."""
        found = {}
        for table, name, doc in writes:
            if doc is not None and is_private(table, doc):
                sealed = await own.records.seal(frames.dumps(doc).encode("ascii"), _place(table, name, own.id))
                found[table, name] = {MARK: [own.id, text(sealed)], "about": self.describe(table, doc)}
        return found

    def put(self, writes: Iterable[Write], sealed: Sealed) -> None:
        """A change is durable."""
        for table, name, _doc in writes:
            if table in PRIVATE:
                self._rows.pop((table, name), None)
        self._rows.update(sealed)

    def as_kept(self) -> dict[str, dict[str, Mapping]]:
        """All tables as they lie on the medium."""
        found: dict[str, dict[str, Mapping]] = {name: dict(table) for name, table in self._state.items()}
        for (table, name), row in self._rows.items():
            found.setdefault(table, {})[name] = row
        return found

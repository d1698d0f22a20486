"""What TinyDB stands on here: a Storage whose state is in memory, and a Table that is indexed by string ids.

Stock TinyDB reads, re-keys and rewrites everything on each operation, and its query cache hands out objects
that a later search sees changed. Here a look-up is one dict access, nothing is cached, and the only way to
write is a change of the store: everything else is refused. Documents that are handed out are the stored
ones; they must be treated as immutable and are replaced as a whole.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping

from tinydb import TinyDB
from tinydb.storages import Storage
from tinydb.table import Document, Table

from field_app.store import frames
from field_app.store.problems import StoreValue


def entry(table: str, name: str, doc: Mapping | None) -> str:
    """One write as JSON: ["table","id",{doc}], null for a deletion."""
    return f"[{frames.dumps(table)},{frames.dumps(name)},{frames.dumps(doc)}]"


def document(doc: Mapping, name: str) -> Document:
    """A stored document, with its id as ``doc_id``."""
    return Document(doc, name)


class JournalStorage(Storage):
    """TinyDB's storage: hands out the recovered state, and refuses writes that go round the journal."""

    def __init__(self, tables: dict[str, dict[str, Document]]):
        self.tables = tables

    def read(self) -> dict[str, dict[str, Document]]:
        return self.tables

    def write(self, data: Mapping) -> None:
        raise StoreValue("TinyDB was told to write outside a change; use: async with store.change() as tx")


class IdTable(Table):
    """A TinyDB table whose ids are strings chosen by the caller. Reads cost what they look at, no more."""

    document_class = Document
    document_id_class = str

    def __init__(self, storage: Storage, name: str, cache_size: int = 0, persist_empty: bool = False):
        super().__init__(storage, name, cache_size=0, persist_empty=False)

    def get(self, cond=None, doc_id: str | None = None, doc_ids: Iterable[str] | None = None):
        """One document by its id (``get("a1")``) or by a TinyDB query; None when there is none.

        With ``doc_ids`` the list of those that exist, in the given order.
        """
        rows = self._read_table()
        if isinstance(cond, str):
            return rows.get(cond)
        if doc_id is not None:
            return rows.get(doc_id)
        if doc_ids is not None:
            return [rows.get(name) for name in doc_ids if name in rows]
        if cond is None:
            raise StoreValue("get needs an id or a query", where=self.name)
        return next((doc for doc in rows.values() if cond(doc)), None)

    def search(self, cond: Callable[[Mapping], bool]) -> list[Document]:
        """All documents that ``cond`` (a TinyDB query or any function) says yes to, in order of first saving."""
        return [doc for doc in self._read_table().values() if cond(doc)]

    def all(self) -> list[Document]:
        return list(self._read_table().values())

    def ids(self) -> list[str]:
        return list(self._read_table())

    def count(self, cond: Callable[[Mapping], bool]) -> int:
        return sum(1 for doc in self._read_table().values() if cond(doc))

    def __contains__(self, name: str) -> bool:
        return name in self._read_table()

    def __iter__(self) -> Iterator[Document]:
        return iter(self.all())

    def _get_next_id(self):
        raise StoreValue("ids are chosen by the caller: insert a Document(doc, doc_id=...)", where=self.name)

    def _update_table(self, updater: Callable[[MutableMapping], None]) -> None:
        """TinyDB's one way to write. Inside a change its storage is an Overlay, which collects the writes."""
        rows = self._storage.read().get(self.name)
        if not isinstance(rows, OverlayRows):
            self._storage.write({})
        try:
            updater(rows)
        except BaseException:
            rows.forget()
            raise
        rows.settle()


class Database(TinyDB):
    """TinyDB with our table class."""

    table_class = IdTable


class Overlay(Storage):
    """The storage of one change: reads see the committed state and this change's writes; nothing else does."""

    def __init__(self, base: Mapping[str, Mapping[str, Document]]):
        self._base = base
        self.rows: dict[str, OverlayRows] = {}

    def read(self) -> Overlay:
        return self

    def get(self, table: str) -> OverlayRows:
        if table not in self.rows:
            self.rows[table] = OverlayRows(table, self._base.get(table, {}))
        return self.rows[table]

    __getitem__ = get

    def write(self, data: object) -> None:
        raise StoreValue("a change writes through its tables")

    def writes(self) -> list[tuple[str, str, Document | None]]:
        """Every document this change puts (or deletes: None), in the order of writing within each table."""
        return [(name, key, doc) for name, rows in self.rows.items() for key, doc in rows.written.items()]

    def texts(self, instead: Mapping[tuple[str, str], dict]) -> str:
        """The change as JSON, for its frame, with other documents instead of some. Encoded when it was put, so nothing
        can fail here."""
        return ",".join(
            entry(name, key, instead[name, key]) if (name, key) in instead else text
            for name, rows in self.rows.items() for key, text in rows.encoded.items()
        )


class OverlayRows(MutableMapping):
    """One table as a change sees it. A document read through TinyDB's updaters is a copy that may be changed
    in place; ``settle`` then records those that did change.
    """

    def __init__(self, table: str, base: Mapping[str, Document]):
        self.table = table
        self._base = base
        self.written: dict[str, Document | None] = {}
        self.encoded: dict[str, str] = {}
        self._lent: dict[str, dict] = {}

    def put(self, name: str, doc: Mapping) -> None:
        """Serialises first, so that what cannot be saved is refused before anything is touched."""
        where = f"{self.table}/{name}"
        if not isinstance(name, str) or not name:
            raise StoreValue(f"an id is a string with at least one character, not {name!r}", where=self.table)
        if not isinstance(doc, Mapping):
            raise StoreValue(f"a document is a dict, not {type(doc).__name__}", where=where)
        doc = dict(doc)
        try:
            text = frames.dumps(doc)
            copy = json.loads(text)
        except (TypeError, ValueError, RecursionError) as error:
            raise StoreValue(f"cannot be saved as JSON: {error}", where=where) from error
        if copy != doc:
            raise StoreValue("would come back changed: only dicts with string keys, lists, strings, numbers, "
                             "true, false and null can be saved", where=where)
        self.written[name] = document(copy, name)
        self.encoded[name] = f"[{frames.dumps(self.table)},{frames.dumps(name)},{text}]"

    def peek(self, name: str) -> Document | None:
        """The document as this change sees it, not to be changed; None when there is none."""
        if name in self.written:
            return self.written[name]
        return self._base.get(name)

    def bury(self, name: str) -> None:
        """Deletes a document that cannot be read here, so that the table does not show it."""
        self.written[name] = None
        self.encoded[name] = f"[{frames.dumps(self.table)},{frames.dumps(name)},null]"

    def discard(self, name: str) -> None:
        if name in self._base:
            self.bury(name)
        else:
            self.written.pop(name, None)
            self.encoded.pop(name, None)

    def forget(self) -> None:
        """Drops what an updater did in place before it failed."""
        self._lent = {}

    def settle(self) -> None:
        lent, self._lent = self._lent, {}
        for name, doc in lent.items():
            if doc != self.peek(name):
                self.put(name, doc)

    def __getitem__(self, name: str) -> dict:
        if name not in self._lent:
            if (doc := self.peek(name)) is None:
                raise KeyError(name)
            self._lent[name] = json.loads(frames.dumps(doc))
        return self._lent[name]

    def __setitem__(self, name: str, doc: Mapping) -> None:
        self._lent.pop(name, None)
        self.put(name, doc)

    def __delitem__(self, name: str) -> None:
        if self.peek(name) is None:
            raise KeyError(name)
        self._lent.pop(name, None)
        self.discard(name)

    def get(self, name: str, default=None):
        doc = self.peek(name)
        return default if doc is None else doc

    def __contains__(self, name: object) -> bool:
        return self.peek(name) is not None

    def __iter__(self) -> Iterator[str]:
        yield from (name for name in self._base if self.written.get(name, True) is not None)
        yield from (name for name, doc in self.written.items() if doc is not None and name not in self._base)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def values(self):
        return [self.peek(name) for name in self]

    def items(self):
        return [(name, self.peek(name)) for name in self]

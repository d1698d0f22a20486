"""The tables there are, and the writes of one change: collected until it ends, and then one frame or nothing."""

from __future__ import annotations

from collections.abc import Mapping

from field_app.store import tables as rows
from field_app.store.problems import StoreValue
from field_app.store.sealed import SealedRows

TABLES = (
    "meta",
    "secrets",
    "credentials",
    "lease",
    "sites",
    "permits",
    "inlets",
    "devices",
    "findings",
    "inspections",
    "plans",
    "rains",
    "maps",
    "orders",
    "site_acts",
    "blanks",
    "people",
    "standings",
    "packs",
    "recovery_keys",
    "drafts",
    "order_drafts",
    "reports",
    "facts",
    "evidence",
    "fetched",
    "settings",
)
"""Every table there is. Another name is a mistake and is refused."""


def known(table: str) -> None:
    """Raises StoreValue for a table that there is not."""
    if table not in TABLES:
        raise StoreValue(f"there is no table {table!r}")


class Change:
    """The writes of one change, collected until it ends. Of no use afterwards."""

    def __init__(self, state: Mapping[str, Mapping[str, rows.Document]], sealed: SealedRows):
        self._overlay: rows.Overlay | None = rows.Overlay(state)
        self._tables = rows.Database(storage=lambda: self._overlay)
        self._sealed = sealed

    def put(self, table: str, id: str, doc: Mapping) -> None:
        """Saves the whole document ``doc`` under ``id``. Raises StoreValue when it is not plain JSON."""
        self._rows(table).put(id, doc)

    def delete(self, table: str, id: str) -> None:
        """Deletes the document when there is one."""
        self._rows(table).discard(id)

    def get(self, table: str, id: str) -> dict | None:
        """The document as this change sees it. Treat it as immutable."""
        return self._rows(table).peek(id)

    def table(self, name: str) -> rows.IdTable:
        """The table as a TinyDB table that takes part in this change: search, insert, update, remove."""
        self._rows(name)
        return self._tables.table(name)

    def hidden(self, table: str) -> list[dict]:
        """What must be known of the documents of people who are not at work: see `Store.hidden`."""
        return self._sealed.hidden(table)

    def bury(self, key: int) -> None:
        """Deletes all that is sealed under the person's key of this number, before the key itself is destroyed."""
        for table, name in self._sealed.of_key(key):
            self._rows(table).bury(name)

    def _rows(self, table: str) -> rows.OverlayRows:
        if self._overlay is None:
            raise StoreValue("this change has ended; begin a new one")
        known(table)
        return self._overlay.get(table)

    def _end(self) -> rows.Overlay:
        overlay, self._overlay = self._overlay, None
        assert overlay is not None
        return overlay

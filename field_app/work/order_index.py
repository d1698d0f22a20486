"""Which records are about orders, kept up to date: what is asked at each keystroke must not walk through all records.

The store says which tables changed; then only documents that are other ones than before are looked at. What is made of
the records (the list of orders) is kept as long as nothing that it is made of has changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from field_app.work.desk import Desk

T = TypeVar("T")
Doc = dict[str, Any]
KINDS = frozenset({"order_posted", "order_recommended", "order_affixed", "order_released", "order_voided",
                   "placard_reposted", "number_voided", "photo_added"})  # fmt: skip
# What a list of orders is made of, dates in words included.
MADE_OF = frozenset({"facts", "orders", "order_drafts", "packs", "permits", "secrets", "people", "settings", "meta"})


class OrderIndex:
    """One per desk; `of(desk)` gives it."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._known: dict[str, Doc] = {}
        self._by_kind: dict[str, dict[str, Doc]] = {kind: {} for kind in KINDS}
        self._stale = True
        self._version = 0
        self._kept: dict[str, tuple[Any, Any]] = {}
        desk.store.watch(self._changed)

    def _changed(self, tables: frozenset[str]) -> None:
        if tables & MADE_OF:
            self._version += 1
        if "facts" in tables:
            self._stale = True

    def _learn(self) -> None:
        self._stale = False
        table = self._desk.store.table("facts")
        ids, docs = table.ids(), table.all()
        for ident, doc in zip(ids, docs, strict=True):
            if self._known.get(ident) is not doc:
                self._known[ident] = doc
                if doc["kind"] in KINDS:
                    self._by_kind[doc["kind"]][ident] = doc
        for ident in set(self._known).difference(ids) if len(self._known) != len(ids) else ():
            rows = self._by_kind.get(self._known.pop(ident)["kind"])
            if rows is not None:
                rows.pop(ident, None)

    def rows(self, *kinds: str) -> Iterable[Doc]:
        """The outbox documents of these kinds of record, in no order."""
        if self._stale:
            self._learn()
        return [row for kind in kinds for row in self._by_kind[kind].values()]

    def kept(self, name: str, given: Any, make: Callable[[], T]) -> T:
        """What `make` gives, made anew only when something that it may rest on changed, or ``given`` is another."""
        key = (self._version, given)
        before = self._kept.get(name)
        if before is None or before[0] != key:
            before = self._kept[name] = (key, make())
        return before[1]


def of(desk: Desk) -> OrderIndex:
    """The index of this desk."""
    if desk.order_index is None:
        desk.order_index = OrderIndex(desk)
    return desk.order_index

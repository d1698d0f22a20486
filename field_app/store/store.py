"""The store the app works with: tables to read, and ``async with store.change()`` as the only way to write.

One change = one frame = all or nothing, on the medium before the ``async with`` ends; changes run one after
the other. The change is serialised before anything is touched, so a refused value, a full disk or an
exception inside leaves memory and medium as they were.
"""

from __future__ import annotations

import asyncio
import gc
import os
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress

from field_app.store import tables as rows
from field_app.store.disk import Disk, DiskBroken, DiskFull
from field_app.store.journal import Journal, Repair
from field_app.store.problems import StoreDamaged, StoreFull, StoreValue

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
    "people",
    "standings",
    "packs",
    "drafts",
    "order_drafts",
    "reports",
    "facts",
    "blanks",
    "evidence",
    "fetched",
    "settings",
)
"""Every table there is. Another name is a mistake and is refused."""

CLOSE_WAITS = 2.0
"""Seconds that closing waits for a compaction before it gives it up, which loses nothing."""

Watcher = Callable[[frozenset[str]], None]


def _store_id() -> str:
    return os.urandom(8).hex()


async def open_store(disk: Disk, *, store_id: Callable[[], str] = _store_id) -> Store:
    """Opens the store on ``disk``: recovers, repairs, or creates it when there is nothing at all.

    Raises StoreBusy, StoreDamaged, StoreNewer, or StoreFull when there is no room to create it; then nothing
    was changed.
    """
    journal = Journal(disk, store_id=store_id)
    collecting = gc.isenabled()
    # Loading makes many objects and no garbage: the collector would walk them all several times for nothing, and
    # again and again as long as the app runs. What is loaded is set apart from what it looks at (by reference
    # counting it is still freed).
    gc.disable()
    try:
        state = await journal.open(rows.document)
        gc.freeze()
    except DiskFull as error:
        raise StoreFull(str(error)) from error
    finally:
        if collecting:
            gc.enable()
    return Store(journal, state)


class Change:
    """The writes of one change, collected until it ends. Of no use afterwards."""

    def __init__(self, state: Mapping[str, Mapping[str, rows.Document]]):
        self._overlay: rows.Overlay | None = rows.Overlay(state)
        self._tables = rows.Database(storage=lambda: self._overlay)

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

    def _rows(self, table: str) -> rows.OverlayRows:
        if self._overlay is None:
            raise StoreValue("this change has ended; begin a new one")
        _known(table)
        return self._overlay.get(table)

    def _end(self) -> rows.Overlay:
        overlay, self._overlay = self._overlay, None
        assert overlay is not None
        return overlay


class Store:
    """An open store. Make one with ``open_native``, ``open_opfs`` or ``open_store``."""

    def __init__(self, journal: Journal, state: dict[str, dict[str, rows.Document]]):
        self._journal = journal
        self._storage = rows.JournalStorage(state)
        self._state = state
        self.db = rows.Database(storage=lambda: self._storage)
        self._lock = asyncio.Lock()
        self._holder: asyncio.Task | None = None
        self._watchers: list[Watcher] = []
        self._compaction: asyncio.Task | None = None
        self._compact_not_before = 0
        self._closed = ""

    # --- reading ---

    def table(self, name: str) -> rows.IdTable:
        """The read side of one table: ``get(id)``, ``all()``, ``search(predicate)``, ``len()``, and the rest
        of what a TinyDB table reads. What it gives must be treated as immutable.
        """
        _known(name)
        return self.db.table(name)

    @property
    def repairs(self) -> tuple[Repair, ...]:
        """What opening had to repair; each was a change that had never been acknowledged."""
        return tuple(self._journal.repairs)

    @property
    def store_id(self) -> str:
        """The id that this store was created with, 16 hex digits."""
        return self._journal.store_id

    # --- writing ---

    @asynccontextmanager
    async def change(self) -> AsyncIterator[Change]:
        """One change. When the block ends without an exception it is durable; otherwise nothing happened.

        Raises StoreFull, StoreValue, StoreDamaged. Keep the block short: other changes wait for it. A change
        inside a change of the same task is refused, it could only wait for itself.
        """
        task = asyncio.current_task()
        if self._holder is not None and self._holder is task:
            raise StoreValue("a change was begun inside another change; pass the outer tx on")
        async with self._lock:
            self._usable()
            self._holder = task
            tx = Change(self._state)
            try:
                yield tx
                self._commit(tx._end())
            finally:
                tx._overlay = None
                self._holder = None
        if self._compaction is not None and not self._compaction.done():
            await asyncio.sleep(0)  # A row of changes must not keep the compaction from its turn.

    def _commit(self, overlay: rows.Overlay) -> None:
        writes = overlay.writes()
        if not writes:
            return
        self._usable()
        try:
            self._journal.append(f"[{overlay.texts()}]".encode("ascii"))
        except DiskFull as error:
            raise StoreFull(str(error)) from error
        except DiskBroken as error:
            self._closed = "the last write failed, and what is on the medium is not known for sure"
            raise StoreDamaged(f"{self._closed}; close the app and open it again", where=str(error)) from error
        except ValueError as error:
            raise StoreValue(f"the change is too large to be saved at once: {error}") from error
        for table, name, doc in writes:
            if doc is None:
                self._state[table].pop(name, None)
            else:
                self._state.setdefault(table, {})[name] = doc
        changed = frozenset(table for table, _, _ in writes)
        for watcher in list(self._watchers):
            self._tell(watcher, changed)
        self._compact_when_due()

    def _tell(self, watcher: Watcher, changed: frozenset[str]) -> None:
        """A watcher that fails must not make a change look failed that is already durable."""
        try:
            watcher(changed)
        except Exception as error:
            asyncio.get_running_loop().call_exception_handler(
                {"message": "a watcher of the store failed", "exception": error}
            )

    def watch(self, watcher: Watcher) -> Callable[[], None]:
        """Calls ``watcher(names of changed tables)`` after each change; gives the function that ends it."""
        self._watchers.append(watcher)

        def end() -> None:
            with suppress(ValueError):
                self._watchers.remove(watcher)

        return end

    # --- upkeep ---

    def _compact_when_due(self) -> None:
        due = self._journal.compaction_due and self._journal.pending_bytes >= self._compact_not_before
        if due and (self._compaction is None or self._compaction.done()):
            self._compaction = asyncio.get_running_loop().create_task(self._compact_quietly())

    async def _compact_quietly(self) -> None:
        if self._closed:
            return
        try:
            await self.compact()
        except Exception as error:
            # Nothing is lost without compaction; try again when the journal has grown as much once more.
            self._compact_not_before = self._journal.pending_bytes + self._journal.compact_at
            if not isinstance(error, StoreFull):
                asyncio.get_running_loop().call_exception_handler(
                    {"message": "a compaction of the store failed", "exception": error}
                )

    async def compact(self) -> None:
        """Writes a snapshot and drops the journal it replaces. Happens by itself; changes may go on meanwhile.

        Raises StoreFull; then the store stays as it is and goes on working.
        """
        if self._compaction is not None and self._compaction is not asyncio.current_task():
            if not self._compaction.done():
                await asyncio.wait([self._compaction])
        self._usable()
        try:
            await self._journal.compact({name: dict(table) for name, table in self._state.items()})
        except DiskFull as error:
            raise StoreFull(str(error)) from error

    async def close(self) -> None:
        """Waits for the change and the compaction under way, then lets go of the files. Safe to call twice."""
        async with self._lock:
            if self._compaction is not None and not self._compaction.done():
                await asyncio.wait([self._compaction], timeout=CLOSE_WAITS)
                if self._compaction.cancel():
                    await asyncio.wait([self._compaction])
            self._closed = self._closed or "the store is closed"
            self._journal.close()

    def _usable(self) -> None:
        if self._closed:
            raise StoreValue(self._closed)


def _known(table: str) -> None:
    if table not in TABLES:
        raise StoreValue(f"there is no table {table!r}")

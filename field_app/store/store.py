"""The store the app works with: tables to read, and ``async with store.change()`` as the only way to write.

One change = one frame = all or nothing, on the medium before the ``async with`` ends; changes run one after
the other. The change is serialised before anything is touched, so a refused value, a full disk or an
exception inside leaves memory and medium as they were.

With ciphers the store is sealed (`keyring`). A locked store reads as empty and refuses to be written until somebody
unlocks it. What a person has begun is sealed once more under that person's key: for anybody else it is not there, and
is carried along untouched.
"""

from __future__ import annotations

import asyncio
import gc
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Any

from field_app.store import tables as rows
from field_app.store.change import TABLES, Change, known
from field_app.store.ciphers import Ciphers
from field_app.store.disk import Disk, DiskBroken, DiskFull
from field_app.store.journal import Journal, Repair
from field_app.store.keyring import KeyRing
from field_app.store.problems import StoreDamaged, StoreFull, StoreLocked, StoreValue
from field_app.store.sealed import PRIVATE, SealedRows, is_private

CLOSE_WAITS = 2.0
"""Seconds that closing waits for a compaction before it gives it up, which loses nothing."""

Watcher = Callable[[frozenset[str]], None]
WriteWatcher = Callable[[list[tuple[str, str, rows.Document | None]] | None], None]
BeforeChange = Callable[[list[tuple[str, str, rows.Document | None]]], Awaitable[None]]
Describe = Callable[[str, Mapping], dict]


def _store_id() -> str:
    return os.urandom(8).hex()


async def open_store(disk: Disk, *, store_id: Callable[[], str] = _store_id, ciphers: Ciphers | None = None) -> Store:
    """Opens the store on ``disk``: recovers, repairs, or creates it when there is nothing at all.

    With ``ciphers`` it is sealed, and one that was not so far becomes so; when its key lies under a PIN it is locked,
    and is recovered by `Store.unlock`. Raises StoreBusy, StoreDamaged, StoreNewer, or StoreFull when there is no room
    to create it; then nothing was changed.
    """
    await disk.open()
    try:
        keys = None if ciphers is None else await KeyRing.open(disk, ciphers)
        store = Store(Journal(disk, store_id=store_id), keys)
        if keys is None or keys.tablet is not None:
            await store._load()
        return store
    except BaseException:
        disk.close()
        raise


class Store:
    """An open store. Make one with ``open_native``, ``open_opfs`` or ``open_store``."""

    def __init__(self, journal: Journal, keys: KeyRing | None = None):
        self._journal = journal
        self.keys = keys
        """The key ring of a sealed store; None for one that is not."""
        self.locked = True
        self._state: dict[str, dict[str, rows.Document]] = {}
        self._storage = rows.JournalStorage(self._state)
        self._sealed = SealedRows(self._state)
        self._before: list[BeforeChange] = []
        self.db = rows.Database(storage=lambda: self._storage)
        self._lock = asyncio.Lock()
        self._holder: asyncio.Task | None = None
        self._watchers: list[Watcher] = []
        self._writers: list[WriteWatcher] = []
        self._compaction: asyncio.Task | None = None
        self._compact_not_before = 0
        self._closed = ""

    # --- reading ---

    def table(self, name: str) -> rows.IdTable:
        """The read side of one table: ``get(id)``, ``all()``, ``search(predicate)``, ``len()``, and the rest
        of what a TinyDB table reads. What it gives must be treated as immutable.
        """
        known(name)
        return self.db.table(name)

    @property
    def repairs(self) -> tuple[Repair, ...]:
        """What opening had to repair; each was a change that had never been acknowledged."""
        return tuple(self._journal.repairs)

    @property
    def store_id(self) -> str:
        """The id that this store was created with, 16 hex digits."""
        return self._journal.store_id

    # --- keys ---

    async def _load(self) -> None:
        """Recovers what is on the medium; the tablet's key is open, where there is one. Raises as `open_store`."""
        if self.keys is not None:
            assert self.keys.tablet is not None
            self._journal.seal_with(self.keys.tablet.id, self.keys.tablet.records)
        collecting = gc.isenabled()
        # Loading makes many objects and no garbage: the collector would walk them all several times for nothing, and
        # again and again as long as the app runs. What is loaded is set apart from what it looks at (by reference
        # counting it is still freed).
        gc.disable()
        try:
            self._state.update(await self._journal.recover(rows.document))
            gc.freeze()
        except DiskFull as error:
            raise StoreFull(str(error)) from error
        finally:
            if collecting:
                gc.enable()
        self._sealed.set_apart()
        self.locked = False
        if self.keys is not None and not self.keys.doc.get("sealed"):
            with suppress(StoreFull):  # then the next opening tries again; what is new is sealed already
                await self._seal_all(self.keys)

    async def _seal_all(self, keys: KeyRing) -> None:
        """Replaces what lies on the medium from before there was a key."""
        if self._journal.clear_found:
            await self._compact(anew=True)
        await self._journal.forget_torn()
        await keys.write(lambda doc: doc.update(sealed=True))

    async def unlock(self, person: str, key: bytes) -> None:
        """The person with this key goes to work: what they have begun is there again. The one before is locked out.

        Raises StoreDamaged, StoreNewer, StoreFull when what is on the medium cannot be read.
        """
        keys = self._keys()
        async with self._lock:
            if self._closed:
                raise StoreValue(self._closed)
            self._hide()
            try:
                await keys.take(person, key)
                if self.locked:
                    await self._load()
                assert keys.own is not None
                await self._sealed.reveal(keys.own)
            except BaseException:
                keys.put_down()  # nobody is at work then
                raise
        self._tell_all(frozenset(TABLES))

    async def lock_person(self) -> None:
        """The person at work leaves: what they have begun is not there any more. What is signed goes on its way."""
        keys = self._keys()
        async with self._lock:
            self._hide()
            keys.put_down()
        self._tell_all(frozenset(TABLES))

    def _hide(self) -> None:
        keys = self._keys()
        if keys.own is not None:
            self._sealed.hide(keys.own.id)

    def _keys(self) -> KeyRing:
        if self.keys is None:
            raise StoreValue("this store has no keys")
        return self.keys

    async def adopt(self, mine: Callable[[str, Mapping], bool]) -> int:
        """What lies under the tablet's key in the private tables and is the person's at work comes under theirs."""
        count = 0
        async with self.change() as tx:
            for table in sorted(PRIVATE):
                for name, doc in list(self._state.get(table, {}).items()):
                    if self._sealed.key_of(table, name) is None and is_private(table, doc) and mine(table, doc):
                        tx.put(table, name, doc)
                        count += 1
        if count:
            with suppress(StoreFull):
                await self.compact()
        return count

    def hidden(self, table: str) -> list[dict]:
        """What must be known of the documents in ``table`` that are sealed under the keys of people not at work: their
        ``id``, and what `describe` said of them. It is not to be shown to anybody."""
        return self._sealed.hidden(table)

    def under(self, key: int) -> list[dict]:
        """What `describe` said of the documents under the person's key of this number, whoever is at work."""
        return list(self._sealed.of_key(key).values())

    def describe(self, describe: Describe) -> None:
        """Sets what is kept beside a sealed document, so that nothing it needs is cleared away while it is sealed."""
        self._sealed.describe = describe

    # --- writing ---

    def before_change(self, act: BeforeChange) -> None:
        """``act(writes)`` is awaited before each change is written; when it raises, nothing is."""
        self._before.append(act)

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
            tx = Change(self._state, self._sealed)
            try:
                yield tx
                await self._commit(tx._end())
            finally:
                tx._overlay = None
                self._holder = None
        if self._compaction is not None and not self._compaction.done():
            await asyncio.sleep(0)  # A row of changes must not keep the compaction from its turn.

    async def _commit(self, overlay: rows.Overlay) -> None:
        writes = overlay.writes()
        if not writes:
            return
        self._usable()
        for act in self._before:
            await act(writes)
        own = None if self.keys is None else self.keys.own
        sealed = {} if own is None else await self._sealed.seal(own, writes)
        try:
            await self._journal.append(f"[{overlay.texts(sealed)}]".encode("ascii"))
        except DiskFull as error:
            raise StoreFull(str(error)) from error
        except DiskBroken as error:
            self._closed = "the last write failed, and what is on the medium is not known for sure"
            raise StoreDamaged(f"{self._closed}; close the app and open it again", where=str(error)) from error
        except ValueError as error:
            raise StoreValue(f"the change is too large to be saved at once: {error}") from error
        for table, name, doc in writes:
            if doc is None:
                self._state.get(table, {}).pop(name, None)
            else:
                self._state.setdefault(table, {})[name] = doc
        self._sealed.put(writes, sealed)
        self._tell_all(frozenset(table for table, _, _ in writes), writes)
        self._compact_when_due()

    def _tell_all(
        self, changed: frozenset[str], writes: list[tuple[str, str, rows.Document | None]] | None = None
    ) -> None:
        for writer in list(self._writers):  # first: who watches tables may look at what these keep
            self._tell(writer, writes)
        for watcher in list(self._watchers):
            self._tell(watcher, changed)

    def _tell(self, watcher: Callable[[Any], None], changed: Any) -> None:
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

    def watch_writes(self, watcher: WriteWatcher) -> None:
        """Calls ``watcher(writes)`` after each change, before the others; None: what is there was shut away or opened,
        and all of it may be another."""
        self._writers.append(watcher)

    # --- upkeep ---

    def _compact_when_due(self) -> None:
        due = self._journal.compaction_due and self._journal.pending_bytes >= self._compact_not_before
        if due and (self._compaction is None or self._compaction.done()):
            self._compaction = asyncio.get_running_loop().create_task(self._compact_quietly())
            # What ends it without being an error of the store ends the program too, and is told there.
            self._compaction.add_done_callback(lambda task: task.cancelled() or task.exception())

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
        await self._compact()

    async def _compact(self, *, anew: bool = False) -> None:
        try:
            await self._journal.compact(self._sealed.as_kept(), anew=anew)
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
        if self.locked:
            raise StoreLocked()

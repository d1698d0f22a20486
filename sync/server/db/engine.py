"""How transactions run: one writer at a time, each write begun as one, retried whole, durable when it returns.

Writes that wait for each other share one transaction and one flush of the disk; each is a part of it that is undone
alone when it fails, and nobody is answered before the whole is durable.

SQLite is the embedded default (WAL, synchronous=FULL, BEGIN IMMEDIATE). A deferred BEGIN that later writes fails at
once with SQLITE_BUSY_SNAPSHOT, whatever ``busy_timeout`` says, so a write says from its first statement that it
is one. Only this file, `statements`, `quick` and `postgres` may hold SQL or settings that belong to one engine.
"""

from __future__ import annotations

import logging
import os
import random
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine, Select, Transaction, create_engine, event
from sqlalchemy.engine import URL
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import StaticPool

from sync.records.problems import Problem
from sync.server.db import postgres
from sync.server.db.jobs import Done, Job, Told
from sync.server.db.memory import Memory, is_gentle, remember, remembered, settle
from sync.server.db.quick import RAW, Undone, execute, part, raw_of
from sync.server.db.statements import add, ask, change, find, find_all, insert_if_absent, put, ready
from sync.server.db.troubles import connected, may_run_again, told_of

__all__ = ["Database", "Tx", "add", "ask", "change", "find", "find_all", "insert_if_absent", "open_database", "part",
           "put"]

T = TypeVar("T")
log = logging.getLogger(__name__)
Tx = Connection

ATTEMPTS = 8
BUSY_MS = 5_000
TOGETHER = 32
"""So many waiting writes go into one transaction at most."""


class Database:
    """One database and its single writer. ``write`` takes a function that is one whole act."""

    def __init__(self, engine: Engine, *, shared: bool = False):
        """``shared``: the engine has one connection for all threads (a database in memory), so reads queue too."""
        self.engine = engine
        # Within this process writers queue here instead of polling SQLite's lock; BEGIN IMMEDIATE with its
        # timeout serves writers of other processes (the command line beside a running server).
        self._writer = threading.Lock()
        self._reader = self._writer if shared else nullcontext()
        self._hall = threading.Lock()
        self._waiting: list[Job] = []
        self._led = False
        self._inside = threading.local()
        self._window: Any = None
        # The writer's own connection is kept: fetching one from the pool takes longer than a small write.
        self._keeps_pen = engine.dialect.name == "sqlite" and not shared
        self._readers = postgres.reading(engine) if engine.dialect.name == "postgresql" else engine
        self._pen: Tx | None = None
        self._pen_waits = True
        # What gentle acts found out, and the version of the database at which it was so.
        self._memory: Memory | None = None
        self._version = -1
        self._looking = threading.Lock()

    @contextmanager
    def read(self) -> Iterator[Tx]:
        """A consistent view of the database; nothing can be written through it by accident on purpose."""
        try:
            with self._reader, connected(self._readers) as tx, tx.begin():
                yield tx
        except DBAPIError as error:
            if self._readers is not self.engine and (problem := told_of(error)):
                raise problem from error
            raise

    def write(self, work: Callable[[Tx], T]) -> T:
        """Runs ``work`` as one act, all of it or nothing, and returns its result once it is durable.

        ``work`` may run several times, also in another thread, so it has no effect outside the transaction; whatever
        it raises undoes everything it did. Raises Problem "server-busy" when others held the database all the time,
        "server-full" when there is no room, "server-disk" when the disk takes no writes.
        """
        ((result, error),) = self.write_all([work])
        if error is not None:
            raise error
        return result

    def write_all(self, works: Sequence[Callable[[Tx], Any]]) -> list[Told]:
        """As ``write`` for several acts, each for itself, made durable together: what each returned, or raised."""
        if getattr(self._inside, "writing", False):
            raise RuntimeError("a write inside a write: one act is one transaction")
        job = Job(works)
        with self._hall:
            self._waiting.append(job)
            leads, self._led = not self._led, True
        if not leads:
            job.gate.acquire()
        if not job.done:
            self._lead()
        return job.told

    def write_at_once(self, work: Callable[[Tx], Any]) -> Told | None:
        """As ``write_all`` for one act, if nobody writes now, here or in another process; else None, and nothing was
        done. It waits for the disk alone."""
        if not self._keeps_pen or getattr(self._inside, "writing", False):
            return None
        with self._hall:
            if self._led or not self._writer.acquire(blocking=False):
                return None
            self._led = True
        try:
            return self._once(work, waits=False, keeps=is_gentle(work)), None
        except DBAPIError:
            return None  # whoever waits patiently finds out what it is
        except Exception as error:
            return None, error
        finally:
            self._writer.release()
            self._hand_over()

    def do_now(self, works: Sequence[Callable[[Tx], Any]]) -> Done | None:
        """Does several gentle acts without waiting for anything, if nobody writes now, here or in another process; else
        None, and nothing was done. What they come to counts only once ``Done.commit`` has made it durable."""
        if not self._keeps_pen or getattr(self._inside, "writing", False) or not all(map(is_gentle, works)):
            return None
        with self._hall:
            if self._led or not self._writer.acquire(blocking=False):
                return None
            self._led = True
        self._inside.writing = True
        begun = None
        try:
            begun, kept = self._begin(waits=False, keeps=True, bold=True)
            told = [self._part(self._pen, work) for work in works]
            settle(self._pen)
            return Done(told, partial(self._finish, begun, kept))
        except (Exception, Undone) as error:  # whoever goes about it patiently finds out what it is
            self._give_up(begun, not isinstance(error, Undone))
        except BaseException:
            self._give_up(begun, True)
            raise
        finally:
            self._inside.writing = False
        return None

    def _finish(self, begun: Transaction, kept: Memory) -> bool:
        try:
            begun.commit()
            self._memory = kept
        except Exception:
            log.warning("a transaction could not be made durable, and is done again", exc_info=True)
            self._give_up(begun, True)
            return False
        self._writer.release()
        self._hand_over()
        return True

    def _give_up(self, begun: Transaction | None, for_good: bool) -> None:
        """Undoes what was begun, and lets others write."""
        try:
            with suppress(Exception):
                if begun is not None:
                    begun.rollback()
            if for_good:
                self._put_pen_down()
        finally:
            self._writer.release()
            self._hand_over()

    def _hand_over(self) -> None:
        """Whoever came meanwhile leads."""
        with self._hall:
            heir = self._waiting[0] if self._waiting else None
            self._led = heir is not None
        if heir is not None:
            heir.gate.release()

    def _lead(self) -> None:
        """Does all that is waiting, one's own first; then hands over."""
        jobs: list[Job] = []
        with self._hall:
            while self._waiting and (not jobs or sum(len(job.works) for job in jobs) < TOGETHER):
                jobs.append(self._waiting.pop(0))
        try:
            with self._writer:
                told = iter(self._do([work for job in jobs for work in job.works]))
            for job in jobs:
                job.told = [next(told) for _ in job.works]
        finally:
            for job in jobs:
                if len(job.told) != len(job.works):  # somebody ended this thread: nobody may take that for an answer
                    job.told = [(None, Problem("server-busy", "the write was broken off"))] * len(job.works)
                job.done = True
                job.gate.release()
            self._hand_over()

    def _do(self, works: Sequence[Callable[[Tx], Any]]) -> list[Told]:
        if len(works) > 1:
            with suppress(Exception):  # then the whole was undone, so each stands for itself
                try:
                    return self._once(lambda tx: [self._part(tx, work) for work in works],
                                      keeps=all(is_gentle(work) for work in works))
                except Problem as problem:  # none of them came so far; nor would each, after as long a wait
                    return [(None, problem)] * len(works)
        return [self._alone(work) for work in works]

    def _part(self, tx: Tx, work: Callable[[Tx], Any]) -> Told:
        """One of several acts in a transaction. Raises only what concerns all of them."""
        try:
            with part(tx):
                return work(tx), None
        except DBAPIError:
            raise
        except Exception as error:
            return None, error
        finally:
            if not is_gentle(work):
                remembered(tx).clear()

    def _alone(self, work: Callable[[Tx], Any]) -> Told:
        try:
            return self._patiently(work), None
        except Exception as error:
            return None, error

    def _patiently(self, work: Callable[[Tx], T]) -> T:
        for attempt in range(ATTEMPTS):
            try:
                return self._once(work, keeps=is_gentle(work))
            except DBAPIError as error:
                if problem := told_of(error):
                    raise problem from error
                if not may_run_again(error):
                    raise
                time.sleep(random.uniform(0.005, 0.02) * (attempt + 1))
        raise Problem("server-busy", "another program keeps the database busy")

    def _once(self, work: Callable[[Tx], T], *, waits: bool = True, keeps: bool = False) -> T:
        """One transaction. ``waits``: for other processes that are writing. ``keeps``: it goes by what gentle acts
        before it found out, and so will those after it.

        Nearly no record is refused in the middle, and keeping what SQLite needs to undo a part alone takes as long as a
        few statements. So gentle acts go boldly, and where that went wrong, all of it once more, with care.
        """
        try:
            return self._transaction(work, waits, keeps, bold=keeps)
        except Undone:
            return self._transaction(work, waits, keeps, bold=False)

    def _transaction(self, work: Callable[[Tx], T], waits: bool, keeps: bool, bold: bool) -> T:
        self._inside.writing = True
        try:
            if not self._keeps_pen:
                with connected(self.engine).execution_options(siltwatch_write=True) as tx, tx.begin():
                    remember(tx, Memory(counts=keeps))
                    result = work(tx)
                    settle(tx)
                return result
            try:
                begun, kept = self._begin(waits, keeps, bold)
                with begun:
                    result = work(self._pen)
                    settle(self._pen)
                if keeps:
                    self._memory = kept
                return result
            except DBAPIError:
                self._put_pen_down()
                raise
        finally:
            self._inside.writing = False

    def _begin(self, waits: bool, keeps: bool, bold: bool) -> tuple[Transaction, Memory]:
        """A transaction of the pen, and its memory, which is ours to keep if all ends well."""
        if self._pen is None:
            self._pen = connected(self.engine).execution_options(siltwatch_write=True)
            self._pen_waits = True
        raw = raw_of(self._pen)
        if self._pen_waits != waits:
            raw.execute(f"PRAGMA busy_timeout = {BUSY_MS if waits else 0}")
            self._pen_waits = waits
        kept, self._memory = self._memory, None
        begun = self._pen.begin()
        ((version,),) = raw.execute("PRAGMA data_version")
        if kept is None or not keeps or version != self._version:
            kept = Memory(counts=keeps)
        self._version = version
        remember(self._pen, kept)
        self._pen.siltwatch_bold = bold
        return begun, kept

    def _put_pen_down(self) -> None:
        """Whatever state it is in: the next transaction gets another one."""
        pen, self._pen = self._pen, None
        if pen is None:
            return
        try:
            if not self._pen_waits:  # whoever gets this connection from the pool next has patience
                raw_of(pen).execute(f"PRAGMA busy_timeout = {BUSY_MS}")
            pen.close()
        except Exception:
            log.warning("a connection to the database is broken, and given up", exc_info=True)
            with suppress(Exception):
                pen.invalidate()

    def glance(self, query: Select, **values: str) -> Any | None:
        """The first row of a small query by a key, as it is committed now.

        Quick enough (some 20 us) to be asked in the event loop with every request. ``query`` is one that is kept for
        the life of the program: what it compiles to is remembered.
        """
        if getattr(self._inside, "writing", False):
            raise RuntimeError("a glance inside a write: ask the transaction itself")
        if self._readers is not self.engine or isinstance(self.engine.pool, StaticPool):
            with self.read() as tx:
                found = tx.execute(query, values).first()
            return found
        known = ready(query, self.engine.dialect)
        given = known.values(values)
        with self._looking:
            if self._window is None:
                self._window = self.engine.raw_connection()  # kept for good, used by one thread after the other
            rows = self._window.driver_connection.execute(known.text, given).fetchall()
        return known.row(rows[0]) if rows else None

    def copy_to(self, place: Path) -> None:
        """A consistent copy of the whole database in the new SQLite file ``place``, while others go on writing."""
        handle = os.open(place, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        os.close(handle)
        copy = sqlite3.connect(place)
        raw = self.engine.raw_connection()
        try:
            raw.driver_connection.backup(copy)
        finally:
            raw.close()
            copy.close()
        handle = os.open(place, os.O_RDONLY)
        os.fsync(handle)
        os.close(handle)

    def close(self) -> None:
        """Lets go of every connection."""
        with self._writer:
            self._put_pen_down()
        with self._looking:
            if self._window is not None:
                self._window.close()
                self._window = None
        self.engine.dispose()


def _prepare_sqlite(engine: Engine) -> None:
    @event.listens_for(engine, "connect")
    def _connected(raw: Any, record: Any) -> None:
        record.info[RAW] = raw
        raw.isolation_level = None  # the driver begins nothing by itself: _begin does
        cursor = raw.cursor()
        cursor.execute(f"PRAGMA busy_timeout = {BUSY_MS}")  # first, because the next line may have to wait
        cursor.execute("PRAGMA journal_mode = WAL")
        cursor.execute("PRAGMA synchronous = FULL")
        cursor.execute("PRAGMA foreign_keys = ON")
        cursor.close()

    @event.listens_for(engine, "begin")
    def _begin(tx: Connection) -> None:
        writes = tx.get_execution_options().get("siltwatch_write", False)
        execute(tx, raw_of(tx), "BEGIN IMMEDIATE" if writes else "BEGIN")


def open_database(where: Path | URL | None) -> Database:
    """The SQLite database in the file ``where`` (made when absent), the PostgreSQL database at that address, or one in
    memory when it is None."""
    if isinstance(where, URL):
        return Database(postgres.open_engine(where))
    if where is None:
        engine = create_engine("sqlite://", poolclass=StaticPool, connect_args={"check_same_thread": False})
    else:
        engine = create_engine(f"sqlite:///{where}", pool_size=16, max_overflow=32)
    _prepare_sqlite(engine)
    return Database(engine, shared=where is None)

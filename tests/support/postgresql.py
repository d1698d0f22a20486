"""A real PostgreSQL for tests: one for the whole run, a database of its own for each city, on a unix socket alone.

All workers of a run share it: whoever comes first starts it; it ends when the last has left, or was killed. As root it
runs as another user, because PostgreSQL refuses to be root. Nothing in it outlives the run, so it never waits
for the disk. Where there is no PostgreSQL its tests fail, and say what to do.
"""

from __future__ import annotations

import fcntl
import itertools
import os
import pwd
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import psycopg
from sqlalchemy.engine import URL

from sync.server.blobs.memory import MemoryBlobs
from sync.server.casework import founding
from sync.server.casework.city import City
from sync.server.clock import Clock
from sync.server.db import postgres
from sync.server.db.engine import Database
from sync.server.db.migrate import migrate
from sync.server.opening import make_city
from sync.where import pack_files
from tests.support import city as cities
from tests.support.clock import StoppedClock

ROOM = 1_000_000_000
QUICK = {
    "fsync": "off", "full_page_writes": "off", "wal_level": "minimal", "max_wal_senders": "0", "autovacuum": "off",
    "jit": "off", "shared_buffers": "32MB", "max_connections": "200", "listen_addresses": "",
    "dynamic_shared_memory_type": "mmap", "log_min_messages": "warning", "max_wal_size": "256MB",
}


def programs() -> Path:
    """The folder of PostgreSQL's own programs, the newest there is. Fails with what to do where there is none."""
    found = [Path(shutil.which("initdb") or "/nowhere").resolve()]
    found += sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda one: float(one.parts[-3]))
    there = [one.parent for one in found if one.is_file() and (one.parent / "postgres").is_file()]
    if not there:
        raise AssertionError("These tests need the programs of PostgreSQL 15 or newer: install them (Debian: apt-get "
                             "install postgresql), or run make test, which does it.")
    return there[-1]


def _as_somebody() -> dict[str, Any]:
    """How to start a program as somebody who is not root."""
    if os.geteuid() != 0:
        return {}
    for name in ("postgres", "nobody"):
        with suppress(KeyError):
            person = pwd.getpwnam(name)
            return {"user": person.pw_uid, "group": person.pw_gid, "extra_groups": []}
    raise AssertionError("PostgreSQL does not run as root, and there is no user 'postgres' or 'nobody'")


def _place() -> Path:
    """Where the server of this run is. /dev/shm is 64 MB in many containers."""
    shared = Path("/dev/shm")
    roomy = shared.is_dir() and os.access(shared, os.W_OK) and shutil.disk_usage(shared).free > ROOM
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID") or str(os.getpid())
    return (shared if roomy else Path(tempfile.gettempdir())) / f"siltwatch-pg-{run[:16]}"


def _start(place: Path) -> None:
    bin_, who = programs(), _as_somebody()
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(mode=0o700)
    if who:
        os.chown(place, who["user"], who["group"])
    made = subprocess.run(
        [bin_ / "initdb", "-D", place / "data", "-U", "postgres", "--auth=trust", "--no-sync", "--encoding=UTF8",
         "--locale=C.UTF-8", "--wal-segsize=1", "--no-instructions"],
        cwd="/", capture_output=True, text=True, **who)  # fmt: skip
    assert made.returncode == 0, f"initdb failed:\n{made.stdout}\n{made.stderr}"
    settings = itertools.chain.from_iterable(("-c", f"{name}={value}") for name, value in QUICK.items())
    log = place / "log"
    with log.open("wb") as said:
        running = subprocess.Popen([bin_ / "postgres", "-D", place / "data", "-k", place, *settings], cwd="/",
                                   stdin=subprocess.DEVNULL, stdout=said, stderr=said, start_new_session=True, **who)
    until = time.monotonic() + 120
    while True:
        with suppress(psycopg.OperationalError), psycopg.connect(host=str(place), user="postgres", dbname="postgres"):
            return
        assert running.poll() is None and time.monotonic() < until, f"PostgreSQL did not start:\n{log.read_text()}"
        time.sleep(0.02)


def _end_with(room: Path, place: Path) -> None:
    """A process of its own ends the server when nobody is in the room any more, also because they were all killed."""
    quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    subprocess.Popen([sys.executable, Path(__file__).with_name("postgresql_end.py"), room, place], cwd="/",
                     start_new_session=True, **quiet)


@contextmanager
def shared_postgresql(run: Path) -> Iterator[Path]:
    """The folder of the run's server, which holds its socket. It runs while anybody is in here. ``run``: a folder that
    all workers of the run share."""
    place, room = _place(), run / "postgresql.room"
    with (run / "postgresql.door").open("w") as door, room.open("w") as held:
        fcntl.flock(door, fcntl.LOCK_EX)
        fcntl.flock(held, fcntl.LOCK_SH)
        if not (place / "data" / "postmaster.pid").exists():
            _start(place)
            _end_with(room, place)
        fcntl.flock(door, fcntl.LOCK_UN)
        yield place


@dataclass(slots=True)
class Postgresql:
    """The server, and what was made in it by this process."""

    place: Path
    _asking: psycopg.Connection = field(init=False)
    _names: Iterator[int] = field(default_factory=lambda: itertools.count(1))
    _models: dict[int, tuple[bytes, str, Database]] = field(default_factory=dict)
    _made: list[tuple[str, Database | None]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._asking = psycopg.connect(host=str(self.place), user="postgres", dbname="postgres", autocommit=True)

    def address(self, name: str) -> URL:
        return postgres.address_of(f"postgresql://postgres@/{name}?host={self.place}")

    def fresh(self, like: str = "") -> str:
        """The name of a new database: empty, and sorting texts as most do, or a copy of the one named."""
        name = f"t{os.getpid()}_{next(self._names)}"
        model = f"{like} STRATEGY FILE_COPY" if like else "template0 LOCALE_PROVIDER icu ICU_LOCALE 'en-US'"
        self._asking.execute(f"CREATE DATABASE {name} TEMPLATE {model}")
        self._made.append((name, None))
        return name

    def open(self, name: str, like: Database | None = None) -> Database:
        """The database; it knows each statement that ``like`` has compiled."""
        engine = postgres.open_engine(self.address(name))
        if like is not None:
            engine.dialect = engine.pool._dialect = like.engine.dialect
            engine._compiled_cache = like.engine._compiled_cache
        database = Database(engine)
        self._made[-1] = (name, database)
        return database

    def open_again(self, database: Database) -> Database:
        """The same database as another process has it. Whoever asks for it closes it."""
        return Database(postgres.open_engine(database.engine.url))

    def ask(self, text: str, *values: str) -> None:
        """A command to the server itself."""
        self._asking.execute(text, values or None)

    def city(self, clock: Clock, *, seed: int = 1, public_url: str = cities.PUBLIC_URL, like: City | None = None,
             over: City | None = None) -> City:
        """As `tests.support.city.memory_city`, its records in PostgreSQL."""
        source = random.Random(seed + 1_000)
        if like:
            source.setstate(like.random_bytes.__self__.getstate())  # type: ignore[attr-defined]
            secret, model, known = like.secret, like.db.engine.url.database, like.db
            like.db.close()
        else:
            secret, model, known = self._furnished(seed)
        database = self.open(self.fresh(model), known)
        return City("demo", "Demo City", ZoneInfo("America/Chicago"), secret, database, MemoryBlobs(), clock,
                    public_url, source.randbytes)

    def _furnished(self, seed: int) -> tuple[bytes, str, Database]:
        if seed not in self._models:
            source = cities.seeded(seed)
            secret, name = source(32), self.fresh()
            database = self.open(name)
            self._made.pop()
            migrate(database)
            city = City("demo", "Demo City", ZoneInfo("America/Chicago"), secret, database, MemoryBlobs(),
                        StoppedClock(), cities.PUBLIC_URL, source)
            founding.found_city(city, pack_files("demo"))
            cities.furnish(city)
            database.close()
            self._models[seed] = (secret, name, database)
        return self._models[seed]

    def folder_city(self, folder: Path, clock: Clock, *, public_url: str = cities.PUBLIC_URL,
                    for_good: bool = False) -> City:
        """As `tests.support.city.folder_city`: all but the records is in the folder. ``for_good``: as long as the
        server is there."""
        city = make_city(folder, clock, public_url, ident="demo", name="Demo City", zone="America/Chicago",
                         pack_files=pack_files("demo"), address=self.address(self.fresh()))
        name, _ = self._made.pop()
        if not for_good:
            self._made.append((name, city.db))
        cities.furnish(city)
        return city

    def clear(self) -> None:
        """Removes the databases that were made since the last time."""
        for name, database in self._made:
            if database is not None:
                database.close()
            self._asking.execute(f"DROP DATABASE {name} WITH (FORCE)")
        self._made.clear()

    def close(self) -> None:
        self._asking.close()

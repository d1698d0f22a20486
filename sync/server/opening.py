"""Opens the data folder of a city: its secret, its database at the present schema, its evidence files.

The folder is ``city.secret`` (readable by its owner alone), ``siltwatch.sqlite`` and ``evidence/``. Where the database
is PostgreSQL's, its address stands in ``postgresql.url`` (for its owner alone too) instead. A folder that lacks one of
them is refused with what to do; nothing is ever made anew over something that is missing.
"""

from __future__ import annotations

import logging
import os
import secrets
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from zoneinfo import ZoneInfo

from sqlalchemy import inspect, select, update
from sqlalchemy.engine import URL
from sqlalchemy.exc import DBAPIError

from sync.records.problems import Problem
from sync.server.blobs.local import LocalBlobs, flush_folder
from sync.server.casework.applying import retry_parked
from sync.server.casework.city import City
from sync.server.casework.evidence import kept_files
from sync.server.casework.founding import found_city
from sync.server.casework.lives import begin_life_of_copy, note_place
from sync.server.clock import Clock
from sync.server.db.copying import copy_rows, copy_rows_into
from sync.server.db.engine import Database, Tx, open_database
from sync.server.db.files import previews
from sync.server.db.migrate import bring_up, migrate
from sync.server.db.postgres import PLAIN, address_of, born_as, is_empty, is_empty_still
from sync.server.db.schema import cities
from sync.server.db.troubles import told_of
from sync.server.db.within import Within
from sync.server.place import is_elsewhere, place_of
from sync.server.unwritten import writing

log = logging.getLogger(__name__)
DATABASE = "siltwatch.sqlite"
ADDRESS = "postgresql.url"
SECRET = "city.secret"
EVIDENCE = "evidence"
_BEGUN = ".being-set-up"


def holds_city(data: Path) -> bool:
    """Whether there is a city in the folder."""
    return (data / DATABASE).exists() or (data / ADDRESS).exists() or (data / SECRET).exists()


def _read_secret(path: Path) -> bytes:
    try:
        text = path.read_text(encoding="ascii").strip()
        secret = bytes.fromhex(text)
    except FileNotFoundError:
        raise Problem("data-damaged", f"{path} is missing: without it no tablet would be known again",
                      where=str(path)) from None
    except ValueError:
        raise Problem("data-damaged", f"{path} does not hold a secret", where=str(path)) from None
    if len(secret) != 32:
        raise Problem("data-damaged", f"{path} does not hold a secret of 32 bytes", where=str(path))
    return secret


def _write_for_owner(path: Path, line: str) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(line + "\n")
        file.flush()
        os.fsync(file.fileno())


def _where(data: Path) -> Path | URL:
    """Where the database of the city in the folder is. Raises Problem "data-damaged" where nothing says so."""
    try:
        return address_of((data / ADDRESS).read_text(encoding="utf-8"))
    except FileNotFoundError:
        pass
    except (Problem, ValueError):
        raise Problem("data-damaged", f"{data / ADDRESS} does not hold the address of a PostgreSQL database",
                      where=str(data)) from None
    if not (data / DATABASE).is_file():
        raise Problem("data-damaged", f"{data / DATABASE} is missing", where=str(data))
    return data / DATABASE


def _empty_postgresql(address: URL) -> Database:
    """The database at the address. Raises Problem "database-in-the-way" unless it is empty, "database-unreachable"."""
    database = open_database(address)
    try:
        empty = is_empty(database.engine)
    except DBAPIError as error:
        database.close()
        raise told_of(error) or error from error
    if not empty:
        database.close()
        raise _in_the_way(address)
    return database


def _in_the_way(address: URL | None) -> Problem:
    return Problem("database-in-the-way", f"{address.render_as_string() if address else 'the database'} has tables "
                   "already", where="--database")


def open_city(data: Path, clock: Clock, public_url: str, *, serving: bool = False) -> City:
    """The city in ``data``. ``serving``: this is the one server of the folder, which tidies up, tries parked facts
    again, and begins a new life of the records when they are a backup that nobody has marked, or a copy. Raises Problem
    "data-missing", "data-damaged", "database-newer", "pack-malformed"."""
    if not holds_city(data):
        raise Problem("data-missing", f"there is no city in {data}", where=str(data))
    where = _where(data)
    secret = _read_secret(data / SECRET)
    database = open_database(where)
    migrate(database)
    with database.read() as tx:
        row = tx.execute(select(cities)).first()
    if row is None:
        database.close()
        raise Problem("data-damaged", f"the database in {data} has no city: remove the folder and start again",
                      where=str(data))
    blobs = LocalBlobs(data / EVIDENCE)
    city = City(row.city_id, row.name, ZoneInfo(row.zone), secret, database, blobs, clock, public_url.rstrip("/"),
                place=_place(data, database))
    note_place(city)
    if serving:
        _check_law(city, data)
        if begin_life_of_copy(city):
            log.warning("%s is a backup or a copy: marked as restored. Tablets will offer again everything that they "
                        "still hold.", data)
        blobs.sweep()
        retry_parked(city)
    return city


def _place(data: Path, database: Database) -> str:
    if database.engine.dialect.name == PLAIN:
        return place_of(None, data / SECRET, born_as(database.engine))
    return place_of(data / DATABASE, data / SECRET)


def _check_law(city: City, data: Path) -> None:
    """A server that cannot read its own ordinance must not start: every order would be set aside."""
    from sync.ordinance.pack import PackError

    try:
        with city.db.read() as tx:
            city.pack(tx)
    except PackError as err:
        city.db.close()
        raise Problem("pack-malformed", f"the ordinance pack kept in {data} cannot be read by this program: {err}",
                      where=str(data)) from err


@contextmanager
def built_beside(data: Path) -> Iterator[Path]:
    """Where to build a city that is moved to ``data`` whole: one that was interrupted leaves no half city there.

    What such a one left beside it is cleared away, and nothing else ever is. Raises Problem "folder-in-the-way" when
    there is something else already.
    """
    if data.exists() and (not data.is_dir() or any(data.iterdir())):
        raise Problem("folder-in-the-way", f"{data} is not empty and holds no city", where=str(data))
    data.parent.mkdir(parents=True, exist_ok=True)
    building = data.with_name(data.name + ".setting-up")
    if _was_left_by_us(building):
        if _was_founded(building):
            _name(building, data)
            raise Problem("already-decided", "an earlier run founded the city, as it was asked for then, and was "
                          f"stopped before it could say so: it is in {data} now. `siltwatch sign-in-link` and "
                          "`siltwatch recovery-key --another` make what that run did not show", where=str(data))
        shutil.rmtree(building)
    try:
        building.mkdir(mode=0o700)
    except FileExistsError:
        raise Problem("folder-in-the-way", f"{building} is there, and no city that was being set up: move it away",
                      where=str(building)) from None
    (building / _BEGUN).write_text("A city is being set up here.\n", encoding="utf-8")
    yield building
    _name(building, data)


def _name(building: Path, data: Path) -> None:
    building.rename(data)  # over an empty folder, or to a free name
    (data / _BEGUN).unlink()
    flush_folder(data.parent)


def _was_left_by_us(building: Path) -> bool:
    """Whether a city was being set up in it when the program was stopped, and nobody has put anything beside it."""
    if building.is_symlink() or not (building / _BEGUN).is_file():
        return False
    ours = {_BEGUN, SECRET, EVIDENCE, ADDRESS, DATABASE, *(f"{DATABASE}-{end}" for end in ("wal", "shm", "journal"))}
    return all(path.name in ours and not path.is_symlink() for path in building.iterdir())


def _was_founded(building: Path) -> bool:
    """Whether the records of this city are in PostgreSQL, where they came all at once: nothing lacks but the folder's
    name. Raises Problem "database-unreachable" where that cannot be seen."""
    if not (building / SECRET).is_file() or not (building / ADDRESS).is_file():
        return False
    try:
        database = open_database(_where(building))
    except Problem:
        return False  # stopped while the address was written down, so before anything was made there
    try:
        if not inspect(database.engine).has_table(cities.name):
            return False
        with database.read() as tx:
            return tx.execute(select(cities.c.place)).scalar() == _place(building, database)
    except (DBAPIError, Problem) as error:
        raise Problem("database-unreachable", "an earlier run was stopped, and the database that "
                      f"{building / ADDRESS} names does not answer: whether it founded the city there cannot be seen. "
                      "Start that database, or remove the folder", where=str(building)) from error
    finally:
        database.close()


def make_city(data: Path, clock: Clock, public_url: str, *, ident: str, name: str, zone: str,
              pack_files: Mapping[str, str], first_tablet: int = 1, address: URL | None = None,
              first: Callable[[City], None] = lambda city: None) -> City:
    """A new city in ``data`` (made when absent, refused when it holds one already), its database in the folder, or at
    the ``address``, which must be empty: else Problem "database-in-the-way". ``first``: what it begins with. All of its
    records are one transaction, of which nothing stays when it fails; ``first`` may run several times in it."""
    if holds_city(data):
        raise Problem("already-decided", f"there is a city in {data} already", where=str(data))
    database = _empty_postgresql(address) if address else open_database(data / DATABASE)
    try:
        data.mkdir(parents=True, exist_ok=True, mode=0o700)
        secret = secrets.token_bytes(32)
        _write_for_owner(data / SECRET, secret.hex())
        if address:
            _write_for_owner(data / ADDRESS, address.render_as_string(hide_password=False))
        with database.read():
            pass  # from here on a file has its day of birth
        for folder in (data, data.parent):  # nothing is over there whose secret a power cut could take
            flush_folder(folder)
        city = City(ident, name, ZoneInfo(zone), secret, database, LocalBlobs(data / EVIDENCE), clock,
                    public_url.rstrip("/"), place=_place(data, database))

        def work(tx: Tx) -> None:
            if not is_empty_still(tx):
                raise _in_the_way(address)
            bring_up(tx)
            begun = replace(city, db=Within(tx))
            found_city(begun, pack_files, first_tablet=first_tablet)
            first(begun)

        database.write(work)
    except BaseException:
        database.close()
        raise
    return city


def back_up(city: City, data: Path, to: Path) -> int:
    """Copies the whole city into the new folder ``to``, while it is being served; returns how many files it has.

    The database is copied first and the evidence after it, so every file that the copy names is in the copy. Until it
    is whole it is called ``to`` with ``.unfinished`` behind it and lacks the secret, without which nothing serves it;
    one that a killed run left behind is thrown away by the next, unless it lacks nothing but its name. Raises
    Problem "folder-in-the-way" when ``to`` exists, "data-damaged" when an evidence file is missing, "file-not-written"
    when there is no room; then nothing is left.
    """
    if to.exists():
        raise Problem("folder-in-the-way", f"{to} exists already", where=str(to))
    begun = to.with_name(to.name + ".unfinished")
    with writing("the copy", to):
        if begun.exists():
            _throw_away(begun, to)
        begun.mkdir(parents=True, mode=0o700)
    with writing("the copy", to, lambda: shutil.rmtree(begun, ignore_errors=True)):
        count = _copy_all(city, data, begun)
        _write_for_owner(begun / SECRET, _read_secret(data / SECRET).hex())
        flush_folder(begun)
        begun.rename(to)
        flush_folder(to.parent)
    return count


def _throw_away(begun: Path, to: Path) -> None:
    """Removes what is left of a copy that was broken off. Raises Problem "folder-in-the-way" for anything else."""
    for path in begun.iterdir():
        if path.name not in (EVIDENCE, SECRET) and not path.name.startswith(DATABASE):
            raise Problem("folder-in-the-way", f"{begun} holds {path.name}, which is of no copy: move it away",
                          where=str(begun))
    secret = begun / SECRET
    if secret.exists() and secret.stat().st_size:
        raise Problem("folder-in-the-way", f"{begun} is a whole copy of a city: the run that made it was stopped "
                      f"before it could call it {to.name}. Rename it to keep it, or remove it", where=str(begun))
    shutil.rmtree(begun)


def _copy_all(city: City, data: Path, to: Path) -> int:
    """The database and then the evidence into the folder; how many files that are no previews."""
    if city.db.engine.dialect.name == PLAIN:
        os.close(os.open(to / DATABASE, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        copied = open_database(to / DATABASE)
        migrate(copied)
        copy_rows(city.db, copied)
    else:
        city.db.copy_to(to / DATABASE)
        copied = open_database(to / DATABASE)
    # Whoever serves the copy begins a new life with it, also when they forget that it is one.
    copied.write(lambda tx: tx.execute(update(cities).where(cities.c.city_id == city.id).values(backup_at=city.now())))
    copied.close()
    copy = LocalBlobs(to / EVIDENCE)
    count = 0
    with city.db.read() as tx:
        named = list(kept_files(tx, city))
        small = set(tx.execute(select(previews.c.sha256).where(previews.c.city_id == city.id)).scalars())
    for sha256 in (*named, *sorted(sha for sha in small - set(named) if city.blobs.has(sha))):
        incoming = copy.incoming()
        try:
            for piece in city.blobs.stream(sha256):
                incoming.write(piece)
        except KeyError:
            incoming.drop()
            raise Problem("data-damaged", f"the evidence file {sha256} is missing on disk", where=str(data)) from None
        if incoming.digest() != sha256:
            incoming.drop()
            raise Problem("data-damaged", f"the evidence file {sha256} was changed on disk", where=str(data))
        incoming.keep()
        count += sha256 not in small
    return count


def move_to(data: Path, address: URL) -> int:
    """Moves the records of the city in ``data``, which nobody serves, into the empty PostgreSQL database at the
    ``address``; returns how many rows it has. What was the database stays beside it, under another name, as it was.

    Until the address is written down in the folder, the city is where it was; of a move that failed nothing stays over
    there. Raises Problem "already-decided" when it is in PostgreSQL already, "database-in-the-way", "row-not-moved",
    "database-unreachable".
    """
    where = _where(data)
    if isinstance(where, URL):
        raise Problem("already-decided", f"the records of {data} are in PostgreSQL already", where=str(data))
    source = open_database(where)
    migrate(source)
    target = _empty_postgresql(address)
    fresh = data / f"{ADDRESS}.new"

    def work(tx: Tx) -> int:
        if not is_empty_still(tx):
            raise _in_the_way(address)
        bring_up(tx)
        count = copy_rows_into(source, tx)
        noted = tx.execute(select(cities.c.place)).scalar()
        if not is_elsewhere(noted, _place(data, source)):  # of a copy, the next start still finds out that it is one
            tx.execute(update(cities).values(place=_place(data, target)))
        return count

    try:
        fresh.unlink(missing_ok=True)
        _write_for_owner(fresh, address.render_as_string(hide_password=False))
        count = target.write(work)
        fresh.rename(data / ADDRESS)
        flush_folder(data)  # from here on it is over there, also after a power cut
    finally:
        fresh.unlink(missing_ok=True)
        target.close()
        source.close()
    for end in ("", "-wal", "-shm"):
        left = data / (DATABASE + end)
        if left.exists():
            left.rename(data / f"{DATABASE}{end}.moved")
    flush_folder(data)
    return count

"""What a failure of the database means: that the whole transaction may simply run again, or what a person is told.

Nothing that was not answered counts, so whoever is told to come back later loses nothing: tablets do so by themselves.
"""

from __future__ import annotations

import logging

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError, OperationalError
from sqlalchemy.exc import TimeoutError as NoneFree

from sync.records.problems import Problem

log = logging.getLogger(__name__)
_NO_DISK = ("SQLITE_READONLY", "SQLITE_IOERR", "SQLITE_CANTOPEN")
# PostgreSQL's own words for it. 40: another transaction won. 55P03: it waited too long for the one that writes.
_AGAIN, _WAITED = ("40001", "40P01"), "55P03"
# Disk full; the disk failed, or this server of a group takes no writes.
_FULL, _NO_WRITES = "53100", ("58030", "25006")


def connected(engine: Engine) -> Connection:
    """A connection. Raises Problem "server-busy" when all that there may be were in use for as long as we wait."""
    try:
        return engine.connect()
    except NoneFree as error:
        raise Problem("server-busy", "every connection to the database is in use") from error


def _state(error: DBAPIError) -> str:
    return getattr(error.orig, "sqlstate", None) or ""


def _name(error: DBAPIError) -> str:
    return getattr(error.orig, "sqlite_errorname", None) or ""


def may_run_again(error: DBAPIError) -> bool:
    """Whether the whole transaction may simply run again: another writer won, nothing of ours was kept."""
    if _state(error) in _AGAIN:
        return True
    return isinstance(error, OperationalError) and _name(error).startswith(("SQLITE_BUSY", "SQLITE_LOCKED"))


def told_of(error: DBAPIError) -> Problem | None:
    """The Problem that it is: "server-full", "server-disk", "server-busy", "database-unreachable"; None for a mistake
    of ours."""
    if _name(error) == "SQLITE_FULL" or _state(error) == _FULL:
        return Problem("server-full", "there is no room for the database")
    if _name(error).startswith(_NO_DISK) or _state(error) in _NO_WRITES:
        log.error("the database cannot be written to", exc_info=error)
        return Problem("server-disk", "the database cannot be written to")
    if _state(error) == _WAITED:
        return Problem("server-busy", "another program keeps the database busy")
    if _is_away(error):
        # Where the database is, and why it does not let us in, is for the keeper of the machine alone.
        log.error("the database cannot be reached: %s", " ".join(str(error.orig).split())[:300])
        return Problem("database-unreachable", "the database server does not answer, or does not let this one in")
    return None


def _is_away(error: DBAPIError) -> bool:
    """Whether there is no connection to the database server, or none any more. 08: connection; 57P: it shuts down, or
    starts; 53300: it takes no more connections; 28, 3D: it does not let us in."""
    if not hasattr(error.orig, "sqlstate"):
        return False
    state = _state(error)
    return error.connection_invalidated or state.startswith(("08", "57P", "53300", "28", "3D")) or (
        not state and isinstance(error, OperationalError))


"""Brings a database to the present schema, step by step, in one transaction: all of it or nothing.

A database that is newer than this program is refused, never touched.
"""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory

import sync.server.db.acts
import sync.server.db.blanks
import sync.server.db.diagnoses
import sync.server.db.files
import sync.server.db.finds
import sync.server.db.lives
import sync.server.db.pulling
import sync.server.db.recovery
import sync.server.db.signing_in
import sync.server.db.tablets  # noqa: F401  (so do these)
from sync.records.problems import Problem
from sync.server.db.engine import Database, Tx


def _config(tx: Tx | None = None) -> Config:
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.set_main_option("path_separator", "os")
    if tx is not None:
        config.attributes["connection"] = tx
    return config


def revision(tx: Tx) -> str | None:
    """The revision that the database is at, None for an empty one."""
    return MigrationContext.configure(tx).get_current_revision()


def newest() -> str | None:
    """The revision that this program makes."""
    return ScriptDirectory.from_config(_config()).get_current_head()


def migrate(database: Database) -> None:
    """Makes the schema, or brings it up to date. Raises Problem "database-newer" for a database of a newer program."""

    database.write(bring_up)


def bring_up(tx: Tx) -> None:
    """The same in a transaction that does more."""
    now = revision(tx)
    known = {step.revision for step in ScriptDirectory.from_config(_config()).walk_revisions()}
    if now is not None and now not in known:
        raise Problem("database-newer", f"the database is at revision {now}, which this program does not know")
    if now != newest():
        command.upgrade(_config(tx), "head")

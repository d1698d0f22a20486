"""The table of pre-printed placards: order numbers of a tablet that stand on paper and are given out in no lease.

Whether a blank is still unused is never written here: it is read from the orders and the acts about its number.
"""

from __future__ import annotations

from sqlalchemy import Column, Index, Integer, PrimaryKeyConstraint, String, Table

from sync.server.db.schema import metadata
from sync.server.db.types import Instant

blanks = Table(
    "blanks",
    metadata,
    Column("city_id", String(64), nullable=False),
    Column("number", String(32), nullable=False),
    Column("tablet_code", String(16), nullable=False),
    # Two papers can have one place in the count: one of this life of the records, one of a life that was lost.
    Column("counter", Integer, nullable=False),
    # The stack that it was printed with; "" for one that was recognised after a restore.
    Column("sheet", String(32), nullable=False),
    Column("at", Instant, nullable=False),
    Column("person", String(80), nullable=False),
    PrimaryKeyConstraint("city_id", "number"),
)
Index("ix_blanks_place", blanks.c.city_id, blanks.c.tablet_code, blanks.c.counter)
Index("ix_blanks_sheet", blanks.c.city_id, blanks.c.sheet)

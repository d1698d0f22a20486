"""Tables about the lives of a city's records: each restore begins one, and what was given out in lives that are lost.

Nothing here is given out or taken back: `lives` says where the register and the tablets' count stood when a life began,
`lost` what this life has heard of that another one gave out.
"""

from __future__ import annotations

from sqlalchemy import Column, Index, Integer, PrimaryKeyConstraint, String, Table

from sync.server.db.schema import metadata
from sync.server.db.types import Instant

# The first life of a city has no row.
lives = Table(
    "lives",
    metadata,
    Column("city_id", String(64), nullable=False),
    Column("epoch", String(64), nullable=False),
    # Of the lives that led here, the how manieth: two can begin in one moment.
    Column("place", Integer, nullable=False),
    # How we noticed ourselves that the records were set back (folder, tablet); None: a person or the backup said so.
    Column("noticed", String(16)),
    # The life that it ended; None where that was not noted yet.
    Column("before", String(64)),
    # What every number given out in this life bears.
    Column("mark", String(8), nullable=False),
    Column("at", Instant, nullable=False),
    # The backup that it began from, where that said so.
    Column("backup_at", Instant),
    # The last register number and the last tablet of the backup: the counts go on from there.
    Column("registers", Integer, nullable=False),
    Column("tablets", Integer, nullable=False),
    PrimaryKeyConstraint("city_id", "epoch"),
)

# what: number (an order number) or register (a register number). how: record, placard, receipt.
lost = Table(
    "lost",
    metadata,
    Column("city_id", String(64), nullable=False),
    Column("what", String(16), nullable=False),
    Column("said", String(64), nullable=False),
    # Of a register number: the order that bore it.
    Column("about", String(64), nullable=False),
    Column("how", String(16), nullable=False),
    # Of an order number: whose it was, and its place in that tablet's count.
    Column("tablet_code", String(16), nullable=False),
    Column("counter", Integer, nullable=False),
    Column("at", Instant, nullable=False),
    PrimaryKeyConstraint("city_id", "what", "said"),
)
Index("ix_lost_tablet", lost.c.city_id, lost.c.tablet_code, lost.c.counter)
Index("ix_lost_about", lost.c.city_id, lost.c.about)

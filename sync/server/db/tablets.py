"""Tables about tablets that came after the first schema: what became of a copied one, and how far clocks were off.

None of them decides anything by itself: a line says which code a copy had before, a clock is what a tablet last said,
a mark is a record whose time a person has to look at.
"""

from __future__ import annotations

from sqlalchemy import Column, Date, Index, Integer, PrimaryKeyConstraint, String, Table

from sync.server.db.schema import metadata
from sync.server.db.types import Instant

# A copied or restored tablet that was given a code of its own: the code it has now, and the one it had.
tablet_lines = Table(
    "tablet_lines",
    metadata,
    Column("city_id", String(64), nullable=False),
    Column("code", String(16), nullable=False),
    Column("parent", String(16), nullable=False),
    Column("at", Instant, nullable=False),
    PrimaryKeyConstraint("city_id", "code"),
)

# Seconds by which the tablet's clock was behind ours (negative: ahead) when it last said what it shows.
tablet_clocks = Table(
    "tablet_clocks",
    metadata,
    Column("city_id", String(64), nullable=False),
    Column("tablet", String(64), nullable=False),
    Column("off_s", Integer, nullable=False),
    Column("at", Instant, nullable=False),
    PrimaryKeyConstraint("city_id", "tablet"),
)

# A record whose clocks do not fit together, for a person to look at. Nothing in the record is changed by it.
clock_marks = Table(
    "clock_marks",
    metadata,
    Column("city_id", String(64), nullable=False),
    Column("fact", String(64), nullable=False),
    Column("kind", String(64), nullable=False),
    Column("why", String(16), nullable=False),
    # How far the tablet's clock was behind (negative: ahead), where anything tells; the day the record names.
    Column("off_s", Integer),
    Column("day", Date, nullable=False),
    Column("received_at", Instant, nullable=False),
    PrimaryKeyConstraint("city_id", "fact"),
)
Index("ix_clock_marks_day", clock_marks.c.city_id, clock_marks.c.day)

"""The table of acts that came after an order was made or a permit was issued, in the office or in the field.

Each row says what a named person did on which day about one order, permit or record. Rows are only added: the state of
an order or permit is computed anew from them, so the order in which they came cannot matter. ``step`` names what may be
done only once ("void"), or carries what makes it another one ("release:<fact>").
"""

from __future__ import annotations

from sqlalchemy import Column, Date, Index, PrimaryKeyConstraint, String, Table, Text

from sync.server.db.schema import metadata
from sync.server.db.types import Doc, Instant

acts = Table(
    "acts",
    metadata,
    Column("city_id", String(64), nullable=False),
    # The order (id of its fact), the permit, or the record that it is about.
    Column("about", String(64), nullable=False),
    Column("step", String(160), nullable=False),
    Column("act", String(32), nullable=False),
    Column("person", String(80), nullable=False),
    Column("at", Instant, nullable=False),
    Column("on_day", Date, nullable=False),
    Column("reasons", Text),
    # The fact that brought it from the field; null for an act of the office.
    Column("fact", String(64)),
    Column("doc", Doc, nullable=False),
    PrimaryKeyConstraint("city_id", "about", "step"),
)
Index("ix_acts_fact", acts.c.city_id, acts.c.fact)

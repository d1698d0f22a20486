"""Tables of what is found in the field besides inspections and orders: sites that nobody knew, and rain in gauges.

Rows are only added, one for each fact; what a person in the office decides about a site found in the field stands in
``acts``. The documents that tablets get are computed from these rows, whatever order the facts came in.
"""

from __future__ import annotations

from sqlalchemy import Column, Date, Index, PrimaryKeyConstraint, String, Table, Text

from sync.server.db.schema import metadata
from sync.server.db.types import Doc

site_reports = Table(
    "site_reports",
    metadata,
    Column("city_id", String(64), nullable=False),
    Column("id", String(64), nullable=False),
    Column("site", String(64), nullable=False),
    Column("person", String(80), nullable=False),
    Column("reported_on", Date, nullable=False),
    Column("reported_at", String(40), nullable=False),
    Column("pack", String(64), nullable=False),
    Column("doc", Doc, nullable=False),
    PrimaryKeyConstraint("city_id", "id"),
)
Index("ix_site_reports_site", site_reports.c.city_id, site_reports.c.site)

rains = Table(
    "rains",
    metadata,
    Column("city_id", String(64), nullable=False),
    Column("id", String(64), nullable=False),
    # Null: the gauge stands for the whole city.
    Column("site", String(64)),
    Column("gauge", Text, nullable=False),
    Column("inches", String(16), nullable=False),
    Column("began", String(40), nullable=False),
    Column("ended", String(40), nullable=False),
    Column("note", Text, nullable=False),
    Column("person", String(80), nullable=False),
    # The reading that says better what this one said; null while it counts.
    Column("superseded_by", String(64)),
    PrimaryKeyConstraint("city_id", "id"),
)
Index("ix_rains_ended", rains.c.city_id, rains.c.ended)

# What an inspection says of an inlet or control device: it is there and on no list ("add"), or it is gone ("retire").
place_finds = Table(
    "place_finds",
    metadata,
    Column("city_id", String(64), nullable=False),
    Column("inspection", String(64), nullable=False),
    Column("kind", String(16), nullable=False),
    Column("id", String(64), nullable=False),
    Column("act", String(16), nullable=False),
    Column("site", String(64), nullable=False),
    Column("doc", Doc, nullable=False),
    PrimaryKeyConstraint("city_id", "inspection", "kind", "id"),
)
Index("ix_place_finds_place", place_finds.c.city_id, place_finds.c.kind, place_finds.c.id)

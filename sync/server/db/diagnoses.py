"""The table of reports that tablets sent about themselves: versions, counts, error codes; never evidence, no names."""

from __future__ import annotations

from sqlalchemy import Column, Index, PrimaryKeyConstraint, String, Table, Text

from sync.server.db.schema import metadata
from sync.server.db.types import Instant

diagnoses = Table(
    "diagnoses",
    metadata,
    Column("city_id", String(64), nullable=False),
    # The SHA-256 of the tablet and its text: sent twice, it is kept once.
    Column("id", String(64), nullable=False),
    Column("tablet_code", String(16), nullable=False),
    Column("at", Instant, nullable=False),
    Column("text", Text, nullable=False),
    PrimaryKeyConstraint("city_id", "id"),
)
Index("ix_diagnoses_tablet", diagnoses.c.city_id, diagnoses.c.tablet_code, diagnoses.c.at)

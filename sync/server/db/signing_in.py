"""Tables of what lets somebody in: sessions of the office, and codes for one use. Of both only a keyed hash is kept."""

from __future__ import annotations

from sqlalchemy import Column, PrimaryKeyConstraint, String, Table

from sync.server.db.schema import metadata
from sync.server.db.types import Instant

sessions = Table(
    "sessions",
    metadata,
    Column("city_id", String(64), nullable=False),
    Column("token_hash", String(64), nullable=False),
    Column("person", String(64), nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("expires_at", Instant, nullable=False),
    Column("ended_at", Instant),
    PrimaryKeyConstraint("city_id", "token_hash"),
)

# One-time codes of all three purposes.
codes = Table(
    "codes",
    metadata,
    Column("city_id", String(64), nullable=False),
    Column("code_hash", String(64), nullable=False),
    Column("purpose", String(16), nullable=False),
    Column("person", String(64)),
    Column("made_by", String(64)),
    Column("created_at", Instant, nullable=False),
    Column("expires_at", Instant, nullable=False),
    Column("used_at", Instant),
    # Who used it (hash of the tablet's secret, tablet id, session): the same one may ask again.
    Column("used_by", String(64)),
    PrimaryKeyConstraint("city_id", "code_hash"),
)

"""Tables about evidence files that are not the evidence itself: previews, smaller copies, who else sent a file.

A preview never counts as the file it was made of: it stands here alone, so no receipt can mistake it. A smaller copy is
evidence of its own, brought by a record of its own; here stands what it is a copy of.
"""

from __future__ import annotations

from sqlalchemy import Column, Index, Integer, PrimaryKeyConstraint, String, Table

from sync.server.db.schema import metadata
from sync.server.db.types import Doc, Instant

previews = Table(
    "previews",
    metadata,
    Column("city_id", String(64), nullable=False),
    Column("original", String(64), nullable=False),
    Column("sha256", String(64), nullable=False),
    Column("size", Integer, nullable=False),
    Column("tablet", String(64), nullable=False),
    Column("received_at", Instant, nullable=False),
    PrimaryKeyConstraint("city_id", "original", "sha256"),
)
Index("ix_previews_sha", previews.c.city_id, previews.c.sha256)

# An original that is too large for this server stays on its tablet; a smaller copy came instead.
smaller_copies = Table(
    "smaller_copies",
    metadata,
    Column("city_id", String(64), nullable=False),
    Column("original", String(64), nullable=False),
    Column("fact", String(64), nullable=False),
    Column("sha256", String(64), nullable=False),
    # The record that names the original.
    Column("about", String(64), nullable=False),
    Column("doc", Doc, nullable=False),
    PrimaryKeyConstraint("city_id", "original", "fact"),
)
Index("ix_smaller_copies_about", smaller_copies.c.city_id, smaller_copies.c.about)

# Tablets that were told "it is held" about a file that another tablet had sent first: they may name it too.
also_sent = Table(
    "also_sent",
    metadata,
    Column("city_id", String(64), nullable=False),
    Column("sha256", String(64), nullable=False),
    Column("tablet", String(64), nullable=False),
    Column("at", Instant, nullable=False),
    PrimaryKeyConstraint("city_id", "sha256", "tablet"),
)

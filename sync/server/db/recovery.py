"""The tables of forgotten PINs: the city's key pairs for that, and what tablets have asked.

No key lies open in either: private halves are sealed under a passphrase that is nowhere on the machine, and what a
tablet asks with and is answered are boxes that the server cannot open.
"""

from __future__ import annotations

from sqlalchemy import Column, Index, PrimaryKeyConstraint, String, Table, Text

from sync.server.db.schema import metadata
from sync.server.db.types import Instant

recovery_keys = Table(
    "recovery_keys",
    metadata,
    Column("city_id", String(64), nullable=False),
    Column("id", String(16), nullable=False),
    Column("public", String(130), nullable=False),
    # {salt, cost, sealed} as JSON: the private half under the passphrase.
    Column("sealed", Text, nullable=False),
    Column("made_by", String(80), nullable=False),
    Column("made_at", Instant, nullable=False),
    # A pair that was replaced still opens what was boxed for it.
    Column("replaced_at", Instant),
    PrimaryKeyConstraint("city_id", "id"),
)

recovery_asks = Table(
    "recovery_asks",
    metadata,
    Column("city_id", String(64), nullable=False),
    # The SHA-256 of the tablet, the person and the public half that the answer is for: asked again, it is one.
    Column("id", String(64), nullable=False),
    Column("tablet", String(64), nullable=False),
    Column("tablet_code", String(16), nullable=False),
    Column("person", String(80), nullable=False),
    Column("key_id", String(16), nullable=False),
    Column("box", Text, nullable=False),
    Column("public", String(130), nullable=False),
    Column("state", String(16), nullable=False),
    Column("asked_at", Instant, nullable=False),
    Column("decided_at", Instant),
    Column("decided_by", String(80)),
    Column("reasons", Text),
    Column("answer", Text),
    PrimaryKeyConstraint("city_id", "id"),
)
Index("ix_recovery_asks_state", recovery_asks.c.city_id, recovery_asks.c.state, recovery_asks.c.asked_at)

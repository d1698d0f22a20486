"""Tables of what else comes down to tablets: plan documents with their pictures, small pictures of findings, and which
sites a tablet may see.

A plan is never deleted: one that was replaced or withdrawn keeps its row and its files.
"""

from __future__ import annotations

from sqlalchemy import Column, Index, Integer, PrimaryKeyConstraint, String, Table

from sync.server.db.schema import metadata
from sync.server.db.types import Doc, Instant

plans = Table(
    "plans",
    metadata,
    Column("city_id", String(64), nullable=False),
    Column("id", String(64), nullable=False),
    Column("site", String(64), nullable=False),
    Column("status", String(16), nullable=False),
    Column("added_at", Instant, nullable=False),
    Column("doc", Doc, nullable=False),
    PrimaryKeyConstraint("city_id", "id"),
)
Index("ix_plans_site", plans.c.city_id, plans.c.site)

# The files of a plan: page 0 is the file as it was added, 1.. are the pictures of its pages.
plan_files = Table(
    "plan_files",
    metadata,
    Column("city_id", String(64), nullable=False),
    Column("plan", String(64), nullable=False),
    Column("page", Integer, nullable=False),
    Column("sha256", String(64), nullable=False),
    Column("size", Integer, nullable=False),
    Column("media", String(64), nullable=False),
    PrimaryKeyConstraint("city_id", "plan", "page"),
)
Index("ix_plan_files_sha", plan_files.c.city_id, plan_files.c.sha256)

# The small picture of a finding's photo. state: due (the photo may not be here yet), made, none (it cannot be made).
thumbnails = Table(
    "thumbnails",
    metadata,
    Column("city_id", String(64), nullable=False),
    Column("finding", String(64), nullable=False),
    Column("photo", String(64), nullable=False),
    Column("state", String(8), nullable=False),
    Column("sha256", String(64)),
    Column("size", Integer),
    PrimaryKeyConstraint("city_id", "finding", "photo"),
)
Index("ix_thumbnails_state", thumbnails.c.city_id, thumbnails.c.state)
Index("ix_thumbnails_sha", thumbnails.c.city_id, thumbnails.c.sha256)

# For a tablet that sees only some sites. chosen: the office gave it this site; visible: it sees it now. A row with
# neither is a site that it saw once: what it holds of it is taken back by tombstones.
tablet_sites = Table(
    "tablet_sites",
    metadata,
    Column("city_id", String(64), nullable=False),
    Column("tablet", String(64), nullable=False),
    Column("site", String(64), nullable=False),
    Column("chosen", Integer, nullable=False),
    Column("visible", Integer, nullable=False),
    # The tablet's scope with which that came to be so; NULL: longer ago than anybody asks.
    Column("since", Integer),
    PrimaryKeyConstraint("city_id", "tablet", "site"),
)

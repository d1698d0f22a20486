"""Every table of the central server, in the subset of SQL that distributed PostgreSQL engines share.

``city_id`` comes first in every key; ids are made by the application, and nothing counts by itself: the change
sequence, the register number, the tablet number and the audit head live in one ``counters`` row per city and move
in the transaction that uses them. The exact text of a fact is kept as it arrived; everything else here is a fold
over facts and office acts and could be built again from them. Only lists of words closed for good have a CHECK.
"""

from __future__ import annotations

from sqlalchemy import (
    CheckConstraint,
    Column,
    Date,
    Index,
    Integer,
    MetaData,
    PrimaryKeyConstraint,
    String,
    Table,
    Text,
    UniqueConstraint,
)

from sync.server.db.types import Doc, Instant

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def _id(name: str, *, null: bool = False) -> Column:
    return Column(name, String(64), nullable=null)


def _at(name: str, *, null: bool = False) -> Column:
    return Column(name, Instant, nullable=null)


def _table(name: str, *rest, key: tuple[str, ...]) -> Table:
    """A table of one city's rows: ``city_id`` first in the primary key, then ``key``."""
    return Table(name, metadata, _id("city_id"), *rest, PrimaryKeyConstraint("city_id", *key))


# --- the city, its counters and its law ---------------------------------------------------------------------
cities = _table(
    "cities",
    Column("name", Text, nullable=False),
    Column("zone", String(64), nullable=False),
    # Changed whenever the database was restored, so that every tablet offers again what it still holds.
    _id("epoch"),
    Column("pack", String(64), nullable=False),
    _at("created_at"),
    # In a backup: when it was made. Whoever serves it begins a new life of the records first.
    _at("backup_at", null=True),
    # Where the files lay when this was written, so that a copy of them can be told from them.
    Column("place", String(64)),
    key=(),
)

counters = _table(
    "counters",
    Column("seq", Integer, nullable=False),
    Column("register_no", Integer, nullable=False),
    Column("tablet_no", Integer, nullable=False),
    Column("audit_seq", Integer, nullable=False),
    Column("audit_head", String(64), nullable=False),
    key=(),
)

packs = _table(
    "packs",
    _id("id"),
    Column("version", String(32), nullable=False),
    Column("sha256", String(64), nullable=False),
    Column("files", Doc, nullable=False),
    _at("loaded_at"),
    key=("id", "version"),
)

# --- people and what they may do ----------------------------------------------------------------------------
people = _table(
    "people",
    _id("id"),
    Column("name", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("credential_no", Text),
    Column("valid_from", Date, nullable=False),
    Column("valid_until", Date),
    key=("id",),
)

powers = _table(
    "powers",
    _id("person"),
    Column("power", String(32), nullable=False),
    Column("from_day", Date, nullable=False),
    Column("until_day", Date),
    key=("person", "power", "from_day"),
)

# --- tablets ------------------------------------------------------------------------------------------------
tablets = _table(
    "tablets",
    _id("id"),
    Column("code", String(16), nullable=False),
    _id("token_hash"),
    Column("status", String(16), CheckConstraint("status IN ('active', 'revoked')", name="status"),
           nullable=False),
    Column("note", Text),
    # Counted up when what the tablet may see changes; before ``scope_base`` nobody noted which sites it was.
    Column("scope", Integer, nullable=False),
    Column("scope_base", Integer),
    Column("sees", String(16)),
    _at("enrolled_at"),
    _at("seen_at", null=True),
    key=("id",),
)
tablets.append_constraint(UniqueConstraint("city_id", "code"))
tablets.append_constraint(UniqueConstraint("city_id", "token_hash"))

credentials = _table(
    "credentials",
    _id("id"),
    Column("tablet_code", String(16), nullable=False),
    _id("person"),
    _at("created_at"),
    _at("revoked_at", null=True),
    key=("id",),
)
credentials.append_constraint(UniqueConstraint("city_id", "tablet_code", "person"))

leases = _table(
    "leases",
    Column("tablet_code", String(16), nullable=False),
    Column("counter", Integer, nullable=False),
    Column("number", String(32), nullable=False),
    _at("leased_at"),
    key=("tablet_code", "counter"),
)
leases.append_constraint(UniqueConstraint("city_id", "number"))

# --- facts --------------------------------------------------------------------------------------------------
facts = _table(
    "facts",
    _id("id"),
    Column("sha256", String(64), nullable=False),
    Column("text", Text, nullable=False),
    Column("kind", String(64), nullable=False),
    Column("tablet_code", String(16), nullable=False),
    Column("counter", Integer, nullable=False),
    Column("person", String(80), nullable=False),
    Column("mac", String(64), nullable=False),
    _id("credential"),
    _id("pushed_by"),
    _at("received_at"),
    Column("state", String(16),
           CheckConstraint("state IN ('applied', 'waiting', 'quarantined')", name="state"), nullable=False),
    Column("reason", String(64)),
    Column("detail", Text),
    # The one thing a waiting fact waits for now ("fact:<id>", "order:<number>", "issued:<fact>", "kind:<kind>").
    Column("waits_for", String(96)),
    _at("applied_at", null=True),
    key=("id",),
)
facts.append_constraint(UniqueConstraint("city_id", "tablet_code", "counter"))
Index("ix_facts_waits", facts.c.city_id, facts.c.waits_for)
Index("ix_facts_state", facts.c.city_id, facts.c.state, facts.c.received_at)

# What cannot be trusted to be what it says (other bytes under a known id, a second fact under one counter, a
# signature that does not match) is kept apart, so that it can never take the place of the genuine fact.
strays = _table(
    "strays",
    _id("fact"),
    Column("sha256", String(64), nullable=False),
    Column("text", Text, nullable=False),
    Column("kind", String(64), nullable=False),
    Column("tablet_code", String(16), nullable=False),
    Column("person", String(80), nullable=False),
    Column("mac", String(64), nullable=False),
    Column("credential", String(64), nullable=False),
    _id("pushed_by"),
    _at("received_at"),
    Column("reason", String(64), nullable=False),
    Column("detail", Text, nullable=False),
    key=("fact", "sha256"),
)

# A line about what was refused as malformed: nothing of it is kept but this.
refusals = _table(
    "refusals",
    _id("id"),
    _id("tablet"),
    _at("at"),
    Column("code", String(64), nullable=False),
    Column("detail", Text, nullable=False),
    key=("id",),
)

fact_evidence = _table(
    "fact_evidence",
    _id("fact"),
    Column("sha256", String(64), nullable=False),
    Column("kind", String(64), nullable=False),
    key=("fact", "sha256"),
)
Index("ix_fact_evidence_sha", fact_evidence.c.city_id, fact_evidence.c.sha256)

evidence = _table(
    "evidence",
    Column("sha256", String(64), nullable=False),
    Column("size", Integer, nullable=False),
    Column("kind", String(16), nullable=False),
    Column("media", String(64), nullable=False),
    Column("width", Integer),
    Column("height", Integer),
    _id("tablet"),
    _at("received_at"),
    key=("sha256",),
)

# --- what the office keeps about places ---------------------------------------------------------------------
sites = _table(
    "sites",
    _id("id"),
    Column("name", Text, nullable=False),
    Column("address", Text, nullable=False),
    Column("doc", Doc, nullable=False),
    key=("id",),
)

permits = _table(
    "permits",
    _id("id"),
    _id("site"),
    Column("number", String(64), nullable=False),
    Column("state", String(16), nullable=False),
    Column("issued_on", Date),
    Column("last_valid_day", Date),
    Column("doc", Doc, nullable=False),
    key=("id",),
)
Index("ix_permits_site", permits.c.city_id, permits.c.site)

places = _table(
    "places",
    Column("kind", String(16), nullable=False),
    _id("id"),
    _id("site"),
    Column("doc", Doc, nullable=False),
    key=("kind", "id"),
)
Index("ix_places_site", places.c.city_id, places.c.site)

# --- the fold: inspections, findings, orders ----------------------------------------------------------------
inspections = _table(
    "inspections",
    _id("id"),
    _id("root"),
    _id("site"),
    Column("type", String(32), nullable=False),
    Column("inspected_on", Date, nullable=False),
    _id("person"),
    Column("tablet_code", String(16), nullable=False),
    Column("counter", Integer, nullable=False),
    Column("outcome", String(64), nullable=False),
    Column("critical", Integer, nullable=False),
    Column("findings", Integer, nullable=False),
    _id("superseded_by", null=True),
    _at("received_at"),
    key=("id",),
)
Index("ix_inspections_root", inspections.c.city_id, inspections.c.root)
# The newest of a site that stand, in order: asked for with every inspection that comes in.
Index("ix_inspections_lines", inspections.c.city_id, inspections.c.site, inspections.c.inspected_on, inspections.c.id,
      sqlite_where=inspections.c.superseded_by.is_(None), postgresql_where=inspections.c.superseded_by.is_(None))
Index("ix_inspections_site", inspections.c.city_id, inspections.c.site, inspections.c.inspected_on)

findings = _table(
    "findings",
    _id("id"),
    _id("root"),
    _id("inspection"),
    _id("site"),
    Column("status", String(16), nullable=False),
    Column("severity", String(16), nullable=False),
    Column("doc", Doc, nullable=False),
    key=("id",),
)
Index("ix_findings_site", findings.c.city_id, findings.c.site, findings.c.status)
Index("ix_findings_root", findings.c.city_id, findings.c.root)

# A later inspection says that a finding is put right; kept apart so that arrival order does not matter.
closures = _table(
    "closures",
    _id("finding"),
    _id("inspection"),
    key=("finding", "inspection"),
)

orders = _table(
    "orders",
    _id("id"),
    Column("number", String(32), nullable=False),
    _id("site"),
    Column("status", String(16), nullable=False),
    Column("posted_on", Date),
    Column("issued_on", Date),
    Column("register_no", Integer),
    # The mark of the life in which it was registered.
    Column("register_life", String(8)),
    _at("registered_at", null=True),
    Column("permit_in_force", Integer, nullable=False),
    _at("received_at"),
    Column("doc", Doc, nullable=False),
    key=("id",),
)
orders.append_constraint(UniqueConstraint("city_id", "register_no"))
Index("ix_orders_number", orders.c.city_id, orders.c.number)
Index("ix_orders_status", orders.c.city_id, orders.c.status)
Index("ix_orders_site", orders.c.city_id, orders.c.site)

affixings = _table(
    "affixings",
    _id("order_id"),
    _id("fact"),
    Column("posted_on", Date, nullable=False),
    Column("posted_at", String(64), nullable=False),
    _id("person"),
    Column("place", Text),
    key=("order_id", "fact"),
)

# What a named person in the office decided about an order, for good.
order_acts = _table(
    "order_acts",
    _id("order_id"),
    # Issue or refuse is one step, confirm or decline the other: each is decided once, whoever is quicker.
    Column("step", String(16), nullable=False),
    Column("act", String(16), nullable=False),
    _id("person"),
    _at("at"),
    Column("on_day", Date, nullable=False),
    Column("reasons", Text),
    key=("order_id", "step"),
)

attachments = _table(
    "attachments",
    _id("about"),
    _id("fact"),
    Column("sha256", String(64), nullable=False),
    Column("doc", Doc, nullable=False),
    key=("about", "fact"),
)

# --- what comes down to tablets, and the record of acts -----------------------------------------------------
feed = _table(
    "feed",
    Column("kind", String(16), nullable=False),
    _id("id"),
    Column("seq", Integer, nullable=False),
    # Null is a tombstone: absence alone never tells a tablet to delete.
    Column("doc", Doc),
    _id("site", null=True),
    Column("moved_from", Doc),
    _id("audience", null=True),
    key=("kind", "id"),
)
feed.append_constraint(UniqueConstraint("city_id", "seq"))

audit = _table(
    "audit",
    Column("seq", Integer, nullable=False),
    Column("at", String(40), nullable=False),
    Column("who", String(96), nullable=False),
    Column("what", String(64), nullable=False),
    Column("subject", String(96), nullable=False),
    Column("details", Text, nullable=False),
    Column("prev", String(64), nullable=False),
    Column("hash", String(64), nullable=False),
    key=("seq",),
)
Index("ix_audit_subject", audit.c.city_id, audit.c.subject)

"""The first schema: every table of the spine."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "affixings",
        sa.Column("city_id", sa.String(length=64), nullable=False),
        sa.Column("order_id", sa.String(length=64), nullable=False),
        sa.Column("fact", sa.String(length=64), nullable=False),
        sa.Column("posted_on", sa.Date(), nullable=False),
        sa.Column("posted_at", sa.String(length=64), nullable=False),
        sa.Column("person", sa.String(length=64), nullable=False),
        sa.Column("place", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("city_id", "order_id", "fact", name=op.f("pk_affixings")),
    )
    op.create_table(
        "attachments",
        sa.Column("city_id", sa.String(length=64), nullable=False),
        sa.Column("about", sa.String(length=64), nullable=False),
        sa.Column("fact", sa.String(length=64), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("doc", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("city_id", "about", "fact", name=op.f("pk_attachments")),
    )
    op.create_table(
        "audit",
        sa.Column("city_id", sa.String(length=64), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("at", sa.String(length=40), nullable=False),
        sa.Column("who", sa.String(length=96), nullable=False),
        sa.Column("what", sa.String(length=64), nullable=False),
        sa.Column("subject", sa.String(length=96), nullable=False),
        sa.Column("details", sa.Text(), nullable=False),
        sa.Column("prev", sa.String(length=64), nullable=False),
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.PrimaryKeyConstraint("city_id", "seq", name=op.f("pk_audit")),
    )
    op.create_index("ix_audit_subject", "audit", ["city_id", "subject"], unique=False)
    op.create_table(
        "cities",
        sa.Column("city_id", sa.String(length=64), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("zone", sa.String(length=64), nullable=False),
        sa.Column("epoch", sa.String(length=64), nullable=False),
        sa.Column("pack", sa.String(length=64), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("city_id", name=op.f("pk_cities")),
    )
    op.create_table(
        "closures",
        sa.Column("city_id", sa.String(length=64), nullable=False),
        sa.Column("finding", sa.String(length=64), nullable=False),
        sa.Column("inspection", sa.String(length=64), nullable=False),
        sa.PrimaryKeyConstraint("city_id", "finding", "inspection", name=op.f("pk_closures")),
    )
    op.create_table(
        "codes",
        sa.Column("city_id", sa.String(length=64), nullable=False),
        sa.Column("code_hash", sa.String(length=64), nullable=False),
        sa.Column("purpose", sa.String(length=16), nullable=False),
        sa.Column("person", sa.String(length=64), nullable=True),
        sa.Column("made_by", sa.String(length=64), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("used_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("used_by", sa.String(length=64), nullable=True),
        sa.PrimaryKeyConstraint("city_id", "code_hash", name=op.f("pk_codes")),
    )
    op.create_table(
        "counters",
        sa.Column("city_id", sa.String(length=64), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("register_no", sa.Integer(), nullable=False),
        sa.Column("tablet_no", sa.Integer(), nullable=False),
        sa.Column("audit_seq", sa.Integer(), nullable=False),
        sa.Column("audit_head", sa.String(length=64), nullable=False),
        sa.PrimaryKeyConstraint("city_id", name=op.f("pk_counters")),
    )
    op.create_table(
        "credentials",
        sa.Column("city_id", sa.String(length=64), nullable=False),
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("tablet_code", sa.String(length=8), nullable=False),
        sa.Column("person", sa.String(length=64), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("revoked_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("city_id", "id", name=op.f("pk_credentials")),
        sa.UniqueConstraint("city_id", "tablet_code", "person", name=op.f("uq_credentials_city_id_tablet_code_person")),
    )
    op.create_table(
        "evidence",
        sa.Column("city_id", sa.String(length=64), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("media", sa.String(length=64), nullable=False),
        sa.Column("width", sa.Integer(), nullable=True),
        sa.Column("height", sa.Integer(), nullable=True),
        sa.Column("tablet", sa.String(length=64), nullable=False),
        sa.Column("received_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("city_id", "sha256", name=op.f("pk_evidence")),
    )
    op.create_table(
        "fact_evidence",
        sa.Column("city_id", sa.String(length=64), nullable=False),
        sa.Column("fact", sa.String(length=64), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("kind", sa.String(length=64), nullable=False),
        sa.PrimaryKeyConstraint("city_id", "fact", "sha256", name=op.f("pk_fact_evidence")),
    )
    op.create_index("ix_fact_evidence_sha", "fact_evidence", ["city_id", "sha256"], unique=False)
    op.create_table(
        "facts",
        sa.Column("city_id", sa.String(length=64), nullable=False),
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("kind", sa.String(length=64), nullable=False),
        sa.Column("tablet_code", sa.String(length=16), nullable=False),
        sa.Column("counter", sa.Integer(), nullable=False),
        sa.Column("person", sa.String(length=80), nullable=False),
        sa.Column("mac", sa.String(length=64), nullable=False),
        sa.Column("credential", sa.String(length=64), nullable=False),
        sa.Column("pushed_by", sa.String(length=64), nullable=False),
        sa.Column("received_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("reason", sa.String(length=64), nullable=True),
        sa.Column("detail", sa.Text(), nullable=True),
        sa.Column("waits_for", sa.String(length=96), nullable=True),
        sa.Column("applied_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("state IN ('applied', 'waiting', 'quarantined')", name=op.f("ck_facts_state")),
        sa.PrimaryKeyConstraint("city_id", "id", name=op.f("pk_facts")),
        sa.UniqueConstraint("city_id", "tablet_code", "counter", name=op.f("uq_facts_city_id_tablet_code_counter")),
    )
    op.create_index("ix_facts_state", "facts", ["city_id", "state", "received_at"], unique=False)
    op.create_index("ix_facts_waits", "facts", ["city_id", "waits_for"], unique=False)
    op.create_table(
        "feed",
        sa.Column("city_id", sa.String(length=64), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("doc", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("city_id", "kind", "id", name=op.f("pk_feed")),
        sa.UniqueConstraint("city_id", "seq", name=op.f("uq_feed_city_id_seq")),
    )
    op.create_table(
        "findings",
        sa.Column("city_id", sa.String(length=64), nullable=False),
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("root", sa.String(length=64), nullable=False),
        sa.Column("inspection", sa.String(length=64), nullable=False),
        sa.Column("site", sa.String(length=64), nullable=False),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("severity", sa.String(length=16), nullable=False),
        sa.Column("doc", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("city_id", "id", name=op.f("pk_findings")),
    )
    op.create_index("ix_findings_root", "findings", ["city_id", "root"], unique=False)
    op.create_index("ix_findings_site", "findings", ["city_id", "site", "status"], unique=False)
    op.create_table(
        "inspections",
        sa.Column("city_id", sa.String(length=64), nullable=False),
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("root", sa.String(length=64), nullable=False),
        sa.Column("site", sa.String(length=64), nullable=False),
        sa.Column("type", sa.String(length=32), nullable=False),
        sa.Column("inspected_on", sa.Date(), nullable=False),
        sa.Column("person", sa.String(length=64), nullable=False),
        sa.Column("tablet_code", sa.String(length=16), nullable=False),
        sa.Column("counter", sa.Integer(), nullable=False),
        sa.Column("outcome", sa.String(length=64), nullable=False),
        sa.Column("critical", sa.Integer(), nullable=False),
        sa.Column("findings", sa.Integer(), nullable=False),
        sa.Column("superseded_by", sa.String(length=64), nullable=True),
        sa.Column("received_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("city_id", "id", name=op.f("pk_inspections")),
    )
    op.create_index("ix_inspections_root", "inspections", ["city_id", "root"], unique=False)
    op.create_index("ix_inspections_site", "inspections", ["city_id", "site", "inspected_on"], unique=False)
    op.create_table(
        "leases",
        sa.Column("city_id", sa.String(length=64), nullable=False),
        sa.Column("tablet_code", sa.String(length=8), nullable=False),
        sa.Column("counter", sa.Integer(), nullable=False),
        sa.Column("number", sa.String(length=32), nullable=False),
        sa.Column("leased_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("city_id", "tablet_code", "counter", name=op.f("pk_leases")),
        sa.UniqueConstraint("city_id", "number", name=op.f("uq_leases_city_id_number")),
    )
    op.create_table(
        "order_acts",
        sa.Column("city_id", sa.String(length=64), nullable=False),
        sa.Column("order_id", sa.String(length=64), nullable=False),
        sa.Column("step", sa.String(length=16), nullable=False),
        sa.Column("act", sa.String(length=16), nullable=False),
        sa.Column("person", sa.String(length=64), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("on_day", sa.Date(), nullable=False),
        sa.Column("reasons", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("city_id", "order_id", "step", name=op.f("pk_order_acts")),
    )
    op.create_table(
        "orders",
        sa.Column("city_id", sa.String(length=64), nullable=False),
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("number", sa.String(length=32), nullable=False),
        sa.Column("site", sa.String(length=64), nullable=False),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("posted_on", sa.Date(), nullable=True),
        sa.Column("issued_on", sa.Date(), nullable=True),
        sa.Column("register_no", sa.Integer(), nullable=True),
        sa.Column("registered_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("permit_in_force", sa.Integer(), nullable=False),
        sa.Column("received_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("doc", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("city_id", "id", name=op.f("pk_orders")),
        sa.UniqueConstraint("city_id", "register_no", name=op.f("uq_orders_city_id_register_no")),
    )
    op.create_index("ix_orders_number", "orders", ["city_id", "number"], unique=False)
    op.create_index("ix_orders_site", "orders", ["city_id", "site"], unique=False)
    op.create_index("ix_orders_status", "orders", ["city_id", "status"], unique=False)
    op.create_table(
        "packs",
        sa.Column("city_id", sa.String(length=64), nullable=False),
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("version", sa.String(length=32), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("files", sa.Text(), nullable=False),
        sa.Column("loaded_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("city_id", "id", "version", name=op.f("pk_packs")),
    )
    op.create_table(
        "people",
        sa.Column("city_id", sa.String(length=64), nullable=False),
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("credential_no", sa.Text(), nullable=True),
        sa.Column("valid_from", sa.Date(), nullable=False),
        sa.Column("valid_until", sa.Date(), nullable=True),
        sa.PrimaryKeyConstraint("city_id", "id", name=op.f("pk_people")),
    )
    op.create_table(
        "permits",
        sa.Column("city_id", sa.String(length=64), nullable=False),
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("site", sa.String(length=64), nullable=False),
        sa.Column("number", sa.String(length=64), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("issued_on", sa.Date(), nullable=True),
        sa.Column("last_valid_day", sa.Date(), nullable=True),
        sa.Column("doc", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("city_id", "id", name=op.f("pk_permits")),
    )
    op.create_index("ix_permits_site", "permits", ["city_id", "site"], unique=False)
    op.create_table(
        "places",
        sa.Column("city_id", sa.String(length=64), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("site", sa.String(length=64), nullable=False),
        sa.Column("doc", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("city_id", "kind", "id", name=op.f("pk_places")),
    )
    op.create_index("ix_places_site", "places", ["city_id", "site"], unique=False)
    op.create_table(
        "powers",
        sa.Column("city_id", sa.String(length=64), nullable=False),
        sa.Column("person", sa.String(length=64), nullable=False),
        sa.Column("power", sa.String(length=32), nullable=False),
        sa.Column("from_day", sa.Date(), nullable=False),
        sa.Column("until_day", sa.Date(), nullable=True),
        sa.PrimaryKeyConstraint("city_id", "person", "power", "from_day", name=op.f("pk_powers")),
    )
    op.create_table(
        "refusals",
        sa.Column("city_id", sa.String(length=64), nullable=False),
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("tablet", sa.String(length=64), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("code", sa.String(length=64), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("city_id", "id", name=op.f("pk_refusals")),
    )
    op.create_table(
        "sessions",
        sa.Column("city_id", sa.String(length=64), nullable=False),
        sa.Column("token_hash", sa.String(length=64), nullable=False),
        sa.Column("person", sa.String(length=64), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("city_id", "token_hash", name=op.f("pk_sessions")),
    )
    op.create_table(
        "sites",
        sa.Column("city_id", sa.String(length=64), nullable=False),
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("address", sa.Text(), nullable=False),
        sa.Column("doc", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("city_id", "id", name=op.f("pk_sites")),
    )
    op.create_table(
        "strays",
        sa.Column("city_id", sa.String(length=64), nullable=False),
        sa.Column("fact", sa.String(length=64), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("kind", sa.String(length=64), nullable=False),
        sa.Column("tablet_code", sa.String(length=16), nullable=False),
        sa.Column("person", sa.String(length=80), nullable=False),
        sa.Column("mac", sa.String(length=64), nullable=False),
        sa.Column("credential", sa.String(length=64), nullable=False),
        sa.Column("pushed_by", sa.String(length=64), nullable=False),
        sa.Column("received_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("reason", sa.String(length=64), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("city_id", "fact", "sha256", name=op.f("pk_strays")),
    )
    op.create_table(
        "tablets",
        sa.Column("city_id", sa.String(length=64), nullable=False),
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("code", sa.String(length=8), nullable=False),
        sa.Column("token_hash", sa.String(length=64), nullable=False),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("note", sa.Text(), nullable=True),
        sa.Column("scope", sa.Integer(), nullable=False),
        sa.Column("enrolled_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("seen_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("status IN ('active', 'revoked')", name=op.f("ck_tablets_status")),
        sa.PrimaryKeyConstraint("city_id", "id", name=op.f("pk_tablets")),
        sa.UniqueConstraint("city_id", "code", name=op.f("uq_tablets_city_id_code")),
        sa.UniqueConstraint("city_id", "token_hash", name=op.f("uq_tablets_city_id_token_hash")),
    )

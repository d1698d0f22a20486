"""Files that come down, and which sites a tablet may see: a change knows its site, and may be one tablet's alone."""

import json

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

HISTORY = 20


def _text(name: str, length: int = 64, *, null: bool = False) -> sa.Column:
    return sa.Column(name, sa.String(length=length), nullable=null)


def upgrade() -> None:
    op.add_column("feed", _text("site", null=True))
    op.add_column("feed", _text("audience", null=True))
    op.add_column("feed", sa.Column("moved_from", sa.Text(), nullable=True))
    op.add_column("tablets", _text("sees", 16, null=True))
    op.create_table(
        "plans", _text("city_id"), _text("id"), _text("site"), _text("status", 16),
        sa.Column("added_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("doc", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("city_id", "id", name=op.f("pk_plans")),
    )
    op.create_index("ix_plans_site", "plans", ["city_id", "site"], unique=False)
    op.create_table(
        "plan_files", _text("city_id"), _text("plan"), sa.Column("page", sa.Integer(), nullable=False),
        _text("sha256"), sa.Column("size", sa.Integer(), nullable=False), _text("media"),
        sa.PrimaryKeyConstraint("city_id", "plan", "page", name=op.f("pk_plan_files")),
    )
    op.create_index("ix_plan_files_sha", "plan_files", ["city_id", "sha256"], unique=False)
    op.create_table(
        "thumbnails", _text("city_id"), _text("finding"), _text("photo"), _text("state", 8), _text("sha256", null=True),
        sa.Column("size", sa.Integer(), nullable=True),
        sa.PrimaryKeyConstraint("city_id", "finding", "photo", name=op.f("pk_thumbnails")),
    )
    op.create_index("ix_thumbnails_state", "thumbnails", ["city_id", "state"], unique=False)
    op.create_index("ix_thumbnails_sha", "thumbnails", ["city_id", "sha256"], unique=False)
    op.create_table(
        "tablet_sites", _text("city_id"), _text("tablet"), _text("site"),
        sa.Column("chosen", sa.Integer(), nullable=False), sa.Column("visible", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("city_id", "tablet", "site", name=op.f("pk_tablet_sites")),
    )
    connection = op.get_bind()
    _sites_of_changes(connection)
    _thumbnails_due(connection)
    _history(connection)
    _credentials(connection)


def _sites_of_changes(connection: sa.Connection) -> None:
    feed = sa.table("feed", *(sa.column(name) for name in ("city_id", "kind", "id", "doc", "site")))
    for row in connection.execute(sa.select(feed).where(feed.c.doc.is_not(None))).all():
        site = row.id if row.kind == "site" else json.loads(row.doc).get("site")
        if isinstance(site, str):
            connection.execute(sa.update(feed).where(
                feed.c.city_id == row.city_id, feed.c.kind == row.kind, feed.c.id == row.id).values(site=site))


def _thumbnails_due(connection: sa.Connection) -> None:
    findings = sa.table("findings", *(sa.column(name) for name in ("city_id", "id", "doc")))
    thumbnails = sa.table("thumbnails", *(sa.column(name) for name in ("city_id", "finding", "photo", "state")))
    for row in connection.execute(sa.select(findings)).all():
        photo = json.loads(row.doc).get("photo")
        if photo:
            connection.execute(sa.insert(thumbnails).values(
                city_id=row.city_id, finding=row.id, photo=photo, state="due"))


def _seq(connection: sa.Connection, city: str) -> int:
    counters = sa.table("counters", sa.column("city_id"), sa.column("seq"))
    connection.execute(sa.update(counters).where(counters.c.city_id == city).values(seq=counters.c.seq + 1))
    return connection.execute(sa.select(counters.c.seq).where(counters.c.city_id == city)).scalar_one()


def _tell(connection: sa.Connection, city: str, kind: str, ident: str, doc: dict, **columns: str) -> None:
    feed = sa.table("feed", *(sa.column(name) for name in (
        "city_id", "kind", "id", "seq", "doc", "site", "audience")))
    text = json.dumps(doc, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    connection.execute(sa.insert(feed).values(
        city_id=city, kind=kind, id=ident, seq=_seq(connection, city), doc=text, **columns))


def _history(connection: sa.Connection) -> None:
    """The newest inspections of each site, which tablets were not told of before."""
    inspections = sa.table("inspections", *(sa.column(name) for name in (
        "city_id", "id", "site", "type", "inspected_on", "person", "outcome", "critical", "findings",
        "superseded_by")))
    facts = sa.table("facts", *(sa.column(name) for name in ("city_id", "id", "text")))
    people = sa.table("people", *(sa.column(name) for name in ("city_id", "id", "name")))
    feed = sa.table("feed", *(sa.column(name) for name in ("city_id", "kind", "id")))
    names = {(row.city_id, row.id): row.name for row in connection.execute(sa.select(people))}
    told = {(row.city_id, row.id) for row in connection.execute(sa.select(feed).where(feed.c.kind == "inspection"))}
    counted: dict[tuple[str, str], int] = {}
    rows = connection.execute(
        sa.select(inspections, facts.c.text)
        .join(facts, sa.and_(facts.c.city_id == inspections.c.city_id, facts.c.id == inspections.c.id))
        .where(inspections.c.superseded_by.is_(None))
        .order_by(inspections.c.inspected_on.desc(), inspections.c.id.desc())).all()
    for row in rows:
        place = (row.city_id, row.site)
        counted[place] = counted.get(place, 0) + 1
        if counted[place] > HISTORY or (row.city_id, row.id) in told:
            continue
        body = json.loads(row.text)["body"]
        _tell(connection, row.city_id, "inspection", row.id, {
            "id": row.id, "site": row.site, "inspected_on": str(row.inspected_on)[:10], "type": row.type,
            "outcome": row.outcome, "person": row.person,
            "inspector": names.get((row.city_id, row.person)) or body["signed"]["name"],
            "findings": row.findings, "critical": row.critical, "ended": body["ended"],
        }, site=row.site)


def _credentials(connection: sa.Connection) -> None:
    """How each credential stands, to its own tablet."""
    credentials = sa.table("credentials", *(sa.column(name) for name in (
        "city_id", "id", "tablet_code", "person", "created_at", "revoked_at")))
    tablets = sa.table("tablets", *(sa.column(name) for name in ("city_id", "id", "code")))
    own = {(row.city_id, row.code): row.id for row in connection.execute(sa.select(tablets))}
    for row in connection.execute(sa.select(credentials)).all():
        tablet = own.get((row.city_id, row.tablet_code))
        if tablet is None:
            continue
        at = str(row.revoked_at or row.created_at).replace(" ", "T")[:19] + "+00:00"
        _tell(connection, row.city_id, "credential", row.id, {
            "id": row.id, "person": row.person, "state": "revoked" if row.revoked_at else "valid", "at": at,
        }, audience=tablet)

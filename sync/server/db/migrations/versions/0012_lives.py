"""Lives of the records and what lost ones gave out; longer tablet codes; since when a tablet sees a site.

Tables whose columns or keys change are written anew, as SQLite needs it: all of them are small.
"""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def _anew(name: str, columns: list[sa.Column], constraints: list[sa.Constraint], indexes: dict[str, list[str]],
          added: tuple[str, ...] = ()) -> None:
    """Writes the table anew with these columns; what is in it stays. ``added``: columns that it did not have."""
    before = f"{name}_before"
    # Not renamed: PostgreSQL would keep the names of its keys and indexes for it.
    op.execute(f"CREATE TABLE {before} AS SELECT * FROM {name}")
    op.drop_table(name)
    op.create_table(name, *columns, *constraints)
    kept = ", ".join(column.name for column in columns if column.name not in added)
    op.execute(f"INSERT INTO {name} ({kept}) SELECT {kept} FROM {before}")
    op.drop_table(before)
    for index, of in indexes.items():
        op.create_index(index, name, of, unique=False)


def _text(name: str, length: int, *, null: bool = False) -> sa.Column:
    return sa.Column(name, sa.String(length=length), nullable=null)


def _long(name: str, *, null: bool = False) -> sa.Column:
    return sa.Column(name, sa.Text(), nullable=null)


def _count(name: str, *, null: bool = False) -> sa.Column:
    return sa.Column(name, sa.Integer(), nullable=null)


def _at(name: str, *, null: bool = False) -> sa.Column:
    return sa.Column(name, sa.DateTime(timezone=True), nullable=null)


def _key(table: str, *columns: str) -> sa.Constraint:
    return sa.PrimaryKeyConstraint("city_id", *columns, name=op.f(f"pk_{table}"))


def _unique(table: str, *columns: str) -> sa.Constraint:
    return sa.UniqueConstraint("city_id", *columns, name=op.f(f"uq_{table}_city_id_{'_'.join(columns)}"))


def upgrade() -> None:
    op.create_table(
        "lives",
        sa.Column("city_id", sa.String(length=64), nullable=False),
        sa.Column("epoch", sa.String(length=64), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("mark", sa.String(length=8), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("backup_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("registers", sa.Integer(), nullable=False),
        sa.Column("tablets", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("city_id", "epoch", name=op.f("pk_lives")),
    )
    op.create_table(
        "lost",
        sa.Column("city_id", sa.String(length=64), nullable=False),
        sa.Column("what", sa.String(length=16), nullable=False),
        sa.Column("said", sa.String(length=64), nullable=False),
        sa.Column("about", sa.String(length=64), nullable=False),
        sa.Column("how", sa.String(length=16), nullable=False),
        sa.Column("tablet_code", sa.String(length=16), nullable=False),
        sa.Column("counter", sa.Integer(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("city_id", "what", "said", name=op.f("pk_lost")),
    )
    op.create_index("ix_lost_tablet", "lost", ["city_id", "tablet_code", "counter"], unique=False)
    op.create_index("ix_lost_about", "lost", ["city_id", "about"], unique=False)
    op.add_column("cities", sa.Column("backup_at", sa.DateTime(timezone=True), nullable=True))
    op.add_column("orders", sa.Column("register_life", sa.String(length=8), nullable=True))
    op.add_column("tablet_sites", sa.Column("since", sa.Integer(), nullable=True))
    _anew("tablets", [
        _text("city_id", 64), _text("id", 64), _text("code", 16), _text("token_hash", 64), _text("status", 16),
        _long("note", null=True), _count("scope"), _count("scope_base", null=True), _text("sees", 16, null=True),
        _at("enrolled_at"), _at("seen_at", null=True),
    ], [
        sa.CheckConstraint("status IN ('active', 'revoked')", name=op.f("ck_tablets_status")),
        _key("tablets", "id"), _unique("tablets", "code"), _unique("tablets", "token_hash"),
    ], {}, ("scope_base",))  # fmt: skip
    # Of what changed before, nobody noted which sites it was: a cursor from then begins at 0.
    op.execute("UPDATE tablets SET scope_base = scope")
    _anew("credentials", [
        _text("city_id", 64), _text("id", 64), _text("tablet_code", 16), _text("person", 64), _at("created_at"),
        _at("revoked_at", null=True),
    ], [_key("credentials", "id"), _unique("credentials", "tablet_code", "person")], {})  # fmt: skip
    _anew("leases", [
        _text("city_id", 64), _text("tablet_code", 16), _count("counter"), _text("number", 32), _at("leased_at"),
    ], [_key("leases", "tablet_code", "counter"), _unique("leases", "number")], {})  # fmt: skip
    _anew("diagnoses", [
        _text("city_id", 64), _text("id", 64), _text("tablet_code", 16), _at("at"), _long("text"),
    ], [_key("diagnoses", "id")], {"ix_diagnoses_tablet": ["city_id", "tablet_code", "at"]})  # fmt: skip
    _anew("recovery_asks", [
        _text("city_id", 64), _text("id", 64), _text("tablet", 64), _text("tablet_code", 16), _text("person", 80),
        _text("key_id", 16), _long("box"), _text("public", 130), _text("state", 16), _at("asked_at"),
        _at("decided_at", null=True), _text("decided_by", 80, null=True), _long("reasons", null=True),
        _long("answer", null=True),
    ], [_key("recovery_asks", "id")], {"ix_recovery_asks_state": ["city_id", "state", "asked_at"]})  # fmt: skip
    _anew("tablet_lines", [_text("city_id", 64), _text("code", 16), _text("parent", 16), _at("at")],
          [_key("tablet_lines", "code")], {})
    _anew("blanks", [
        _text("city_id", 64), _text("number", 32), _text("tablet_code", 16), _count("counter"), _text("sheet", 32),
        _at("at"), _text("person", 80),
    ], [_key("blanks", "number")], {
        "ix_blanks_sheet": ["city_id", "sheet"], "ix_blanks_place": ["city_id", "tablet_code", "counter"],
    })  # fmt: skip

"""Inlets and control devices that an inspection added to a site or found gone."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "place_finds",
        sa.Column("city_id", sa.String(length=64), nullable=False),
        sa.Column("inspection", sa.String(length=64), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("act", sa.String(length=16), nullable=False),
        sa.Column("site", sa.String(length=64), nullable=False),
        sa.Column("doc", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("city_id", "inspection", "kind", "id", name=op.f("pk_place_finds")),
    )
    op.create_index("ix_place_finds_place", "place_finds", ["city_id", "kind", "id"], unique=False)


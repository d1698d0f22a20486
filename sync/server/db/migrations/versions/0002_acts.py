"""Acts about orders, permits and records: release, void, ratify, revoke, and what else conflicts are settled by."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "acts",
        sa.Column("city_id", sa.String(length=64), nullable=False),
        sa.Column("about", sa.String(length=64), nullable=False),
        sa.Column("step", sa.String(length=160), nullable=False),
        sa.Column("act", sa.String(length=32), nullable=False),
        sa.Column("person", sa.String(length=80), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("on_day", sa.Date(), nullable=False),
        sa.Column("reasons", sa.Text(), nullable=True),
        sa.Column("fact", sa.String(length=64), nullable=True),
        sa.Column("doc", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("city_id", "about", "step", name=op.f("pk_acts")),
    )
    op.create_index("ix_acts_fact", "acts", ["city_id", "fact"], unique=False)

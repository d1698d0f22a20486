"""Tablets: the code a copy had before, how far clocks are off, records whose time a person has to look at."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "tablet_lines",
        sa.Column("city_id", sa.String(length=64), nullable=False),
        sa.Column("code", sa.String(length=8), nullable=False),
        sa.Column("parent", sa.String(length=8), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("city_id", "code", name=op.f("pk_tablet_lines")),
    )
    op.create_table(
        "tablet_clocks",
        sa.Column("city_id", sa.String(length=64), nullable=False),
        sa.Column("tablet", sa.String(length=64), nullable=False),
        sa.Column("off_s", sa.Integer(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("city_id", "tablet", name=op.f("pk_tablet_clocks")),
    )
    op.create_table(
        "clock_marks",
        sa.Column("city_id", sa.String(length=64), nullable=False),
        sa.Column("fact", sa.String(length=64), nullable=False),
        sa.Column("kind", sa.String(length=64), nullable=False),
        sa.Column("why", sa.String(length=16), nullable=False),
        sa.Column("off_s", sa.Integer(), nullable=True),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("received_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("city_id", "fact", name=op.f("pk_clock_marks")),
    )
    op.create_index("ix_clock_marks_day", "clock_marks", ["city_id", "day"], unique=False)

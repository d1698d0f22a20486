"""Sites that were found in the field, and rain that was read from a gauge."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "site_reports",
        sa.Column("city_id", sa.String(length=64), nullable=False),
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("site", sa.String(length=64), nullable=False),
        sa.Column("person", sa.String(length=80), nullable=False),
        sa.Column("reported_on", sa.Date(), nullable=False),
        sa.Column("reported_at", sa.String(length=40), nullable=False),
        sa.Column("pack", sa.String(length=64), nullable=False),
        sa.Column("doc", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("city_id", "id", name=op.f("pk_site_reports")),
    )
    op.create_index("ix_site_reports_site", "site_reports", ["city_id", "site"], unique=False)
    op.create_table(
        "rains",
        sa.Column("city_id", sa.String(length=64), nullable=False),
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("site", sa.String(length=64), nullable=True),
        sa.Column("gauge", sa.Text(), nullable=False),
        sa.Column("inches", sa.String(length=16), nullable=False),
        sa.Column("began", sa.String(length=40), nullable=False),
        sa.Column("ended", sa.String(length=40), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("person", sa.String(length=80), nullable=False),
        sa.Column("superseded_by", sa.String(length=64), nullable=True),
        sa.PrimaryKeyConstraint("city_id", "id", name=op.f("pk_rains")),
    )
    op.create_index("ix_rains_ended", "rains", ["city_id", "ended"], unique=False)

"""Reports that tablets send about themselves."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "diagnoses",
        sa.Column("city_id", sa.String(length=64), nullable=False),
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("tablet_code", sa.String(length=8), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("city_id", "id", name=op.f("pk_diagnoses")),
    )
    op.create_index("ix_diagnoses_tablet", "diagnoses", ["city_id", "tablet_code", "at"], unique=False)

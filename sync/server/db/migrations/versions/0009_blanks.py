"""Pre-printed placards: the order numbers of a tablet that stand on paper, so that no lease gives them out."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "blanks",
        sa.Column("city_id", sa.String(length=64), nullable=False),
        sa.Column("tablet_code", sa.String(length=8), nullable=False),
        sa.Column("counter", sa.Integer(), nullable=False),
        sa.Column("number", sa.String(length=32), nullable=False),
        sa.Column("sheet", sa.String(length=32), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("person", sa.String(length=80), nullable=False),
        sa.PrimaryKeyConstraint("city_id", "tablet_code", "counter", name=op.f("pk_blanks")),
        sa.UniqueConstraint("city_id", "number", name=op.f("uq_blanks_city_id_number")),
    )
    op.create_index("ix_blanks_sheet", "blanks", ["city_id", "sheet"], unique=False)

"""Forgotten PINs: the city's key pairs, and what tablets asked."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "recovery_keys",
        sa.Column("city_id", sa.String(length=64), nullable=False),
        sa.Column("id", sa.String(length=16), nullable=False),
        sa.Column("public", sa.String(length=130), nullable=False),
        sa.Column("sealed", sa.Text(), nullable=False),
        sa.Column("made_by", sa.String(length=80), nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("replaced_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("city_id", "id", name=op.f("pk_recovery_keys")),
    )
    op.create_table(
        "recovery_asks",
        sa.Column("city_id", sa.String(length=64), nullable=False),
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("tablet", sa.String(length=64), nullable=False),
        sa.Column("tablet_code", sa.String(length=8), nullable=False),
        sa.Column("person", sa.String(length=80), nullable=False),
        sa.Column("key_id", sa.String(length=16), nullable=False),
        sa.Column("box", sa.Text(), nullable=False),
        sa.Column("public", sa.String(length=130), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("asked_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("decided_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("decided_by", sa.String(length=80), nullable=True),
        sa.Column("reasons", sa.Text(), nullable=True),
        sa.Column("answer", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("city_id", "id", name=op.f("pk_recovery_asks")),
    )
    op.create_index("ix_recovery_asks_state", "recovery_asks", ["city_id", "state", "asked_at"], unique=False)

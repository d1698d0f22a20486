"""Previews of photos, smaller copies of what is too large, and who else sent a file."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "previews",
        sa.Column("city_id", sa.String(length=64), nullable=False),
        sa.Column("original", sa.String(length=64), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("tablet", sa.String(length=64), nullable=False),
        sa.Column("received_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("city_id", "original", "sha256", name=op.f("pk_previews")),
    )
    op.create_index("ix_previews_sha", "previews", ["city_id", "sha256"], unique=False)
    op.create_table(
        "smaller_copies",
        sa.Column("city_id", sa.String(length=64), nullable=False),
        sa.Column("original", sa.String(length=64), nullable=False),
        sa.Column("fact", sa.String(length=64), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("about", sa.String(length=64), nullable=False),
        sa.Column("doc", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("city_id", "original", "fact", name=op.f("pk_smaller_copies")),
    )
    op.create_index("ix_smaller_copies_about", "smaller_copies", ["city_id", "about"], unique=False)
    op.create_table(
        "also_sent",
        sa.Column("city_id", sa.String(length=64), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("tablet", sa.String(length=64), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("city_id", "sha256", "tablet", name=op.f("pk_also_sent")),
    )

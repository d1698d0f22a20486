"""Where the files of a city lie, and which life each life ended: by both a database that was set back is noticed."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("cities", sa.Column("place", sa.String(length=64), nullable=True))
    op.add_column("lives", sa.Column("noticed", sa.String(length=16), nullable=True))
    op.add_column("lives", sa.Column("before", sa.String(length=64), nullable=True))

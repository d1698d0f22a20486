"""The newest inspections of a site in order, so that a site with a long history takes no longer than a new one."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    standing = sa.text("superseded_by IS NULL")
    op.create_index("ix_inspections_lines", "inspections", ["city_id", "site", "inspected_on", "id"], unique=False,
                    sqlite_where=standing, postgresql_where=standing)

"""Alembic's way in: runs on the connection it is handed by sync.server.db.migrate, never on its own."""

from alembic import context

from sync.server.db.schema import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata)
context.run_migrations()

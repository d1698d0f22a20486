"""The database: tables (schema), how transactions run (engine), how an old file becomes a new one (migrate)."""

"""Review and signing of an inspection."""

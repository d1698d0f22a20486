"""The sync driver, wired to this tablet."""

"""The steps that turn an older database into today's, one file each, never edited after a release."""

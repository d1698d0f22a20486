"""casework/test_receiving.py once more, on PostgreSQL."""

from tests.sync.server.casework.test_receiving import *  # noqa: F403

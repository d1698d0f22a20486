"""casework/test_feed.py once more, on PostgreSQL."""

from tests.sync.server.casework.test_feed import *  # noqa: F403

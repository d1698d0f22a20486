"""casework/test_evidence.py once more, on PostgreSQL."""

from tests.sync.server.casework.test_evidence import *  # noqa: F403

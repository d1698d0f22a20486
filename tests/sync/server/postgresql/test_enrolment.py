"""casework/test_enrolment.py once more, on PostgreSQL."""

from tests.sync.server.casework.test_enrolment import *  # noqa: F403

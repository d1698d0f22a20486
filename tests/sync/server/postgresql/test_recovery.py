"""casework/test_recovery.py once more, on PostgreSQL, in the long run of the tests."""

import pytest

from tests.sync.server.casework.test_recovery import *  # noqa: F403

pytestmark = pytest.mark.long

"""casework/test_fuzz.py once more, on PostgreSQL, in the long run of the tests."""

import pytest

from tests.sync.server.casework.test_fuzz import *  # noqa: F403

pytestmark = pytest.mark.long

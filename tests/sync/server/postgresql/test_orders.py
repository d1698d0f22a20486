"""casework/test_orders.py once more, on PostgreSQL, in the long run of the tests."""

import pytest

from tests.sync.server.casework.test_orders import *  # noqa: F403

pytestmark = pytest.mark.long

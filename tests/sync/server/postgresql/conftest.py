"""Whatever city a test makes here, its records are in a real PostgreSQL: tests of other folders run here once more."""

import os

import pytest

from tests.support import disputes
from tests.support.city import made_by
from tests.support.postgresql import Postgresql, shared_postgresql


@pytest.fixture(scope="session")
def server_of_the_run(tmp_path_factory):
    """The one PostgreSQL of the run, and what this worker makes in it."""
    mine = tmp_path_factory.getbasetemp()
    with shared_postgresql(mine.parent if "PYTEST_XDIST_WORKER" in os.environ else mine) as place:
        found = Postgresql(place)
        yield found
        found.close()


@pytest.fixture(autouse=True)
def postgresql(server_of_the_run):
    """The server; what the test made in it is removed."""
    disputes._begun.cache_clear()  # a city of another test, in memory or removed by now
    with made_by(server_of_the_run):
        yield server_of_the_run
    disputes._begun.cache_clear()
    server_of_the_run.clear()

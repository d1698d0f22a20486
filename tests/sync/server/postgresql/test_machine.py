"""The sync state machine with the server's records in a real PostgreSQL: few runs each time, many in the long run."""

import pytest
from hypothesis import settings
from hypothesis.stateful import initialize, run_state_machine_as_test

from tests.model.machine import SETTINGS, Restores, SyncMachine, start
from tests.model.office_postgresql import Ground, PostgresqlServer
from tests.model.world import World
from tests.support import city as cities


@pytest.fixture
def server(postgresql):
    """The machine's beginning is made as ever, once for all runs of the process, and moved over."""
    makers, cities._MAKERS[:] = cities._MAKERS[:], []
    try:
        start()
    finally:
        cities._MAKERS[:] = makers
    ground = Ground(postgresql)
    yield type("Server", (PostgresqlServer,), {"ground": ground})
    ground.close()


def played(machine, server, **changes):
    class Played(machine):
        @initialize()
        def begin(self):
            self.world = World(start(), server)
            self.turns = 0
            self.earlier = [(tablet.identity, dict(tablet.medium.files)) for tablet in self.world.tablets]

    Played.__name__ = Played.__qualname__ = f"{machine.__name__}Postgresql"
    run_state_machine_as_test(Played, settings=settings(SETTINGS, **changes))


@pytest.mark.parametrize("machine", [SyncMachine, Restores], ids=lambda one: one.__name__)
def test_runs(machine, server):
    played(machine, server, max_examples=2, stateful_step_count=30)


@pytest.mark.long
@pytest.mark.timeout(0)
@pytest.mark.parametrize("machine", [SyncMachine, Restores], ids=lambda one: one.__name__)
def test_many_runs(machine, server):
    played(machine, server)

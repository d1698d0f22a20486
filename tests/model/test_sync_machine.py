"""The sync protocol as a whole, played by Hypothesis: two tablets, the real server, and a network that does its worst.

Calls are dropped, cut, doubled, delivered after everybody gave up on them, answered by strangers; tablets crash in
the middle of a write to their journal; the server restarts and is restored from old backups. At every moment, what
is green is truly held; and once the network is good, everything signed is there once, and all have the same picture.
"""

import functools

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from sync.client.engine import FILES, LANES, TALK
from sync.client.rows import SAFE
from tests.model.world import FATES, World, found_world

tablets = st.integers(0, 1)
lanes = st.sampled_from(LANES)
kinds = st.sampled_from(("inspection", "inspection", "correction", "photo", "order"))

start = functools.cache(found_world)


class SyncMachine(RuleBasedStateMachine):
    @initialize()
    def begin(self):
        self.world = World(*start())

    @rule(tablet=tablets, kind=kinds, files=st.integers(0, 3), pick=st.integers(0, 9))
    def sign(self, tablet, kind, files, pick):
        self.world.tablets[tablet].sign(kind, files, pick)
        self.world.tablets[tablet].engine.wake(self.world.now, "item")

    @rule(tablet=tablets, lane=lanes, fate=st.sampled_from(FATES), slow=st.booleans())
    def call(self, tablet, lane, fate, slow):
        wait = self.world.step(self.world.tablets[tablet], lane, fate, slow=slow)
        if wait:
            self.world.pass_time(wait)

    @rule(tablet=tablets, steps=st.integers(1, 8))
    def good_spell(self, tablet, steps):
        for _ in range(steps):
            for lane in LANES:
                self.world.step(self.world.tablets[tablet], lane, "ok")

    @precondition(lambda self: self.world.late)
    @rule(index=st.integers(0, 9))
    def late_call_arrives(self, index):
        self.world.deliver_late(index)

    @rule(seconds=st.sampled_from((1, 10, 400)))
    def time_passes(self, seconds):
        self.world.pass_time(seconds * 1000)

    @rule(tablet=tablets)
    def tablet_is_killed(self, tablet):
        self.world.tablets[tablet].open()

    @rule(tablet=tablets, operations=st.integers(0, 3))
    def tablet_will_crash_in_a_write(self, tablet, operations):
        self.world.tablets[tablet].medium.crash_in = operations

    @rule(tablet=tablets)
    def network_comes_back(self, tablet):
        self.world.tablets[tablet].engine.wake(self.world.now, "network")

    @rule()
    def server_restarts(self):
        self.world.server.restart()

    @rule(number=st.integers(1, 2), name=st.sampled_from(("Lot A", "Lot B", "Lot C")))
    def office_edits_a_site(self, number, name):
        self.world.server.change_site(number, name)

    @precondition(lambda self: len(self.world.backups) < 2)
    @rule()
    def server_is_backed_up(self):
        self.world.backups.append(self.world.server.backup())

    @precondition(lambda self: self.world.backups)
    @rule()
    def server_is_lost_and_restored(self):
        self.world.server.restore(self.world.backups.pop())
        self.world.restored = True

    @invariant()
    def green_is_true(self):
        if hasattr(self, "world"):
            self.world.green_is_true()

    def teardown(self):
        if hasattr(self, "world"):
            self.world.settle()
            self.world.check()


SyncMachine.TestCase.settings = settings(
    max_examples=30, stateful_step_count=40, deadline=None, derandomize=True, database=None,
    phases=(Phase.generate, Phase.shrink), suppress_health_check=list(HealthCheck),
)  # fmt: skip
TestSyncMachine = SyncMachine.TestCase


# --- scenes that must not depend on luck ---


@pytest.fixture
def world():
    return World(*start())


def test_the_quiet_case_settles_and_checks(world):
    for tablet in world.tablets:
        tablet.sign("inspection", 2, 0)
        tablet.sign("order", 0, 0)
        tablet.sign("photo", 1, 0)
        tablet.sign("correction", 1, 0)
    world.settle()
    world.check()
    assert [len(tablet.signed) for tablet in world.tablets] == [4, 4]
    assert world.server.registers() == [1, 2]


@pytest.mark.parametrize("fate", ["lost", "reply lost", "twice", "late", "cut", "portal", "stranger"])
def test_each_fate_of_every_first_call_ends_well(world, fate):
    tablet = world.tablets[0]
    for kind in ("inspection", "order", "photo"):
        tablet.sign(kind, 2, 0)
    for _ in range(12):
        for lane in LANES:
            for this in (fate, "ok"):
                wait = world.step(tablet, lane, this)
                world.pass_time(wait or 0)
                world.green_is_true()
    world.settle()
    world.check()


def test_a_restored_server_gets_back_what_it_lost_with_its_photos(world):
    tablet = world.tablets[0]
    backup = world.server.backup()
    tablet.sign("inspection", 3, 0)
    tablet.sign("order", 0, 0)
    world.settle()
    world.check()
    before = world.server.facts()
    world.server.restore(backup)
    world.restored = True
    assert world.server.facts() == {} and world.server.held() == set()
    world.settle()
    world.check()
    assert world.server.facts() == before


def test_an_old_reply_that_lands_after_a_restore_makes_nothing_green(world):
    tablet = world.tablets[0]
    backup = world.server.backup()
    tablet.sign("inspection", 1, 0)
    world.step(tablet, TALK, "ok")
    world.step(tablet, TALK, "ok")
    world.step(tablet, FILES, "ok", slow=True)  # the photo is receipted under the old epoch, the reply under way
    world.server.restore(backup)
    world.restored = True
    for _ in range(6):
        world.pass_time(world.step(tablet, TALK, "ok") or 0)
        world.green_is_true()
    world.land(tablet, FILES)
    world.green_is_true()
    world.settle()
    world.check()


def test_the_tablet_crashes_at_every_write_of_a_whole_exchange(world):
    for operations in range(12):
        tablet = world.tablets[operations % 2]
        tablet.medium.crash_in = operations
        tablet.sign("inspection", 1, 0)
        for _ in range(8):
            for lane in LANES:
                world.pass_time(world.step(tablet, lane, "ok") or 0)
                world.green_is_true()
    world.settle()
    world.check()
    assert all(row.state == SAFE for tablet in world.tablets for row in tablet.view().facts)

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
kinds = st.sampled_from(("inspection", "inspection", "correction", "photo", "order"))
items = st.lists(st.tuples(kinds, st.integers(0, 3), st.integers(0, 9)), min_size=1, max_size=3)
calls = st.lists(st.tuples(st.sampled_from(LANES), st.sampled_from(FATES), st.booleans()), min_size=1, max_size=8)
# After so many operations on the medium the tablet loses power in the middle of the next one.
crashes = st.one_of(st.none(), st.none(), st.integers(0, 4))
mishaps = st.sampled_from((
    "a late call arrives", "the tablet is killed", "the network comes back", "time passes", "the server restarts",
    "the office edits a site", "a stranger answers hello",
))  # fmt: skip

start = functools.cache(found_world)


class SyncMachine(RuleBasedStateMachine):
    @initialize()
    def begin(self):
        self.world = World(start())
        self.backups = [self.world.server.backup()]
        self.turns = 0

    @rule(tablet=tablets, items=items, crash=crashes)
    def sign(self, tablet, items, crash):
        who = self.world.tablets[tablet]
        who.medium.crash_in = crash
        for kind, files, pick in items:
            who.sign(kind, files, pick)
        who.medium.crash_in = None
        who.engine.wake(self.world.now, "item")

    @rule(tablet=tablets, calls=calls, crash=crashes)
    def calls(self, tablet, calls, crash):
        """A spell of bad network: every call that carries something meets its own fate."""
        who = self.world.tablets[tablet]
        who.medium.crash_in = crash
        for lane, fate, slow in calls:
            self.world.greet(who)
            self.world.step(who, lane, fate, slow=slow)
            self.world.green_is_true()
        who.medium.crash_in = None

    @rule(tablet=tablets, steps=st.integers(1, 6))
    def good_spell(self, tablet, steps):
        for _ in range(steps):
            for lane in LANES:
                self.world.step(self.world.tablets[tablet], lane, "ok")

    @rule(tablet=tablets, what=mishaps, pick=st.integers(0, 9))
    def mishap(self, tablet, what, pick):
        world, who = self.world, self.world.tablets[tablet]
        match what:
            case "a late call arrives" if world.late:
                world.deliver_late(pick)
            case "the tablet is killed":
                who.open()
            case "the network comes back":
                who.engine.wake(world.now, "network")
            case "time passes":
                world.pass_time((1_000, 20_000, 400_000)[pick % 3])
            case "the server restarts":
                world.server.restart()
            case "the office edits a site":
                world.server.change_site(1 + pick % 2, f"Lot {pick}")
            case "a stranger answers hello":
                world.step(who, TALK, "portal" if pick % 2 else "stranger")

    @precondition(lambda self: self.turns >= 6)
    @rule(pick=st.integers(0, 9))
    def server_is_lost_and_restored(self, pick):
        self.world.server.restore(self.backups[pick % len(self.backups)])
        self.world.restored = True
        self.turns = 0

    @invariant()
    def green_is_true(self):
        if hasattr(self, "world"):
            self.world.green_is_true()
            self.turns += 1
            if self.turns % 4 == 1:  # a backup now and then; only the last three are kept
                self.backups = [*self.backups[-2:], self.world.server.backup()]

    def teardown(self):
        if hasattr(self, "world"):
            try:
                self.world.settle()
                self.world.check()
            finally:
                self.world.close()


# Not shrunk: a run of 16 rules can be read as it is, and shrinking would outlast the time limit of a test.
SyncMachine.TestCase.settings = settings(
    max_examples=40, stateful_step_count=16, deadline=None, derandomize=True, database=None,
    phases=(Phase.generate,), suppress_health_check=list(HealthCheck),
)  # fmt: skip
TestSyncMachine = SyncMachine.TestCase


# --- scenes that must not depend on luck ---


@pytest.fixture
def world():
    made = World(start())
    yield made
    made.close()


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

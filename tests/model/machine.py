"""The rules of the sync state machine: what people, networks, power cuts and administrators may do, in any order.

One rule is one step of Hypothesis. Each kind of machine leans to another kind of trouble, so that runs of a few dozen
steps get deep; the same worlds, the same truth.
"""

import functools
import os

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from sync.client.engine import FILES, LANES, TALK
from sync.records.protocol import MAX_EVIDENCE_BYTES
from tests.model.deeds import DEEDS
from tests.model.network import FAULTS, LIES, ROADS, STRANGERS
from tests.model.sayings import ABOUT, NUMBERED, WRITTEN
from tests.model.world import BY_FILE, DAY, World, found_world

start = functools.cache(found_world)
EXAMPLES = int(os.environ.get("SILTWATCH_EXAMPLES", "40"))
STEPS = int(os.environ.get("SILTWATCH_STEPS", "50"))

tablets = st.integers(0, 3)
picks = st.integers(0, 10)
lanes = st.sampled_from((TALK, TALK, FILES))
kinds = st.sampled_from((WRITTEN, NUMBERED, ABOUT)).flatmap(st.sampled_from)
# After so many operations on the medium the tablet loses power in the middle of the next one.
crashes = st.one_of(st.none(), st.none(), st.none(), st.integers(0, 4))
rooms = st.one_of(st.none(), st.none(), st.none(), st.integers(0, 3_000))


def fates(*kinds):
    """One of the kinds, then one of its fates: a long list must not drown a short one."""
    return st.sampled_from(kinds).flatmap(st.sampled_from)


class SyncMachine(RuleBasedStateMachine):
    """All kinds of trouble."""

    fates = fates(ROADS, ROADS, tuple(STRANGERS), LIES, FAULTS)

    @initialize()
    def begin(self):
        self.world = World(start())
        self.turns = 0
        self.earlier = [(tablet.identity, dict(tablet.medium.files)) for tablet in self.world.tablets]

    def _tablet(self, tablet):
        return self.world.tablets[tablet % len(self.world.tablets)]

    def _turn(self):
        self.world.truth.holds_now()
        self.turns += 1
        if self.turns % 8 == 0:
            self.world.back_up()

    def _sign(self, who, kind, files, pick, crash, room):
        who.medium.crash_in = crash
        who.fill_up(room)
        self.world.truth.note(who.sign(kind, files, pick, tuple(self.world.truth.signed.values())))
        who.medium.crash_in = None
        who.fill_up(None)
        who.engine.wake(who.now, "item")

    def _call(self, who, lane, fate, pick, slow, crash, room):
        """A call that carries something meets its fate: the lane's, or the other's when that has nothing to say."""
        self.world.greet(who)
        who.medium.crash_in = crash
        who.fill_up(room)
        for this in (lane, LANES[lane == LANES[0]]):
            wait = self.world.step(who, this, fate, pick=pick, slow=slow)
            if wait:
                self.world.pass_time(min(wait, 6_000))
                wait = self.world.step(who, this, fate, pick=pick, slow=slow)
            if wait == 0:
                break
        who.medium.crash_in = None
        who.fill_up(None)
        self.world.truth.holds_now()

    @rule(tablet=tablets, kind=kinds, files=st.integers(0, 2), pick=picks, crash=crashes, room=rooms)
    def sign(self, tablet, kind, files, pick, crash, room):
        self._sign(self._tablet(tablet), kind, files, pick, crash, room)
        self._turn()

    @rule(data=st.data(), tablet=tablets, kind=kinds, files=st.integers(0, 2), pick=picks,
          crash=crashes)  # fmt: skip
    def sign_and_send(self, data, tablet, kind, files, pick, crash):
        """What has just been signed goes out at once, to whatever fate."""
        who = self._tablet(tablet)
        self._sign(who, kind, files, pick, None, None)
        for lane in (TALK, FILES, FILES):
            self._call(who, lane, data.draw(self.fates, "fate"), pick, False, crash, None)
        self._turn()

    @rule(data=st.data(), tablet=tablets, lane=lanes, pick=picks, slow=st.booleans(), crash=crashes, room=rooms)
    def call(self, data, tablet, lane, pick, slow, crash, room):
        who = self._tablet(tablet)
        self._call(who, lane, data.draw(self.fates, "fate"), pick, slow, crash, room)
        self._turn()

    @rule(data=st.data(), tablet=tablets, pick=picks)
    def bad_spell(self, data, tablet, pick):
        """Calls one after the other go the same bad way, the first hello too."""
        fate = data.draw(self.fates, "fate")
        who = self._tablet(tablet)
        for turn in range(3):
            self.world.pass_time(self.world.step(who, LANES[turn % 2], fate, pick=pick) or 0)
            self.world.truth.holds_now()
        self._turn()

    @rule(tablet=tablets, steps=st.integers(1, 4))
    def good_spell(self, tablet, steps):
        who = self._tablet(tablet)
        self.world.greet(who)
        for _ in range(steps):
            for lane in LANES:
                self.world.step(who, lane)
        self._turn()

    @precondition(lambda self: self.world.network.late)
    @rule(pick=picks)
    def a_late_call_arrives(self, pick):
        self.world.network.deliver_late(pick)
        self._turn()

    @rule(tablet=tablets, what=st.sampled_from(("killed", "network", "visible", "hidden", "person")))
    def around_the_tablet(self, tablet, what):
        who = self._tablet(tablet)
        if what == "killed":
            who.open()
        elif what in ("visible", "hidden"):
            who.engine.set_visible(what == "visible", who.now)
        else:
            who.engine.wake(who.now, what)
        self._turn()

    @rule(pick=picks)
    def time_passes(self, pick):
        self.world.pass_time((1_000, 20_000, 400_000)[pick % 3])
        self._turn()

    @rule(what=st.sampled_from(DEEDS).flatmap(st.sampled_from), pick=picks)
    def the_office(self, what, pick):
        self.world.office(what, pick)
        self._turn()

    @precondition(lambda self: self.turns % 3 == 2)
    @rule(tablet=tablets, everything=st.booleans(), pick=picks, fate=st.sampled_from(BY_FILE), crash=crashes)
    def by_file(self, tablet, everything, pick, fate, crash):
        """A tablet's records go to the office in a file, at times a file of before; it takes in whatever comes."""
        who = self._tablet(tablet)
        who.medium.crash_in = crash
        self.world.save_to_file(who, everything)
        who.medium.crash_in = None
        if self.world.saved:
            self.world.take_in(pick, fate)
        self._turn()

    @rule()
    def the_server_starts_anew(self):
        self.world.server.restart()
        self._turn()

    def teardown(self):
        if hasattr(self, "world"):
            try:
                self.world.settle()
                self.world.truth.check()
                if self.world.server.largest < MAX_EVIDENCE_BYTES:
                    self.world.server.takes_at_most(MAX_EVIDENCE_BYTES)  # and what had to stay on tablets comes
                    self.world.settle()
                    self.world.truth.check()
            finally:
                self.world.close()


class Losses(SyncMachine):
    """Servers restored from backups, tablets copied, set back and withdrawn, clocks that jump, records that fork."""

    fates = fates(ROADS, ROADS, FAULTS)
    restored_twice = images_noticed = 0

    @precondition(lambda self: self.turns >= 6)
    @rule(pick=picks)
    def the_server_is_lost_and_restored(self, pick):
        self.world.restore(pick)
        self._turn()

    @precondition(lambda self: self.turns >= 6)
    @rule(pick=picks, tablet=tablets)
    def the_same_backup_is_restored_twice(self, pick, tablet):
        """And both times what is given out from then on was given out before, as far as the backup knows."""
        backup = self.world.restore(pick)
        if backup is None:
            return
        who = self._tablet(tablet)
        for _ in range(2):
            self.world.give_out(pick)
            self._sign(who, "order", 0, pick, None, None)
            self.world.greet(who)
            for lane in (TALK, TALK, TALK):
                self.world.step(who, lane)
            self.world.truth.holds_now()
            if _ == 0:
                self.world.restore_from(backup)
        type(self).restored_twice += 1
        self._turn()

    @precondition(lambda self: self.turns >= 6)
    @rule(pick=picks)
    def an_image_of_the_servers_disk_is_put_back(self, pick):
        type(self).images_noticed += self.world.put_image_back(pick)
        self._turn()

    @precondition(lambda self: self.turns >= 4 and len(self.world.tablets) < 5)
    @rule(tablet=tablets)
    def a_tablet_is_copied(self, tablet):
        self.world.copy_tablet(self._tablet(tablet))
        self._turn()

    @precondition(lambda self: self.turns >= 4)
    @rule(tablet=st.integers(0, 2))
    def a_tablet_is_set_back(self, tablet):
        self.world.set_tablet_back(self.world.tablets[tablet], self.earlier[tablet])
        self._turn()

    @rule(tablet=st.integers(0, 2))
    def a_tablets_storage_is_kept_aside(self, tablet):
        who = self.world.tablets[tablet]
        self.earlier[tablet] = (who.identity, dict(who.medium.files))

    @precondition(lambda self: any(tablet.view().copied for tablet in self.world.tablets))
    @rule(pick=picks)
    def a_copy_asks_for_a_code_of_its_own(self, pick):
        copies = [tablet for tablet in self.world.tablets if tablet.view().copied]
        self.world.recode(copies[pick % len(copies)], pick)
        self._turn()

    @precondition(lambda self: self.turns >= 10)
    @rule(pick=picks)
    def a_tablet_is_withdrawn(self, pick):
        self.world.office("withdraws a tablet", pick)
        self._turn()

    @precondition(lambda self: self.world.truth.signed)
    @rule(pick=picks)
    def a_record_forks(self, pick):
        signed = sorted(self.world.truth.signed.values(), key=lambda one: one.id)
        one = signed[pick % len(signed)]
        self.world.fork(self.world.tablets[one.tablet], one)
        self._turn()

    @rule(days=st.sampled_from((-400, -1, 1, 13, 15, 400)))
    def the_servers_clock_jumps(self, days):
        self.world.jump(days)
        self._turn()

    @rule(days=st.integers(1, 9), tablet=tablets)
    def days_pass_and_a_tablet_is_tidied(self, days, tablet):
        who = self._tablet(tablet)
        self.world.pass_time(days * DAY)
        if days % 2:
            who.engine.wake(who.now, "person")
            self.world.greet(who)
        self.world.tidy(who)
        self._turn()


class Lies(SyncMachine):
    """Networks and servers that say what is not so."""

    fates = fates(LIES, LIES, tuple(STRANGERS), ROADS, ("ok",))


class Restores(Losses):
    """Much is lost and much is told wrongly, at once."""

    fates = SyncMachine.fates


# Not shrunk: a run can be read as it is, and shrinking would outlast the time limit of a test.
SETTINGS = settings(
    max_examples=EXAMPLES, stateful_step_count=STEPS, deadline=None, derandomize=True, database=None,
    phases=(Phase.generate,), suppress_health_check=list(HealthCheck),
)  # fmt: skip

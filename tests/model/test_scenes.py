"""Scenes of the sync state machine that must not depend on luck, each played to the end and held against the truth."""

import pytest

from sync.client.engine import FILES, LANES, TALK
from sync.client.rows import PARKED, SAFE
from tests.model.machine import start
from tests.model.network import FATES
from tests.model.world import DAY, World


@pytest.fixture
def world():
    made = World(start())
    yield made
    made.close()


def sign(world, tablet, kind, files=0, pick=0):
    signed = tablet.sign(kind, files, pick, tuple(world.truth.signed.values()))
    world.truth.note(signed)
    return signed


def finish(world):
    world.settle()
    world.truth.check()


def play(world, tablet, turns, fate="ok"):
    """Both lanes by turns, as time goes on."""
    for _ in range(turns):
        for lane in LANES:
            world.pass_time(world.step(tablet, lane, fate) or 0)
            world.truth.holds_now()


def test_the_quiet_case_settles_and_checks(world):
    for tablet in world.tablets:
        for kind, files in (("inspection", 2), ("order", 0), ("photo", 1), ("correction", 1)):
            assert sign(world, tablet, kind, files)
    finish(world)
    assert len(world.truth.signed) == 12
    assert all(row.state == SAFE for tablet in world.tablets for row in tablet.view().facts)
    assert world.server.rows("SELECT count(*), max(register_no) FROM orders") == [(3, 3)]


@pytest.mark.parametrize("fate", sorted({*FATES} - {"ok"}))
def test_each_fate_of_every_first_call_ends_well(world, fate):
    for tablet in world.tablets[:2]:  # one that sends files whole, one that sends them in parts
        for kind in ("inspection", "order", "photo"):
            sign(world, tablet, kind, 2)
        for turn in range(8):
            for lane in LANES:
                for this in (fate, "ok"):
                    world.pass_time(world.step(tablet, lane, this, pick=turn) or 0)
                    world.truth.holds_now()
    finish(world)


def test_a_restored_server_gets_back_what_it_lost_with_its_photos(world):
    tablet = world.tablets[0]
    sign(world, tablet, "inspection", 3)
    sign(world, tablet, "order")
    finish(world)
    before = world.server.facts()
    world.restore(0)
    assert world.server.facts() == {} and world.server.listed() == set()
    finish(world)
    assert world.server.facts() == before


def test_a_tablet_that_did_not_hear_of_the_restore_has_cleared_nothing_away(world):
    """The keeping time runs out unheard: the server may be another one by then, from a backup that lacks the record."""
    tablet = world.tablets[0]
    world.back_up()
    world.pass_time(1_000)
    signed = sign(world, tablet, "inspection", 1)
    play(world, tablet, 6)
    assert [row.state for row in tablet.view().facts] == [SAFE]
    world.pass_time(14 * DAY - 60_000)
    world.restore(1)
    world.pass_time(120_000)
    world.tidy(tablet)
    assert [row.id for row in tablet.view().facts] == [signed.id]
    finish(world)
    world.pass_time(15 * DAY)
    world.tidy(tablet)
    assert tablet.view().facts, "it has not heard the server since"
    tablet.engine.wake(tablet.now, "person")
    play(world, tablet, 2)
    world.tidy(tablet)
    assert not tablet.view().facts and not tablet.view().files
    finish(world)


def test_an_old_reply_that_lands_after_a_restore_makes_nothing_green(world):
    tablet = world.tablets[0]
    sign(world, tablet, "inspection", 1)
    world.step(tablet, TALK)
    world.step(tablet, TALK)
    while FILES not in tablet.flights:  # the photo is receipted under the old epoch, the reply under way
        world.pass_time(world.step(tablet, FILES, slow=True))
    world.restore(0)
    for _ in range(6):
        world.pass_time(world.step(tablet, TALK) or 0)
        world.truth.holds_now()
    assert tablet.view().epoch == world.server.epoch
    world.land(tablet, FILES)
    world.truth.holds_now()
    finish(world)


def test_a_withdrawn_tablet_hands_over_again_what_a_restored_server_lost(world):
    tablet = world.tablets[0]
    world.office("withdraws a tablet", 0)
    world.back_up()
    sign(world, tablet, "inspection", 2)
    world.settle()
    world.restore(1)
    assert tablet.withdrawn and world.server.facts() == {}
    finish(world)
    [row] = tablet.view().facts
    assert (row.state, row.reason) == (PARKED, "tablet-revoked") and len(world.server.listed()) == 2


def test_the_tablet_crashes_at_every_write_of_a_whole_exchange(world):
    for operations in range(12):
        tablet = world.tablets[operations % 2]
        tablet.medium.crash_in = operations
        sign(world, tablet, "inspection", 1)
        play(world, tablet, 8)
    finish(world)
    assert all(row.state == SAFE for tablet in world.tablets for row in tablet.view().facts)


def test_the_server_dies_at_every_statement_of_a_batch_and_of_a_file(world):
    tablet = world.tablets[1]
    for place in range(0, 60, 3):
        sign(world, tablet, ("inspection", "order", "photo")[place % 3], 1)
        world.greet(tablet)
        for lane in LANES:
            world.step(tablet, lane, "server dies", pick=place)
            world.truth.holds_now()
    finish(world)
    assert len(world.truth.signed) == 20


def test_both_disks_are_full_for_long_and_nothing_is_lost(world):
    tablet = world.tablets[0]
    sign(world, tablet, "inspection", 2)
    for fate in ("no room in the database", "no room for files"):
        play(world, tablet, 40, fate)
    sign(world, tablet, "inspection", 1)
    tablet.fill_up(0)
    assert sign(world, tablet, "inspection", 1) is None, "what is not saved is not signed"
    play(world, tablet, 10)
    assert tablet.view().facts[-1].state != SAFE, "what was not noted is not green"
    tablet.fill_up(None)
    finish(world)
    assert [row.state for row in tablet.view().facts] == [SAFE, SAFE]


def test_two_copies_of_a_tablet_lose_nothing_and_both_orders_under_one_number_are_held_back(world):
    first = world.tablets[0]
    sign(world, first, "inspection", 1)
    world.copy_tablet(first)
    second = world.tablets[-1]
    one, two = sign(world, first, "order"), sign(world, second, "order")
    assert one.number == two.number
    finish(world)
    assert first.view().copied or second.view().copied
    for turn, tablet in enumerate((first, second)):
        world.recode(tablet, turn)
    own = [sign(world, tablet, "order") for tablet in (first, second)]
    assert len({one.number for one in own}) == 2 and world.truth.recoded
    finish(world)
    assert {world.server.facts()[one.id][1] for one in own} == {"applied"}
    texts = {text for text, _, _ in world.server.facts().values()} | set(world.server.column("SELECT text FROM strays"))
    assert {one.text, two.text} <= texts


def test_one_number_on_two_placards_counts_for_neither_until_a_person_decides(world):
    first = world.tablets[0]
    world.copy_tablet(first)
    second = world.tablets[-1]
    two = sign(world, second, "order")
    play(world, second, 4)
    sign(world, first, "inspection")
    one = sign(world, first, "order")
    assert one.number == two.number
    finish(world)
    assert sorted(world.server.rows("SELECT number, status FROM orders")) == [(one.number, "quarantined")] * 2


def test_what_was_kept_for_fourteen_days_goes_and_any_younger_backup_still_has_it(world):
    tablet = world.tablets[0]
    signed = sign(world, tablet, "inspection", 2)
    world.settle()
    world.pass_time(13 * DAY)
    world.tidy(tablet)
    assert tablet.view().fact(signed.id) is not None
    world.back_up()
    world.pass_time(2 * DAY)
    tablet.engine.wake(tablet.now, "person")
    play(world, tablet, 2)
    world.tidy(tablet)
    assert tablet.view().fact(signed.id) is None and not tablet.box.files
    for pick in range(len(world.backups)):
        world.restore(pick)
        finish(world)

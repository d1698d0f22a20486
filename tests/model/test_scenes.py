"""Scenes of the sync state machine that must not depend on luck, each played to the end and held against the truth."""

import copy

import pytest

from sync.client.engine import FILES, LANES, TALK, Engine
from sync.client.rows import PARKED, SAFE
from sync.records.protocol import MAX_EVIDENCE_BYTES
from tests.model.deeds import DEEDS
from tests.model.machine import start
from tests.model.network import FATES
from tests.model.sayings import ABOUT, NUMBERED, WRITTEN
from tests.model.truth import EFFECTS, MET
from tests.model.world import BY_FILE, DAY, World


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


def test_a_restored_server_that_calls_a_token_old_is_heard_of_before_anything_is_cleared_away(world):
    """A tab that slept for a fortnight takes its link for good: the first that it hears is that its token is old."""
    tablet = world.tablets[0]
    world.back_up()
    world.pass_time(1_000)
    signed = sign(world, tablet, "inspection", 1)
    play(world, tablet, 6)
    assert [row.state for row in tablet.view().facts] == [SAFE] and tablet.engine.status().up
    world.pass_time(14 * DAY - 60_000)
    world.restore(1)
    world.pass_time(120_000)
    token = tablet.view().token
    assert world.step(tablet, TALK) == 0 and tablet.engine.status().up and tablet.view().token == token
    world.tidy(tablet)
    assert [row.id for row in tablet.view().facts] == [signed.id]
    finish(world)
    assert tablet.view().token != token


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


@pytest.mark.parametrize("purpose", ["hello", "pull", "push", "receipts"])
def test_an_answer_of_before_the_restore_comes_again(world, purpose):
    """It takes the tablet not back into the life that is over: what the server lost stays to be sent."""
    tablet = world.tablets[0]
    world.back_up()
    world.pass_time(1_000)
    sign(world, tablet, "inspection", 1)
    play(world, tablet, 6)
    assert tablet.view().facts[0].whole
    heard = {key: list(replies) for key, replies in world.network.heard.items()}
    world.restore(1)
    tablet.engine.wake(tablet.now, "person")
    world.step(tablet, TALK)
    assert tablet.view().epoch == world.server.epoch
    for _turn in range(4):
        # Of this purpose only what was told before; of the others nothing comes.
        world.network.heard = {key: heard.get(key, []) for key in heard if key[1] == purpose}
        wait = world.step(tablet, TALK, "stale reply")
        world.truth.holds_now()
        assert tablet.view().epoch == world.server.epoch and not tablet.view().facts[0].whole
        if wait:
            world.pass_time(wait)
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


@pytest.mark.parametrize("fate", ["reply lost", "cut", "server dies"])
def test_every_kind_of_record_every_deed_and_every_way_of_a_file(world, fate):
    """One after the other, in two rounds: what an act is about is there in the first, or comes later in the second."""
    MET.clear()
    for turn in range(2):
        for pick, kind in enumerate(dict.fromkeys((*WRITTEN, *NUMBERED, *ABOUT))):
            tablet = world.tablets[(pick + turn) % 2]
            sign(world, tablet, kind, 1, pick=(0, 1)[pick % 2])
            if turn == 0:
                world.greet(tablet)
                for lane in (TALK, FILES):
                    world.step(tablet, lane, fate, pick=pick)
                    world.truth.holds_now()
            if kind == "recommended order":
                world.settle()
                world.office(("issues", "refuses")[turn], 0)
            if kind == "unentitled order":
                world.settle()
                world.office(("ratifies", "leaves out")[turn], 0)
        for deed in (deed for deeds in (*DEEDS, ("prints placards",) * 2) for deed in deeds):
            world.office(deed, turn)
        for pick, way in enumerate(BY_FILE):
            world.save_to_file(world.tablets[pick % 3], everything=bool(turn))
            world.take_in(pick, way)
            world.truth.holds_now()
        play(world, world.tablets[0], 4)
        world.jump(13)  # the tenth day after the posting is over
    for deed in ("revokes a permit", "takes a revocation back"):
        world.office(deed, 0)
    world.server.takes_at_most(MAX_EVIDENCE_BYTES)
    finish(world)
    wanted = {kind for kinds in EFFECTS for kind in kinds.split()} | {"spoken_note"}
    wanted |= {deed for deeds in DEEDS for deed in deeds} | {f"file: {way}" for way in BY_FILE}
    assert not (lacking := wanted - (+MET).keys()), lacking


def test_two_engines_on_one_store_send_nothing_twice_and_lose_nothing(world):
    """Another tab, or a start that overlaps with the end before it: each knows nothing of the other's calls."""
    tablet = world.tablets[1]
    twin = copy.copy(tablet)
    twin.engine = Engine(tablet.identity.receipt_key, "demo", lambda: 0.9, tablet.policy)
    twin.flights, twin.rests = {}, {}
    for turn in range(8):
        if turn % 2:
            sign(world, tablet, ("inspection", "order", "photo", "release")[turn // 2], 2, pick=1)
        for slow in (True, False):  # both are on their way at once, then both hear their answers
            for who in (tablet, twin):
                for lane in LANES:
                    world.pass_time(world.step(who, lane, slow=slow) or 0)
                    world.truth.holds_now()
    finish(world)
    assert all(row.state == SAFE for row in tablet.view().facts) and len(world.truth.signed) == 4
    assert not [row for row in tablet.view().files if not row.held]


def test_a_token_that_grows_old_in_the_middle_of_a_file_is_renewed_and_the_file_goes_on(world):
    tablet = world.tablets[1]
    sign(world, tablet, "inspection", 2, pick=2)
    sent = []
    carry = world.network.carry

    def noted(letter, *how):
        sent.append((letter.request.purpose, int(letter.request.headers.get("Upload-Offset", -1))))
        return carry(letter, *how)

    world.network.carry = noted
    while not [offset for purpose, offset in sent if purpose == "patch"]:
        for lane in LANES:
            world.pass_time(world.step(tablet, lane) or 0)
    begun = len(sent)
    assert list(world.server.disk.shelf.iterdir()), "a file is there in part"
    world.jump(8)
    token = tablet.view().token
    finish(world)
    purposes = [purpose for purpose, _ in sent[begun:]]
    assert "renew" in purposes and tablet.view().token != token
    [file] = [offset for purpose, offset in sent[begun:] if purpose == "patch"][:1]
    assert file > 0, "the file began anew"
    assert all(row.state == SAFE for row in tablet.view().facts)


@pytest.mark.parametrize("purpose", ["pull", "hello", "receipts", "push"])
def test_an_answer_of_a_life_that_is_over_takes_no_tablet_back(world, purpose):
    tablet = world.tablets[0]
    world.back_up()
    world.pass_time(1_000)
    sign(world, tablet, "inspection", 1)
    play(world, tablet, 6)
    before, kept = world.server.epoch, {key: list(replies) for key, replies in world.network.heard.items()}
    assert tablet.view().facts[0].state == SAFE and kept[tablet.number, purpose]
    world.restore(1)
    play(world, tablet, 4)
    assert before in tablet.view().over, "it has a witness of the life that goes on"
    world.truth.holds_now()
    for _ in range(12):
        world.network.heard = {key: list(replies) for key, replies in kept.items() if key[1] == purpose}
        tablet.engine.wake(tablet.now, "person")
        step = world.step(tablet, TALK, "stale reply")
        assert tablet.view().epoch == world.server.epoch != before
        world.truth.holds_now()
        world.pass_time(step or 1_000)
    finish(world)

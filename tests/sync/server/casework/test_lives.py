"""A restore begins another life of the records: what it gives out is never what another life gave out, however often
the same backup comes back, and the register says where each life began."""

import itertools
import random
from dataclasses import replace

import pytest

from sync.records.numbers import TABLET_CODE, is_mark, mark_of, order_number, parse_number, tablet_code
from sync.records.problems import Problem
from sync.records.receipts import Receipt, seal
from sync.server.casework import audit, blanks, copies, enrolment, lives, queries
from sync.server.casework.public import public_order
from sync.server.casework.receiving import receive_facts
from sync.server.db.schema import counters
from tests.support.city import field_tablet, memory_city, order_body
from tests.support.clock import StoppedClock


@pytest.fixture
def city():
    return memory_city(StoppedClock())


def bytes_of(city):
    return bytes(city.db.engine.raw_connection().driver_connection.serialize())


def restored(city, data):
    """The backup comes back, on a machine that may have the same chance and the same time as the one before."""
    city.db.engine.raw_connection().driver_connection.deserialize(data)
    lives.begin_life(city)
    return city


def test_one_backup_restored_again_and_again_gives_nothing_out_twice(city):
    """Each time the office does the same work, of which the backup knows nothing: five lives side by side."""
    old = field_tablet(city)
    backup = bytes_of(city)
    codes, numbers, registers, papers = [old.tablet.code], [], [], []
    for life in range(5):
        if life:
            restored(city, backup)
        new = field_tablet(city, seed=11)  # the same secret each time, but the code of the office is another
        copy = copies.recode_tablet(city, old.tablet, "ab" * 32, [], ageing=False)
        codes += [new.tablet.code, copy.enrolled.tablet.code]
        numbers += [number.number for number in (*new.enrolled.lease, *copy.enrolled.lease,
                                                 *enrolment.lease_numbers(city, old.tablet, 60)[0])]
        sheet = blanks.print_blanks(city, "carol", old.tablet.code, 3)
        papers += [blank.number for blank in blanks.stack(city, old.tablet.code, sheet)]
        posted = new.fact("order_posted", order_body(new))
        registers += [receipt.register for receipt in new.push(posted)]
        audit.verify(city)
    for given in (codes, numbers + papers, registers):
        assert len(given) == len(set(given))
    assert registers[0] == "R-2026-00001" and all(said.endswith("-00001") for said in registers), "no life has a gap"
    assert [parse_number(number).life for number in papers[:3]] == [""] * 3
    marks = {parse_number(number).life for number in papers[3:]}
    assert len(marks) == 4 and {code[3:] for code in codes} == {"", *marks}


def test_marks_that_two_machines_draw_from_one_backup_differ(city):
    """Without a word between them, and with the same clock: only chance tells them apart."""
    backup, marks = bytes_of(city), set()
    for seed in range(100):
        machine = replace(city, random_bytes=random.Random(seed).randbytes)
        restored(machine, backup)
        with machine.db.read() as tx:
            marks.add(lives.mark_now(tx, machine))
    assert len(marks) == 100 and all(map(is_mark, marks))


def test_a_mark_that_was_heard_of_is_not_drawn_again(city, monkeypatch):
    """Also from tablets and placards of lives that are lost."""
    drawn = iter(["KOBMIT", "ZENPAK", "TALRUS", "", "BADWOL", "KOBMIT", "ZENPAK", "TALRUS", "BADWOL", "NEWNUS"])
    monkeypatch.setattr(lives, "mark_of", lambda seed: next(drawn))
    lives.begin_life(city)
    field_tablet(city)
    number = order_number(2026, "T07", 3, "ZENPAK")
    public_order(city, number, enrolment.order_token(city, number))
    city.db.write(lambda tx: lives.hear_of_register(tx, city, "R-2026-TALRUS-00001", "0" * 32))
    lives.begin_life(city)
    lives.begin_life(city)
    with city.db.read() as tx:
        assert lives.mark_now(tx, city) == "NEWNUS"


def test_marks_can_be_said_and_are_fit_to_be_read():
    found = {mark_of(random.Random(seed).randbytes(8)) for seed in range(3_000)} - {""}
    assert len(found) > 2_700
    for mark in found:
        assert len(mark) == 6 and is_mark(mark)
        assert all((letter in "AEIOU") == (at % 3 == 1) for at, letter in enumerate(mark))
        assert not any(word in mark for word in ("SUK", "NIG", "TIT"))


@pytest.mark.parametrize("number", [
    order_number(2026, "T07", 61, "KOBMIT"), order_number(2026, "T08KOBMIT", 1, "KOBMIT"),
    order_number(2026, "T08KOBMIT", 61, "ZENPAK"), order_number(2026, "T07", 61)])
def test_a_number_with_a_mark_is_read_back_and_a_slip_is_seen(number):
    plain = parse_number(f" {number.lower()} ")
    assert str(plain) == number and TABLET_CODE.fullmatch(plain.tablet)
    letters = [at for at, letter in enumerate(number) if letter.isalnum() and at > 1]
    wrong = [number[:at] + other + number[at + 1:] for at in letters
             for other in "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ" if other != number[at]]
    wrong += [number[:a] + number[b] + number[a + 1:b] + number[a] + number[b + 1:]
              for a, b in itertools.pairwise(letters) if number[a] != number[b]]
    for text in wrong:
        with pytest.raises(Problem, match="number-malformed"):
            parse_number(text)


def test_the_register_is_consecutive_and_says_where_a_life_began(city):
    tablet = field_tablet(city)
    tablet.push(tablet.fact("order_posted", order_body(tablet)))
    lives.begin_life(city)
    lives.begin_life(city)  # marked twice: the first of the two lives has no entry
    tablet.push(tablet.fact("order_posted", order_body(tablet, 1, site="site-02")))
    lines = lives.register_lines(city)
    marks = [line["mark"] for line in lines if line["restored"]]
    assert [line.get("register") for line in lines] == ["R-2026-00001", None, None, f"R-2026-{marks[1]}-00002"]
    assert [line["after"] for line in lines if line["restored"]] == ["R-2026-00001"] * 2
    assert len(set(marks)) == 2


def test_what_an_order_was_registered_as_before_the_loss_stands_beside_its_number(city):
    """The tablet still has the receipt of the life that is lost; nobody else could make one."""
    tablet = field_tablet(city)
    backup = bytes_of(city)
    order = tablet.fact("order_posted", order_body(tablet))
    item = tablet.item(order)
    sealed = receive_facts(city, tablet.tablet, [item])
    restored(city, backup)
    forged = [{**sealed[0], "mac": "0" * 64}, "no receipt", None,
              seal(Receipt("1" * 32, "2" * 64, "applied", None, {}, "e", "2026-08-27", "R-2026-00009"),
                   tablet.tablet.receipt_key)]
    receive_facts(city, tablet.tablet, [replace(item, former=(*forged, *sealed))])
    [line] = [line for line in lives.register_lines(city) if not line["restored"]]
    assert line["former"] == ("R-2026-00001",) and line["register"] != "R-2026-00001"
    [row] = queries.order_list(city)
    assert row["doc"]["former_registers"] == ["R-2026-00001"]


def test_a_number_of_a_lost_life_is_recognised_and_kept_in_mind(city):
    tablet = field_tablet(city)
    backup = bytes_of(city)
    [leased, *_], _seal = enrolment.lease_numbers(city, tablet.tablet, 60)
    sheet = blanks.print_blanks(city, "carol", tablet.tablet.code, 2)
    paper = blanks.stack(city, tablet.tablet.code, sheet)[0]
    restored(city, backup)
    printed = blanks.print_blanks(city, "carol", tablet.tablet.code, 2)
    assert public_order(city, paper.number, paper.token).state == "not_registered"
    order = tablet.fact("order_posted", order_body(tablet, number=leased.number, token=leased.token))
    by_hand = tablet.fact("order_posted", order_body(tablet, number=paper.number, token=paper.token, blank=True,
                                                     placard=None, site="site-02"))
    assert [receipt.answer for receipt in tablet.push(order, by_hand)] == ["applied"] * 2
    assert [(one.said, one.how) for one in lives.lost_numbers(city)] == [
        (leased.number, "record"), (paper.number, "placard")]
    mine = blanks.blanks_of(city, tablet.tablet.code)
    assert [blank.state for blank in mine if blank.number == paper.number] == ["used"]
    assert [blank.state for blank in mine if blank.sheet == printed] == ["free", "free"]
    further = blanks.stack(city, tablet.tablet.code, blanks.print_blanks(city, "carol", tablet.tablet.code, 1))
    assert parse_number(further[0].number).counter > parse_number(paper.number).counter, "so that people see it too"


def test_an_app_from_before_there_were_marks_is_given_nothing_new_and_hands_over_what_it_has(city):
    """A number without a mark could stand on a paper of the life that is lost, of which nobody may have told us."""
    tablet = field_tablet(city)
    backup = bytes_of(city)
    sheet = blanks.print_blanks(city, "carol", tablet.tablet.code, 3)
    papers = {blank.number for blank in blanks.stack(city, tablet.tablet.code, sheet)}
    restored(city, backup)
    before, _ = enrolment.lease_numbers(city, tablet.tablet, 0, marks=False)
    assert before == tablet.enrolled.lease, "what it was given it may ask for again"
    with pytest.raises(Problem, match="protocol-too-old"):
        enrolment.lease_numbers(city, tablet.tablet, 60, marks=False)
    new, _ = enrolment.lease_numbers(city, tablet.tablet, 60)
    assert not papers & {one.number for one in new} and {bool(parse_number(one.number).life) for one in new} == {True}
    [receipt] = tablet.push(tablet.fact("order_posted", order_body(tablet)))
    assert receipt.answer == "applied"
    code = enrolment.create_enrolment_code(city, "keeper")
    with pytest.raises(Problem, match="protocol-too-old"):
        enrolment.enrol_tablet(city, code, "ab" * 32, marks=False)
    assert enrolment.enrol_tablet(city, code, "ab" * 32).tablet.code.startswith("T02"), "its code is not used up"


def test_after_the_last_tablet_code_a_plain_error_says_so(city):
    city.db.write(lambda tx: tx.execute(counters.update().values(tablet_no=9_998)))
    assert field_tablet(city).tablet.code == "T9999"
    code = enrolment.create_enrolment_code(city, "keeper")
    for _ in range(2):
        with pytest.raises(Problem, match="T9999 was the last one") as caught:
            enrolment.enrol_tablet(city, code, "cd" * 32)
        assert (caught.value.code, caught.value.status) == ("tablet-codes-gone", 409)
    assert tablet_code(9_999, "KOBMIT") == "T9999KOBMIT"


def test_codes_of_their_own_are_bounded_for_all_that_were_one_tablet(city):
    """Whoever has a token could else use up every code of the city, by asking with a fresh secret each time."""
    tablet, given = field_tablet(city), []
    asking = tablet.tablet
    with pytest.raises(Problem) as caught:
        for number in range(100):
            secret = f"{number:064x}"
            given.append(copies.recode_tablet(city, asking, secret, [], ageing=False).enrolled.tablet)
            asking = given[-1] if number % 3 else tablet.tablet  # in lines and side by side
    assert (caught.value.code, caught.value.status) == ("tablet-copied-too-often", 409)
    assert len(given) == copies.MOST_COPIES
    again = copies.recode_tablet(city, tablet.tablet, f"{0:064x}", [], ageing=False)
    assert again.enrolled.tablet.code == given[0].code, "what was asked before is answered as before"
    assert field_tablet(city, seed=12).tablet.code == "T32", "another tablet has no part in it"

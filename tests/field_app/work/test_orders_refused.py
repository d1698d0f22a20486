"""What an order may not do: be posted without the power, under an old date, incomplete, twice, or under a used
number."""

import asyncio

import pytest

from sync.records.problems import Problem
from tests.support.field_desk import PIN, bench, jpeg, ready, settle, sign_in
from tests.support.field_steps import failing_inspection, posted_order, written_order
from tests.support.papers import flat


def with_signed(tmp_path, person, job):
    """Run `job(desk, work, signed)` on a tablet where `person` signed an inspection that fails."""

    async def all_of_it():
        desk = bench(tmp_path)
        async with desk.work() as work:
            await ready(desk, work, person)
            await job(desk, work, await failing_inspection(work))

    asyncio.run(all_of_it())


async def refused(code, call):
    with pytest.raises(Problem) as caught:
        await call
    assert caught.value.code == code


def test_a_placard_of_another_day_must_be_printed_anew(tmp_path):
    async def job(desk, work, signed):
        order = await written_order(work, signed)
        for row in work.order(order).corrections:
            await work.set_order_correction(order, row.index, row.text, "2026-08-29", "17:00")
        await work.make_placard(order)
        desk.clock.set("2026-08-28T00:01:00-05:00")
        assert work.placard(order).stale
        await refused("reprint-needed", work.placard_is_up(order))
        first = work.placard(order).sha256
        placard = await work.make_placard(order)
        assert not placard.stale and placard.printed_on == "2026-08-28" and placard.sha256 != first
        placard = await work.placard_is_up(order)
        assert placard.posted_on == "2026-08-28"

    with_signed(tmp_path, "ada", job)


def test_the_posting_date_is_the_citys_not_utc(tmp_path):
    """Posted at 23:30 in Chicago, the next day in UTC: day 0 is the local day, also when signed after midnight."""

    async def job(desk, work, signed):
        order = await written_order(work, signed)
        desk.clock.set("2026-08-27T23:30:00-05:00")
        assert "was due before now" in work.order(order).missing[0].sentence
        for row in work.order(order).corrections:
            await work.set_order_correction(order, row.index, row.text, "2026-08-29", "17:00")
        await work.make_placard(order)
        await work.placard_is_up(order)
        desk.clock.set("2026-08-28T00:10:00-05:00")
        placard = await work.post_order(order, PIN)
        assert placard.posted_on == "2026-08-27"
        assert {c.last_day for c in placard.clocks} >= {"2026-09-08"}

    with_signed(tmp_path, "ada", job)


def test_a_correction_due_at_once_is_said_so_and_never_as_a_time(tmp_path):
    """The minute of the tap has passed when the order is posted; typing on in the text keeps "at once"."""

    async def job(desk, work, signed):
        desk.clock.set("2026-08-27T14:40:00-05:00")
        order = await written_order(work, signed)
        row = next(c for c in work.order(order).corrections if "at once" in c.due_words)
        assert row.due_at == ""
        view = await work.set_order_correction(order, row.index, "Put a barrier in.", row.due_on, row.due_at)
        assert view.corrections[row.index].due_words == row.due_words and view.missing == ()
        await work.make_placard(order)
        text = flat(await work.placard_pdf(order))
        assert "Put a barrier in. at once, before the inspector leaves" in text

    with_signed(tmp_path, "ada", job)


def test_a_correction_of_the_past_must_get_a_new_date(tmp_path):
    async def job(desk, work, signed):
        order = await written_order(work, signed)
        desk.clock.set("2026-08-28T09:00:00-05:00")
        lacking = [m.sentence for m in work.order(order).missing]
        assert lacking and all(s.endswith("was due before now: set a later date and time.") for s in lacking)
        await refused("order-incomplete", work.make_placard(order))

    with_signed(tmp_path, "ada", job)


def test_without_the_power_it_is_only_recommended(tmp_path):
    async def job(desk, work, signed):
        order = await written_order(work, signed)
        placard = await work.make_placard(order)
        assert not placard.valid and "NOT VALID" in placard.heading
        await refused("no-authority", work.placard_is_up(order))
        await refused("placard-not-up", work.post_order(order, PIN))
        assert (await work.recommend_order(order, PIN)).done
        await refused("order-not-open", work.recommend_order(order, PIN))
        await refused("order-not-open", work.set_grounds(order, ["a"]))

    with_signed(tmp_path, "ben", job)


def test_a_power_that_ended_yesterday_posts_nothing(tmp_path):
    from datetime import date

    from sync.server.casework.people import end_power

    async def job(desk, work, signed):
        order = await written_order(work, signed)
        await desk.office(end_power, "carol", "ada", "post", date(2026, 8, 27))
        await settle(work, lambda: "Post a stop-work order" in work.settings().powers)
        await settle(work, lambda: any(g["until"] for g in work._desk.person()["powers"]))
        await work.stop_sync()
        assert work.order(order).may_post
        await work.make_placard(order)
        desk.clock.set("2026-08-28T08:00:00-05:00")
        assert not work.order(order).may_post
        await refused("no-authority", work.placard_is_up(order))

    with_signed(tmp_path, "ada", job)


def test_what_misses_is_named_and_nothing_is_printed(tmp_path):
    async def job(desk, work, signed):
        order = (await work.begin_order("site-01")).id
        assert {m.field for m in work.order(order).missing} == {"grounds", "findings", "observed", "corrections", "met"}
        await refused("order-incomplete", work.make_placard(order))
        await refused("placard-missing", work.placard_is_up(order))
        await refused("placard-missing", work.placard_pdf(order))
        await refused("choice-unknown", work.set_grounds(order, ["z"]))
        await refused("choice-unknown", work.set_order_finding(order, signed.fact, "nonsense", True))
        await refused("item-unknown", work.set_order_text(order, "number", "SW-1"))
        await refused("due-malformed", work.set_order_correction(order, 0, "Sweep.", "soon", ""))
        await refused("text-too-long", work.set_order_text(order, "observed", "x" * 5000))
        await refused("reasons-missing", work.abandon_order(order, " "))

    with_signed(tmp_path, "ada", job)


def test_choosing_a_finding_brings_its_correction_and_its_words(tmp_path):
    async def job(desk, work, signed):
        view = await work.begin_order("site-01")
        first, second = view.findings
        view = await work.set_order_finding(view.id, first.fact, first.finding, True)
        view = await work.set_order_finding(view.id, second.fact, second.finding, True)
        assert [c.text for c in view.corrections] and len(view.corrections) == 2
        assert view.observed.splitlines() == [
            "CB-1: No barrier, muddy water runs in.",
            "Tracking: Mud along Mill Street for 40 feet.",
        ]
        assert {g.letter for g in view.grounds if g.suggested} == {"b", "c"}
        view = await work.set_order_finding(view.id, first.fact, first.finding, False)
        assert len(view.corrections) == 1 and view.observed.startswith("Tracking")
        view = await work.set_order_text(view.id, "observed", "My own words.")
        view = await work.set_order_finding(view.id, first.fact, first.finding, True)
        assert view.observed == "My own words."

    with_signed(tmp_path, "ada", job)


def test_an_edit_after_printing_throws_the_placard_away(tmp_path):
    async def job(desk, work, signed):
        order = await written_order(work, signed)
        await work.make_placard(order)
        assert work.order(order).stage == "printed"
        view = await work.set_order_text(order, "must_stop", "All grading.")
        assert view.stage == "draft"
        await refused("placard-missing", work.placard_is_up(order))
        await work.make_placard(order)
        await work.placard_is_up(order)
        await refused("placard-up", work.set_order_text(order, "must_stop", "Nothing."))
        await refused("placard-up", work.make_placard(order))
        assert (await work.placard_not_up(order)).up is False
        await work.set_order_text(order, "must_stop", "All work.")

    with_signed(tmp_path, "ada", job)


def test_a_number_is_used_once_also_when_the_order_is_given_up(tmp_path):
    async def job(desk, work, signed):
        order = await written_order(work, signed)
        number = work.order(order).number
        assert (await work.begin_order("site-01", signed.fact)).number == number
        await work.abandon_order(order, "The site was made safe meanwhile.")
        left = work.order(order).numbers_left
        second = await work.begin_order("site-01", signed.fact)
        assert second.number != number and second.numbers_left == left - 1

    with_signed(tmp_path, "ada", job)


def test_when_no_number_is_left_it_says_so(tmp_path):
    async def job(desk, work, signed):
        store = work._desk.store
        async with store.change() as tx:
            for row in store.table("lease").all():
                tx.put("lease", row["number"], {**row, "used": "elsewhere"})
        await refused("lease-empty", work.begin_order("site-01", signed.fact))
        assert len(store.table("order_drafts")) == 0

    with_signed(tmp_path, "ada", job)


def test_posting_twice_signs_once(tmp_path):
    async def job(desk, work, signed):
        placard = await posted_order(work, signed)
        await refused("order-not-open", work.post_order(placard.id, PIN))
        await refused("order-not-open", work.placard_is_up(placard.id))
        assert sum(row["kind"] == "order_posted" for row in work._desk.store.table("facts").all()) == 1

    with_signed(tmp_path, "ada", job)


def test_a_photo_of_the_placard_asks_for_the_pin_after_a_quarter_of_an_hour(tmp_path):
    async def job(desk, work, signed):
        number = (await posted_order(work, signed)).number
        await work.add_order_photo(number, jpeg(11), source="camera")
        desk.clock.advance(minutes=15)
        kept = await work.add_order_photo(number, jpeg(12), source="camera")
        assert kept.needs_pin and len(kept.waiting) == len(kept.signed) == 1
        assert "took or chose 1 photo" in kept.statement
        await refused("pin-needed", work.sign_order_photos(number))
        await refused("pin-wrong", work.sign_order_photos(number, "000001"))
        assert len(work.order_photos(number).waiting) == 1
        assert not (await work.sign_order_photos(number, PIN)).waiting
        (posted,) = [d["id"] for d in work._desk.store.table("order_drafts").all()]
        assert len(work.placard(posted).photos) == 2
        kinds = [row["kind"] for row in work._desk.store.table("facts").all()]
        assert kinds.count("photo_added") == 2
        await refused("order-not-open", work.add_order_photo("SW-2026-T01-0019-X", jpeg(13), source="camera"))

    with_signed(tmp_path, "ada", job)


def test_only_an_issued_order_is_put_up(tmp_path):
    async def job(desk, work, signed):
        number = (await posted_order(work, signed)).number
        await refused("order-not-open", work.begin_affixing(number))
        await refused("order-not-open", work.begin_affixing("SW-2026-T01-0009-1"))

    with_signed(tmp_path, "ada", job)


def test_somebody_elses_order_is_not_signed(tmp_path):
    async def job(desk, work, signed):
        order = await written_order(work, signed)
        await work.make_placard(order)
        await sign_in(desk, work, "carol")
        await refused("draft-unknown", work.placard_is_up(order))
        await refused("draft-unknown", work.set_grounds(order, ["a"]))

    with_signed(tmp_path, "ada", job)

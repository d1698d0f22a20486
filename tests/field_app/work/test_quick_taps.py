"""Several taps at once, as gloves do them: nothing is lost, nothing happens twice."""

import asyncio

from sync.records.problems import Problem
from tests.support.field_desk import PIN, bench, jpeg, ready
from tests.support.field_steps import INLET, failing_inspection, item, written_order


def on_a_tablet(tmp_path, job):
    async def all_of_it():
        desk = bench(tmp_path)
        async with desk.work() as work:
            await ready(desk, work)
            await job(desk, work)

    asyncio.run(all_of_it())


async def at_once(*calls):
    """All calls together; gives the codes of those that were refused."""
    answers = await asyncio.gather(*calls, return_exceptions=True)
    codes = []
    for answer in answers:
        if isinstance(answer, Problem):
            codes.append(answer.code)
        elif isinstance(answer, BaseException):
            raise answer
    return codes


def test_two_taps_begin_one_inspection_and_one_order(tmp_path):
    async def job(desk, work):
        assert await at_once(*(work.begin_inspection("site-02") for _ in range(3))) == []
        assert len(work._desk.store.table("drafts")) == 1
        signed = await failing_inspection(work)
        assert await at_once(*(work.begin_order("site-01", signed.fact) for _ in range(3))) == []
        store = work._desk.store
        assert len(store.table("order_drafts")) == 1
        assert sum(1 for n in store.table("lease").all() if n["used"]) == 1

    on_a_tablet(tmp_path, job)


def test_answers_and_photos_at_once_are_all_kept(tmp_path):
    async def job(desk, work):
        draft = (await work.begin_inspection("site-01")).id
        keys = [i.key for s in work.inspection(draft).sections for c in s.cards for i in c.items]
        calls = [work.note(draft, key, f"note {key}") for key in keys]
        calls += [work.answer_special(draft, key, "na") for key in keys]
        calls += [work.add_photo(draft, INLET, jpeg(n), source="camera") for n in range(6)]
        assert await at_once(*calls) == []
        view = work.inspection(draft)
        assert [item(view, key).note for key in keys] == [f"note {key}" for key in keys]
        assert {item(view, key).state for key in keys} == {"na"}
        assert len(item(view, INLET).photos) == 6
        assert all(photo.place == "position known to 17 ft" for photo in item(view, INLET).photos)

    on_a_tablet(tmp_path, job)


def test_edits_of_an_order_at_once_are_all_kept(tmp_path):
    async def job(desk, work):
        order = (await work.begin_order("site-01", (await failing_inspection(work)).fact)).id
        calls = [
            work.set_order_text(order, "observed", "Mud everywhere."),
            work.set_order_text(order, "must_stop", "All grading."),
            work.set_grounds(order, ["a", "c"]),
            work.set_met(order, 0, "Joe Brown", "foreman", True),
            work.set_order_correction(order, 2, "Call the office.", "2026-08-28", "09:00"),
        ]
        assert await at_once(*calls) == []
        view = work.order(order)
        assert (view.observed, view.must_stop) == ("Mud everywhere.", "All grading.")
        assert [g.letter for g in view.grounds if g.chosen] == ["a", "c"]
        assert [m.name for m in view.met] == ["Joe Brown"] and len(view.corrections) == 3

    on_a_tablet(tmp_path, job)


def test_signing_and_posting_twice_at_once_makes_one_fact_each(tmp_path):
    async def job(desk, work):
        signed = await failing_inspection(work)
        order = await written_order(work, signed)
        await work.make_placard(order)
        assert await at_once(work.placard_is_up(order), work.placard_is_up(order)) == ["placard-up"]
        assert await at_once(work.post_order(order, PIN), work.post_order(order, PIN)) == ["order-not-open"]
        counters = sorted(row["counter"] for row in work._desk.store.table("facts").all())
        assert counters == [1, 2]

    on_a_tablet(tmp_path, job)


def test_an_edit_while_the_placard_is_printed_is_not_lost(tmp_path):
    async def job(desk, work):
        order = await written_order(work, await failing_inspection(work))
        codes = await at_once(work.make_placard(order), work.set_order_text(order, "must_stop", "All grading."))
        assert codes in ([], ["placard-missing"])
        view = work.order(order)
        assert view.must_stop == "All grading." and view.stage == "draft"

    on_a_tablet(tmp_path, job)

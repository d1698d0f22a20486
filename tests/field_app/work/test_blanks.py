"""Pre-printed placards on the tablet: bound once by code or number, refused with what to do, dated, explained."""

import asyncio
import shutil
from pathlib import Path

from sync.records.facts import parse
from sync.records.numbers import order_number
from sync.records.protocol import public_order_url
from sync.server.casework import blanks, queries
from sync.server.casework.enrolment import order_token
from sync.server.db.schema import orders
from tests.support.city import PUBLIC_URL
from tests.support.codes import jpeg_of, seen
from tests.support.field_desk import PIN, bench, ready, refused, settle, sign_in
from tests.support.field_steps import failing_inspection, nothing_else, soil_on_the_road, written_order
from tests.support.papers import flat


def code_of(work):
    return work._desk.tablet()["tablet_code"]


async def with_papers(desk, work, count=4):
    """Enrolled, signed in, with a stack of papers that the tablet knows of; their numbers."""
    await ready(desk, work)
    code = code_of(work)
    await desk.office(blanks.print_blanks, "carol", code, count)
    await settle(work, lambda: len(work.blanks().free) == count)
    await work.stop_sync()
    desk.network.up = False
    return work.blanks().free


def link(desk, number, *, base=PUBLIC_URL, token=None, printed_on=None):
    return public_order_url(base, number, token or order_token(desk.city, number), printed_on)


def facts(work, kind):
    return [body for row in work._desk.store.table("facts").all() if row["kind"] == kind
            if (body := parse(row["text"]).body)]


def run(tmp_path, story, **given):
    async def go():
        desk = bench(tmp_path, **given)
        async with desk.work() as work:
            await story(desk, work)
    asyncio.run(go())


def test_a_scanned_paper_is_dated_put_up_and_registered_under_its_own_number(tmp_path: Path):
    async def story(desk, work):
        papers = await with_papers(desk, work)
        order = await written_order(work, await failing_inspection(work))
        lost = work.order(order).number
        left = work.order(order).numbers_left
        view = await work.scan_blank(order, jpeg_of(seen(link(desk, papers[2]), turned=14, blur=1)))
        assert (view.number, view.blank, view.dated, view.valid) == (papers[2], True, False, True)
        assert "Write today's date" in view.sentence and papers[2] in view.sentence
        assert "p=" not in view.public_url, "the code on the paper names no date"
        assert work.order(order).numbers_left == left + 1, "no number is burnt: the one that was kept goes back"
        assert await refused(work.placard_is_up(order)) == "blank-not-dated"
        assert (await work.blank_is_dated(order)).dated
        up = await work.placard_is_up(order)
        assert up.up and up.posted_on == "2026-08-27"
        assert (await work.post_order(order, PIN)).done
        [body] = facts(work, "order_posted")
        assert (body["number"], body["blank"], body["printed_on"], body["placard"]) == (
            papers[2], True, "2026-08-27", None)
        assert facts(work, "number_voided") == []
        await work.save_placard(order)
        assert papers[2] in flat(desk.saved[f"{papers[2]}.pdf"]), "the whole order, for the person in charge"
        second = await written_order(work, await failing_inspection(work))
        assert work.order(second).number == lost
        assert papers[2] not in work.blanks().free and len(work.blanks().free) == 3

        desk.network.up = True
        await settle(work, lambda: work.blanks().free == (papers[0], papers[1], papers[3]))
        with desk.city.db.read() as tx:
            [row] = tx.execute(orders.select())
        assert (row.number, row.status) == (papers[2], "in_force")
        assert not queries.set_aside(desk.city)["quarantined"]
    run(tmp_path, story)


def test_each_paper_that_may_not_be_used_is_refused_with_its_reason_and_burns_nothing(tmp_path: Path):
    async def story(desk, work):
        papers = await with_papers(desk, work)
        other = bench(tmp_path / "other", of=desk)
        async with other.work() as neighbour:
            desk.network.up = True
            foreign = (await with_papers(other, neighbour))[0]
        order = await written_order(work, await failing_inspection(work))
        before = work.order(order)
        mine = before.number
        wrong = papers[0][:-1] + ("A" if papers[0][-1] != "A" else "B")
        far = order_number(2026, code_of(work), 700)
        for text, code in (
            (foreign, "blank-other-tablet"), (link(desk, foreign), "blank-other-tablet"),
            (wrong, "number-malformed"), ("12", "number-malformed"), ("", "number-malformed"),
            (link(desk, papers[0], base="https://elsewhere.example"), "code-other-city"),
            (link(desk, papers[0], base=PUBLIC_URL + "/x"), "code-other-city"),
            ("https://example.org/menu", "code-foreign"), (f"{PUBLIC_URL}/o/nonsense?t=1", "code-foreign"),
            (f"{PUBLIC_URL}/o/{papers[0]}", "code-foreign"), ("WIFI:S:cafe;;://", "code-foreign"),
            (link(desk, papers[0], printed_on="2026-08-27"), "code-foreign"),
            (link(desk, papers[0], token="0" * 32), "blank-unknown"), (far, "blank-unknown"),
            (link(desk, far), "blank-unknown"), (mine, "blank-unknown"),
        ):
            assert await refused(work.bind_blank(order, text)) == code, text
        assert await refused(work.scan_blank(order, jpeg_of(seen("https://example.org/menu")))) == "code-foreign"
        cut_off = jpeg_of(seen("x", share=0.6).crop((0, 0, 300, 200)))
        assert await refused(work.scan_blank(order, cut_off)) == "code-not-seen"
        assert await refused(work.scan_blank(order, b"no picture")) == "evidence-not-an-image"
        after = work.order(order)
        assert (after.number, after.numbers_left, after.stage) == (mine, before.numbers_left, "draft")

        first = await work.bind_blank(order, f" {papers[0].lower()} ")
        assert first.number == papers[0]
        again = await work.bind_blank(order, link(desk, papers[0]))
        assert again.number == papers[0], "the same paper scanned once more is the same paper"
        second = await written_order(work, await failing_inspection(work))
        assert second == order, "an unfinished order is gone on with"
        await work.blank_is_dated(order)
        await work.placard_is_up(order)
        await work.post_order(order, PIN)
        second = await written_order(work, await failing_inspection(work))
        for text in (papers[0], link(desk, papers[0])):
            assert await refused(work.bind_blank(second, text)) == "blank-used"
        await work.spoil_blank(papers[1], "Torn by the wind")
        assert await refused(work.bind_blank(second, link(desk, papers[1]))) == "blank-void"
        assert await refused(work.spoil_blank(papers[1], "again")) == "blank-void"
        assert await refused(work.spoil_blank(papers[0], "no")) == "blank-used"
        assert await refused(work.spoil_blank(papers[2], " ")) == "reasons-missing"
        assert work.blanks().free == papers[2:]
    run(tmp_path, story)


def test_a_paper_dated_on_another_day_must_not_go_up(tmp_path: Path):
    async def story(desk, work):
        papers = await with_papers(desk, work)
        order = await written_order(work, await failing_inspection(work))
        await work.bind_blank(order, papers[0])
        await work.blank_is_dated(order)
        assert await refused(work.leave_blank(order)) == "reasons-missing", "it bears a date: it is spoiled"
        desk.clock.advance(hours=20)
        view = work.placard(order)
        assert view.stale and "must not go up on another day" in view.sentence
        assert await refused(work.placard_is_up(order)) == "blank-date-differs"
        assert await refused(work.make_placard(order)) == "order-not-open"
        await work.leave_blank(order, "Not put up on its day")
        assert papers[0] not in work.blanks().free and work.order(order).number not in papers
        [body] = facts(work, "number_voided")
        assert (body["number"], body["blank"], body["reasons"], body["voided_on"]) == (
            papers[0], True, "Not put up on its day", "2026-08-28")
        for index, correction in enumerate(work.order(order).corrections):
            await work.set_order_correction(order, index, correction.text, "2026-09-01", "17:00")
        await work.bind_blank(order, papers[1])
        await work.blank_is_dated(order)
        assert (await work.placard_is_up(order)).posted_on == "2026-08-28"
        await work.post_order(order, PIN)
        desk.network.up = True
        await settle(work)
        states = {one.number: (one.state, one.reasons) for one in blanks.blanks_of(desk.city, code_of(work))}
        assert states[papers[0]] == ("void", "Not put up on its day") and states[papers[1]][0] == "used"
    run(tmp_path, story)


def test_an_edit_keeps_the_paper_and_a_clean_one_can_be_used_another_time(tmp_path: Path):
    async def story(desk, work):
        papers = await with_papers(desk, work)
        order = await written_order(work, await failing_inspection(work))
        await work.bind_blank(order, papers[0])
        view = await work.set_order_text(order, "may_continue", "Seeding")
        assert (view.stage, view.number, view.blank) == ("draft", papers[0], True)
        assert (await work.keep_blank(order)).number == papers[0]
        assert await refused(work.recommend_order(order, PIN)) == "order-not-open"
        await work.leave_blank(order)
        assert work.order(order).number not in papers and work.blanks().free == papers
        # One that was printed meanwhile leaves a paper with its number: the gap is explained.
        placard = await work.make_placard(order)
        await work.bind_blank(order, papers[1])
        [body] = facts(work, "number_voided")
        assert (body["number"], body["instead"], body["blank"]) == (placard.number, papers[1], False)
        await work.abandon_order(order, "The work had stopped.")
        assert work.blanks().free == papers, "nothing was written on it"
        third = await written_order(work, await failing_inspection(work))
        kept = work.order(third).number
        await work.abandon_order(third, "A mistake")
        assert [one["number"] for one in facts(work, "number_voided")] == [placard.number, kept]
    run(tmp_path, story)


def test_a_paper_that_another_person_of_this_tablet_has_bound_is_refused_and_cannot_be_recorded_as_spoiled(tmp_path):
    async def story(desk, work):
        papers = await with_papers(desk, work)
        hers = await written_order(work, await failing_inspection(work))
        await work.bind_blank(hers, papers[0])
        await work.blank_is_dated(hers)
        await work.leave()
        desk.network.up = True
        await sign_in(desk, work, "carol")
        await work.stop_sync()
        desk.network.up = False
        assert work.blanks().free == papers[1:]
        view = await work.begin_inspection("site-02")
        await soil_on_the_road(work, view.id)
        await nothing_else(work, view.id)
        other = await written_order(work, await work.sign_inspection(view.id, PIN))
        for paper in (papers[0], link(desk, papers[0])):
            assert await refused(work.bind_blank(other, paper)) == "blank-used"
        assert await refused(work.spoil_blank(papers[0], "It was torn.")) == "blank-used"
        await work.bind_blank(other, papers[1])
        # Bound twice by an older version: neither goes up as long as both are there.
        async with work._desk.store.change() as tx:
            tx.put("order_drafts", other, {**tx.get("order_drafts", other), "number": papers[0]})
        await work.blank_is_dated(other)
        assert await refused(work.placard_is_up(other)) == "blank-used"
        await work.leave()
        await work.unlock("ada", PIN)
        assert await refused(work.placard_is_up(hers)) == "blank-used"

    run(tmp_path, story)


def test_a_person_without_the_power_to_post_gets_no_paper(tmp_path: Path):
    async def story(desk, work):
        papers = await with_papers(desk, work)
        desk.network.up = True
        await sign_in(desk, work, "ben")
        await settle(work)
        order = await written_order(work, await failing_inspection(work))
        assert await refused(work.bind_blank(order, papers[0])) == "no-authority"
    run(tmp_path, story)


def test_papers_with_the_old_code_of_a_tablet_that_was_set_back_go_on(tmp_path: Path):
    """The tablet is set back to yesterday, gets another code, and the stack in its case bears the old one."""
    async def go():
        desk = bench(tmp_path, native=True)
        async with desk.work() as work:
            papers = await with_papers(desk, work)
            order = await written_order(work, await failing_inspection(work))
            await work.bind_blank(order, papers[0])
            old = code_of(work)
            await work._desk.store.close()
        shutil.copytree(desk.store_folder, tmp_path / "copy")
        async with desk.work() as work:
            await work.blank_is_dated(order)
            await work.placard_is_up(order)
            await work.post_order(order, PIN)
            desk.network.up = True
            await settle(work)
            await work.stop_sync()
        shutil.rmtree(desk.store_folder)
        shutil.copytree(tmp_path / "copy", desk.store_folder)
        async with desk.work() as work:
            assert work.order(order).number == papers[0]
            await settle(work, lambda: code_of(work) != old)
            await settle(work, lambda: work.blanks().free == papers[1:])
            await work.stop_sync()
            new = code_of(work)
            doc = work._desk.store.table("order_drafts").get(order)
            assert doc["number"] == papers[0], "the paper that was in the hand stays with its order"
            assert await refused(work.bind_blank(order, papers[0])) == "blank-used", "but it hangs elsewhere already"
            await work.bind_blank(order, papers[1])
            await work.blank_is_dated(order)
            await work.placard_is_up(order)
            await work.post_order(order, PIN)
            [body] = facts(work, "order_posted")
            assert body["number"] == papers[1] and [(one["code"], one["was"]) for one in body["line"]] == [(new, old)]
            await settle(work)
        with desk.city.db.read() as tx:
            assert {row.number: row.status for row in tx.execute(orders.select())} == {
                papers[0]: "in_force", papers[1]: "in_force"}
    asyncio.run(go())


def test_an_order_is_never_begun_with_the_number_of_a_paper(tmp_path: Path):
    async def story(desk, work):
        papers = await with_papers(desk, work, count=20)
        desk.network.up = True
        given = set()
        for _turn in range(14):
            order = await work.begin_order("site-01")
            given.add(order.number)
            await work.abandon_order(order.id, "A mistake")
        assert len(given) == 14 and not given & set(papers)

        def lease():
            return {doc["number"] for doc in work._desk.store.table("lease").all()}

        await settle(work, lambda: len(lease()) > 60)  # it was filled up, past the papers
        assert not lease() & set(papers)
    run(tmp_path, story)

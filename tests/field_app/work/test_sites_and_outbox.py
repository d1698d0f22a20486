"""What the lists show: sites found by any of their words, what is open, what is sent, and one honest status bar."""

import asyncio

import pytest

from field_app.work.app import another_tab_view
from field_app.work.clocks import last_heard
from sync.records.problems import Problem
from tests.support.field_desk import PIN, bench, jpeg, ready, settle, until
from tests.support.field_steps import INLET, failing_inspection, item, nothing_else, posted_order, soil_on_the_road


def on_a_tablet(tmp_path, job, person="ada"):
    async def all_of_it():
        desk = bench(tmp_path)
        async with desk.work() as work:
            await ready(desk, work, person)
            await job(desk, work)

    asyncio.run(all_of_it())


async def put(work, table, ident, doc):
    async with work._desk.store.change() as tx:
        tx.put(table, ident, doc)


def test_a_site_is_found_by_any_of_its_words(tmp_path):
    async def job(desk, work):
        store = work._desk.store
        await put(
            work, "sites", "site-03", {**store.table("sites").get("site-02"), "id": "site-03", "name": "Café Nuñez"}
        )
        found = lambda query: [row.id for row in work.sites(query).rows]  # noqa: E731
        assert sorted(found("")) == ["site-01", "site-02", "site-03"]
        assert found("cafe nunez") == found("NUÑEZ") == ["site-03"]
        assert found("ec-2026-014") == ["site-01"] and found("251-01") == ["site-01"]
        assert found("mill lot") == ["site-01", "site-02"]
        assert found("nowhere") == [] and "nowhere" in work.sites("nowhere").empty
        assert work.sites("nowhere").total == 3
        number = (await posted_order(work, await failing_inspection(work))).number
        assert found(number.lower()) == ["site-01"]

    on_a_tablet(tmp_path, job)


def test_what_needs_a_look_comes_first(tmp_path):
    async def job(desk, work):
        assert [row.id for row in work.sites().rows] == ["site-01", "site-02"]
        await work.begin_inspection("site-02")
        first = work.sites().rows[0]
        assert (first.id, bool(first.draft)) == ("site-02", True)

    on_a_tablet(tmp_path, job)


def test_a_permit_that_ran_out_since_it_came_down_is_not_in_force(tmp_path):
    async def job(desk, work):
        permit = work.site("site-01").permits[0]
        assert permit.in_force and permit.words == "in force through Sat Nov 28, 2026"
        desk.clock.set("2026-11-28T23:59:00-06:00")
        assert work.site("site-01").permits[0].in_force
        desk.clock.set("2026-11-29T00:01:00-06:00")
        permit = work.site("site-01").permits[0]
        assert not permit.in_force and permit.words == "expired, last valid day Sat Nov 28, 2026"
        assert not work.sites().rows[0].permit_ok
        assert work.site("site-02").permit_words == "No permit found"

    on_a_tablet(tmp_path, job)


def test_without_a_permit_the_order_runs_to_cease_and_desist(tmp_path):
    """site-02 has no permit: K5 instead of K4, the same last day."""

    async def job(desk, work):
        placard = await posted_order(work, await self_made(work))
        assert placard.clocks[0].label.startswith("The building inspector may ask the city attorney")
        assert placard.clocks[0].last_day == "2026-09-08"
        await settle(work, lambda: work.site("site-02").orders[0].status == "in_force")
        assert work.site("site-02").orders[0].clocks == placard.clocks

    async def self_made(work):
        view = await work.begin_inspection("site-02")
        await soil_on_the_road(work, view.id)
        await nothing_else(work, view.id)
        return await work.sign_inspection(view.id, PIN)

    on_a_tablet(tmp_path, job)


def test_an_earlier_finding_is_shown_and_closed_by_a_pass(tmp_path):
    async def job(desk, work):
        await failing_inspection(work)
        await settle(work, lambda: len(work.site("site-01").findings) == 2)
        desk.clock.set("2026-08-28T09:00:00-05:00")
        overdue = {f.due for f in work.site("site-01").findings if f.overdue}
        assert "overdue since Thu Aug 27, 2026 at 5:00 PM" in overdue
        assert "overdue: was due at once on Thu Aug 27, 2026" in overdue
        draft = (await work.begin_inspection("site-01", "re-inspection")).id
        assert item(work.inspection(draft), INLET).earlier == "Open since Thu Aug 27, 2026: Critical"
        await work.answer(draft, INLET, "barrier", "fabric_b")
        await nothing_else(work, draft)
        await work.sign_inspection(draft, PIN)
        await settle(work, lambda: len(work.site("site-01").findings) == 1)
        assert work.site("site-01").findings[0].title == "Is there soil on a public or private road?"

    on_a_tablet(tmp_path, job)


def test_rain_that_cannot_be_is_refused_in_words(tmp_path):
    async def job(desk, work):
        draft = (await work.begin_inspection("site-01")).id
        await work.set_details(draft, rain="40")
        assert not [m for m in work.inspection(draft).missing if m.section == "details"]
        await work.set_details(draft, rain="125")
        said = [m.sentence for m in work.inspection(draft).missing]
        assert any("More than 40 inches of rain in 24 hours cannot be right: check the number." in s for s in said)

    on_a_tablet(tmp_path, job)


def test_a_second_inspection_of_the_same_person_goes_on_with_the_first(tmp_path):
    async def job(desk, work):
        first = await work.begin_inspection("site-01")
        await work.answer(first.id, "TRK-03", "answer", "yes")
        again = await work.begin_inspection("site-01", "rain")
        assert again.id == first.id and again.done == 1 and again.details.type == "weekly"
        await work.discard_draft(first.id)
        assert not work.has_open_draft() and work.sites().rows[0].draft is None
        with pytest.raises(Problem) as caught:
            work.inspection(first.id)
        assert caught.value.code == "draft-unknown"

    on_a_tablet(tmp_path, job)


def test_who_may_not_inspect_begins_nothing(tmp_path):
    async def job(desk, work):
        assert not work.site("site-01").may_inspect
        with pytest.raises(Problem) as caught:
            await work.begin_inspection("site-01")
        assert caught.value.code == "no-authority"

    on_a_tablet(tmp_path, job, "dora")


def test_what_the_office_holds_back_is_said_with_its_reason(tmp_path):
    """Ada's power ended in the office while she was out: her order is kept there, and the tablet says why it waits."""
    from datetime import date

    from sync.server.casework.people import end_power

    async def job(desk, work):
        desk.network.up = False
        signed = await failing_inspection(work)
        await desk.office(end_power, "carol", "ada", "post", date(2026, 8, 26))
        await posted_order(work, signed)
        assert work.status().level == "waiting"
        desk.network.up = True
        work.start_sync()
        work.send_now()
        await until(lambda: work.status().held == 1 and work.status().waiting == 0)
        status, order = work.status(), work.outbox().rows[0]
        assert status.level == "received" and "The office looks at 1 signed item." in status.sentence
        assert order.state == "held" and "power" in order.reason and not order.can_send_again
        assert work.outbox().hand_in.yes  # nothing is here alone
        placard = next(d for d in work._desk.store.table("order_drafts").all())["id"]
        assert "goes to the office" not in work.placard(placard).sentence
        assert "the office must look at it" in work.placard(placard).sentence
        assert work.outbox().rows[1].state == "safe"

    on_a_tablet(tmp_path, job)


def test_the_one_thing_that_the_server_is_not_done_with_is_named(tmp_path):
    """What is said beside it of another one, that it is safe, is as true."""

    async def job(desk, work):
        signed = await failing_inspection(work)
        placard = await posted_order(work, signed)
        await settle(work)
        await work.stop_sync()
        doc = work._desk.store.table("facts").get(signed.fact)
        await put(work, "facts", signed.fact, {**doc, "sync": {**doc["sync"], "whole": False, "answer": "waiting"}})
        assert work.placard(placard.id).sentence == "The posting is signed, and safe on the server."
        assert work.status().level == "received"
        assert work.status().sentence.startswith(
            "Everything is on the server, which is not done yet with this: Inspection · ")

    on_a_tablet(tmp_path, job)


def test_a_withdrawn_tablet_keeps_everything_and_says_so(tmp_path):
    async def job(desk, work):
        await failing_inspection(work)
        secret = work._desk.store.table("secrets").get("tablet")
        await put(work, "secrets", "tablet", {**secret, "device_token": "0" * 64})
        work.start_sync()
        await until(lambda: work.status().level == "attention")
        assert "enrol" in work.status().sentence
        assert work.outbox().rows[0].state in ("waiting", "sending")
        await work.stop_sync()
        await work.enrol(desk.enrolment_code())
        assert (await work.start()).screen == "sign_in"
        assert work.sign_in_view().tablet == "T02" and work.sign_in_view().people == ()
        assert len(work._desk.store.table("facts")) == 1

    on_a_tablet(tmp_path, job)


def test_as_another_tablet_the_old_numbers_are_not_used(tmp_path):
    async def job(desk, work):
        await work.enrol(desk.enrolment_code())
        await work.sign_in(desk.personal_code("ada"))
        signed = await failing_inspection(work)
        row = work._desk.store.table("facts").get(signed.fact)
        assert row["counter"] == 1
        assert "-T02-" in (await work.begin_order("site-01", signed.fact)).number

    on_a_tablet(tmp_path, job)


def test_receipted_items_are_cleared_after_two_weeks_and_nothing_else(tmp_path):
    async def job(desk, work):
        await failing_inspection(work)
        await settle(work)
        await work.stop_sync()
        desk.clock.advance(days=15)
        await work.start()
        assert len(work.outbox().rows) == 1, "since then nobody has heard whether the server still has it"
        before = last_heard(work._desk)
        await settle(work, lambda: last_heard(work._desk) != before)
        await work.stop_sync()
        desk.network.up = False
        await failing_inspection(work, "site-01")
        box = work._desk.box
        kept = await box.shas()
        assert len(work.outbox().rows) == 2
        await work.start()
        (row,) = work.outbox().rows
        assert row.state == "waiting" and len(row.files) == 3
        assert await box.shas() == kept

    on_a_tablet(tmp_path, job)


def test_another_tab_is_told_before_there_is_any_work():
    view = another_tab_view()
    assert "another tab" in view.sentence and view.take_over and view.advice


def test_an_unknown_error_is_shown_without_its_insides(tmp_path):
    async def job(desk, work):
        view = work.problem_view(ZeroDivisionError("secret detail"))
        assert view.code == "ZeroDivisionError" and "secret" not in view.sentence + view.advice

    on_a_tablet(tmp_path, job)


def test_a_listener_that_fails_does_not_fail_the_tap(tmp_path):
    async def job(desk, work):
        heard = []
        work.listen(lambda: 1 / 0)
        work.listen(lambda: heard.append(1))
        draft = (await work.begin_inspection("site-01")).id
        await work.answer(draft, "TRK-03", "answer", "yes")
        assert item(work.inspection(draft), "TRK-03").state == "pass" and heard

    on_a_tablet(tmp_path, job)


def test_in_spanish_the_law_speaks_spanish_and_every_screen_can_be_drawn(tmp_path):
    async def job(desk, work):
        assert work.site("site-01").as_written == work.people_here().remark == ""
        assert (await work.set_language("es")).language == "es"
        assert work.site("site-01").as_written == "En las palabras de la propia ciudad"
        assert work.people_here().remark == "Los cargos se muestran tal como los escribió la ciudad."
        draft = (await work.begin_inspection("site-01")).id
        await soil_on_the_road(work, draft)
        view = item(work.inspection(draft), "TRK-06")
        assert view.question.startswith("¿") and "jornada" in view.due_words
        await work.discard_draft(draft)
        placard = await posted_order(work, await failing_inspection(work))
        assert "fijada el jueves 27 de agosto" in placard.clocks[0].words
        for draw in (work.sites, work.outbox, work.settings, work.status, work.sign_in_view, work.pin_view):
            assert draw() is not None
        with pytest.raises(Problem) as caught:
            await work.set_language("tlh")
        assert caught.value.code == "choice-unknown"

    on_a_tablet(tmp_path, job)


def test_before_the_pack_came_down_sites_can_be_read_and_nothing_begun(tmp_path):
    async def job(desk, work):
        async with work._desk.store.change() as tx:
            for doc in work._desk.store.table("packs").all():
                tx.delete("packs", doc["id"])
        assert work.sites().total == 2 and work.site("site-01").permits[0].conditions
        assert work.status().demo is False and work.settings().facts
        with pytest.raises(Problem) as caught:
            await work.begin_inspection("site-01")
        assert caught.value.code == "pack-missing"

    on_a_tablet(tmp_path, job)


def test_another_tablets_placard_can_be_photographed(tmp_path):
    """Ben's tablet posts nothing itself: it sees Ada's order come down and adds a photo of the placard."""

    async def all_of_it():
        first = bench(tmp_path / "one")
        async with first.work() as work:
            await ready(first, work)
            number = (await posted_order(work, await failing_inspection(work))).number
            await settle(work)
        second = bench(tmp_path / "two", of=first)
        async with second.work() as work:
            await ready(second, work, "ben")
            assert work.sign_in_view().tablet == "T02"
            (order,) = work.site("site-01").orders
            assert (order.number, order.status, order.placard) == (number, "in_force", None)
            assert not (await work.add_order_photo(number, jpeg(30), source="camera", pin=PIN)).waiting
            await settle(work)
            assert [row.state for row in work.outbox().rows] == ["safe"]

    asyncio.run(all_of_it())

"""The tablet itself: copied, set back, withdrawn, short of numbers. Work goes on, or stops with a plain word."""

import asyncio
from dataclasses import replace

import pytest

from field_app.store.memory import Medium
from sync.client.rows import PARKED
from sync.records.problems import Problem
from sync.server.casework import queries
from sync.server.casework.conflicts import open_conflicts
from sync.server.casework.enrolment import LEASE_SIZE, withdraw_tablet
from sync.server.casework.judging import take_beside
from sync.server.casework.numbering import undecided
from sync.server.casework.office import kept_records
from sync.server.db.engine import put
from sync.server.db.schema import powers
from tests.support.city import START
from tests.support.field_desk import PIN, bench, jpeg, ready, settle, sign_in, until
from tests.support.field_steps import failing_inspection, written_order


def copy_of(desk, folder):
    """Another tablet with the same storage, byte for byte."""
    medium = Medium()
    medium.files = dict(desk.medium.files)
    for file in desk.box_folder.rglob("*"):
        if file.is_file():
            there = folder / "evidence" / file.relative_to(desk.box_folder)
            there.parent.mkdir(parents=True, exist_ok=True)
            there.write_bytes(file.read_bytes())
    twin = bench(folder, of=desk)
    return replace(twin, medium=medium)


def code(work):
    return work.status().tablet


def grant_void(city):
    city.db.write(lambda tx: put(tx, powers, {"city_id": city.id, "person": "carol", "power": "void_and_supersede",
                                              "from_day": START, "until_day": None}))


def held_back(work):
    """The newest record is with the office, which has set it aside."""
    row = work._desk.outbox.view().facts[-1]
    return row.state == PARKED and row.park.held


def kinds(work):
    return [one.kind for one in work.warnings()]


async def posted(work, fact):
    order = await written_order(work, fact)
    await work.make_placard(order)
    await work.placard_is_up(order)
    await work.post_order(order, PIN)
    return order


def test_a_copy_gets_a_code_of_its_own_by_itself_and_no_number_is_there_twice(tmp_path):
    async def job():
        desk = bench(tmp_path / "one")
        async with desk.work() as work:
            await ready(desk, work)
            inspected = await failing_inspection(work)
            await settle(work)
            await work.stop_sync()
        twin = copy_of(desk, tmp_path / "two")
        async with desk.work() as work, twin.work() as other:
            assert code(work) == code(other) == "T01"
            first = await posted(work, inspected)
            second = await written_order(other, inspected)
            await other.make_placard(second)
            same = other.order(second).number
            assert work.placard(first).number == same, "both took the next number: nobody told them"
            await settle(work)
            assert [order["status"] for order in queries.order_list(desk.city)] == ["in_force"]
            other.start_sync()
            await until(lambda: code(other) == "T02" and other.status().online)
            fresh = other.order(second)
            assert fresh.number != same and "-T02-" in fresh.number and fresh.stage == "draft"
            [warning] = [one for one in other.warnings() if one.kind == "recoded"]
            assert "T01" in warning.sentence and "T02" in warning.sentence and "another number" in warning.advice
            await other.make_placard(second)
            await other.placard_is_up(second)
            await other.post_order(second, PIN)
            await settle(other, lambda: not other.status().waiting)
            numbers = [order["number"] for order in queries.order_list(desk.city)]
            assert sorted(numbers) == sorted({same, fresh.number})
            assert {order["status"] for order in queries.order_list(desk.city)} == {"in_force"}
            # Its people went on without a new sign-in, and the first tablet is left alone.
            assert other.status().user == "Ada Lindqvist" and code(work) == "T01"
            await settle(work)
            assert code(work) == "T01" and kinds(work) == []
            await other.stop_sync()
        desk.clock.boot = "another run"
        async with twin.work() as other:
            assert code(other) == "T02" and kinds(other) == [], "told once, not for ever"

    asyncio.run(job())


def test_a_true_collision_holds_both_orders_back_and_keeps_both_records(tmp_path):
    """Both put a placard up under one number before either met the office: nobody can say which counts."""

    async def job():
        desk = bench(tmp_path / "one")
        async with desk.work() as work:
            await ready(desk, work)
            inspected = await failing_inspection(work)
            await settle(work)
            await work.stop_sync()
        twin = copy_of(desk, tmp_path / "two")
        async with desk.work() as work, twin.work() as other:
            first, second = await posted(work, inspected), await posted(other, inspected)
            number = work.placard(first).number
            assert other.placard(second).number == number
            await settle(work)
            other.start_sync()
            await until(lambda: code(other) == "T02")
            await until(lambda: held_back(other))
            [order] = queries.order_list(desk.city)
            assert (order["number"], order["status"]) == (number, "quarantined")
            [conflict] = open_conflicts(desk.city)
            assert conflict.kind == "copied_tablet" and conflict.about == number
            [copied] = kept_records(desk.city, conflict.subject)
            assert copied["body"]["number"] == number and conflict.subject != order["id"]
            await desk.office(grant_void)
            await desk.office(take_beside, "carol", conflict.subject, "Both placards hang.")
            assert [one["status"] for one in queries.order_list(desk.city)] == ["quarantined"] * 2
            with desk.city.db.read() as tx:
                assert len(undecided(tx, desk.city, number)) == 2
            # A placard that hangs keeps its number, also on the tablet that has another code now.
            assert other.placard(second).number == number
            await other.stop_sync()

    asyncio.run(job())


def test_a_tablet_set_back_to_yesterday_is_seen_before_it_gives_a_number_again(tmp_path):
    async def job():
        desk = bench(tmp_path / "one")
        async with desk.work() as work:
            await ready(desk, work)
            inspected = await failing_inspection(work)
            await settle(work)
            await work.stop_sync()
        yesterday = copy_of(desk, tmp_path / "copy")
        async with desk.work() as work:
            first = await posted(work, inspected)
            await settle(work)
            number = work.placard(first).number
            await work.stop_sync()
        async with yesterday.work() as work:
            assert code(work) == "T01"
            await settle(work, lambda: code(work) == "T02")
            again = await written_order(work, inspected)
            assert work.order(again).number != number and "-T02-" in work.order(again).number
            await work.stop_sync()

    asyncio.run(job())


def test_a_lost_answer_and_a_kill_lead_to_the_same_code(tmp_path):
    async def job():
        desk = bench(tmp_path / "one")
        async with desk.work() as work:
            await ready(desk, work)
        twin = copy_of(desk, tmp_path / "two")
        async with desk.work() as work:
            await failing_inspection(work)
            await settle(work)
            await work.stop_sync()
        send = desk.network.send

        async def loses(target, request, *more):
            reply = await send(target, request, *more)
            if request.purpose == "recode":
                return type(reply)(failure="cut")
            return reply

        desk.network.send = loses
        async with twin.work() as other:
            other.start_sync()
            await until(lambda: [r for r in desk.network.sent if r.purpose == "recode"] != [])
            await until(lambda: kinds(other) == ["copied"])
            with pytest.raises(Problem) as refused:
                await other.begin_order("site-01")
            assert refused.value.code == "tablet-copied"
        desk.network.send = send
        async with twin.work() as other:
            other.start_sync()
            await until(lambda: code(other) == "T02")
            await settle(other)
        assert [tablet["code"] for tablet in queries.tablet_list(desk.city)] == ["T01", "T02"]

    asyncio.run(job())


def test_a_withdrawn_tablet_hands_over_what_it_has_and_records_nothing_more(tmp_path):
    async def job():
        desk = bench(tmp_path)
        async with desk.work() as work:
            await ready(desk, work)
            draft = (await work.begin_inspection("site-02")).id
            await work.add_photo(draft, "", jpeg(3), source="camera", view="wide")
            fact = await failing_inspection(work)
            await work.begin_report("site-02")
            await desk.office(withdraw_tablet, "carol", "T01", "It is lost.")
            assert work.withdrawn() is None, "it cannot know yet"
            work.start_sync()
            await until(lambda: work.withdrawn() is not None and work.withdrawn().over)
            view = work.withdrawn()
            assert "T01" in view.sentence
            assert view.lines[0] == "Everything signed on it has been handed over to the office."
            assert "not signed: 2" in view.lines[1], "the inspection and the site that was found"
            assert held_back(work)
            for tap in (
                lambda: work.begin_inspection("site-01"),
                lambda: work.answer(draft, "TRK-03", "answer", "no"),
                lambda: work.add_photo(draft, "", jpeg(4), source="camera", view="wide"),
                lambda: work.sign_inspection(draft, PIN),
                lambda: work.begin_order("site-01", fact),
            ):
                with pytest.raises(Problem) as refused:
                    await tap()
                assert refused.value.code == "tablet-revoked"
            await work.stop_sync()
        async with desk.work() as work:
            assert (await work.start()).screen == "withdrawn"
            # The office takes it into use again: a new code, and what it held is still its own.
            await work.enrol(desk.enrolment_code())
            await sign_in(desk, work, "ada")
            assert work.withdrawn() is None and code(work) == "T02"
            assert (await work.answer(draft, "TRK-03", "answer", "no")).id == draft
            await settle(work, lambda: work.sites().total)
            assert work.withdrawn() is None
            await work.stop_sync()

    asyncio.run(job())


def test_few_numbers_are_said_in_time_and_all_of_them_can_be_used(tmp_path):
    async def job():
        desk = bench(tmp_path)
        async with desk.work() as work:
            await ready(desk, work)
            assert kinds(work) == []
            await use(work, LEASE_SIZE - 11)
            assert kinds(work) == [], "eleven are left"
            await use(work, 1)
            [warning] = work.warnings()
            assert (warning.level, warning.sentence) == ("warn", "10 order numbers are left on this tablet.")
            await use(work, 9)
            assert work.warnings()[0].sentence == "One order number is left on this tablet."
            fact = await failing_inspection(work)
            order = await posted(work, fact)
            assert work.placard(order).number.split("-")[3] == f"{LEASE_SIZE:04d}"
            assert work.warnings()[0].sentence == "No order numbers are left on this tablet."
            with pytest.raises(Problem) as refused:
                await work.begin_order("site-02")
            assert refused.value.code == "lease-empty"
            await settle(work, lambda: kinds(work) == [])
            assert (await work.begin_order("site-02")).numbers_left == LEASE_SIZE - 1
            await work.stop_sync()

    asyncio.run(job())


@pytest.mark.parametrize("orders", [10, pytest.param(50, marks=pytest.mark.long)])
def test_orders_made_far_from_any_network_have_a_number_each_and_all_are_registered(tmp_path, orders):
    """B33 with the app's own giving of numbers; the server's side, five tablets with fifty: casework/test_numbers."""

    async def job():
        desk = bench(tmp_path)
        async with desk.work() as work:
            await ready(desk, work)
            desk.network.up = False
            inspected = await failing_inspection(work)
            printed = [work.placard(await posted(work, inspected)).number for _ in range(orders)]
            assert len(set(printed)) == orders and not any(r.purpose == "push" for r in desk.network.sent)
            desk.network.up = True
            await settle(work)
            rows = queries.order_list(desk.city, limit=100)
            assert sorted(row["number"] for row in rows) == sorted(printed)
            assert len({row["register"] for row in rows} - {None}) == orders
            assert {row.state for row in work._desk.outbox.view().facts} == {"safe"}
            await work.stop_sync()

    asyncio.run(job())


def test_after_two_weeks_in_the_field_the_token_is_renewed_and_nobody_notices(tmp_path):
    """B13: capture never asks the token; the queue goes out whole; nobody types anything."""

    async def job():
        desk = bench(tmp_path)
        async with desk.work() as work:
            await ready(desk, work)
            token = work._desk.tablet()["device_token"]
            desk.network.up = False
            desk.clock.advance(days=14)
            fact = await failing_inspection(work)
            await posted(work, fact)
            desk.network.up = True
            await settle(work)
            rows = work._desk.outbox.view().facts
            assert [row.state for row in rows] == ["safe"] * len(rows) and len(rows) == 2
            assert work._desk.tablet()["device_token"] != token
            assert [r.purpose for r in desk.network.sent].count("renew") == 1
            await work.stop_sync()

    asyncio.run(job())


async def use(work, count):
    """Binds numbers to orders that were given up, as begun and abandoned ones are."""
    from field_app.work.order_view import free_numbers

    desk = work._desk
    async with desk.store.change() as tx:
        for number in free_numbers(desk)[:count]:
            tx.put("lease", number["number"], {**number, "used": "given up"})

"""Killed at any moment, the app comes back with the same work: after each step, and in the middle of each change."""

import asyncio

import pytest

from field_app.store.memory import Crashed, Medium
from tests.support.field_desk import PIN, bench, jpeg, ready
from tests.support.field_steps import (
    INLET,
    failing_inspection,
    nothing_else,
    soil_on_the_road,
    unprotected_inlet,
    written_order,
)


def seen(work):
    """Everything the screens could show now."""
    desk = work._desk
    views = [work.sites(), work.site("site-01"), work.outbox(), work.settings(), work.status(), work.sign_in_view()]
    for doc in desk.store.table("drafts").all():
        views += [work.inspection(doc["id"]), work.review(doc["id"]), work.photo_capture(doc["id"], INLET)]
    for doc in desk.store.table("order_drafts").all():
        views += [work.placard(doc["id"])] + ([work.order(doc["id"])] if doc["kind"] == "order" else [])
    return views


def test_after_every_step_a_restarted_app_shows_the_same(tmp_path):
    async def job():
        desk = bench(tmp_path)
        async with desk.work() as work:
            await ready(desk, work)
        found: dict[str, str] = {}

        async def begin(work):
            found["draft"] = (await work.begin_inspection("site-01", "rain", "consent")).id

        async def sign(work):
            found["fact"] = (await work.sign_inspection(found["draft"], PIN)).fact

        async def order(work):
            found["order"] = (await work.begin_order("site-01", found["fact"])).id

        steps = [
            begin,
            lambda w: w.set_details(found["draft"], rain="0.75", rain_source="estimate"),
            lambda w: w.answer(found["draft"], "TRK-03", "answer", "no"),
            lambda w: w.note(found["draft"], "TRK-03", "Trucks drive beside it."),
            lambda w: w.set_severity(found["draft"], "TRK-03", "observation", "being widened now"),
            lambda w: soil_on_the_road(w, found["draft"]),
            lambda w: w.set_due(found["draft"], "TRK-06", "2026-08-28", "08:00"),
            lambda w: w.set_correction(found["draft"], "TRK-06", "Sweep Mill Street."),
            lambda w: unprotected_inlet(w, found["draft"]),
            lambda w: w.add_photo(found["draft"], "", jpeg(20), source="gallery", view="wide", name="IMG_1.jpg"),
            lambda w: w.add_topic(found["draft"], "dewatering"),
            lambda w: nothing_else(w, found["draft"]),
            lambda w: w.go_to(found["draft"], "inlets", INLET),
            sign,
            order,
            lambda w: w.set_grounds(found["order"], ["b", "c"]),
            lambda w: w.set_order_text(found["order"], "must_stop", "All grading."),
            lambda w: w.set_met(found["order"], 0, "Joe Brown", "foreman", True),
            lambda w: w.set_order_correction(found["order"], 0, "Sweep now.", "2026-08-27", "17:00"),
            lambda w: w.make_placard(found["order"]),
            lambda w: w.placard_is_up(found["order"]),
            lambda w: w.post_order(found["order"], PIN),
        ]
        for number, step in enumerate(steps):
            async with desk.work() as work:
                await step(work)
                before, start = seen(work), await work.start()
            desk.clock.advance(seconds=20)
            async with desk.work() as work:
                after = seen(work)
                assert after == before, f"step {number}"
                assert await work.start() == start
                if 0 < number < 13:
                    assert start.screen == "inspection" and start.draft == found["draft"]
        async with desk.work() as work:
            row = work.outbox().rows[0]
            assert row.title.startswith("Stop-work order, posted") and row.state == "waiting"

    asyncio.run(job())


def test_a_restarted_app_opens_at_the_item_where_it_was(tmp_path):
    async def job():
        desk = bench(tmp_path)
        async with desk.work() as work:
            await ready(desk, work)
            draft = (await work.begin_inspection("site-01")).id
            await work.go_to(draft, "inlets", INLET)
            await work.answer(draft, INLET, "barrier", "straw_bale")
        async with desk.work() as work:
            assert await work.start() == type(await work.start())("inspection", draft, None)
            view = work.inspection(draft)
            assert (view.at_section, view.at_key) == ("inlets", INLET)
            await work.close_draft()
        async with desk.work() as work:
            assert (await work.start()).screen == "sites"
            assert work.sites().rows[0].draft == draft

    asyncio.run(job())


async def crash_everywhere(desk, act, check):
    """Run `act` with a power cut at its first, second ... operation on the medium until it survives; after each cut
    reopen and `check(work, done)`. Gives how many cuts there were."""
    files = dict(desk.medium.files)
    cuts = 0
    while True:
        desk.medium = Medium()
        desk.medium.files = dict(files)
        store_open = desk.work()
        work = await store_open.__aenter__()
        desk.medium.crash_in = cuts
        try:
            await act(work)
        except Crashed:
            desk.medium.held = False
            async with desk.work() as again:
                check(again, False)
            cuts += 1
            continue
        desk.medium.crash_in = None
        await store_open.__aexit__(None, None, None)
        async with desk.work() as again:
            check(again, True)
        return cuts


def counts(work):
    """(drafts, facts, counter, used numbers, open orders) of the store."""
    store = work._desk.store
    counter = (store.table("meta").get("counter:T01") or {"n": 0})["n"]
    used = sum(1 for n in store.table("lease").all() if n["used"])
    stages = sorted(d["stage"] for d in store.table("order_drafts").all())
    return len(store.table("drafts")), len(store.table("facts")), counter, used, stages


def test_signing_happens_whole_or_not_at_all(tmp_path):
    async def job():
        desk = bench(tmp_path)
        async with desk.work() as work:
            await ready(desk, work)
            draft = (await work.begin_inspection("site-01")).id
            await soil_on_the_road(work, draft)
            await nothing_else(work, draft)

        def check(work, done):
            assert counts(work)[:3] == ((0, 1, 1) if done else (1, 0, 0)), done
            assert len(work._desk.store.table("evidence")) == (1 if done else 0)
            assert work.has_open_draft() is not done

        assert await crash_everywhere(desk, lambda work: work.sign_inspection(draft, PIN), check) >= 1

    asyncio.run(job())


@pytest.mark.parametrize("step", ["begin", "print", "up", "post"])
def test_each_step_of_an_order_happens_whole_or_not_at_all(tmp_path, step):
    """A number is bound if and only if its order is there; the fact is there if and only if the order is done."""

    async def job():
        desk = bench(tmp_path)
        async with desk.work() as work:
            await ready(desk, work)
            signed = await failing_inspection(work)
            order = None
            if step != "begin":
                order = await written_order(work, signed)
            if step in ("up", "post"):
                await work.make_placard(order)
            if step == "post":
                await work.placard_is_up(order)
        before = {"begin": [], "print": ["draft"], "up": ["printed"], "post": ["up"]}[step]
        after = {"begin": ["draft"], "print": ["printed"], "up": ["up"], "post": ["done"]}[step]
        acts = {
            "begin": lambda work: work.begin_order(signed.site, signed.fact),
            "print": lambda work: work.make_placard(order),
            "up": lambda work: work.placard_is_up(order),
            "post": lambda work: work.post_order(order, PIN),
        }

        def check(work, done):
            _, facts, counter, used, stages = counts(work)
            assert stages == (after if done else before)
            assert used == len(stages)
            assert facts == counter == (2 if done and step == "post" else 1)

        assert await crash_everywhere(desk, acts[step], check) >= 1

    asyncio.run(job())


def test_a_photo_killed_before_its_position_came_is_there_with_the_reason(tmp_path):
    async def job():
        desk = bench(tmp_path)
        async with desk.work() as work:
            await ready(desk, work)
            draft = (await work.begin_inspection("site-01")).id
            waiting = asyncio.Event()

            async def never(wait=15.0):
                waiting.set()
                await asyncio.Event().wait()

            desk.position.fix = never
            task = asyncio.ensure_future(work.add_photo(draft, INLET, jpeg(5), source="camera", view="wide"))
            await waiting.wait()
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        async with desk.work() as work:
            (photo,) = work.photo_capture(draft, INLET).kept
            assert photo.place == "no position had come when the photo was kept"
            assert await work.thumbnail(photo.sha256)

    asyncio.run(job())

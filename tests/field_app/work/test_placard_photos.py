"""Photos of a placard that is up: durable before anything is asked, said until signed, signed once."""

import asyncio

from field_app.work.photo_keeping import NOT_YET
from sync.server.casework.queries import order_page
from tests.field_app.work.test_kill_and_restart import crash_everywhere
from tests.field_app.work.test_orders_refused import refused
from tests.support.field_desk import PIN, bench, jpeg, ready, settle
from tests.support.field_steps import failing_inspection, posted_order, written_order


async def posted(desk, work):
    await ready(desk, work)
    number = (await posted_order(work, await failing_inspection(work))).number
    desk.clock.advance(minutes=1)  # the position of the last photo is not fresh any more
    return number


def added(work):
    """The bodies of the signed photos, in the order of signing."""
    rows = [row for row in work._desk.store.table("facts").all() if row["kind"] == "photo_added"]
    return [work._desk.fact(row).body for row in sorted(rows, key=lambda row: row["counter"])]


def test_killed_while_the_position_is_asked_for_the_photo_is_there_and_the_next_pin_signs_it(tmp_path):
    async def job():
        desk = bench(tmp_path)
        async with desk.work() as work:
            number = await posted(desk, work)

            async def never(wait=15.0):
                await asyncio.Event().wait()

            desk.position.fix = never
            assert await work.shoot_order(number, jpeg(5), view="wide") == "close"
            assert await work.shoot_order(number, jpeg(6), view="close"), "the next shot waits for no position"
            assert len(work.order_photos(number).waiting) == 2 and not added(work)
            (row,) = [one for one in work.site("site-01").drafts if one.kind == "placard_photos"]
            assert (row.number, row.progress) == (number, "2 photos, kept and not signed yet")
            assert not work.site("site-01").orders[0].nag, "both were taken"
        async with desk.work(unlock=False) as work:
            assert not work._desk.store.table("reports").all(), "a person's own until signed"
            await work.unlock("ada", PIN)
            assert [body["photo"]["no_position"] for body in added(work)] == [NOT_YET] * 2
            view = work.order_photos(number)
            assert not view.waiting and [one.view for one in view.signed] == ["Wide view", "Close view"]
            assert not work.site("site-01").drafts
            await settle(work)
    asyncio.run(job())


def test_without_a_pin_a_photo_waits_and_is_said_on_today_and_in_the_outbox(tmp_path):
    async def job():
        desk = bench(tmp_path)
        async with desk.work() as work:
            number = await posted(desk, work)
            desk.clock.advance(minutes=20)
            await work.shoot_order(number, jpeg(5), view="wide")
            await work._desk.locating.settled()
            assert work.order_photos(number).needs_pin and not added(work)
            title = f"Photos of the placard {number}"
            await work.prepare_sites()
            assert [one.draft.title for one in work.today().drafts] == [title]
            assert any(line.startswith(title) for line in work.outbox().drafts)
            assert work.has_open_draft()
            await refused("pin-wrong", work.sign_order_photos(number, "000001"))
            assert not (await work.sign_order_photos(number, PIN)).waiting
            (body,) = added(work)
            assert body["photo"]["position"] and body["about"] == {"order": number}
            sha = body["photo"]["sha256"]
            assert sha[:12] in body["signed"]["statement"] and number in body["signed"]["statement"]
            assert not work.today().drafts and not work.outbox().drafts
            assert await work.sign_order_photos(number)
            assert len(added(work)) == 1
    asyncio.run(job())


def test_a_photo_is_in_its_row_or_in_a_record_whatever_write_is_the_last(tmp_path):
    async def job():
        desk = bench(tmp_path)
        async with desk.work() as work:
            number = await posted(desk, work)
            desk.clock.advance(minutes=20)
            await work.add_order_photo(number, jpeg(5), source="camera", view="wide")

        def check(work, done):
            assert len(work.order_photos(number).waiting) + len(added(work)) == 1
            assert len(added(work)) == (1 if done else len(added(work)))

        async def sign(work):
            await work.sign_order_photos(number, PIN)

        await crash_everywhere(desk, sign, check)
    asyncio.run(job())


def test_a_placard_photo_far_from_the_site_is_signed_with_the_reason_and_not_before(tmp_path):
    async def job():
        desk = bench(tmp_path)
        async with desk.work() as work:
            number = await posted(desk, work)
            desk.position.place = (43_173_100, -89_401_200, 500)
            view = await work.add_order_photo(number, jpeg(5), source="camera", view="wide")
            assert view.far and view.far.words.startswith("1 photo was taken") and not view.needs_pin
            assert not (await work.sign_order_photos(number)).signed
            (row,) = work.site("site-01").drafts
            assert row.progress == "1 photo, kept: say why it was taken far from the site."
            await work.set_order_far_reason(number, "From where the site can be seen")
            assert not (await work.sign_order_photos(number)).waiting
            (body,) = added(work)
            assert body["photo"]["far_reason"] == "From where the site can be seen" and body["photo"]["site_m"] > 10_000
            await settle(work)
    asyncio.run(job())


def nags(work):
    """Where and what the app says of photos that are still to be taken, one set for each place."""
    (order,) = work.site("site-01").orders
    return [{one.words for one in work.today().nags}, {one.words for one in work.outbox().nags},
            {order.nag} - {""}, {work.placard(order.placard).nag} - {""}]


def test_each_time_a_placard_goes_up_its_photos_are_asked_for_everywhere(tmp_path):
    async def job():
        desk = bench(tmp_path)
        async with desk.work() as work:
            number = await posted(desk, work)
            await work.prepare_sites()
            both = "Photos of the placard are still to be taken: one from afar, one from near."
            assert nags(work) == [{both}] * 4
            await work.add_order_photo(number, jpeg(4), source="camera", view="wide")
            assert nags(work) == [{"A photo of the placard from near is still to be taken."}] * 4
            await work.add_order_photo(number, jpeg(5), source="camera", view="close")
            assert nags(work) == [set()] * 4
            (order,) = work.site("site-01").orders
            await work.repost_placard(order.fact, "North gate", "It was torn down.", PIN)
            assert nags(work) == [{both}] * 4, "the photos of what hung before do not count"
            for seed, view in ((6, "close"), (7, "wide")):
                await work.add_order_photo(number, jpeg(seed), source="camera", view=view)
            assert nags(work) == [set()] * 4
    asyncio.run(job())


def signed_where(work, kind):
    """Where the record says that it was put up: (position, no_position)."""
    (row,) = [row for row in work._desk.store.table("facts").all() if row["kind"] == kind]
    body = work._desk.fact(row).body
    return body["position"], body["no_position"]


def test_the_record_says_where_the_placard_went_up_and_the_tap_does_not_wait_for_it(tmp_path):
    async def job():
        desk = bench(tmp_path)
        async with desk.work() as work:
            await ready(desk, work)
            order = await written_order(work, await failing_inspection(work))
            await work.make_placard(order)
            desk.clock.advance(minutes=1)
            found, let = desk.position.fix, asyncio.Event()

            async def slow(wait=15.0):
                await let.wait()
                return await found(wait)

            desk.position.fix = slow
            tapped = await work.placard_is_up(order)
            assert tapped.up and tapped.where == "", "it may still come"
            stored = work._desk.store.table("order_drafts").get(order)
            assert stored["up_where"] == {"position": None, "no_position": "none had come when it was signed"}
            let.set()
            await work._desk.locating.settled()
            assert work.placard(order).where == "position known to 17 ft"
            placard = await work.post_order(order, PIN)
            position, reason = signed_where(work, "order_posted")
            assert position["lat_udeg"] == 43_073_100 and reason is None
            desk.position.fix, desk.position.place = found, None
            desk.clock.advance(minutes=1)
            (row,) = work.site("site-01").orders
            await work.repost_placard(row.fact, "", "It was torn down.", PIN)
            assert signed_where(work, "placard_reposted") == (None, "the tablet may not tell its position")
            await settle(work)
            office = order_page(desk.city, row.fact)
            assert office["body"]["position"] == position and placard.done
            (again,) = office["doc"]["reposted"]
            assert again["no_position"] == "the tablet may not tell its position"
    asyncio.run(job())

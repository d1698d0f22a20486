"""The whole job in one process: enrol, inspect with no network, sign, post, and later everything reaches the city."""

import asyncio
import hashlib

import pytest

from sync.records.facts import parse
from sync.records.macs import verify
from sync.records.problems import Problem
from sync.records.receipts import open_receipt
from tests.support.field_desk import PIN, bench, jpeg, ready, settle, sign_in, until
from tests.support.field_steps import failing_inspection, posted_order, recommended_order, written_order
from tests.support.papers import flat

WORDS = "posted Thu Aug 27; day 10 is Sun Sep 6; Mon Sep 7 is Labor Day; last day Tue Sep 8"


@pytest.mark.parametrize("native", [False, True], ids=["memory", "files"])
def test_from_enrolment_to_an_order_in_force(tmp_path, native):
    """Posted Thu 2026-08-27 without a network, synced on 2026-09-02: the same dates before and after."""

    async def job():
        desk = bench(tmp_path, at="2026-08-27T14:00:00-05:00", native=native)
        async with desk.work() as work:
            assert (await work.start()).screen == "enrol"
            await ready(desk, work)
            assert (await work.start()).screen == "sites"
            desk.network.up = False
            signed = await failing_inspection(work)
            assert signed.can_order and signed.suggest_order and signed.may_post
            desk.clock.advance(minutes=12)
            placard = await posted_order(work, signed)
            assert placard.done and placard.valid
            assert placard.posted == "Thu Aug 27, 2026 at 2:12 PM"
            assert [c.words for c in placard.clocks if c.last_day == "2026-09-08"] == [WORDS, WORDS]
            assert {c.eligible_from for c in placard.clocks} == {"2026-09-09", "2026-09-24"}
            assert placard.public_url.endswith("&p=2026-08-27")
            pdf = await work.placard_pdf(placard.id)
            assert pdf.startswith(b"%PDF-") and hashlib.sha256(pdf).hexdigest() == placard.sha256
            assert (await work.save_placard(placard.id)).name == f"{placard.number}.pdf"
            assert desk.saved == {f"{placard.number}.pdf": pdf}
            await work.add_order_photo(placard.number, jpeg(9), source="camera")
            waiting = work.outbox()
            assert [row.state for row in waiting.rows] == ["waiting"] * 3
            assert waiting.status.level == "waiting" and waiting.status.waiting == 3
            (order,) = work.site("site-01").orders
            assert order.status == "posted" and work.placard(order.placard) == work.placard(placard.id)

        desk.clock.set("2026-09-02T09:00:00-05:00")
        desk.network.up = True
        async with desk.work() as work:
            await settle(work, lambda: work.site("site-01").orders[0].status == "in_force")
            outbox = work.outbox()
            assert [row.state for row in outbox.rows] == ["safe"] * 3
            assert {file.state for row in outbox.rows for file in row.files} == {"safe"}
            assert sum(len(row.files) for row in outbox.rows) == 5
            assert outbox.status.level == "safe"
            (order,) = work.site("site-01").orders
            assert order.status == "in_force" and order.number == placard.number
            assert order.clocks == placard.clocks
            assert {f.severity for f in work.site("site-01").findings} == {"critical", "major"}

    asyncio.run(job())


def test_what_is_signed_is_what_the_city_holds(tmp_path):
    """The frozen bytes, the MAC under the person's credential, and a receipt that names every file."""

    async def job():
        desk = bench(tmp_path)
        async with desk.work() as work:
            await ready(desk, work)
            signed = await failing_inspection(work)
            await posted_order(work, signed)
            store = work._desk.store
            credential, tablet = store.table("credentials").get("ada"), store.table("secrets").get("tablet")
            rows = sorted(store.table("facts").all(), key=lambda row: row["counter"])
            assert [row["counter"] for row in rows] == [1, 2]
            before = {row["id"]: row["text"] for row in rows}
            for row in rows:
                assert row["credential"] == credential["id"]
                assert verify(bytes.fromhex(credential["key"]), row["text"].encode(), row["mac"])
            await settle(work)
            for row in store.table("facts").all():
                assert row["text"] == before[row["id"]]
                receipt = open_receipt(row["sync"]["receipt"], bytes.fromhex(tablet["receipt_key"]))
                fact = parse(row["text"])
                assert receipt.sha256 == hashlib.sha256(row["text"].encode()).hexdigest()
                assert receipt.evidence == {item.sha256: True for item in fact.evidence}
            inspection, order = (parse(row["text"]) for row in rows)
            assert order.needs == (inspection.id,)
            assert {f["finding"] for f in order.body["findings"]} == {f["id"] for f in inspection.body["findings"]}
            for number, photo in enumerate(inspection.body["photos"], start=1):
                assert f"photo {number}: {photo['sha256'][:12]}" in inspection.body["signed"]["statement"]

    asyncio.run(job())


def test_the_driver_sends_a_signed_item_by_itself(tmp_path):
    """While it runs, signing is enough: nobody taps "send"."""

    async def job():
        desk = bench(tmp_path)
        async with desk.work() as work:
            await ready(desk, work)
            work.start_sync()
            seen = []
            stop = work.listen(lambda: seen.append(work.status().level))
            await failing_inspection(work)
            await until(lambda: work.status().level == "safe")
            assert [row.state for row in work.outbox().rows] == ["safe"]
            assert seen[-1] == "safe" and "sending" in seen
            stop()
            count = len(seen)
            await work.set_language("es")
            assert len(seen) == count

    asyncio.run(job())


def test_recommended_issued_affixed(tmp_path):
    """Ben may not post: he recommends, the office issues under his number, any inspector puts it up."""
    from sync.server.casework.orders import issue_recommended_order

    async def job():
        desk = bench(tmp_path)
        async with desk.work() as work:
            await ready(desk, work, "ben")
            signed = await failing_inspection(work)
            assert not signed.may_post
            order = await work.begin_order(signed.site, signed.fact)
            order = await work.set_met(order.id, 0, "Joe Brown", "foreman", True)
            assert order.missing == () and not order.may_post and order.why_not
            paper = await work.make_placard(order.id)
            assert not paper.valid and paper.clocks == () and paper.public_url == ""
            done = await work.recommend_order(order.id, PIN)
            assert done.done
            (row,) = work.site("site-01").orders
            assert row.status == "recommended" and not row.can_affix
            await settle(work)
            desk.clock.set("2026-08-28T08:00:00-05:00")
            await desk.office(issue_recommended_order, "carol", row.fact)
            await settle(work, lambda: work.site("site-01").orders[0].status == "issued")
            (row,) = work.site("site-01").orders
            assert row.can_affix and row.number == order.number

            desk.network.up = False
            placard = await work.begin_affixing(row.number)
            assert placard.valid and placard.kind == "affix" and placard.printed_on == "2026-08-28"
            await work.set_affix_place(placard.id, "Main gate")
            # The office printed one too: that is the paper that goes up, dated by hand; the tablet's own is left.
            office = await work.take_office_paper(placard.id)
            assert office.blank and not office.dated and office.valid and office.sha256 == ""
            with pytest.raises(Problem, match="blank-not-dated"):
                await work.placard_is_up(placard.id)
            assert (await work.make_placard(placard.id)).sha256, "and back again"
            await work.take_office_paper(placard.id)
            assert (await work.blank_is_dated(placard.id)).printed_on == "2026-08-28"
            assert (await work.begin_affixing(row.number)).blank, "it stays so when the screen is opened again"
            text = flat(await work.placard_pdf(placard.id))
            assert "Posted: Fri Aug 28, 2026 at ______ (time)" in text and "by Carol Brandt" in text
            up = await work.placard_is_up(placard.id)
            assert up.posted_on == "2026-08-28"
            assert (await work.affix_order(placard.id, PIN)).done
            (row,) = work.site("site-01").orders
            assert row.status == "posted" and not row.can_affix and row.placard == placard.id
            local = row.clocks
            desk.network.up = True
            await settle(work, lambda: work.site("site-01").orders[0].status == "in_force")
            assert work.site("site-01").orders[0].clocks == local

    asyncio.run(job())


def test_an_order_that_another_put_up_meanwhile_gets_no_second_placard_of_another_day(tmp_path):
    from sync.server.casework.orders import issue_recommended_order

    async def job():
        desk = bench(tmp_path)
        other = bench(tmp_path / "other", of=desk)
        async with desk.work() as work, other.work() as second:
            await ready(desk, work, "ben")
            await ready(other, second)
            await work.recommend_order(await written_order(work, await failing_inspection(work)), PIN)
            await settle(work)
            (row,) = work.site("site-01").orders
            await desk.office(issue_recommended_order, "carol", row.fact)
            for each in (work, second):
                await settle(each, lambda each=each: [one.status for one in each.site("site-01").orders] == ["issued"])
            mine, theirs = [(await each.begin_affixing(row.number)).id for each in (work, second)]
            await work.placard_is_up(mine)
            await work.affix_order(mine, PIN)
            await settle(work)
            desk.clock.advance(days=1)
            await settle(second, lambda: second.site("site-01").orders[0].status == "in_force")
            told = await second.begin_affixing(row.number)
            assert told == second.placard(theirs)
            assert told.heading == "STOP WORK ORDER" and not told.valid and not told.clocks
            assert told.sentence.startswith("This order has been up since Thu Aug 27, 2026: do not put this placard")
            for call in (second.make_placard, second.placard_is_up, second.save_placard):
                with pytest.raises(Problem, match="order-not-open"):
                    await call(theirs)
            assert second.site("site-01").drafts
            await second.close_draft()
            assert not second.site("site-01").drafts, "what nobody will ever sign is left with its screen"

    asyncio.run(job())


def test_an_order_that_another_person_of_this_tablet_has_up_unsigned_gets_no_second_placard(tmp_path):
    from sync.server.casework.orders import issue_recommended_order

    async def job():
        desk = bench(tmp_path)
        async with desk.work() as work:
            await ready(desk, work, "ben")
            await work.recommend_order(await written_order(work, await failing_inspection(work)), PIN)
            await settle(work)
            (row,) = work.site("site-01").orders
            await desk.office(issue_recommended_order, "carol", row.fact)
            await settle(work, lambda: work.site("site-01").orders[0].status == "issued")
            bens = (await work.begin_affixing(row.number)).id
            await work.leave()
            await sign_in(desk, work, "ada")
            await work.stop_sync()
            desk.network.up = False
            hers = (await work.begin_affixing(row.number)).id  # he has not put it up
            await work.leave()
            await work.unlock("ben", PIN)
            await work.placard_is_up(bens)
            await work.leave()
            await work.unlock("ada", PIN)
            with pytest.raises(Problem, match="order-not-open"):
                await work.placard_is_up(hers)
            await work.leave()
            await work.unlock("ben", PIN)
            assert (await work.affix_order(bens, PIN)).done
            await work.leave()
            await work.unlock("ada", PIN)
            assert not work.placard(hers).valid, "it is signed now, and says since when"

    asyncio.run(job())


def test_a_declined_order_says_so_on_the_tablet(tmp_path):
    from sync.server.casework.orders import decline_order

    async def job():
        desk = bench(tmp_path)
        async with desk.work() as work:
            await ready(desk, work)
            placard = await posted_order(work, await failing_inspection(work))
            await settle(work)
            (row,) = work.site("site-01").orders
            assert not row.take_down and work.placard(placard.id).clocks
            await desk.office(decline_order, "carol", row.fact, "The road was swept before the posting.")
            await settle(work, lambda: work.site("site-01").orders[0].status == "voided")
            (row,) = work.site("site-01").orders
            assert row.clocks == ()
            assert "The road was swept before the posting." in row.words
            assert not row.can_add_photo and work.sites().rows[0].order is None
            assert row.take_down
            view = work.placard(placard.id)
            assert not view.valid and view.clocks == () and view.public_url == ""
            assert view.heading == "NOT VALID: this order has no force"
            assert view.sentence == view.ended
            assert "The road was swept before the posting. Take the placard down." in view.ended
            with pytest.raises(Problem) as caught:
                await work.save_placard(placard.id)
            assert caught.value.code == "order-not-open" and desk.saved == {}
            # What hung on the site stays kept as it was.
            assert hashlib.sha256(await work.placard_pdf(placard.id)).hexdigest() == placard.sha256

    asyncio.run(job())


def test_a_recommendation_that_the_office_refuses_says_so_and_nothing_is_taken_down(tmp_path):
    from sync.server.casework.orders import refuse_recommended_order

    async def job():
        desk = bench(tmp_path)
        async with desk.work() as work:
            await ready(desk, work, "ben")
            order = await recommended_order(work, await failing_inspection(work))
            await settle(work)
            (row,) = work.site("site-01").orders
            await desk.office(refuse_recommended_order, "carol", row.fact, "The inlet is protected.")
            await settle(work, lambda: work.site("site-01").orders[0].status == "refused")
            (row,) = work.site("site-01").orders
            assert not row.take_down and "The inlet is protected." in row.words
            view = work.placard(order)
            assert view.ended.endswith("The inlet is protected.") and not view.valid

    asyncio.run(job())


def test_signed_says_safe_only_once_the_server_has_record_and_files(tmp_path):
    async def job():
        desk = bench(tmp_path)
        async with desk.work() as work:
            await ready(desk, work)
            desk.network.up = False
            signed = await failing_inspection(work)
            placard = await posted_order(work, signed)
            assert signed.kept == "Signed and kept on this tablet with 3 photos. It goes to the office by itself."
            assert placard.sentence == "Signed and kept on this tablet. It goes to the office by itself."
            desk.network.up = True
            await settle(work)
            assert work.signed(signed.fact).kept == "Signed, and safe on the server with 3 photos."
            assert work.placard(placard.id).sentence == "The posting is signed, and safe on the server."

    asyncio.run(job())


def test_people_are_called_by_name(tmp_path):
    from sync.server.casework.orders import confirm_order

    async def job():
        desk = bench(tmp_path)
        async with desk.work() as work:
            await ready(desk, work)
            await posted_order(work, await failing_inspection(work))
            await settle(work)
            (row,) = work.site("site-01").orders
            await desk.office(confirm_order, "carol", row.fact)
            await settle(work, lambda: "confirmed by" in work.site("site-01").orders[0].words)
            words = work.site("site-01").orders[0].words
            assert "confirmed by Carol" in words and "carol" not in words

    asyncio.run(job())

"""Findings of last time carried into the next inspection, corrections of a signed record, the end and its notice."""

import asyncio
import hashlib

import pytest

from sync.records.facts import parse
from sync.records.problems import Problem
from sync.records.strokes import SIGNATURE_MEDIA, is_signature
from sync.server.casework import queries
from tests.support.field_desk import PIN, bench, jpeg, ready, settle
from tests.support.field_steps import INLET, failing_inspection, item, nothing_else, soil_on_the_road, unprotected_inlet
from tests.support.papers import flat

STROKES = [[[100, 200, 0], [300, 120, 40], [520, 260, 90]], [[600, 90, 200], [640, 300, 260]]]


def on_a_tablet(tmp_path, job):
    async def all_of_it():
        desk = bench(tmp_path)
        async with desk.work() as work:
            await ready(desk, work)
            await job(desk, work)

    asyncio.run(all_of_it())


def body_of(work, fact):
    return parse(work._desk.store.table("facts").get(fact)["text"]).body


def statuses(city):
    return {one["item"]: one["status"] for one in queries.site_page(city, "site-01")["findings"]}


async def a_week_later(desk, work):
    """The first inspection is on the server and has come down; the next one begins, with no network."""
    await failing_inspection(work)
    await settle(work)
    await work.stop_sync()
    desk.clock.advance(days=7)
    desk.network.up = False
    return await work.begin_inspection("site-01")


def test_what_is_still_open_is_carried_on_and_what_is_fixed_is_closed(tmp_path):
    async def job(desk, work):
        view = await a_week_later(desk, work)
        assert view.at_section == "last" and len(view.last_time) == 2
        inlet, road = view.last_time  # the gravest first
        assert (inlet.severity, road.severity) == ("critical", "major")
        assert road.age == "open for 7 days, since Thu Aug 27, 2026" and road.overdue
        assert await work.thumbnail(road.pictures[0]) is not None
        assert (inlet.where, inlet.noted) == ("CB-1", "No barrier, muddy water runs in.")
        view = await work.follow_up(view.id, inlet.id, "fixed")
        await work.add_photo(view.id, inlet.photo_key, jpeg(20), source="camera", view="close")
        await work.follow_up_note(view.id, road.id, "It reaches Third Street now.")
        await work.add_photo(view.id, road.photo_key, jpeg(21), source="camera", view="wide")
        for part, value in (("soil", "clumps"), ("distance", "90"), ("gutter", "no")):
            view = await work.answer(view.id, "TRK-06", part, value)
        # Fixed, and found again today: said where it is tapped and where it is signed.
        view = await work.follow_up(view.id, road.id, "fixed")
        assert view.last_time[1].effective_words.startswith("Its question finds it again today")
        assert [words.endswith("both stand.") for _state, words in work.review(view.id).last_time] == [False, True]
        view = await work.follow_up(view.id, road.id, "still_open")
        assert view.last_time[1].effective_words == ""
        # Note and photo of last time's finding are those of its question as well.
        assert item(view, "TRK-06").missing == () and "1 photo" in item(view, "TRK-06").with_last_time
        await nothing_else(work, view.id)
        review = work.review(view.id)
        assert [state for state, _words in review.last_time] == ["fixed", "still_open"]
        signed = await work.sign_inspection(view.id, PIN)
        body = body_of(work, signed.fact)
        (found,) = body["findings"]
        assert found["continues"] == [road.id] and found["first_found_on"] == "2026-08-27"
        assert found["note"] == "It reaches Third Street now." and len(found["photos"]) == 1
        assert {one["finding"]: one["state"] for one in body["followups"]} == {inlet.id: "fixed", road.id: "still_open"}
        # Offline the tablet knows it already.
        assert [f.id for f in work.site("site-01").findings] == [found["id"]]
        again = await work.begin_inspection("site-01")
        assert [one.id for one in again.last_time] == [found["id"]]
        assert again.last_time[0].age == "open for 7 days, since Thu Aug 27, 2026"
        desk.network.up = True
        await settle(work)
        assert sorted(f["status"] for f in queries.site_page(desk.city, "site-01")["findings"]) == [
            "continued", "corrected", "open"]
        (left,) = work.site("site-01").findings
        assert left.id == found["id"]

    on_a_tablet(tmp_path, job)


def test_saying_still_open_and_in_order_at_once_is_asked_about(tmp_path):
    async def job(desk, work):
        view = await a_week_later(desk, work)
        road = view.last_time[1]
        await work.follow_up(view.id, road.id, "worse")
        view = await work.answer(view.id, "TRK-06", "soil", "none")
        assert view.last_time[1].missing and road.id in [m.key for m in view.missing if m.section == "last"]
        view = await work.undo(view.id)
        assert item(view, "TRK-06").state == "empty" and not view.last_time[1].missing
        # All in order leaves it alone: it was just said to be open.
        view = await work.answer_in_order(view.id, "tracking")
        assert item(view, "TRK-06").state == "empty" and item(view, "TRK-03").state == "pass"
        assert item(view, "TRK-01").state == "empty"  # nobody counted the exits
        view = await work.follow_up(view.id, road.id, "")
        view = await work.answer(view.id, "TRK-06", "soil", "none")
        assert (view.last_time[1].effective, view.last_time[1].state) == ("fixed", "")

    on_a_tablet(tmp_path, job)


def test_a_signed_inspection_is_corrected_by_a_new_record_and_both_stay(tmp_path):
    async def job(desk, work):
        signed = await failing_inspection(work)
        first = body_of(work, signed.fact)
        text = work._desk.store.table("facts").get(signed.fact)["text"]
        desk.clock.advance(hours=3)
        view = await work.begin_correction(signed.fact)
        assert view.revises and item(view, "TRK-06").note == "Mud along Mill Street for 40 feet."
        assert (await work.begin_correction(signed.fact)).id == view.id
        other = await work.begin_inspection("site-01")
        assert other.id != view.id  # a new visit is another draft
        await work.discard_draft(other.id)
        view = await work.answer(view.id, "TRK-06", "distance", "60")
        with pytest.raises(Problem) as caught:
            await work.sign_inspection(view.id, PIN)
        assert caught.value.code == "inspection-incomplete"
        await work.set_details(view.id, revise_reason="I measured again: 60 feet.")
        again = await work.sign_inspection(view.id, PIN)
        new = body_of(work, again.fact)
        assert parse(work._desk.store.table("facts").get(again.fact)["text"]).revises == signed.fact
        assert (new["inspected_on"], new["began"], new["ended"]) == (
            first["inspected_on"], first["began"], first["ended"])
        assert [f["id"] for f in new["findings"]] == [f["id"] for f in first["findings"]]
        assert new["photos"] == first["photos"] and new["revise_reason"] == "I measured again: 60 feet."
        changed = {one["item"]: one["answer"] for one in new["answers"]}["TRK-06"]
        assert changed["distance"] == "60" and "I measured again" in new["signed"]["statement"]
        assert work._desk.store.table("facts").get(signed.fact)["text"] == text
        assert work.signed(signed.fact).corrected_by == again.fact and not work.signed(signed.fact).can_correct
        assert work.signed(again.fact).corrects == signed.fact and work.signed(again.fact).can_order
        with pytest.raises(Problem):
            await work.begin_correction(signed.fact)
        await settle(work)
        page = queries.inspection_page(desk.city, signed.fact)
        assert page["row"]["superseded_by"] == again.fact and page["body"] == first
        assert len(queries.site_page(desk.city, "site-01")["findings"]) == 2
        rows = work.site("site-01").signed
        assert [row.fact for row in rows] == [again.fact, signed.fact]
        assert rows[1].outcome == "Corrected by a later record" and not rows[1].can_order and rows[0].can_order

    on_a_tablet(tmp_path, job)


def test_the_end_asks_who_was_told_and_keeps_the_signature_under_its_hash(tmp_path):
    async def job(desk, work):
        view = await work.begin_inspection("site-01")
        await soil_on_the_road(work, view.id)
        await nothing_else(work, view.id)
        review = await work.set_closing(view.id, how="")
        assert not review.can_sign and review.closing.needed and review.closing.missing
        review = await work.set_closing(view.id, how="refused", name="Jo Kessler", role="foreman")
        assert [m.section for m in review.missing] == ["closing"]
        assert (await work.set_closing(view.id, witness="Ben Okafor")).can_sign
        review = await work.set_closing(view.id, how="signed")
        assert not review.can_sign
        with pytest.raises(Problem) as caught:
            await work.set_signature(view.id, "in_charge", [[[1, 1, 0]]])  # a dot is no signature
        assert caught.value.code == "evidence-not-a-signature"
        assert (await work.set_signature(view.id, "in_charge", STROKES)).can_sign
        assert await work.signature_strokes(view.id, "in_charge") == STROKES
        signed = await work.sign_inspection(view.id, PIN)
        fact = parse(work._desk.store.table("facts").get(signed.fact)["text"])
        met = fact.body["in_charge"]
        assert (met["how"], met["name"], met["witness"]["name"]) == ("signed", "Jo Kessler", "Ben Okafor")
        (drawn,) = [one for one in fact.evidence if one.kind == "signature"]
        assert drawn.sha256 == met["signature"] and drawn.media == SIGNATURE_MEDIA
        data = await work._desk.box.read(drawn.sha256)
        assert is_signature(data) and hashlib.sha256(data).hexdigest() == drawn.sha256
        await settle(work)
        assert [row.state for row in work.outbox().rows] == ["safe"]

    on_a_tablet(tmp_path, job)


def test_the_notice_is_shown_and_handed_over_with_no_network(tmp_path):
    async def job(desk, work):
        desk.network.up = False
        signed = await failing_inspection(work)
        assert signed.notice
        notice = work.notice(signed.fact)
        assert [one.severity for one in notice.lines] == ["critical", "major"]
        assert "once this tablet has reached the office" in notice.link_words and notice.code.startswith(b"\x89PNG")
        assert notice.told == "Nobody in charge was on the site."
        english, spanish = [(await work.save_notice(signed.fact, language)).name for language in ("en", "es")]
        assert "Sweep, shovel or vacuum the road" in flat(desk.saved[english])
        assert "Barra, palee o aspire la vía" in flat(desk.saved[spanish])
        desk.network.up = True
        await settle(work)
        assert work.notice(signed.fact).kept

    on_a_tablet(tmp_path, job)


def test_places_added_or_gone_change_the_sites_list_once_signed(tmp_path):
    async def job(desk, work):
        view = await work.begin_inspection("site-01")
        inlets = next(s for s in view.sections if s.id == "inlets")
        assert inlets.counted == "On the list: 2. By what you found: 2."
        view = await work.add_place(view.id, "inlet", "CB-9", "At the gate")
        view = await work.retire_place(view.id, "inlet", "inlet-02", "paved over")
        view = await work.count_inlets(view.id)
        inlets = next(s for s in view.sections if s.id == "inlets")
        assert inlets.counted == "On the list: 2. By what you found: 2." and inlets.gone[0].label == "CB-2"
        assert [card.title for card in inlets.cards] == ["The whole site", "CB-1", "CB-9"]
        assert item(view, "INL-00").state == "pass"
        view = await work.keep_place(view.id, "inlet", "inlet-02")
        view = await work.count_inlets(view.id)
        assert item(view, "INL-00").state == "fail"  # three where the list has two
        view = await work.retire_place(view.id, "inlet", "inlet-02", "paved over")
        await nothing_else(work, view.id)
        await work.sign_inspection(view.id, PIN)
        await settle(work, lambda: len(work.site("site-01").inlets) == 2 and any(
            one.label == "CB-9" for one in work.site("site-01").inlets))
        assert {one.label for one in work.site("site-01").inlets} == {"CB-1", "CB-9"}

    on_a_tablet(tmp_path, job)


def test_places_added_or_gone_count_on_the_tablet_before_the_server_hears_of_them(tmp_path):
    def labels(work):
        site = work.site("site-01")
        return [one.label for one in site.inlets], [one.label for one in site.devices]

    def kept(work):
        tables = {name: work._desk.store.table(name) for name in ("inlets", "devices")}
        return {name: {one["id"]: one for one in table.all()} for name, table in tables.items()}

    async def job(desk, work):
        await work.stop_sync()
        desk.network.up = False
        view = await work.begin_inspection("site-01")
        await work.add_place(view.id, "inlet", "CB-9", "At the gate")
        await work.add_topic(view.id, "devices")
        await work.add_place(view.id, "device", "Fence A", "north line", "silt_fence")
        await work.retire_place(view.id, "inlet", "inlet-02", "paved over")
        await nothing_else(work, view.id)
        first = await work.sign_inspection(view.id, PIN)
        assert labels(work) == (["CB-1", "CB-9"], ["Fence A"])

        view = await work.begin_inspection("site-01")  # the second one asks about what is there
        inlets = next(s for s in view.sections if s.id == "inlets")
        assert [card.title for card in inlets.cards] == ["The whole site", "CB-1", "CB-9"] and not inlets.gone
        fence = next(one.id for one in work.site("site-01").devices)
        view = await work.retire_place(view.id, "device", fence, "taken down")
        await nothing_else(work, view.id)
        await work.sign_inspection(view.id, PIN)
        assert labels(work) == (["CB-1", "CB-9"], [])  # nor does it stand on the site's page

        view = await work.begin_correction(first.fact)  # the inlet was there after all, and the new one is no inlet
        await work.set_details(view.id, revise_reason="I looked at the wrong corner.")
        view = await work.keep_place(view.id, "inlet", "inlet-02")
        added = next(one.id for one in work.site("site-01").inlets if one.label == "CB-9")
        await work.retire_place(view.id, "inlet", added, "")
        await nothing_else(work, view.id)
        await work.sign_inspection(view.id, PIN)
        assert labels(work) == (["CB-1", "CB-2"], [])

        here = kept(work)
        desk.network.up = True
        await settle(work)
        assert labels(work) == (["CB-1", "CB-2"], [])
        assert kept(work) == here  # the office says of each place what the tablet said of it

    on_a_tablet(tmp_path, job)


def test_devices_are_asked_one_by_one_by_their_kind(tmp_path):
    async def job(desk, work):
        view = await work.begin_inspection("site-01")
        assert "devices" not in [s.id for s in view.sections]  # the site has none
        view = await work.add_topic(view.id, "devices")
        devices = next(s for s in view.sections if s.id == "devices")
        assert devices.droppable and devices.adds == "device"
        view = await work.add_place(view.id, "device", "Fence A", "north line", "silt_fence")
        devices = next(s for s in view.sections if s.id == "devices")
        fence = devices.cards[1]
        assert [one.item for one in fence.items] == ["ECD-06", "ECD-07", "ECD-08", "ECD-09", "ECD-16"]
        assert fence.subtitle == "Filter fence (silt fence) · north line"

    on_a_tablet(tmp_path, job)


def test_an_undo_survives_a_killed_app(tmp_path):
    async def all_of_it():
        desk = bench(tmp_path)
        async with desk.work() as work:
            await ready(desk, work)
            view = await work.begin_inspection("site-01")
            await work.answer(view.id, "TRK-07", "answer", "yes")
            await work.note(view.id, "TRK-07", "Dry clumps.")
        async with desk.work() as work:
            view = work.inspection(view.id)
            assert view.undo == "the answer to TRK-07"
            view = await work.undo(view.id)
            assert item(view, "TRK-07").state == "empty" and view.undo == ""
            assert item(view, "TRK-07").note == "Dry clumps."  # typed after the tap: it is not thrown away with it

    asyncio.run(all_of_it())


def test_what_must_follow_makes_the_outcome(tmp_path):
    async def job(desk, work):
        view = await work.begin_inspection("site-01")
        await soil_on_the_road(work, view.id)
        await nothing_else(work, view.id)
        steps = {one.id: one for one in work.review(view.id).steps}
        assert set(steps) == {"order", "revision", "emergency"} and not any(one.chosen for one in steps.values())
        assert work.review(view.id).outcome == "correction notice"
        assert (await work.set_follows(view.id, "order", True)).outcome == "stop-work recommended"
        assert (await work.set_follows(view.id, "emergency", True)).outcome == "emergency action requested"
        await work.set_follows(view.id, "emergency", False)
        signed = await work.sign_inspection(view.id, PIN)
        assert signed.suggest_order and body_of(work, signed.fact)["outcome"] == "stop-work recommended"

    on_a_tablet(tmp_path, job)


def test_the_head_asks_for_what_a_kind_needs(tmp_path):
    async def job(desk, work):
        view = await work.begin_inspection("site-01")
        view = await work.set_details(view.id, type="rain", entry="warrant")
        assert len(view.details.missing) == 2 and view.missing[0].section == "details"
        assert "warrant" in view.details.entry_label
        view = await work.set_details(view.id, rain="0.7", entry_note="W-2026-8", sky="heavy rain", rain_since="1,2")
        assert view.details.missing == ()
        await nothing_else(work, view.id)
        body = body_of(work, (await work.sign_inspection(view.id, PIN)).fact)
        assert body["weather"] == {"rain_24h_in": "0.7", "source": "", "rain_since_in": "1.2"}
        assert (body["sky"], body["entry_note"]) == ("heavy rain", "W-2026-8")

    on_a_tablet(tmp_path, job)


def test_photos_of_an_unknown_finding_are_refused(tmp_path):
    async def job(desk, work):
        view = await work.begin_inspection("site-01")
        with pytest.raises(Problem) as caught:
            await work.add_photo(view.id, "last:nobody", jpeg(1), source="camera")
        assert caught.value.code == "item-unknown" and not view.last_time
        await work.add_photo(view.id, INLET, jpeg(1), source="camera")

    on_a_tablet(tmp_path, job)


def test_a_killed_app_opens_at_the_item_that_was_tapped_last(tmp_path):
    async def all_of_it():
        desk = bench(tmp_path)
        async with desk.work() as work:
            await ready(desk, work)
            view = await work.begin_inspection("site-01")
            await work.go_to(view.id, "tracking")
            await work.answer(view.id, "TRK-07", "answer", "yes")
            await work.note(view.id, "TRK-10", "A truck.")
        async with desk.work() as work:
            start = await work.start()
            view = work.inspection(start.draft)
            assert (view.at_section, view.at_key) == ("tracking", "TRK-10")

    asyncio.run(all_of_it())


def test_a_draft_keeps_the_ordinance_it_was_begun_with(tmp_path):
    from sync.server.casework.founding import update_pack
    from sync.where import pack_files

    async def job(desk, work):
        view = await work.begin_inspection("site-01")
        files = dict(pack_files("demo"))
        files["pack.toml"] = files["pack.toml"].replace('version = "2026.1"', 'version = "2026.2"')
        files["checklist-tracking.toml"] = files["checklist-tracking.toml"].replace(
            "Do vehicles drive past the pad?", "Does anybody drive past the pad?")
        await desk.office(update_pack, files)
        await settle(work, lambda: work._desk.pack().version == "2026.2")
        assert item(work.inspection(view.id), "TRK-10").question == "Do vehicles drive past the pad?"
        await nothing_else(work, view.id)
        signed = await work.sign_inspection(view.id, PIN)
        fact = parse(work._desk.store.table("facts").get(signed.fact)["text"])
        assert fact.pack == "demo@2026.1"
        again = await work.begin_correction(signed.fact)
        assert item(again, "TRK-10").question == "Do vehicles drive past the pad?"
        await work.discard_draft(again.id)
        new = await work.begin_inspection("site-01")
        assert item(new, "TRK-10").question == "Does anybody drive past the pad?"

    on_a_tablet(tmp_path, job)


def test_what_is_seen_on_a_later_day_is_of_that_day_and_what_was_seen_before_is_not(tmp_path):
    """Begun and half answered on Thursday, gone on with on Friday morning: the record is of Friday, what was found on
    Thursday stays found on Thursday, and the road with soil of Friday is looked at again on Friday."""

    async def job(desk, work):
        view = await work.begin_inspection("site-01")
        await unprotected_inlet(work, view.id)
        assert "dated" not in work.review(view.id).statement
        desk.clock.set("2026-08-28T09:00:00-05:00")
        await soil_on_the_road(work, view.id)
        await nothing_else(work, view.id)
        for one in item(work.inspection(view.id), "TRK-06").photos:
            await work.remove_photo(view.id, "TRK-06", one.sha256)
        await work.set_no_photo(view.id, "TRK-06", "The rest lies behind the fence.")
        desk.clock.advance(minutes=3)
        review = work.review(view.id)
        assert [one.no_photo for one in review.findings if one.no_photo] == [
            "No photo could be taken: The rest lies behind the fence."]
        assert ("the last answer or photo is of Fri Aug 28, 2026. The record is dated Fri Aug 28, 2026"
                in review.statement)
        assert {one.key: one.carried for one in review.findings} == {INLET: "Found Thu Aug 27, 2026", "TRK-06": ""}
        signed = await work.sign_inspection(view.id, PIN)
        body = body_of(work, signed.fact)
        assert (body["began"][:10], body["ended"][:16], body["inspected_on"]) == (
            "2026-08-27", "2026-08-28T09:03", "2026-08-28")
        assert body["signed"]["statement"] == review.statement
        found = {one["item"]: one for one in body["findings"]}
        assert (found["INL-01"]["found_at"][:10], found["TRK-06"]["found_at"][:10]) == ("2026-08-27", "2026-08-28")
        # What was told on the site on Thursday stays: the date counts from the answer.
        assert found["INL-01"]["due"]["on"] == "2026-08-27"
        said = {one.title: one.found for one in work.site("site-01").findings}
        assert sorted(said.values()) == ["found Fri Aug 28, 2026", "found Thu Aug 27, 2026"]
        assert [row.by for row in work.today().road] == ["by 5:00 PM"]
        await settle(work)
        came = {doc["item"]: doc["found_on"] for doc in work._desk.store.table("findings").all()}
        assert came == {"INL-01": "2026-08-27", "TRK-06": "2026-08-28"}
        again = await work.begin_correction(signed.fact)
        await work.set_details(again.id, revise_reason="The width was misread.")
        desk.clock.advance(days=1)
        mended = body_of(work, (await work.sign_inspection(again.id, PIN)).fact)
        assert [mended[name] for name in ("began", "ended", "inspected_on")] == [
            body[name] for name in ("began", "ended", "inspected_on")]
        assert [one["found_at"] for one in mended["findings"]] == [one["found_at"] for one in body["findings"]]

    on_a_tablet(tmp_path, job)


def test_what_is_only_signed_on_a_later_day_is_of_the_day_on_which_it_was_seen(tmp_path):
    async def job(desk, work):
        view = await work.begin_inspection("site-01")
        await soil_on_the_road(work, view.id)
        await nothing_else(work, view.id)
        desk.clock.advance(hours=19)
        review = work.review(view.id)
        assert "The record is dated Thu Aug 27, 2026" in review.statement
        body = body_of(work, (await work.sign_inspection(view.id, PIN)).fact)
        assert body["inspected_on"] == "2026-08-27" == body["ended"][:10]
        assert work.today().road == ()  # it was to be looked at again on Thursday

    on_a_tablet(tmp_path, job)

"""Emergencies and revisions on the tablet: what they lack, who approved by phone, signed with no network."""

import asyncio
from datetime import date
from functools import partial
from pathlib import Path

import pytest

from field_app.capture.approval import OTHER
from sync.records.facts import parse
from sync.records.layers import read_layer
from sync.records.problems import Problem
from sync.server.casework import site_acts
from sync.server.casework.revising import order_revision
from tests.support.field_desk import PIN, bench, jpeg, ready, refused, settle
from tests.support.field_steps import nothing_else
from tests.support.papers import flat
from tests.support.powers import grant


def run(tmp_path, story, *powers):
    async def go():
        desk = bench(tmp_path)
        grant(desk.city, "carol", "approve_entry", "revise")
        for power in powers:
            grant(desk.city, "ada", power)
        async with desk.work() as work:
            await ready(desk, work)
            desk.network.up = False
            await story(desk, work)
    asyncio.run(go())


def body_of(work, kind):
    [body] = [parse(row["text"]).body for row in work._desk.store.table("facts").all() if row["kind"] == kind]
    return body


async def approved_by_phone(work, ident):
    view = await work.set_act_approval(ident, how="phone")
    assert view.approval.person == "", "nobody is chosen before the inspector chose"
    assert [choice.value for choice in view.approval.holders] == ["carol", OTHER], "only who holds the power is offered"
    view = await work.set_act_approval(ident, person="carol")
    assert (view.approval.name, view.approval.role) == ("Carol Brandt", "Building Inspector")
    return await work.act_approved_now(ident)


def test_an_emergency_is_reported_with_who_approved_by_phone_and_reaches_the_office(tmp_path: Path):
    async def story(desk, work):
        view = await work.begin_site_act("site-01", "emergency")
        ident = view.id
        assert len(view.missing) == 3 and "threat" in view.entry_lacks
        await work.set_act_text(ident, "condition", "The basin overflows.")
        await work.set_threat(ident, "storm sewer")
        view = await approved_by_phone(work, ident)
        assert view.missing == () and "threat" in view.entry_lacks, "a sewer alone is no ground"
        assert await refused(work.set_entered(ident, True)) == "entry-not-open"
        view = await work.set_threat(ident, "surface water")
        assert not view.entry_lacks and view.missing == () and "by phone" in view.approved
        view = await work.set_entered(ident, True)
        assert view.entered and not view.too_late and view.missing == ()
        await work.set_threat(ident, "surface water")
        assert any("no ground to enter" in one for one in work.site_act(ident).missing)
        await work.set_threat(ident, "surface water")
        sha = (await work.add_act_photo(ident, jpeg(5, (640, 480)), view="wide")).photos[0].sha256
        await work.add_mark(ident, sha, (640, 480), "arrow", [[10, 10], [300, 200]], "red")
        drawn = await work.add_mark(ident, sha, (640, 480), "circle", [[300, 200]], "yellow")
        assert drawn.marks == 2 and (await work.take_mark_back(ident, sha)).marks == 1
        assert work.site_act(ident).photos[0].layer == (await work.marking(ident, sha)).layer
        assert [draft.kind for draft in work.site("site-01").drafts] == ["site_act"]
        assert (await work.begin_site_act("site-01", "emergency")).id == ident, "gone on with"
        done = await work.sign_site_act(ident, PIN)
        assert done.stage == "done" and await refused(work.set_threat(ident, "public way")) == "order-not-open"
        body = body_of(work, "emergency_reported")
        assert body["approval"] == {"how": "phone", "person": "carol", "name": "Carol Brandt",
                                    "role": "Building Inspector", "at": "2026-08-27T14:00:00-05:00"}
        assert body["threatens"] == ["surface water", "storm sewer"] and len(body["photos"]) == 1
        name = (await work.save_site_act(ident)).name
        assert name == f"{done.reference}.pdf"
        assert "Carol Brandt, Building Inspector, by phone" in flat(desk.saved[name])
        [row] = work.site_acts("site-01")
        assert (row.id, row.words) == (ident, "Thu Aug 27, 2026; recorded")
        desk.network.up = True
        await settle(work)
        [known] = await desk.office(site_acts.site_acts, "site-01")
        assert known.reference == done.reference and known.approver_known
        layer = read_layer(desk.city.blobs.read(known.body["photos"][0]["layer"]))
        assert layer.of == sha and [mark["kind"] for mark in layer.marks] == ["arrow"]
        assert await refused(work.add_mark(ident, sha, (640, 480), "circle", [[9, 9]], "red")) == "order-not-open"
    run(tmp_path, story)


def test_nobody_reached_and_an_own_power(tmp_path: Path):
    async def story(desk, work):
        ident = (await work.begin_site_act("site-01", "emergency")).id
        assert await refused(work.set_act_approval(ident, how="own power")) == "no-authority"
        await work.set_act_text(ident, "condition", "Mud runs into the creek.")
        await work.set_threat(ident, "surface water")
        view = await work.set_act_text(ident, "no_approval", "The line is dead.")
        assert view.missing == () and "approval" in view.entry_lacks
        assert await refused(work.set_entered(ident, True)) == "entry-not-open"
        await work.set_act_approval(ident, how="phone", person=OTHER)
        await work.set_act_approval(ident, name="Sam Ortiz", role="Mayor")
        view = await work.set_act_approval(ident, on="2026-08-27", at="13:40")
        assert view.approval.words.startswith("Sam Ortiz, Mayor")
        await work.set_act_approval(ident, how="")
        await work.sign_site_act(ident, PIN)
        body = body_of(work, "emergency_reported")
        assert (body["approval"], body["no_approval"], body["entered_at"]) == (None, "The line is dead.", None)
        desk.network.up = True
        await settle(work)
        [known] = await desk.office(site_acts.site_acts, "site-01")
        await desk.office(site_acts.attend_emergency, "carol", known.id, "Ada may enter now.")
        # Asked again and again: what is under way may have been answered before the office said it.
        await settle(work, lambda: work.send_now() or bool(work.site_act(ident).office))
        [row] = work.site_acts("site-01")
        for said in (work.site_act(ident).office, row.words):
            assert "Carol Brandt" in said and said.endswith(": Ada may enter now."), said
    run(tmp_path, story)


def test_an_entry_before_its_approval_is_said_and_explained(tmp_path: Path):
    async def story(desk, work):
        ident = (await work.begin_site_act("site-01", "emergency")).id
        await work.set_act_text(ident, "condition", "The basin breaks.")
        await work.set_threat(ident, "adjacent property")
        await approved_by_phone(work, ident)
        await work.set_entered(ident, True)
        view = await work.set_entered_at(ident, "2026-08-27", "13:20")
        assert view.too_late and any("before its approval" in one for one in view.missing)
        view = await work.set_entered_at(ident, "2026-08-28", "09:00")
        assert not view.too_late and any("entry is in the future" in one for one in view.missing)
        await work.set_entered_at(ident, "2026-08-27", "13:20")
        view = await work.set_act_approval(ident, on="2026-08-28", at="08:00")
        assert any("The approval is in the future" in one for one in view.missing)
        await work.act_approved_now(ident)
        view = await work.set_act_text(ident, "late_why", "A wall was giving way.")
        assert view.missing == ()
        await work.sign_site_act(ident, PIN)
        body = body_of(work, "emergency_reported")
        assert body["entered_at"] == "2026-08-27T13:20:00-05:00"
        assert body["actions"] == "Entered before the approval: A wall was giving way."
    run(tmp_path, story)


def test_what_was_before_the_clock_change_keeps_the_offset_of_its_day(tmp_path: Path):
    """Approved and entered on Saturday, written down on Monday: the clocks went back in between."""
    async def story(desk, work):
        desk.clock.set("2026-11-02T09:00:00-06:00")
        ident = (await work.begin_site_act("site-01", "emergency")).id
        await work.set_act_text(ident, "condition", "The basin breaks.")
        await work.set_threat(ident, "adjacent property")
        await approved_by_phone(work, ident)
        await work.set_act_approval(ident, on="2026-10-31", at="08:00")
        await work.set_entered(ident, True)
        assert (await work.set_entered_at(ident, "2026-10-31", "09:00")).missing == ()
        await work.sign_site_act(ident, PIN)
        body = body_of(work, "emergency_reported")
        assert body["approval"]["at"] == "2026-10-31T08:00:00-05:00"
        assert body["entered_at"] == "2026-10-31T09:00:00-05:00"
    run(tmp_path, story)


@pytest.mark.parametrize("holds", [True, False])
def test_a_revision_is_ordered_with_the_power_and_recommended_without(tmp_path: Path, holds):
    async def story(desk, work):
        view = await work.begin_site_act("site-01", "revision")
        ident = view.id
        assert view.orders is holds
        await work.set_act_text(ident, "conditions", "4 inches of rain")
        await work.set_act_text(ident, "inadequate", "The fence is washed around.")
        await work.set_revision_device(ident, 0, "A trap at the low corner")
        assert any("has no day" in one for one in work.site_act(ident).missing)
        await work.set_revision_device(ident, 0, "A trap at the low corner", "2026-08-20", "17:00")
        assert any("due before now" in one for one in work.site_act(ident).missing)
        await work.set_revision_device(ident, 0, "A trap at the low corner", "2026-08-29", "17:00")
        await work.set_revision_device(ident, 1, "another")
        await work.set_revision_device(ident, 1, "")
        await work.set_act_met(ident, 0, "Jo Kessler", "superintendent", True)
        view = await work.set_act_nobody(ident, True)
        assert view.missing == () and view.met == ()
        assert await refused(work.set_act_text(ident, "condition", "x")) == "item-unknown"
        done = await work.sign_site_act(ident, PIN)
        body = body_of(work, "revision_ordered" if holds else "revision_recommended")
        assert body["ordered_on"] == ("2026-08-27" if holds else None) and body["permit_number"] == "EC-2026-014"
        paper = flat(desk.saved[(await work.save_site_act(ident)).name])
        assert ("NOT VALID" in paper) is not holds and "A trap at the low corner" in paper
        desk.network.up = True
        await settle(work)
        await work.stop_sync()
        if not holds:
            [one] = await desk.office(site_acts.site_acts, "site-01")
            await desk.office(site_acts.issue_revision, "carol", one.id, "Seen the same.")
            await settle(work, lambda: "ordered" in work.site_acts("site-01")[0].words)
            assert "NOT VALID" not in flat(desk.saved[(await work.save_site_act(ident)).name])
        assert done.reference.startswith("RV-2026-")
        [row] = work.site_acts("site-01")
        assert row.title == f"Revision of the plan {done.reference}"
        assert row.orders == ("A trap at the low corner; due Sat Aug 29, 2026 at 5:00 PM",)
    run(tmp_path, story, *(["revise"] if holds else []))


def test_what_the_office_orders_of_a_plan_stands_on_the_tablet_with_its_days(tmp_path: Path):
    async def story(desk, work):
        desk.network.up = True
        ordered = partial(order_revision, found_on=date(2026, 8, 27), permit=None, conditions="Rain for days.",
                          inadequate="The basin is full.",
                          devices=[{"text": "A second basin", "due": {"on": "2026-08-29", "at": "17:00"}}])
        await desk.office(ordered, "carol", "site-01")
        await settle(work, lambda: work.site_acts("site-01"))
        [row] = work.site_acts("site-01")
        assert row.id == "" and row.words == "Thu Aug 27, 2026; ordered"
        assert row.orders == ("A second basin; due Sat Aug 29, 2026 at 5:00 PM",)
        assert row.title.startswith("Revision of the plan RV-2026-")
    run(tmp_path, story)


def test_an_inspection_on_an_emergency_entry_says_who_approved(tmp_path: Path):
    async def story(desk, work):
        view = await work.begin_inspection("site-01", entry="emergency")
        await work.set_details(view.id, entry_note="The basin overflows.")
        view = await nothing_else(work, view.id)
        assert any("who approved" in one for one in view.details.missing)
        await work.set_entry_approval(view.id, how="phone", person="carol")
        view = await work.entry_approved_now(view.id)
        assert view.details.missing == () and view.details.approval.words.startswith("Carol Brandt")
        await work.sign_inspection(view.id, PIN)
        body = body_of(work, "inspection_signed")
        assert body["entry_approval"]["name"] == "Carol Brandt" and body["entry_approval"]["how"] == "phone"
    run(tmp_path, story)


def test_what_is_thrown_away_or_made_up_is_nothing(tmp_path: Path):
    async def story(desk, work):
        ident = (await work.begin_site_act("site-01", "emergency")).id
        assert await refused(work.set_threat(ident, "the moon")) == "choice-unknown"
        assert await refused(work.begin_site_act("site-01", "party")) == "choice-unknown"
        assert await refused(work.save_site_act(ident)) == "placard-missing"
        await work.discard_site_act(ident)
        assert work.site("site-01").drafts == () and work.site_acts("site-01") == ()
        report = await work.begin_report("site-01")
        with pytest.raises(Problem):
            work.site_act(report.id)
    run(tmp_path, story)

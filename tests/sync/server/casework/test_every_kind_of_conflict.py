"""Every kind of conflict that casework knows, end to end: both orders of arrival come to one end, and tablet, office
and public page show what docs/conflicts.md says. A kind without a scene, or without its section, fails here.
"""

import asyncio
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from sync.client.reasons import explain_item
from sync.records.problems import Problem
from sync.server.casework import founding, ownership, permitting
from sync.server.casework.conflicts import KINDS, open_conflicts
from sync.server.casework.sessions import create_sign_in_link
from sync.server.casework.settling import settle
from sync.server.console.routes import console_routes
from tests.support.calendars import corrected
from tests.support.city import PUBLIC_URL
from tests.support.conflict_scenes import SCENES, counted_anew
from tests.support.disputes import both_ways, dispute, turn
from tests.support.field_desk import bench, ready


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    """What the screen of the site shows of its orders on a tablet to which these documents came down."""
    desk, runner = bench(tmp_path_factory.mktemp("tablet")), asyncio.Runner()
    opened = desk.work()
    work = runner.run(opened.__aenter__())
    runner.run(ready(desk, work))

    async def come_down(documents):
        table = work._desk.store.table("orders")
        async with work._desk.store.change() as tx:
            for ident in table.ids():
                tx.delete("orders", ident)
            for ident, doc in documents.items():
                tx.put("orders", ident, doc)
        return {row.fact: row for row in work.site("site-01").orders}

    yield lambda documents: runner.run(come_down(documents))
    runner.run(opened.__aexit__(None, None, None))
    runner.close()


def office_page(world):
    """The page of what is to be settled, and a client that nobody is signed in with for the public page."""
    app = Starlette(routes=console_routes(world.city))
    client = TestClient(app, base_url=PUBLIC_URL)
    client.post("/office/sign-in", data={"link": create_sign_in_link(world.city, "keeper", "carol")},
                headers={"Sec-Fetch-Site": "same-origin"}, follow_redirects=False)
    return client.get("/office/set-aside").text, TestClient(app, base_url=PUBLIC_URL)


def test_every_kind_has_a_scene_and_a_section():
    assert set(SCENES) == set(KINDS)
    written = (Path(__file__).parents[4] / "docs" / "conflicts.md").read_text(encoding="utf-8")
    assert [kind for kind in KINDS if f"`{kind}`" not in written] == []


@pytest.mark.parametrize("kind", KINDS)
def test_whatever_arrives_first_it_is_shown_alike_and_comes_to_one_end(kind, shown):
    scene = SCENES[kind]

    def scenario(world, turned):
        facts = scene.play(world, turned)
        there = [one for one in open_conflicts(world.city) if one.kind == kind]
        assert there, f"{kind} is not open, only {world.conflicts()}"
        receipt = world.receipt(world.two if facts[0].tablet == world.two.tablet.code else world.one, facts[0])
        if kind not in ("fork", "copied_tablet"):
            assert (receipt.answer, receipt.reason) == scene.answer
        documents = world.down(world.one, "order")
        assert sorted((doc["status"], len(doc["dates"])) for doc in documents.values()) == sorted(scene.tablet)
        if not turned:
            looked_at(world, documents)
        while there:
            choice = next(one for one in there[0].choices if one.act == scene.decision)
            settle(world.city, "carol", choice.act, choice.subject, choice.other, "Seen on the site.")
            there = [one for one in open_conflicts(world.city) if one.kind == kind]
        world.readable(*facts)

    def looked_at(world, documents):
        page, public = office_page(world)
        assert scene.office in page
        rows = shown(documents)
        for ident, doc in documents.items():
            row = rows[ident]
            assert (row.status, row.number) == (doc["status"], doc["number"])
            assert len(row.clocks) == len(doc["dates"])
            assert row.take_down is (doc["status"] in ("released", "voided"))
            told = public.get(doc["public_url"].removeprefix(PUBLIC_URL)).text
            for sentence in scene.public:
                assert sentence in told, sentence
        if scene.answer[0] != "applied":
            assert explain_item(scene.answer[1]).words, "the outbox says what is the matter"

    both_ways(scenario)


@pytest.mark.parametrize("kind", KINDS)
def test_of_two_people_who_decide_one_conflict_the_second_is_told(kind):
    """The second from a page that was opened before the first one decided."""
    for last in (False, True):
        world = dispute()
        SCENES[kind].play(world, False)
        page = [one for each in open_conflicts(world.city) if each.kind == kind for one in each.choices]
        first, second = (page[-1], page[0]) if last else (page[0], page[-1])
        settle(world.city, "carol", first.act, first.subject, first.other, "Seen on the site.")
        state = world.state()
        if second in [one for each in open_conflicts(world.city) for one in each.choices]:
            continue  # another conflict, still open, offers the same
        with pytest.raises(Problem, match=r"it is settled.*already-decided"):
            settle(world.city, "carol", second.act, second.subject, second.other, "Seen by me, too.")
        assert world.state() == state


def test_a_permit_counted_anew_is_the_same_before_and_after_the_order():
    def scenario(world, turned):
        (order,) = counted_anew(world, turned)
        assert world.conflict("permit_other").detail["change"] == "counted anew"
        assert [one["clock"] for one in world.order(order.id)["dates"]] == ["K4", "K6", "K7"]
        assert world.down(world.one, "permit")["permit-01"]["last_valid_day"] == "2027-03-01"
        world.decide("permit_other", "note_permit")
        world.readable(order)

    assert both_ways(scenario).conflicts() == []


def test_an_appeal_filed_before_or_after_what_a_tablet_brings_comes_to_the_same():
    from sync.server.casework import deciding

    def scenario(world, turned):
        order = world.posted(world.one)
        world.push(world.one, order)
        world.clock.set("2026-08-31T10:00:00-05:00")
        again = world.reposted(world.two, order, "2026-08-29")
        steps = [lambda: deciding.file_appeal(world.city, "carol", order.id, "The permittee appeals."),
                 lambda: world.push(world.two, again)]
        turn(turned, *steps)
        doc = world.order(order.id)
        assert (doc["status"], doc["dates"], [up["on"] for up in doc["reposted"]]) == ("stayed", [], ["2026-08-29"])
        world.clock.set("2026-09-01T10:00:00-05:00")
        deciding.decide_appeal(world.city, "carol", order.id, "upheld", "The board upholds it.")
        assert {one["clock"]: one["last_day"] for one in world.order(order.id)["dates"]}["K6"] == "2026-09-11"
        world.readable(order, again)

    assert both_ways(scenario).conflicts() == []


def test_the_tablet_shows_what_the_site_and_the_calendar_did_to_an_order(shown):
    """A sale, a permit granted and a corrected calendar, on the screen of the site."""
    world = dispute()
    order = world.posted(world.one)
    world.push(world.one, order)
    world.clock.set("2026-08-31T10:00:00-05:00")
    ownership.record_sale(world.city, "carol", "site-01", {"name": "Vera Holt"}, "Deed.")
    permitting.grant_permit(world.city, "carol", "site-01", "EC-9", "In order.")
    founding.update_pack(world.city, corrected())
    row = shown(world.down(world.one, "order"))[order.id]
    for said in ("Permit EC-9 was granted on Mon Aug 31, 2026. The order stands until it is released",
                 "The land was sold on Mon Aug 31, 2026. The order stands; the new landowner is still to be served",
                 "The calendar was corrected (demo@2026.2)"):
        assert said in row.words
    assert row.clocks[0].first == ("from Thu Sep 10, 2026 on (before the calendar was corrected: from Wed Sep 9, 2026 "
                                   "on)")
    assert "Vera Holt" not in row.words

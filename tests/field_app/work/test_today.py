"""Today: what is owed at each site, the road before the day ends, orders with the date that comes next; and the index
behind it, which must know at every moment what a look at everything would find."""

import asyncio
import random

from field_app.work import finding_sites, site_standing
from field_app.work.finding_sites import folded
from tests.support.field_desk import PIN, bench, ready, settle
from tests.support.field_steps import failing_inspection, nothing_else, posted_order


def on_a_tablet(tmp_path, job, person="ada"):
    async def all_of_it():
        desk = bench(tmp_path)
        async with desk.work() as work:
            await ready(desk, work, person)
            await job(desk, work)

    asyncio.run(all_of_it())


def rows(view):
    return {(section.id, row.site): row for section in view.sections for row in section.rows}


async def put(work, table, ident, **changes):
    async with work._desk.store.change() as tx:
        tx.put(table, ident, {**(tx.get(table, ident) or {}), **changes})


async def seen(work, ident, on, site="site-01", kind="weekly"):
    await put(work, "inspections", ident, id=ident, site=site, inspected_on=on, type=kind, outcome="compliant",
              person="ben", inspector="Ben Okafor", findings=0, critical=0, ended=f"{on}T10:00:00-05:00")


def test_the_week_of_a_site_from_coming_to_overdue(tmp_path):
    async def job(desk, work):
        await seen(work, "a" * 32, "2026-08-22")
        assert ("coming", "site-01") in rows(work.today())
        assert work.today().summary == "0 overdue · 0 due today"
        desk.clock.set("2026-08-29T09:00:00-05:00")
        row = rows(work.today())[("today", "site-01")]
        assert row.lines[0].words == "Weekly inspection due today by 5:00 PM"
        assert row.lines[0].why == "last inspected Sat Aug 22; day 7 is Sat Aug 29 (clause D(1))"
        desk.clock.set("2026-08-29T17:01:00-05:00")
        assert work.today().summary == "1 overdue · 0 due today"
        await seen(work, "b" * 32, "2026-08-29")
        assert rows(work.today()) == {}
        assert work.today().nothing == "Nothing is due today. The list of sites has them all."
        desk.clock.set("2026-11-30T09:00:00-06:00")  # the permit ran out on Saturday
        assert rows(work.today()) == {}

    on_a_tablet(tmp_path, job)


def test_soil_found_after_the_work_day_is_seen_again_the_next_day_and_what_is_begun_is_safe_nowhere(tmp_path):
    async def job(desk, work):
        desk.clock.set("2026-08-27T20:30:00-05:00")
        draft = (await work.begin_inspection("site-01")).id
        assert work.outbox().answer == "All that is signed. What is begun and not signed is on this tablet alone."
        assert work.status().sentence.startswith("Nothing signed is waiting to be sent.")
        await work.discard_draft(draft)
        assert work.outbox().answer == "Yes, all of it"
        await failing_inspection(work)
        view = work.today()
        assert [(row.by, row.state) for row in view.road] == [("by 5:00 PM on Fri Aug 28, 2026", "coming")]
        desk.clock.set("2026-08-28T08:00:00-05:00")
        view = work.today()
        assert [row.by for row in view.road] == ["by 5:00 PM"]
        road = next(line for line in rows(view)[("overdue", "site-01")].lines if line.kind == "road")
        assert road.words == "Road re-check due today by 5:00 PM"
        assert "found Thu Aug 27 at 8:30 PM, after the end of the work day" in road.why
        desk.clock.set("2026-08-28T17:01:00-05:00")
        assert [row.by for row in work.today().road] == ["overdue since 5:00 PM"]
        desk.clock.set("2026-08-29T08:00:00-05:00")
        assert work.today().road == ()

    on_a_tablet(tmp_path, job)


def test_soil_on_the_road_is_looked_at_again_and_corrections_bring_us_back(tmp_path):
    async def job(desk, work):
        await seen(work, "a" * 32, "2026-08-26")
        await failing_inspection(work)
        desk.clock.advance(minutes=1)
        view = work.today()
        assert "1 road to look at again" in view.summary
        assert [(row.site, row.where, row.by) for row in view.road] == [
            ("site-01", "Mud along Mill Street for 40 feet.", "by 5:00 PM")]
        kinds = [line.kind for line in rows(view)[("overdue", "site-01")].lines]
        assert kinds == ["re-inspection", "correction", "road"]  # the inlet was due at once
        desk.clock.set("2026-08-28T08:00:00-05:00")
        view = work.today()
        assert view.road == ()
        row = rows(view)[("overdue", "site-01")]
        assert row.type == "re-inspection" and [line.kind for line in row.lines] == [
            "re-inspection", "correction", "correction"]
        assert row.lines[0].words == "Re-inspection overdue since Thu Aug 27, 2026"
        assert row.lines[0].why.startswith("2 corrections open; the first was due at once on Thu Aug 27 (")
        assert {line.why for line in row.lines[1:]} == {
            "overdue since Thu Aug 27, 2026 at 5:00 PM", "overdue: was due at once on Thu Aug 27, 2026"}

    on_a_tablet(tmp_path, job)


def test_an_order_shows_the_date_that_comes_next_in_the_words_of_the_law(tmp_path):
    async def job(desk, work):
        await posted_order(work, await failing_inspection(work))
        (order,) = work.today().orders
        assert order.due == "First correction due at once, before the inspector leaves" and order.due_state == "today"
        assert order.left == "12 more days before the city may take this step"
        assert order.next.last_day == "2026-09-08"
        assert order.next.words.endswith("last day Tue Sep 8")
        desk.clock.set("2026-09-08T08:00:00-05:00")
        assert work.today().orders[0].left == "last day before the city may take this step"
        desk.clock.set("2026-09-09T08:00:00-05:00")
        later = work.today().orders[0]
        assert (later.left, later.next.last_day) != (order.left, order.next.last_day)
        assert work.today(shown={"orders": 0}).orders == () and work.today(shown={"orders": 0}).orders_total == 1

    on_a_tablet(tmp_path, job)


def test_unfinished_work_of_this_person_alone(tmp_path):
    async def job(desk, work):
        first = (await work.begin_inspection("site-01")).id
        report = (await work.begin_report()).id
        assert {one.draft.kind for one in work.today().drafts} == {"inspection", "report"}
        await work.note(first, "TRK-06", "")
        for part, value in (("soil", "clumps"), ("distance", "40"), ("gutter", "no")):
            await work.answer(first, "TRK-06", part, value)
        (line,) = (one.draft.progress for one in work.today().drafts if one.draft.kind == "inspection")
        left = work.inspection(first).total - 1
        assert line == f"1 of {left + 1} answered · still missing: {left} answers, 1 photo, 1 note, who was told"
        assert work.inspection(first).missing_kinds == f"{left} answers, 1 photo, 1 note"
        assert work.review(first).missing_kinds == f"{left} answers, 1 photo, 1 note, who was told"
        await work.set_report_text(report, "address", "Across from 40 Oak Street")
        order = (await work.begin_order("site-01")).id
        said = {one.draft.kind: one.draft.progress for one in work.today().drafts}
        assert said["report"] == ("Across from 40 Oak Street · 2 things are still missing; first: "
                                  "Ask the tablet for the position.")
        lacking = work.order(order).missing
        assert said["order"] == (f"being written · {len(lacking)} things are still missing; first: "
                                 f"{lacking[0].sentence}")
        await put(work, "drafts", first, user="ben")
        await put(work, "reports", report, user="ben")
        await put(work, "order_drafts", order, user="ben")
        assert work.today().drafts == ()

    on_a_tablet(tmp_path, job)


def test_a_site_of_its_own_schedule_and_those_assigned_to_me(tmp_path):
    async def job(desk, work):
        await seen(work, "a" * 32, "2026-08-22")
        await put(work, "sites", "site-01", schedule={"every_days": 3, "weekday": None, "rain_in": "0.25",
                                                      "rain_within_hours": None}, inspectors=["ben"],
                  rains=[{"inches": "0.3", "began": "2026-08-26T01:00", "ended": "2026-08-26T05:00", "gauge": "yard"}])
        row = rows(work.today())[("overdue", "site-01")]
        assert [line.kind for line in row.lines] == ["weekly", "rain"] and not row.mine
        noted = "0.3 inches, Wed Aug 26, 2026 from 1:00 AM until 5:00 AM (yard)"  # the rain that makes it due is told
        assert work.site("site-01").rain == (f"{noted} · noted by the office",)
        assert work.today().rain == f"{noted} · Lot 1"
        await put(work, "sites", "site-02", rains=work._desk.store.table("sites").get("site-01")["rains"])
        assert work.today().rain == f"{noted} · 2 sites"
        assert work.today().can_choose_mine is False
        await put(work, "sites", "site-01", inspectors=["ben", "ada"])
        assert work.today().can_choose_mine and rows(work.today(mine=True))[("overdue", "site-01")].mine
        assert [row.id for row in work.sites(filters=("mine",)).rows] == ["site-01"]

    on_a_tablet(tmp_path, job)


def test_many_sites_are_reckoned_without_holding_up_the_screen(tmp_path, monkeypatch):
    monkeypatch.setattr(site_standing, "AT_ONCE", 5)

    async def job(desk, work):
        async with work._desk.store.change() as tx:
            for n in range(40):
                tx.put("sites", f"s{n:02d}", {**tx.get("sites", "site-02"), "id": f"s{n:02d}", "name": f"Lot {n}"})
                tx.put("permits", f"p{n:02d}", {**tx.get("permits", "permit-01"), "id": f"p{n:02d}",
                                                "site": f"s{n:02d}", "number": f"EC-{n:02d}"})
        assert not work.today().settled and not work.sites(filters=("due",)).settled
        heard = []
        stop = work.listen(lambda: heard.append(True))
        await work.prepare_sites()
        stop()
        view = work.today()
        assert heard and view.settled and sum(section.total for section in view.sections) == 41
        assert len(work.today(shown={"overdue": 7}).sections[0].rows) == 7
        await put(work, "sites", "s07", name="Renamed")  # one changed site is reckoned on the spot
        assert work.today().settled
        assert work.sites("renamed").rows[0].due

    on_a_tablet(tmp_path, job)


def test_the_index_knows_what_a_look_at_everything_would_find(tmp_path):
    """Random changes of every table; after each the index answers as a search through all documents does."""

    async def job(desk, work):
        chance, store = random.Random(5), work._desk.store
        names = ["Café Nuñez", "Straße 5", "ÅNGSTRÖM yard", "Mill lot", "plain"]
        for _round in range(60):
            async with store.change() as tx:
                for _one in range(chance.randint(1, 4)):
                    site = f"s{chance.randint(0, 12):02d}"
                    what = chance.choice(("site", "site", "permit", "finding", "inlet", "gone", "order", "moved"))
                    if what in ("site", "moved"):
                        tx.put("sites", site, {**(store.table("sites").get("site-02") or {}), "id": site,
                                               "name": f"{chance.choice(names)} {site}",
                                               "contractor": {"name": chance.choice(names)},
                                               "same_as": "site-01" if what == "moved" else None})
                    elif what == "gone":
                        tx.delete(chance.choice(("sites", "permits", "findings")), site)
                    elif what == "permit":
                        tx.put("permits", site, {"id": site, "site": f"s{chance.randint(0, 12):02d}",
                                                 "number": f"EC-{chance.randint(0, 99):03d}", "state": "in_force"})
                    elif what == "finding":
                        tx.put("findings", site, {"id": site, "site": f"s{chance.randint(0, 12):02d}", "item": "TRK-06",
                                                  "title": "x", "severity": "major", "found_on": "2026-08-20",
                                                  "status": chance.choice(("open", "corrected")), "inspection": "f"})
                    elif what == "inlet":
                        tx.put("inlets", site, {"id": site, "site": f"s{chance.randint(0, 12):02d}", "label": "CB"})
                    else:
                        number = f"SW-2026-T07-{chance.randint(1, 99):04d}-K"
                        tx.put("orders", site, {"id": site, "site": f"s{chance.randint(0, 12):02d}", "number": number,
                                                "status": "voided", "grounds": [], "body": {"token": "t"}})
            index = finding_sites.of(work._desk)
            for query in ("cafe", "NUNEZ s0", "strasse", "angstrom", "ec-0", "sw2026t07", "mill lot"):
                assert sorted(one.doc["id"] for one in index.search(query)) == brute(store, query), query
            for table in ("permits", "findings", "inlets", "orders"):
                for site in [f"s{n:02d}" for n in range(13)]:
                    expected = [doc["id"] for doc in store.table(table).all() if doc["site"] == site]
                    assert sorted(doc["id"] for doc in index.of_site(table, site)) == sorted(expected)

    on_a_tablet(tmp_path, job)


def brute(store, query):
    """The sites whose words hold all words of the query, found the slow way."""
    found = []
    for doc in store.table("sites").all():
        said = [doc["name"], doc["address"], doc.get("parcel") or ""]
        said += [(doc.get(role) or {}).get("name", "") for role in finding_sites.PARTIES]
        numbers = [one["number"] for table in ("permits", "orders") for one in store.table(table).all()
                   if one["site"] == doc["id"]]
        text = folded("\n".join(said + numbers + [number.replace("-", "") for number in numbers]))
        if all(word in text for word in folded(query).split()) and not doc.get("same_as"):
            found.append(doc["id"])
    return sorted(found)


def test_words_of_the_site_screen_come_from_what_is_known(tmp_path):
    async def job(desk, work):
        await seen(work, "a" * 32, "2026-08-20")
        signed = await failing_inspection(work)
        view = work.site("site-01")
        assert [row.title for row in view.history] == ["Thu Aug 27, 2026, Weekly", "Thu Aug 20, 2026, Weekly"]
        assert [row.mine for row in view.history] == [True, False]
        assert {one.age for one in view.findings} == {"since today"} and len(view.findings) == 2
        desk.clock.set("2026-08-31T09:00:00-05:00")
        assert {one.age for one in work.site("site-01").findings} == {"open for 4 days"}
        draft = (await work.begin_inspection("site-01", "re-inspection")).id
        await nothing_else(work, draft)
        assert signed.fact in {row.id for row in work.site("site-01").history}
        await settle(work)
        assert len(work.site("site-01").history) >= 2
        assert work.site("site-01").may_post and PIN

    on_a_tablet(tmp_path, job)


def test_an_inspection_has_one_outcome_wherever_it_is_told(tmp_path):
    async def job(desk, work):
        signed = await failing_inspection(work)

        def told():
            site = work.site("site-01")
            (row,) = [one.words.split(" \u00b7 ")[0] for one in site.history if one.id == signed.fact]
            return {work.signed(signed.fact).outcome_words, row, *(one.outcome for one in site.signed)}

        assert len(told()) == 1 and told() != {"Stop-work order posted"}
        await posted_order(work, signed)
        assert told() == {"Stop-work order posted"}
        await settle(work)
        assert told() == {"Stop-work order posted"}

    on_a_tablet(tmp_path, job)

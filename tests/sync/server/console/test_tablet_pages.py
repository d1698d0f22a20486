"""Tablets in the office: one page each with what never arrived, clocks that are off, and what became of copies."""

from dataclasses import replace
from datetime import timedelta

from sync.records.times import At, parse_wall
from sync.server.casework import audit, enrolment, queries
from sync.server.casework.copies import recode_tablet
from sync.server.casework.feed import changes_since
from tests.support.city import inspection_body

HOUR_MS = 3_600_000


def clocks(wall, **told):
    return At(parse_wall(wall, "wall"), "America/Chicago", 5, "b", **told)


def test_a_tablet_s_own_page_lists_what_never_arrived(office, carol):
    tablet = office.tablet
    code = tablet.tablet.code
    page = carol.get(f"/office/tablets/{code}/held")
    assert page.status_code == 200 and code in carol.get("/office/tablets").text
    before = page.text.count("Record ")
    tablet.counter += 3
    late = tablet.fact("inspection_signed", inspection_body(site=queries.site_list(office.city)[0]["id"]),
                       evidence=[("7" * 64, "voice_note")], revises="5" * 32)
    tablet.push(late)
    text = carol.get(f"/office/tablets/{code}/held").text
    assert f"Records {late.counter - 3} to {late.counter - 1}" in text
    assert "5" * 32 in text and "7" * 64 in text and "Voice note" in text
    assert f"/office/records/{late.id}" in text and carol.get(f"/office/records/{late.id}").status_code == 200
    assert "the office has not heard of it yet" in text and text.count("Record ") >= before
    assert carol.get("/office/tablets/T99/held").status_code == 404


def test_a_clock_that_is_off_shows_with_its_tablet(office, carol):
    tablet = office.tablet.tablet
    for off_s, words in ((90, None), (-420, "Its clock is 7 minutes fast."), (4 * 3600, "Its clock is 4 hours slow.")):
        office.clock.advance(minutes=2)
        enrolment.seen(office.city, tablet, off_s * 1000)
        for path in ("/office/tablets", f"/office/tablets/{tablet.code}/held"):
            text = carol.get(path).text
            assert (words in text) if words else ("Its clock is" not in text)


def test_what_became_of_a_copy_shows_with_both(office, carol):
    tablet = office.tablet.tablet
    found = recode_tablet(office.city, tablet, "ab" * 32, [], ageing=False)
    copy = found.enrolled.tablet.code
    assert f"The copy works as {copy} now." in carol.get(f"/office/tablets/{tablet.code}/held").text
    assert f"It had the code {tablet.code} until" in carol.get(f"/office/tablets/{copy}/held").text
    assert "Copied tablet given a code of its own" in carol.get("/office/audit").text


def test_an_inspection_with_a_wrong_clock_is_looked_at_and_keeps_its_day(office, carol, signed_in):
    tablet, site = office.tablet, queries.site_list(office.city)[0]["id"]
    body = inspection_body(site=site)
    odd = tablet.fact("inspection_signed", body)
    odd = replace(odd, at=clocks("2026-08-27T23:30:00-05:00", offset_ms=2 * HOUR_MS, gps_offset_ms=2 * HOUR_MS + 1500,
                                 set_back_ms=40_000))
    tablet.push(odd)
    aside = carol.get("/office/set-aside").text
    assert "The time of a record is in doubt" in aside and "it was another day" in aside
    assert "clock was 2 hours slow" in aside
    for path in (f"/office/inspections/{odd.id}", f"/office/records/{odd.id}"):
        text = carol.get(path).text
        assert "Nobody has looked at it yet." in text
        for said in ("Thu Aug 27, 2026 at 11:30 PM, UTC-05:00, America/Chicago", "2 hours slow",
                     "set back by at least 40 seconds"):
            assert said in text, (path, said)
    path, choice = "/office/conflicts", f"note_record_clock|{odd.id}|"
    assert signed_in("ada").send_form(path, choice=choice, reasons="x").status_code == 403
    assert carol.send_form(path, choice=choice, reasons=" ").status_code == 422
    assert carol.send_form(path, choice=choice, reasons="The permittee was there that night.").status_code == 303
    assert carol.send_form(path, choice=choice, reasons="Again.").status_code == 409
    assert "The time of a record is in doubt" not in carol.get("/office/set-aside").text
    text = carol.get(f"/office/inspections/{odd.id}").text
    assert "let its day stand: The permittee was there that night." in text
    [entry] = [one for one in audit.entries(office.city, subject=f"fact:{odd.id}") if one.what == "record_clock_noted"]
    assert entry.who == "carol"
    audit.verify(office.city)
    kept = queries.inspection_page(office.city, odd.id)
    assert kept["body"] == body and kept["row"]["inspected_on"].isoformat() == body["inspected_on"]


def test_only_what_is_in_doubt_is_marked(office, carol):
    tablet, site = office.tablet, queries.site_list(office.city)[0]["id"]
    now = office.clock.now()
    fine = [clocks("2026-08-27T14:03:22-05:00"), clocks("2026-08-27T14:03:22-05:00", offset_ms=14 * 60_000),
            clocks("2026-08-27T23:50:00-05:00", offset_ms=9 * 60_000)]
    odd = [clocks("2026-08-27T23:50:00-05:00", offset_ms=11 * 60_000),
           clocks("2026-08-27T14:03:22-05:00", offset_ms=-16 * 60_000),
           clocks("2026-08-27T14:03:22-05:00", offset_ms=0, set_back_ms=16 * 60_000),
           clocks("2026-08-27T14:03:22-05:00", offset_ms=0, gps_offset_ms=17 * 60_000),
           clocks((now + timedelta(minutes=16)).isoformat())]
    for at in (*fine, *odd):
        fact = replace(tablet.fact("inspection_signed", inspection_body(site=site)), at=at)
        assert tablet.push(fact)[0].answer == "applied"
        doubtful = "Nobody has looked at it yet." in carol.get(f"/office/inspections/{fact.id}").text
        assert doubtful == (at in odd), at


def test_a_power_ends_with_a_day_and_tablets_are_told(office, carol, signed_in):
    tablet, city = office.tablet, office.city
    page = carol.get("/office/people").text
    assert "End a power" in page and "post a stop-work order" in page
    today = city.today().isoformat()
    path = "/office/people/ada/power"
    assert signed_in("ada").send_form(path, power="post", last_day=today).status_code == 403
    assert carol.send_form(path, power="post", last_day="soon").status_code == 422
    assert carol.send_form(path, power="post", last_day=today).headers["location"].endswith("done=ended")
    news = changes_since(city, tablet.tablet.id, "", "", 0, 500).items
    told = {one.id: one.doc for one in news if one.kind == "person"}
    [grant] = [one for one in told["ada"]["powers"] if one["power"] == "post"]
    assert grant["until"] == today
    # Nobody can lock the city out of itself.
    refused = carol.send_form("/office/people/carol/power", power="administer", last_day=today)
    assert refused.status_code == 409 and "Nobody would be left" in refused.text
    assert carol.get("/office/people").status_code == 200

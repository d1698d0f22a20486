"""What the office sees: the overview, inspections with photos, orders with dates, records set aside, the audit."""

import errno
import hashlib
import os

import pytest
from sqlalchemy import select, update
from sqlalchemy import text as sql

from sync.records.problems import CATALOGUE
from sync.server.casework import queries
from sync.server.db.schema import findings, sites
from tests.support.office import sha
from tests.support.papers import flat, pages

COUNTED = "posted Thu Aug 27; day 10 is Sun Sep 6; Mon Sep 7 is Labor Day; last day Tue Sep 8"


def test_the_overview_says_what_waits_what_runs_and_what_is_in_doubt(carol, office, read):
    page = read(carol.get("/office/"))
    for sentence in (
        "Wed Sep 2, 2026",
        office.numbers["posted"].number,
        office.numbers["recommended"].number,
        "recommended, to be decided",
        "in force, to be confirmed",
        COUNTED,
        "Wed Sep 9, 2026",
        "2 findings · 3 of 4 photos here",
        "The signature of this record does not match",
        "Unknown kind: turbidity_measured",
        "last contact: 12 min ago",
    ):
        assert sentence in page.text, sentence
    assert office.numbers["declined"].number not in page.text


def test_only_who_may_enroll_a_tablet_is_offered_it(carol, dora, read):
    assert "Enroll a tablet" in read(carol.get("/office/")).text
    assert "An administrator makes codes." not in read(carol.get("/office/tablets")).text
    overview = read(dora.get("/office/")).text
    assert "All tablets" in overview and "Enroll a tablet" not in overview
    assert "An administrator makes codes." in read(dora.get("/office/tablets")).text


def test_a_clock_whose_day_has_come_is_open(carol, office, read, signed_in):
    assert "open now" not in read(carol.get("/office/")).text
    office.clock.set("2026-09-09T08:00:00-05:00")
    assert "open now" in read(signed_in("carol").get("/office/")).text


def test_a_step_of_an_order_that_came_late_waits_although_its_day_has_come(office, signed_in, read):
    from tests.support.samples import order_body

    leased = office.tablet.enrolled.lease[10]
    fact = office.tablet.fact("order_posted", order_body() | {"number": leased.number, "token": leased.token})
    office.clock.set("2026-09-10T09:00:00-05:00")
    office.tablet.push(fact)
    text = read(signed_in("carol").get("/office/")).text
    assert text.count("waits: service to be confirmed") == 2, "revocation and notice; entry is not counted yet"


@pytest.mark.parametrize(("now", "late"), [("27T17:00", 0), ("27T17:01", 1), ("28T12:00", 1), ("28T12:01", 2)])
def test_an_open_finding_is_called_overdue_once_its_minute_is_over(office, signed_in, read, now, late):
    office.clock.set(f"2026-08-{now}:00-05:00")
    carol = signed_in("carol")
    pages = (f"/office/inspections/{office.inspection}", "/office/sites/site-01")
    assert [read(carol.get(page)).text.count("overdue") for page in pages] == [late, late]

    def put_right(tx):
        for row in list(tx.execute(select(findings))):
            tx.execute(update(findings).where(findings.c.id == row.id).values(
                status="corrected", doc={**row.doc, "status": "corrected"}))

    office.city.db.write(put_right)
    assert not any("overdue" in read(carol.get(page)).text for page in pages)


def test_an_inspection_shows_the_record_as_signed_with_its_photos(carol, office, read):
    answer = carol.get(f"/office/inspections/{office.inspection}")
    page = read(answer)
    for sentence in (
        "100 Mill Street",
        "Ada Lindqvist",
        "computed: major; changed because: second time this week",
        "Mud along Mill Street for 40 feet.",
        "due Fri Aug 28, 2026 by 12:00 noon",
        "(CB-2)",
        "not observed",
        "Keep the stone exit 50 feet long.",
        "43.073051, -89.401230 (within 27 ft)",
        "chosen from the gallery, not taken in the app",
        "3 of 4 evidence files have arrived",
        "This photo has not arrived yet. The tablet still has it.",
        office.numbers["posted"].number,
    ):
        assert sentence in page.text, sentence
    shown = [image["attrs"]["src"] for image in page.all("img")]
    assert shown == [f"/office/evidence/{sha(data)}/preview" for data in office.pictures[:3]]
    for data in office.pictures:
        assert sha(data) in page.text


def test_a_photo_opens_as_its_untouched_bytes(carol, office):
    for data in office.pictures[:3]:
        answer = carol.get(f"/office/evidence/{sha(data)}")
        assert answer.content == data
        assert answer.headers["content-type"] == "image/jpeg"
        assert "sandbox" in answer.headers["content-security-policy"]
        small = carol.get(f"/office/evidence/{sha(data)}/preview")
        assert small.content[:2] == b"\xff\xd8" and len(small.content) < len(data)
        assert hashlib.sha256(small.content).hexdigest() != sha(data)


def test_a_hash_that_no_record_names_opens_nothing(carol, office):
    assert carol.get(f"/office/evidence/{'0' * 64}").status_code == 404
    assert carol.get(f"/office/evidence/{sha(office.pictures[3])}").status_code == 404
    assert carol.get("/office/evidence/../../etc/passwd").status_code == 404


def test_an_order_shows_its_dates_their_derivation_and_its_evidence(carol, office, read):
    page = read(carol.get(f"/office/orders/{office.orders['posted']}"))
    for sentence in (
        office.numbers["posted"].number,
        "R-2026-00001",
        "Thu Aug 27, 2026 at 2:20 PM",
        "The building inspector may revoke the permit from Wed Sep 9, 2026 on",
        COUNTED,
        "The placard at the entrance",
        "Is there soil on a public or private road?",
        "E(1)(b)",
        "Sam Ortiz, foreman: was given a copy",
    ):
        assert sentence in page.text, sentence
    assert len(page.all("img")) == 3


def test_an_order_names_the_other_orders_on_its_site(carol, office, read):
    page = read(carol.get(f"/office/orders/{office.orders['posted']}"))
    assert "Other orders on this site" in page.text
    links = [one["attrs"]["href"] for one in page.all("a")]
    assert f"/office/orders/{office.orders['confirmed']}" in links
    beside = page.text.partition("Other orders on this site")[2]
    assert office.numbers["confirmed"].number in beside
    assert office.numbers["declined"].number not in beside, "a void order does not stand beside it"


def test_an_order_that_came_late_says_that_further_steps_wait(office, signed_in, read):
    from tests.support.samples import order_body

    leased = office.tablet.enrolled.lease[10]
    body = order_body() | {"site": "site-02", "number": leased.number, "token": leased.token}
    fact = office.tablet.fact("order_posted", body)
    office.clock.set("2026-09-10T09:00:00-05:00")
    office.tablet.push(fact)
    text = read(signed_in("carol").get(f"/office/orders/{fact.id}")).text
    assert "It reached the office late after its posting." in text
    assert COUNTED in text, "no date moves"


def test_the_order_pdf_says_the_same_and_is_the_same_bytes_each_time(carol, office):
    path = f"/office/orders/{office.orders['posted']}/order.pdf"
    answer = carol.get(path)
    assert answer.headers["content-type"] == "application/pdf"
    text = flat(answer.content)
    for sentence in (office.numbers["posted"].number, "R-2026-00001", COUNTED, "The placard at the entrance"):
        assert sentence in text, sentence
    assert all("DEMO" in page for page in pages(answer.content))
    assert carol.get(path).content == answer.content


def test_the_inspection_report_has_every_fingerprint(carol, office):
    text = flat(carol.get(f"/office/inspections/{office.inspection}/report.pdf").content).replace(" ", "")
    assert all(sha(data) in text for data in office.pictures)


@pytest.mark.parametrize(
    "path",
    [
        "/office/orders/none",
        "/office/inspections/none",
        "/office/orders/none/order.pdf",
        "/office/inspections/none/report.pdf",
    ],
)
def test_what_is_not_there_is_a_plain_page_with_a_code(carol, path, read):
    answer = carol.get(path)
    assert answer.status_code == 404
    assert "Code: not-found" in read(answer).text


def test_an_order_that_was_not_issued_has_no_paper_and_no_public_page(carol, office, read):
    path = f"/office/orders/{office.orders['recommended']}"
    assert carol.get(path + "/order.pdf").status_code == 404
    links = [link["attrs"]["href"] for link in read(carol.get(path)).all("a")]
    assert not any(link.startswith("/o/") or link.endswith(".pdf") for link in links)


def test_sites_are_found_without_accents_or_case(carol, read):
    def found(asked: str) -> list[str]:
        page = read(carol.get("/office/sites", params={"q": asked}))
        return [one["text"] for one in page.all("a") if one["attrs"]["href"].startswith("/office/sites/")]

    assert found("") == ["100 Mill Street", "200 Mill Street"]
    assert found("MÍLL street") == ["100 Mill Street", "200 Mill Street"]
    assert found("ec-2026-014") == ["100 Mill Street"]
    assert found("251-02") == ["200 Mill Street"]
    assert found("nowhere") == []


def test_a_site_shows_permits_open_findings_inspections_and_orders(carol, office, read):
    text = read(carol.get("/office/sites/site-01")).text
    for sentence in (
        "EC-2026-014 in force",
        "last valid day Sat Nov 28, 2026",
        "Keep the stone exit 50 feet long.",
        "Mud along Mill Street for 40 feet.",
        "Fri Aug 28, 2026 by 12:00 noon",
        office.numbers["posted"].number,
        "CB-2",
    ):
        assert sentence in text, sentence
    assert carol.get("/office/sites/none").status_code == 404


def test_a_permit_whose_last_day_has_passed_is_said_to_have_expired(office, signed_in, read):
    office.clock.set("2026-11-29T08:00:00-06:00")
    assert "EC-2026-014 expired" in read(signed_in("carol").get("/office/sites")).text


def test_records_set_aside_are_shown_with_their_reason(carol, read):
    text = read(carol.get("/office/set-aside")).text
    for sentence in (
        "The signature of this record does not match",
        "The server does not know this kind of record yet",
        "Unreadable record",
        "A record is not well formed",
    ):
        assert sentence in text, sentence


def test_the_audit_log_names_who_did_what_and_can_be_checked(carol, office, read):
    text = read(carol.get("/office/audit")).text
    for sentence in ("Order registered", "Order confirmed", "Order declined and voided", "Carol Brandt", "the server"):
        assert sentence in text, sentence
    checked = read(carol.send_form("/office/audit/check")).text
    assert "The chain is whole:" in checked
    # Somebody changes an old entry behind our back.
    office.city.db.write(lambda tx: tx.execute(sql("UPDATE audit SET who = 'mallory' WHERE seq = 5")))
    assert "The chain is broken: entry 5" in read(carol.send_form("/office/audit/check")).text


def test_the_audit_log_goes_on_where_the_page_ends(carol, read):
    assert carol.get("/office/audit?before=3").status_code == 200
    rows = [
        cell["text"] for cell in read(carol.get("/office/audit?before=3")).all("td") if "no-break" in str(cell["attrs"])
    ]
    assert rows == ["2", "1"]
    assert carol.get("/office/audit?before=now").status_code == 422
    assert carol.get("/office/inspections?before=yesterday.x").status_code == 422


def test_words_cannot_be_put_into_a_page_by_a_link(carol, read):
    text = read(carol.get("/office/?done=Pay+at+evil.example")).text
    assert "evil" not in text


def test_what_people_wrote_is_shown_as_text_never_as_markup(office, signed_in, read):
    from tests.support.samples import inspection_body

    body = inspection_body() | {"photos": [], "answers": []}
    body["findings"][0] |= {"note": "<script>alert(1)</script><b>wet</b>", "photos": []}
    fact = office.tablet.fact("inspection_signed", body)
    assert [receipt.answer for receipt in office.tablet.push(fact)] == ["applied"]
    answer = signed_in("carol").get(f"/office/inspections/{fact.id}")
    assert "<script>alert" not in answer.text
    assert "<script>alert(1)</script><b>wet</b>" in read(answer).text


def test_a_record_in_doubt_can_be_read_word_for_word(carol, office, read):
    page = read(carol.get("/office/set-aside"))
    link = next(one["attrs"]["href"] for one in page.all("a") if one["text"] == "Inspection")
    text = read(carol.get(link)).text
    for sentence in (
        "in doubt",
        "The signature of this record does not match",
        '"outcome": "incomplete"',
        "This file has not arrived yet.",
        sha(office.pictures[0]),
    ):
        assert sentence in text, sentence
    assert carol.get(f"/office/records/{'0' * 32}").status_code == 404


def test_two_records_under_one_id_are_both_shown(office, signed_in, read):
    from sync.records.facts import freeze, parse
    from sync.records.macs import sign
    from sync.server.casework.receiving import Item, receive_facts

    fact = office.tablet.fact("turbidity_measured", {"ntu": "120"})
    first = office.tablet.item(fact)
    other = first.text.replace('"120"', '"999"')
    ident, key = office.tablet.credentials["ada"]
    assert freeze(parse(other)) == other.encode()
    receive_facts(office.city, office.tablet.tablet, [first, Item(other, sign(key, other.encode()), ident)])
    text = read(signed_in("carol").get(f"/office/records/{fact.id}")).text
    assert "2 different records bear this id" in text
    assert '"ntu": "120"' in text and '"ntu": "999"' in text


def test_an_address_that_is_none_gets_a_page_like_the_others(carol, office, read):
    for path in ("/office/nothing", "/office/orders/x/y/z", "/nothing"):
        answer = carol.get(path)
        assert answer.status_code == 404 and answer.headers["content-type"].startswith("text/html"), path
        assert "There is nothing here" in read(answer).text and "Demo City" in read(answer).text
        assert "default-src 'none'" in answer.headers["content-security-policy"]
    stray = carol.get("/o/")
    assert stray.status_code == 404 and "The code is missing" in read(stray).text


def test_a_button_s_address_that_is_opened_says_so_and_changes_nothing(carol, office, read):
    before = carol.get("/office/orders").text
    for path in (f"/office/orders/{office.orders['posted']}/confirm", "/office/sign-out", "/office/tablets/code"):
        answer = carol.get(path)
        assert answer.status_code == 405 and answer.headers["allow"] == "POST", path
        assert "This address belongs to a button." in read(answer).text
    assert carol.get("/office/orders").text == before


def test_a_photo_taken_far_from_the_site_is_flagged_where_the_order_is_decided(carol, office, read):
    photos = queries.inspection_page(office.city, office.inspection)["photos"]
    with office.city.db.read() as tx:
        doc = tx.execute(select(sites.c.doc).where(sites.c.id == "site-01")).scalar_one()
    place = next(one["position"] for one in photos if one["position"])
    for off, flagged in ((0, False), (1_200, True)):
        moved = doc | {"lat_udeg": place["lat_udeg"] + off, "lon_udeg": place["lon_udeg"]}
        office.city.db.write(lambda tx, moved=moved: tx.execute(
            update(sites).where(sites.c.id == "site-01").values(doc=moved)))
        for path in (f"orders/{office.orders['posted']}", f"inspections/{office.inspection}"):
            text = read(carol.get(f"/office/{path}")).text
            assert ("440 ft from the site" in text) == flagged, path


@pytest.mark.parametrize("number, code", [(errno.ENOSPC, "server-full"), (errno.EDQUOT, "server-full"),
                                          (errno.EROFS, "server-disk")])
def test_a_disk_that_takes_nothing_is_told_as_what_it_is(carol, read, monkeypatch, caplog, number, code):
    """As to the tablets: not as a failure that nobody foresaw."""
    def refuses(*_, **__):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(queries, "order_list", refuses)
    answer = carol.get("/office/orders")
    assert answer.status_code == 507 and CATALOGUE[code].title in read(answer).text
    assert "the disk" in caplog.text and "Traceback" not in caplog.text

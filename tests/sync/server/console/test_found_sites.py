"""A site that an inspector found: the office reads the answer, confirms the site or files it under one that it had."""

import pytest

from sync.records.facts import Evidence
from sync.server.casework import queries
from sync.server.db.schema import sites
from tests.support.finds import NEW, rain_body, report_body
from tests.support.site_acts import SIGNED, emergency_body, revision_body


@pytest.fixture
def push(office):
    def send(kind, body, **changes):
        fact = office.tablet.fact(kind, body, **changes)
        (receipt,) = office.tablet.push(fact)
        assert receipt.answer == "applied", receipt.reason
        return fact

    return send


def photo(sha: str) -> dict:
    return {"sha256": sha, "taken": {"wall": "2026-08-27T14:03:22-05:00", "zone": "America/Chicago", "mono_ms": 1,
                                     "boot": "b", "offset_ms": None},
            "source": "camera", "position": None, "no_position": "no fix", "item": None, "finding": None,
            "view": "wide", "name": None}


def test_the_office_reads_the_answer_and_confirms_the_site(office, push, carol, dora, read):
    sha = "a" * 64
    body = report_body(answers={"in_city": "yes", "road_work": "local", "cut_cu_yd": "40",
                                "areas": [{"area_sq_ft": "5200", "slope_percent": "6"}]},
                       need={"result": "required", "clauses": ["C1", "C3"]}, photos=[photo(sha)])
    fact = push("site_reported", body, evidence=[Evidence(sha, "photo", 1000, "image/jpeg")])
    for address in ("/office/", "/office/sites"):
        assert "Found in the field, to be confirmed" in read(carol.get(address)).text
    page = read(carol.get(f"/office/sites/{NEW}"))
    assert "found in the field, not confirmed yet" in page.text
    assert "A permit is required because of the disturbed area and its slope (clause C(1)), street" in page.text
    assert "5200 sq ft, 6 %" in page.text and "City or town road" in page.text and "40 cu yd" in page.text
    assert "This photo has not arrived yet" in page.text and "Digwell" in page.text
    assert any(one["attrs"].get("href") == f"/office/records/{fact.id}" for one in page.all("a"))
    actions = [one["attrs"]["action"] for one in read(dora.get(f"/office/sites/{NEW}")).all("form")]
    assert not [one for one in actions if "/found/" in one], "who lacks the power is offered nothing"
    assert dora.send_form(f"/office/sites/{NEW}/found/confirm").status_code == 403
    assert carol.send_form(f"/office/sites/{NEW}/found/confirm").status_code == 303
    page = read(carol.get(f"/office/sites/{NEW}"))
    assert "found in the field, confirmed" in page.text
    assert "Found in the field, to be confirmed" not in read(carol.get("/office/")).text
    assert carol.send_form(f"/office/sites/{NEW}/found/confirm").status_code == 409


def test_a_find_that_the_office_had_is_filed_there(office, push, carol, read):
    push("site_reported", report_body())
    other = next(site["id"] for site in queries.site_list(office.city) if site["id"] != NEW)
    page = read(carol.get(f"/office/sites/{NEW}"))
    assert other in [one["attrs"]["value"] for one in page.all("option")]
    assert carol.send_form(f"/office/sites/{NEW}/found/same", same_as=other, reasons=" ").status_code == 422
    answer = carol.send_form(f"/office/sites/{NEW}/found/same", same_as=other, reasons="It is the back of it.")
    assert answer.status_code == 303 and answer.headers["location"].startswith(f"/office/sites/{other}")
    page = read(carol.get(f"/office/sites/{NEW}"))
    assert "the same as another site" in page.text
    assert any(one["attrs"].get("href") == f"/office/sites/{other}" for one in page.all("a"))
    assert carol.send_form(f"/office/sites/{NEW}/found/burn").status_code == 404


def test_an_answer_that_does_not_follow_from_the_answers_is_said_to(office, push, carol, read):
    push("site_reported", report_body(need={"result": "not_required", "clauses": []}))
    page = read(carol.get(f"/office/sites/{NEW}")).text
    assert "A permit is required because of street" in page and "The tablet came to another answer" in page


def test_rain_is_listed_with_who_read_it_where(office, push, carol, read):
    push("rain_recorded", rain_body())
    page = read(carol.get("/office/rain"))
    assert "0.70 in" in page.text and "the whole city" in page.text and "yard" in page.text
    assert "Rain" in read(carol.get("/office/sites/site-01")).text
    audit = read(carol.get("/office/audit")).text
    assert "Rain written down" in audit



def test_what_the_office_has_of_a_site_stands_in_the_lists_of_rain_and_beside_its_orders(office, carol, read):
    order = office.orders["posted"]
    site = next(row["site"] for row in queries.order_list(office.city) if row["id"] == order)
    doc = next(one for one in queries.site_list(office.city) if one["id"] == site)
    told = {**doc, "contractor": {"name": "Tri-Lakes Excavating Co", "address": "48 Gravel Lane", "phone": ""},
            "rains": [{"inches": "0.62", "began": "2026-08-25T18:00", "ended": "2026-08-25T22:00",
                       "gauge": "City garage"}]}
    office.city.db.write(lambda tx: tx.execute(sites.update().where(sites.c.id == site).values(doc=told)))
    page = read(carol.get("/office/rain")).text
    assert "0.62 in" in page and "City garage" in page and "the office" in page and doc["address"] in page
    assert "Tri-Lakes Excavating Co" in read(carol.get(f"/office/orders/{order}")).text


def test_what_was_signed_with_photos_and_what_was_taken_off_before_stands_in_the_office(office, push, carol, read):
    off = {"sha256": "b" * 64, "taken": None, "removed_at": "2026-08-27T14:05:00-05:00", "why": "retaken"}
    said = {**SIGNED, "statement": "I, Ada Lindqvist, report what I found; photo 1: aaaaaaaaaaaa."}
    push("site_reported", report_body(photos=[], signed=said, removed_photos=[off]))
    page = read(carol.get(f"/office/sites/{NEW}"))
    assert said["statement"] in page.text
    assert "Photos taken off before signing bbbbbbbbbbbb, Thu Aug 27, 2026 at 2:05 PM" in page.text
    fact = push("emergency_reported", emergency_body(signed=said, removed_photos=[off]))
    page = read(carol.get(f"/office/site-acts/{fact.id}"))
    assert said["statement"] in page.text and "bbbbbbbbbbbb" in page.text
    fact = push("revision_recommended", revision_body(ordered=False, inspector=said))
    assert said["statement"] in read(carol.get(f"/office/site-acts/{fact.id}")).text

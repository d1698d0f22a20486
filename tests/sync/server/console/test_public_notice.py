"""The page behind a correction notice's code: only who holds the code is told, and only once the record has arrived."""

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from sync.server.console.routes import console_routes, refusals
from tests.support.city import field_tablet, finding, inspection_body, memory_city
from tests.support.clock import StoppedClock

TOKEN, NEW_TOKEN = "f0" * 16, "0f" * 16
FIRST, SECOND = "1" * 32, "2" * 32


@pytest.fixture
def world():
    city = memory_city(StoppedClock("2026-08-27T15:00:00-05:00"))
    app = Starlette(routes=console_routes(city), exception_handlers=refusals(city))
    return city, field_tablet(city, "ada"), TestClient(app)


def signed(tablet, findings, *, token=TOKEN, **changes):
    revises = changes.pop("revises", None)
    body = inspection_body(findings=findings, outcome="correction notice", notice_token=token, **changes)
    return tablet.fact("inspection_signed", body, revises=revises)


def torn(ident=SECOND, **changes):
    return finding(ident, item="INL-05", subject={"kind": "inlet", "id": "inlet-02", "label": "CB-2"},
                   correction="Repair or replace the barrier at inlet CB-2.",
                   due={"on": "2026-08-29", "at": "14:00"}, **changes)


def test_until_it_arrives_it_looks_like_one_that_never_was(world):
    _city, tablet, web = world
    fact = signed(tablet, [finding(FIRST)])
    before = web.get(f"/n/{fact.id}?t={TOKEN}")
    assert before.status_code == 404 and "once the inspector" in before.text
    tablet.push(fact)
    after = web.get(f"/n/{fact.id}?t={TOKEN}")
    assert after.status_code == 200 and "Sweep the road." in after.text
    assert "Thu Aug 27, 2026 by 5:00 PM" in after.text and "100 Mill Street" in after.text
    assert "Ada" not in after.text and "Erosion Control Inspector" in after.text
    for wrong in (f"/n/{fact.id}?t={NEW_TOKEN}", f"/n/{fact.id}?t=%ff%00", "/n/hello?t=" + TOKEN,
                  "/n/" + "a" * 32 + "?t=" + TOKEN, "/n/" + "A" * 5000 + "?t=x"):
        answer = web.get(wrong)
        assert (answer.status_code, answer.text) == (404, before.text), wrong


def test_what_is_done_and_what_was_corrected_is_shown_as_it_stands(world):
    _city, tablet, web = world
    first = signed(tablet, [finding(FIRST), torn()])
    tablet.push(first)
    assert "2 to be corrected" in web.get(f"/n/{first.id}?t={TOKEN}").text
    tablet.push(signed(tablet, [], token=None, closes=[FIRST], inspected_on="2026-08-28",
                       followups=[{"finding": FIRST, "state": "fixed", "note": "", "photos": []}]))
    page = web.get(f"/n/{first.id}?t={TOKEN}").text
    assert "1 to be corrected" in page and ">corrected<" in page
    later = signed(tablet, [torn()], token=NEW_TOKEN, revises=first.id, revise_reason="There was no soil.")
    tablet.push(later)
    page = web.get(f"/n/{first.id}?t={TOKEN}").text
    assert "The inspector corrected this notice later" in page and "Sweep the road." not in page
    assert "corrected this notice later" not in web.get(f"/n/{later.id}?t={NEW_TOKEN}").text


def test_it_speaks_spanish(world):
    _city, tablet, web = world
    fact = signed(tablet, [torn()])
    tablet.push(fact)
    page = web.get(f"/n/{fact.id}?t={TOKEN}", headers={"accept-language": "es-MX,es"}).text
    assert "Repare o reemplace la barrera del sumidero CB-2." in page and "Aviso de corrección" in page


def test_a_record_without_a_token_has_no_page(world):
    _city, tablet, web = world
    fact = signed(tablet, [torn()], token=None)
    tablet.push(fact)
    assert web.get(f"/n/{fact.id}?t=None").status_code == web.get(f"/n/{fact.id}?t=").status_code == 404

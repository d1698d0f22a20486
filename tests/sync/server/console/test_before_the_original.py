"""What the office sees of a photo that is not here: its preview, marked as such; or the smaller copy instead."""

import io
from dataclasses import replace

import pytest
from PIL import Image
from starlette.applications import Starlette

from sync.records.facts import Evidence
from sync.server.casework.evidence import hold_bytes
from sync.server.casework.sessions import create_sign_in_link
from sync.server.console.routes import console_routes, refusals
from tests.support.city import PUBLIC_URL
from tests.support.evidence_files import signature
from tests.support.office import sha
from tests.support.samples import PHOTO, inspection_body

from .conftest import Person

MARK = "Preview, original not here yet. The tablet still has it."


@pytest.fixture
def absent(office):
    """The SHA-256 and bytes of the one photo that is still on the tablet."""
    data = office.pictures[3]
    return sha(data), data


def small_of(data):
    out = io.BytesIO()
    with Image.open(io.BytesIO(data)) as image:
        image.thumbnail((480, 480))
        image.save(out, "JPEG")
    return out.getvalue()


def pictures(page, name):
    return [one["attrs"]["src"] for one in page.all("img") if name in one["attrs"]["src"]]


def test_a_preview_is_shown_and_marked_until_the_original_is_here(office, carol, read, absent):
    name, data = absent
    page = f"/office/inspections/{office.inspection}"
    assert pictures(read(carol.get(page)), name) == []
    assert carol.get(f"/office/evidence/{name}/preview").status_code == 404
    small = small_of(data)
    hold_bytes(office.city, office.tablet.tablet, sha(small), "preview", small, name)
    shown = read(carol.get(page))
    assert pictures(shown, name) == [f"/office/evidence/{name}/preview"] and MARK in shown.text
    assert "3 of 4 evidence files have arrived" in shown.text, "a preview is no evidence"
    answer = carol.get(f"/office/evidence/{name}/preview")
    assert answer.headers["content-type"] == "image/jpeg" and answer.headers["cache-control"] == "no-store"
    assert carol.get(f"/office/evidence/{name}").status_code == 404, "there is no original to open"
    record = read(carol.get(f"/office/records/{office.inspection}"))
    assert pictures(record, name) and MARK in record.text
    hold_bytes(office.city, office.tablet.tablet, name, "photo", data)
    shown = read(carol.get(page))
    assert MARK not in shown.text and "evidence files have arrived" not in shown.text
    assert carol.get(f"/office/evidence/{name}").content == data


def test_papers_never_print_a_preview(office, carol, absent):
    name, data = absent
    before = carol.get(f"/office/inspections/{office.inspection}/report.pdf")
    small = small_of(data)
    hold_bytes(office.city, office.tablet.tablet, sha(small), "preview", small, name)
    assert carol.get(f"/office/inspections/{office.inspection}/report.pdf").content == before.content


def test_a_smaller_copy_says_where_its_original_is(office, absent, read):
    name, data = absent
    copy = small_of(data)
    body = {"about": {"fact": office.inspection},
            "original": {"sha256": name, "size": 71_000_000, "media": "image/jpeg"},
            "copy": {"sha256": sha(copy), "size": len(copy), "width": 480, "height": 360},
            "made": "JPEG, at most 480 pixels a side, upright", "limit": 67_108_864}
    hold_bytes(office.city, office.tablet.tablet, sha(copy), "photo", copy)
    fact = office.tablet.fact("smaller_copy_added", body, needs=(office.inspection,),
                              evidence=[Evidence(sha(copy), "photo", len(copy), "image/jpeg")])
    assert office.tablet.push(fact)[0].whole
    narrow = replace(office.city, evidence_bytes=10_000)
    carol = Person(Starlette(routes=console_routes(narrow), exception_handlers=refusals(narrow)), base_url=PUBLIC_URL)
    carol.send_form("/office/sign-in", link=create_sign_in_link(narrow, "keeper", "carol"))
    shown = read(carol.get(f"/office/inspections/{office.inspection}"))
    assert f"/office/evidence/{sha(copy)}/preview" in pictures(shown, sha(copy))
    assert "The original (71.0 MB) is too large for the server: it stays on tablet T01. This is a smaller copy." in (
        shown.text)
    assert "3 of 4 evidence files have arrived. One is too large for the server: it stays on the tablet." in shown.text
    report = read(carol.get("/office/tablets"))
    assert "One is too large for the server: it stays on the tablet. A smaller copy is here of 1." in report.text


def test_a_signature_of_strokes_is_drawn(office, carol):
    data = signature()
    hold_bytes(office.city, office.tablet.tablet, sha(data), "signature", data)
    fact = office.tablet.fact("turbidity_measured", {}, evidence=[Evidence(sha(data), "signature", len(data), "a/b")])
    office.tablet.push(fact)
    answer = carol.get(f"/office/evidence/{sha(data)}/preview")
    assert answer.headers["content-type"].startswith("image/svg+xml") and answer.text.count("<polyline") == 2


def test_photos_taken_off_before_signing_are_named(office, carol, read):
    gone = {"sha256": "cd" * 32, "taken": None, "removed_at": "2026-08-27T14:02:00-05:00"}
    fact = office.tablet.fact("inspection_signed", inspection_body() | {"removed_photos": [gone]},
                              evidence=[(sha(data), "photo") for data in office.pictures] + [(PHOTO, "photo")])
    assert office.tablet.push(fact)[0].answer == "applied"
    shown = read(carol.get(f"/office/inspections/{fact.id}")).text
    assert "Photos taken off before signing cdcdcdcdcdcd, Thu Aug 27, 2026 at 2:02 PM" in shown

"""The registered order and the inspection report: what the office adds, and that a record is printed as signed."""

from io import BytesIO

import pytest
from PIL import Image, ImageDraw

from sync.documents.order import order_pdf
from sync.documents.placard import placard_pdf
from sync.documents.report import inspection_report_pdf
from tests.support.papers import check_golden, flat, pages

from .conftest import CREATED, PHOTOS, PUBLIC_URL


@pytest.fixture(scope="module")
def pictures():
    """Two small JPEGs, under the names of the first two photos."""
    found = {}
    for number, sha in enumerate(PHOTOS):
        image = Image.new("RGB", (320, 240), (150, 120 + 30 * number, 90))
        ImageDraw.Draw(image).rectangle((40, 90, 250, 200), fill=(110, 80, 50))
        data = BytesIO()
        image.save(data, "JPEG")
        found[sha] = data.getvalue()
    return found


@pytest.fixture
def registered(pack, dates, site, order, inspection, pictures):
    def make(**changes):
        given = {
            "dates": dates,
            "public_url": PUBLIC_URL,
            "created": CREATED,
            "site": site,
            "status": "in_force",
            "register": "R-2026-00003",
            "registered_at": CREATED,
            "findings": inspection["findings"],
            "evidence": [one | {"held": one["sha256"] in pictures} for one in inspection["photos"]],
            "previews": pictures,
        } | changes
        return order_pdf(order, pack, **given)

    return make


@pytest.fixture
def report(pack, site, inspection, pictures):
    def make(**changes):
        body = changes.pop("inspection", inspection)
        given = {
            "site": site,
            "fact_id": "a1" * 16,
            "sha256": "b2" * 32,
            "created": CREATED,
            "received_at": CREATED,
            "subjects": {"inlet-02": "CB-2", "c1": "Condition 1: keep the stone exit 50 feet long"},
            "previews": pictures,
        } | changes
        return inspection_report_pdf(body, pack, **given)

    return make


def test_the_registered_order_says_register_number_decision_and_service(registered):
    text = flat(
        registered(
            decision={"kind": "confirmed", "by": "Carol Brandt", "at": "2026-09-02T09:12:00-05:00"},
            service=[("First-class mail", "Fri Aug 28, 2026, to permittee and landowner")],
        )
    )
    for sentence in (
        "Register number R-2026-00003",
        "In force, confirmed by the building inspector.",
        "Confirmed Wed Sep 2, 2026 at 9:12 AM by Carol Brandt",
        "Issued by posting it in the field",
        "Posted Thu Aug 27, 2026 at 2:20 PM",
        "First-class mail Fri Aug 28, 2026, to permittee and landowner",
        "Office copy, register R-2026-00003",
    ):
        assert sentence in text, sentence


def test_order_and_placard_count_alike(registered, order, pack, dates):
    counted = "posted Thu Aug 27; day 10 is Sun Sep 6; Mon Sep 7 is Labor Day; last day Tue Sep 8"
    placard = placard_pdf(order, pack, dates=dates, public_url=PUBLIC_URL, created=CREATED)
    assert counted in flat(registered()) and counted in flat(placard)


def test_evidence_is_listed_with_its_fingerprint_and_what_has_not_arrived(registered, inspection):
    text = flat(registered()).replace(" ", "")
    for photo in inspection["photos"]:
        assert photo["sha256"] in text
    assert "notyet" in text
    check_golden("order-registered", registered())


def test_a_declined_order_is_void_on_every_page_and_its_clocks_are_closed(registered):
    data = registered(
        status="voided",
        decision={
            "kind": "declined",
            "by": "Carol Brandt",
            "at": "2026-09-02T09:12:00-05:00",
            "reasons": "The parcel is wrong.",
        },
    )
    text = flat(data)
    assert "Declined and void: this order has no force." in text
    assert text.index("VOID") < text.index("Reasons: The parcel is wrong.") < text.index("Register number")
    assert "must stop" not in text.lower() and "must go on" not in text and "must be corrected" not in text
    assert "the clocks of this order are closed" in text
    assert "last day Tue Sep 8" not in text
    assert all("NOT VALID" in page for page in pages(data))


def test_the_report_prints_the_record_as_signed(report):
    data = report()
    text = flat(data)
    for sentence in (
        "Stop-work order posted",
        "Thu Aug 27, 2026, 1:40 PM to 2:03 PM",
        "0.50 in of rain in the last 24 hours (gauge on site)",
        "not observed a parked truck stands on it",
        "Condition 1: keep the stone exit 50 feet long yes",
        "43.073051, -89.401230 (within 27 ft)",
        "no position: no signal from satellites",
        "chosen from the gallery, not taken in the app",
        "This photo has not arrived yet.",
        "Received by the office",
    ):
        assert sentence in text, sentence
    check_golden("inspection-report", data)


@pytest.mark.parametrize("note", ["Mud.", "Mud. " * 40, "Mud. " * 300])
def test_no_heading_or_head_of_a_table_ends_a_page_alone(report, inspection, note):
    inspection["findings"] = [{**inspection["findings"][0], "note": note}] * 3
    for page in pages(report()):
        assert not page.split("Record ")[0].rstrip().endswith(("Findings", "Correction and due", "Answers", "Note"))


def test_a_changed_severity_says_from_what_and_why(report, inspection):
    inspection["findings"][0] |= {"severity": "critical", "severity_reason": "second time this week"}
    assert "computed: major; changed because: second time this week" in flat(report()).replace("  ", " ")


def test_a_question_that_the_pack_does_not_have_prints_by_its_id(report, inspection):
    inspection["answers"].append({"item": "NEW-77", "subject": None, "answer": {"answer": "rusty"}, "note": ""})
    assert "NEW-77 rusty" in flat(report())


def test_the_same_record_gives_the_same_bytes(report, registered):
    assert report() == report()
    assert registered() == registered()


def test_an_order_voided_after_it_was_confirmed_does_not_say_that_it_was_declined(registered):
    text = flat(
        registered(
            status="voided",
            decision={"kind": "confirmed", "by": "Carol Brandt", "at": "2026-09-02T09:12:00-05:00"},
            ended={"on": "2026-09-04", "by": "Carol Brandt", "reasons": "A new order replaces it."},
        )
    )
    assert "Void: this order has no force." in text and "Declined" not in text
    assert "Reasons: A new order replaces it." in text, text
    assert "September 4, 2026 by Carol Brandt" in text


def test_the_office_is_told_of_a_photo_taken_far_from_the_site(registered, report, site, inspection):
    near = {"lat_udeg": 43_073_051, "lon_udeg": -89_401_230}
    assert "ft from the site" not in flat(report(site=site | near)) + flat(registered(site=site | near))
    far = near | {"lat_udeg": near["lat_udeg"] + 1_200}
    assert "440 ft from the site" in flat(report(site=site | far))
    assert "440 ft from the site" in flat(registered(site=site | far))


def test_a_picture_from_the_gallery_says_what_is_known_of_its_time(report, inspection):
    assert "; when it was taken is not known" in flat(report())
    photos = [dict(one) for one in inspection["photos"]]
    photos[1]["exif"] = {"taken": "2026-08-20T09:30:00"}
    said = flat(report(inspection=inspection | {"photos": photos}))
    assert "Thu Aug 20, 2026 at 9:30 AM, as the picture itself says" in said
    photos[1]["exif"] = {"taken": ["not", "a time"]}
    assert "; when it was taken is not known" in flat(report(inspection=inspection | {"photos": photos}))


def test_what_stands_under_a_photo_stays_on_its_page_however_long_it_is(report, inspection):
    one = inspection["photos"][0]
    shas = [f"{n:02x}" * 32 for n in range(20, 31)]
    long = "Seen from the low corner of the lot where the fence was cut. " * 6
    body = inspection | {"findings": [], "photos": [
        one | {"sha256": sha, "item": None, "finding": None, "name": long if n % 3 == 0 else "Fence"}
        for n, sha in enumerate(shas)]}
    found = pages(report(inspection=body))
    for n, sha in enumerate(shas):
        (page,) = [text for text in found if sha[:32] in text]
        assert sha[32:] in page[page.index(sha[:32]) + 32:], "both halves of the fingerprint"
        assert n % 3 or " ".join(page.split()).count("Seen from the low corner") >= 6

"""The page of an inspection shows what became of earlier findings, who was told, signatures, and its corrections."""

from sync.records.facts import Evidence
from sync.records.strokes import SIGNATURE_MEDIA
from sync.records.wire import encode
from sync.server.casework.evidence import hold_bytes
from tests.support.city import finding, inspection_body
from tests.support.office import sha
from tests.support.papers import flat

DRAWN = encode({"signature": 1, "width": 900, "height": 360, "strokes": [[[100, 200, 0], [300, 120, 40]]]})
FIRST, SECOND = "1" * 32, "2" * 32


def two_visits(office):
    """An inspection with a finding, the next one that carries it on, and a correction of that."""
    tablet, drawn = office.tablet, sha(DRAWN)
    first = tablet.fact("inspection_signed", inspection_body(findings=[finding(FIRST)], inspected_on="2026-08-20"))
    told = {"in_charge": {"how": "signed", "name": "Jo Kessler", "role": "foreman", "reason": "", "signature": drawn,
                          "witness": None}}
    said = {"followups": [{"finding": FIRST, "state": "worse", "note": "It grew.", "photos": [], "item": "TRK-06",
                           "subject": None, "found_on": "2026-08-20"}], "closes": [FIRST]}
    more = {"places": [{"act": "add", "kind": "inlet", "id": "a" * 32, "label": "CB-9", "place": "At the gate"}],
            "entry_note": "Joe, owner", "sky": "heavy rain"}
    body = inspection_body(
        findings=[finding(SECOND, continues=[FIRST], first_found_on="2026-08-20",
                          no_photo="The gate was locked.")], **told, **said, **more)
    evidence = (Evidence(drawn, "signature", len(DRAWN), SIGNATURE_MEDIA),)
    second = tablet.fact("inspection_signed", body, evidence=evidence)
    third = tablet.fact("inspection_signed", {**body, "revise_reason": "Sixty feet, not forty."}, evidence=evidence,
                        revises=second.id)
    tablet.push(first, second, third)
    hold_bytes(office.city, tablet.tablet, drawn, "signature", DRAWN)
    return second.id, third.id


def test_the_page_shows_the_visit_and_both_versions(office, carol, read):
    second, third = two_visits(office)
    page = read(carol.get(f"/office/inspections/{third}"))
    assert "Open since Thu Aug 20, 2026" in page.text  # the finding that carries the earlier one on
    for sentence in ("Open findings of earlier inspections", "Thu Aug 20, 2026", "worse", "It grew.",
                     "Added to the site's list: CB-9 (At the gate)", "Jo Kessler, foreman was told and signed.",
                     "No photo could be taken: The gate was locked.",
                     "Person in charge: Jo Kessler", "consent: Joe, owner", "heavy rain",
                     "Why it was corrected: Sixty feet, not forty.", "This corrects an earlier inspection."):
        assert sentence in page.text, sentence
    assert f"/office/evidence/{sha(DRAWN)}/preview" in [image["attrs"]["src"] for image in page.all("img")]
    assert carol.get(f"/office/evidence/{sha(DRAWN)}/preview").headers["content-type"].startswith("image/svg+xml")
    earlier = read(carol.get(f"/office/inspections/{second}")).text
    assert "This inspection was corrected later." in earlier and "Why it was corrected" not in earlier


def test_the_report_prints_them_too(office, carol):
    second, third = two_visits(office)
    text = flat(carol.get(f"/office/inspections/{third}/report.pdf").content)
    for sentence in ("This corrects an earlier record", "Sixty feet, not forty.", "Jo Kessler, foreman was told",
                     "Open since Thu Aug 20, 2026", "No photo could be taken: The gate was locked.", "worse",
                     "Added to the site's list: CB-9"):
        assert sentence in text, sentence
    assert "This record was corrected later" in flat(carol.get(f"/office/inspections/{second}/report.pdf").content)


def test_an_inspection_whose_order_was_posted_says_so(office, carol, read):
    page = read(carol.get(f"/office/inspections/{office.inspection}")).text
    assert "Stop-work order posted" in page

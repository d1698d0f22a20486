"""The correction notice: every correction with its printed date, who was told, a code, the drawn signatures."""

import pytest

from sync.documents.inspection_words import correction_words
from sync.documents.notice import correction_notice_pdf, notice_link, open_corrections, told_words
from sync.records.wire import encode
from tests.support.papers import check_golden, flat, pages

from .conftest import CREATED, PUBLIC_URL

FACT, TOKEN, SHA = "0123456789abcdef" * 2, "f0" * 16, "ab" * 32
DRAWN = encode({"signature": 1, "width": 900, "height": 360,
                "strokes": [[[100, 200, 0], [300, 120, 40], [520, 260, 90]], [[600, 90, 200], [640, 300, 260]]]})


@pytest.fixture
def notice(pack, site, inspection):
    def make(language="en", signatures=None, **changes):
        inspection["notice_token"] = TOKEN
        inspection["in_charge"] = {"how": "signed", "name": "Jo Kessler", "role": "foreman", "reason": "",
                                   "signature": SHA, "witness": None}
        inspection["findings"].append({
            **inspection["findings"][0], "id": "f-2", "item": "INL-05", "severity": "minor",
            "subject": {"kind": "inlet", "id": "inlet-02", "label": "CB-2"}, "note": "The fabric is torn.",
            "correction": "Repair or replace the barrier at inlet CB-2.", "due": {"on": "2026-08-29", "at": "14:00"},
            "continues": ["9" * 32], "first_found_on": "2026-08-20", "photos": [],
        })
        inspection.update(changes)
        return correction_notice_pdf(
            inspection, pack, fact_id=FACT, created=CREATED, site=site, public_url=PUBLIC_URL,
            signatures=signatures if signatures is not None else {SHA: DRAWN}, language=language)
    return make


@pytest.mark.parametrize("language", ["en", "es"])
def test_the_notice_says_what_by_when_and_to_whom(notice, language):
    data = notice(language)
    check_golden("correction-notice" if language == "en" else "correction-notice-es", data)
    assert len(pages(data)) == 1


def test_the_gravest_is_read_first():
    graver = [{"id": at, "severity": severity, "status": status} for at, (severity, status) in enumerate([
        ("minor", "open"), ("major", "open"), ("critical", "corrected"), ("critical", "open"), ("major", "open")])]
    assert [one["id"] for one in open_corrections({"findings": graver})] == [3, 1, 4, 0]


def test_a_corrected_finding_is_not_asked_for_again(notice, inspection):
    for one in inspection["findings"]:
        one["status"] = "corrected"
    text = flat(notice(findings=inspection["findings"]))
    assert "Nothing is left to correct." in text and "By when" not in text


def test_a_notice_that_replaces_another_says_so_and_why(notice):
    text = flat(notice(revise_reason="The distance was 60 feet."))
    assert "This notice replaces an earlier one" in text and "The distance was 60 feet." in text
    assert "The person in charge signed the earlier version." in text


def test_the_packs_own_sentence_is_said_in_the_readers_language(notice, pack, inspection):
    text = flat(notice("es"))
    assert "Repare o reemplace la barrera del sumidero CB-2." in text and "Repair or replace" not in text
    own = {"item": "INL-05", "correction": "Call me first."}
    assert correction_words(own, pack, "es") == "Call me first."
    inlet = {"item": "INL-01", "correction": "Install a barrier at inlet CB-3 (Mill St. at Third St.)."}
    said = "Instale una barrera en el sumidero CB-3 (Mill St. at Third St.)."
    assert correction_words(inlet, pack, "es") == said
    assert correction_words({**inlet, "correction": said}, pack, "en") == inlet["correction"]
    condition = {"item": "CON-01", "correction": "Carry out this condition: Keep the exit 50 feet long."}
    assert correction_words(condition, pack, "es") == "Cumpla esta condición: Keep the exit 50 feet long."


def test_who_was_told(inspection):
    def said(**met):
        return told_words({"in_charge": {"name": "", "role": "", "reason": "", "signature": None, "witness": None,
                                         **met}}, lambda text: text)

    assert said(how="nobody present") == "Nobody in charge was on the site."
    assert said(how="signed", name="Jo", role="foreman") == "Jo, foreman was told and signed."
    refused = said(how="refused", name="Jo", witness={"name": "Ben", "signature": None}, reason="Ask my boss.")
    assert refused == "Jo was told and refused to sign. Witness: Ben. Remark: Ask my boss."
    assert told_words({}, lambda text: text) == "Nobody is recorded as having been told on the site."


def test_the_link_is_found_by_the_record_and_proved_by_its_token():
    assert notice_link(PUBLIC_URL + "/", FACT, TOKEN) == f"{PUBLIC_URL}/n/{FACT}?t={TOKEN}"

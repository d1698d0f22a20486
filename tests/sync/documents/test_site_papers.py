"""The emergency report and the revision order on paper: everything they rest on, NOT VALID where nothing is ordered."""

from datetime import UTC, datetime

import pytest

from sync.documents.site_papers import emergency_pdf, revision_pdf
from sync.ordinance.pack import load_pack
from sync.where import pack_files
from tests.support.papers import check_golden, flat
from tests.support.site_acts import emergency_body, revision_body

MADE = datetime(2026, 8, 27, 19, 0, tzinfo=UTC)
SITE = {"address": "100 Mill Street", "parcel": "251-01", "permittee": {"name": "Mill Street Homes LLC"}}


@pytest.fixture(scope="module")
def pack():
    return load_pack(pack_files("demo"))


@pytest.mark.parametrize("language", ["en", "es"])
def test_the_emergency_report_shows_what_an_entry_and_its_bill_rest_on(pack, language):
    def made():
        return emergency_pdf(emergency_body(), pack, reference="EM-2026-1a2b3c4d", site=SITE, created=MADE,
                             language=language)

    assert made() == made()
    check_golden(f"emergency-report{'' if language == 'en' else '-es'}", made())


def test_an_entry_that_nobody_approved_and_a_street_alone_are_said(pack):
    body = emergency_body(approval=None, no_approval="Nobody could be reached.", entered_at=None,
                          threatens=["public way"])
    text = flat(emergency_pdf(body, pack, reference="EM-2026-1a2b3c4d", site=SITE, created=MADE))
    assert "Not approved: Nobody could be reached." in text and "not entered" in text and "is never its ground" in text


def test_the_revision_order_names_each_device_with_its_day_in_every_language_of_the_pack(pack):
    def made():
        return revision_pdf(revision_body(), pack, reference="RV-2026-1a2b3c4d", site=SITE, created=MADE,
                            status="ordered", ordered_on="2026-08-27", ordered_by="Carol Brandt")

    assert made() == made()
    text = flat(made())
    for said in ("Order to revise the erosion control plan", "Orden de modificar el plan de control de erosión",
                 "What must be installed, and by when / Qué debe instalarse y hasta cuándo",
                 "Received by / Recibido por"):
        assert said in text, said
    assert text.count("Lo que escribió el inspector se muestra tal como lo escribió.") == 3, "with each typed text"
    check_golden("revision-order", made())


@pytest.mark.parametrize(("written", "note"), [
    ("en", "Lo que escribió el inspector figura aquí solo en inglés."),
    ("es", "What the inspector wrote stands here only in Spanish."),
])
def test_typed_words_say_in_the_other_language_that_they_are_not_there(pack, written, note):
    text = flat(revision_pdf(revision_body(written_in=written), pack, reference="RV-2026-1a2b3c4d", site=SITE,
                             created=MADE, status="ordered", ordered_on="2026-08-27", ordered_by="Carol Brandt"))
    assert text.count(note) == 3


@pytest.mark.parametrize(("status", "says"), [
    ("recommended", "NOT VALID: a recommendation to the office"), ("declined", "NOT VALID: declined by the office"),
    ("withdrawn", "NOT VALID: withdrawn"),
])
def test_what_is_not_ordered_says_so(pack, status, says):
    text = flat(revision_pdf(revision_body(ordered=False), pack, reference="RV-2026-1a2b3c4d", site=SITE, created=MADE,
                             status=status, ordered_on=None, ordered_by="", reasons="Because"))
    assert says in text and "Received by" not in text

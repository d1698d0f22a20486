"""The placard says everything a posted order must say, prints only confirmed law, and is the same bytes each time."""

import dataclasses
import hashlib
import json
import os
import subprocess
import sys
from datetime import date

import pytest
import segno

from sync.documents.language import translator
from sync.documents.office import office_of
from sync.documents.order_texts import ALL_WORK, APPLY_FIRST
from sync.documents.order_words import land_user_words
from sync.documents.placard import placard_pdf
from sync.ordinance.dates import order_dates, words
from sync.records.problems import Problem
from sync.records.protocol import public_order_url
from tests.support.papers import check_golden, flat, pages, qr_modules

from .conftest import CREATED, PUBLIC_URL


@pytest.fixture
def make(pack, dates, site):
    def make(order, **changes):
        given = {"dates": dates, "public_url": PUBLIC_URL, "created": CREATED, "site": site} | changes
        return placard_pdf(order, given.pop("pack", pack), **given)

    return make


def test_a_posted_order_says_all_that_a_notice_needs(make, order, inspection):
    text = flat(make(order, findings=inspection["findings"]))
    for sentence in (
        "STOP WORK ORDER",
        "Demo City",
        "Building Inspection",
        "(608) 555-0142",
        order["number"],
        "4 Mill Street",
        "DETENGA EL TRABAJO",
        "Parcel / Parcela: 11-0404",
        "EC-2026-014",
        "Posted: Thu Aug 27, 2026 at 2:20 PM",
        "This work must stop now / Este trabajo debe detenerse ya All grading and hauling.",
        "This work may and must go on / Este trabajo puede y debe continuar Street sweeping and inlet protection.",
        "Lo que escribió el inspector se muestra tal como lo escribió.",
        "the corrections listed below, may and must go on",
        "las correcciones indicadas abajo pueden y deben continuar",
        "Only a written release by the city lifts this order.",
        "Solo un levantamiento por escrito de la ciudad pone fin a esta orden.",
        "Mud on Mill Street for 40 feet, two inlets open.",
        "Mud along Mill Street for 40 feet. [D(4)]",
        "(b) The erosion control plan is not carried out in good faith / El plan de control de la erosión no se cumple "
        "de buena fe. [E(1)(b)]",
        "Sweep the road. Thu Aug 27, 2026 by 5:00 PM",
        "The building inspector may revoke the permit: from Wed Sep 9, 2026 on.",
        "El inspector de obras puede revocar el permiso",
        "Zoning Board of Appeals",
        "Junta de Apelaciones",
        "Kestrel Homes LLC, 9 Mill Road",
        "José Núñez",
        "unknown / desconocido",
        "Sam Ortiz, foreman: was given a copy",
        "Ada Lindqvist, Inspector, credential WI-1001",
        "Signature of the inspector",
        "Posted copy",
    ):
        assert sentence in text, sentence


def test_the_contractor_of_a_site_is_named_beside_a_land_user_or_without_one():
    _ = translator("en")
    ridge, tri = {"name": "Ridge Farm", "address": "1 Ridge Road"}, {"name": "Tri-Lakes Excavating", "address": ""}
    assert land_user_words({"contractor": tri}, _) == "Tri-Lakes Excavating"
    both = land_user_words({"land_user": ridge, "contractor": tri}, _)
    assert both == "Ridge Farm, 1 Ridge Road; Tri-Lakes Excavating"
    assert land_user_words({"land_user": tri, "contractor": tri}, _) == "Tri-Lakes Excavating"
    assert land_user_words({"land_user": None}, _) == "unknown"


def test_the_text_is_the_golden_one(make, order, inspection):
    check_golden("placard-posted", make(order, findings=inspection["findings"]))


def test_a_note_is_said_once_and_no_full_stop_stands_alone(make, order, inspection):
    noted = {**inspection["findings"][0], "note": "Two inlets  open. ."}
    beside = flat(make(order | {"observed": "Inlets: nothing else."}, findings=[noted]))
    assert beside.count("inlets open") == 1 and "inlets open. [" in beside and ". ." not in beside
    above = flat(make(order | {"observed": "Inlets: Two inlets open. ."}, findings=[noted]))
    assert above.count("inlets open") == 1


def test_what_the_font_lacks_prints_as_one_plain_mark(make, order, caplog):
    """An emoji of several characters is one mark; an accent typed on its own is part of its letter."""
    text = flat(make(order | {"must_stop": "Stop \U0001f477\U0001f3fd\u200d here, Jose\u0301."}))
    assert "Stop \ufffd here, Jos\u00e9." in text
    assert [record.message for record in caplog.records if record.name.startswith("fpdf")] == []


def test_at_once_is_printed_as_words(make, order):
    order["corrections"] = [{"text": "Sweep.", "due": {"on": "2026-08-27", "at": "00:42", "at_once": True}}]
    text = flat(make(order))
    assert "Sweep. at once, before the inspector leaves" in text and "12:42" not in text


def test_the_derivation_is_the_ordinance_s_own_words(make, order, dates):
    text = flat(make(order))
    assert "posted Thu Aug 27; day 10 is Sun Sep 6; Mon Sep 7 is Labor Day; last day Tue Sep 8" in text
    for derived in dates:
        assert words(derived) in text


def test_dates_that_came_down_from_the_office_print_the_same(make, order, dates):
    """They explain themselves in one language only; the days stand there in both."""
    text = flat(make(order, dates=[derived.to_wire() for derived in dates]))
    for derived in dates:
        assert words(derived) in text
    assert text.count("Labor Day") == flat(make(order)).count("Labor Day")
    assert "El inspector de obras puede revocar el permiso" in text


def test_the_front_says_in_both_languages_what_must_be_done(make, order):
    """One sheet for whoever reads it: what stops, until when, what to correct, why. Own words stay as they are."""
    order["must_stop"] = ALL_WORK
    order["corrections"] = [
        {"text": "Install a barrier at inlet CB-1.", "due": {"on": "2026-08-27", "at": "14:20", "at_once": True}},
        {"text": APPLY_FIRST, "due": {"on": "2026-08-28", "at": "12:00"}},
    ]
    front = " ".join(pages(make(order))[0].split())
    for english, spanish in (
        ("STOP WORK ORDER", "DETENGA EL TRABAJO"),
        (ALL_WORK, translator("es")(ALL_WORK)),
        ("Only a written release by the city lifts this order.", "Solo un levantamiento por escrito de la ciudad"),
        ("Install a barrier at inlet CB-1.", "Instale una barrera en el sumidero CB-1."),
        (APPLY_FIRST, translator("es")(APPLY_FIRST)),
        ("at once, before the inspector leaves", "de inmediato, antes de que se vaya el inspector"),
        ("Grounds of this order", "Motivos de esta orden"),
    ):
        assert english in front and spanish in front and english != spanish, english
    order["corrections"] = [{"text": "Call me before you pour.", "due": None}]
    assert flat(make(order)).count("Call me before you pour.") == 1
    order["must_stop"] = translator("es")(ALL_WORK)
    assert ALL_WORK in flat(make(order)), "also when the tablet was set to Spanish"


def test_every_page_bears_number_page_count_and_demo(make, order):
    order["observed"] = "Mud on the road. " * 250
    found = pages(make(order))
    assert len(found) >= 3
    for at, page in enumerate(found, start=1):
        assert f"page {at} of {len(found)}" in page
        assert "DEMO" in page
        assert order["number"] in page


def test_a_city_that_is_no_demo_prints_no_demo_mark(make, order, pack):
    assert "DEMO" not in flat(make(order, pack=dataclasses.replace(pack, demo=False)))


def test_another_city_on_the_demo_pack_says_so_on_every_page(make, order, pack):
    riverton = {**office_of(pack), "name": "City of Riverton"}
    for page in pages(make(order, city=riverton)):
        assert "DEMO" in page
        assert "City of Riverton" in page and pack.ref in page


def test_a_recommendation_is_not_valid_on_every_page_and_has_no_code(make, order):
    order |= {"posted_on": None, "posted_at": None}
    data = make(order, dates=())
    found = pages(data)
    assert all("NOT VALID" in page for page in found)
    assert "It has no force until the building inspector issues it." in flat(data)
    assert "STOP WORK ORDER" not in found[0]
    assert "Scan:" not in found[0] and "Signature" not in flat(data)
    check_golden("placard-recommended", data)


def test_an_order_issued_by_the_office_prints_who_issued_it_and_leaves_the_hour_open(make, order, pack):
    order |= {"posted_on": "2026-08-28", "posted_at": None}
    dates = order_dates(pack, posted_on=date(2026, 8, 28), issued_on=date(2026, 8, 27), permit_in_force=True)
    text = flat(make(order, dates=dates, issued={"on": "2026-08-27", "by": "Carol Brandt, Building Inspector"}))
    assert "Issued / Emitida Thursday, August 27, 2026 by Carol Brandt, Building Inspector" in text
    assert "Posted: Fri Aug 28, 2026 at ______ (time)" in text
    assert "issued Thu Aug 27; day 10 is Sun Sep 6" in text
    assert "NOT VALID" not in text


def test_a_site_without_a_permit_says_so_with_the_day(make, order):
    order |= {"permit": None, "permit_number": None, "met": [], "nobody_present": True}
    text = flat(make(order, site=None))
    assert "NO PERMIT FOUND as of Thu Aug 27, 2026" in text
    assert "Nobody was on the site." in text
    assert "Permittee / Titular del permiso unknown / desconocido" in text


def test_a_ground_that_the_city_has_not_confirmed_does_not_print(make, order, pack):
    inferred = dataclasses.replace(pack.grounds["b"], confirmed=False)
    with pytest.raises(Problem) as caught:
        make(order, pack=dataclasses.replace(pack, grounds=pack.grounds | {"b": inferred}))
    assert caught.value.code == "clause-not-confirmed"
    assert "(b)" in caught.value.detail


def test_a_clause_that_the_city_has_not_confirmed_does_not_print(make, order, pack, inspection):
    slug = inspection["findings"][0]["clause"]
    inferred = dataclasses.replace(pack.clauses[slug], status="inferred", confirmed=None)
    changed = dataclasses.replace(pack, clauses=pack.clauses | {slug: inferred})
    with pytest.raises(Problem, match="clause-not-confirmed"):
        make(order, pack=changed, findings=inspection["findings"])


def test_a_ground_that_the_pack_does_not_have_is_named(make, order):
    order["grounds"] = ["z"]
    with pytest.raises(Problem) as caught:
        make(order)
    assert (caught.value.code, caught.value.where) == ("subject-unknown", "body.grounds")


def test_the_code_holds_number_token_and_posting_day(make, order):
    link = public_order_url(PUBLIC_URL, order["number"], order["token"], order["posted_on"])
    assert link == "https://siltwatch.example/o/SW-2026-T07-0012-N?t=tok-12&p=2026-08-27"
    symbol = segno.make(link, error="m", micro=False)
    matrix = [list(row) for row in symbol.matrix]
    wanted = {(r, c) for r, line in enumerate(matrix) for c, dark in enumerate(line) if dark}
    assert qr_modules(make(order), len(matrix)) == wanted


def test_nothing_of_a_long_text_is_lost(make, order):
    numbered = [f"item{at:03d}" for at in range(700)]
    order["must_stop"] = " ".join(numbered)
    order["corrections"] = [{"text": "Word " * 400 + "lastword", "due": None}]
    text = flat(make(order))
    assert all(item in text for item in numbered)
    assert "lastword" in text and "at once" in text


def test_a_page_that_is_not_the_last_says_in_each_language_that_more_follows(make, order):
    order["corrections"] = [{"text": f"Correction {at}. " + "Sweep the road and the gutter. " * 12, "due": None}
                            for at in range(1, 6)]
    *before, last = (" ".join(page.split()) for page in pages(make(order)))
    for at, page in enumerate(before, start=1):
        assert f"page {at} of {len(before) + 1} / página {at} de {len(before) + 1}" in page
        assert f"Continued on page {at + 1} / Continúa en la página {at + 1}" in page
    assert "Continued on page" not in last and len(before) >= 2
    torn = next(at for at, page in enumerate(before) if "What must be corrected" in page)
    shown = [f"Correction {at}." in before[torn] for at in range(1, 6)]
    left = shown.count(False)
    assert shown == sorted(shown, reverse=True) and 0 < left < 5
    assert (f"{left} more corrections follow from page {torn + 2} on." if left > 1 else
            f"1 more correction is on page {torn + 2}.") in before[torn]


def test_accents_and_letters_outside_the_font_do_not_stop_the_paper(make, order):
    order["observed"] = "Año, Düngung, Łódź, Việt, 泥, 🚧 end"
    text = flat(make(order))
    assert "Año, Düngung, Łódź, Việt" in text and "end" in text


def test_the_same_order_gives_the_same_bytes_on_any_machine_and_without_pillow(make, order, tmp_path):
    here = make(order, site=None)
    program = tmp_path / "other.py"
    program.write_text(
        "import sys, json, hashlib\n"
        "sys.modules['PIL'] = None\n"
        "from datetime import UTC, date, datetime\n"
        "from sync.documents.placard import placard_pdf\n"
        "from sync.ordinance.dates import order_dates\n"
        "from sync.ordinance.pack import load_pack\n"
        "from sync.where import pack_files\n"
        "pack = load_pack(pack_files('demo'))\n"
        "dates = order_dates(pack, posted_on=date(2026, 8, 27), permit_in_force=True)\n"
        "data = placard_pdf(json.load(sys.stdin), pack, dates=dates, public_url='https://siltwatch.example',\n"
        "                   created=datetime(2026, 8, 27, 19, 21, tzinfo=UTC))\n"
        "print(hashlib.sha256(data).hexdigest())\n"
    )
    there = subprocess.run(
        [sys.executable, str(program)],
        input=json.dumps(order),
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"PYTHONHASHSEED": "4242", "TZ": "Asia/Tokyo", "LC_ALL": "C", "PYTHONPATH": os.getcwd()},
    ).stdout.strip()
    assert there == hashlib.sha256(here).hexdigest()


def test_a_creation_time_without_a_zone_is_refused(make, order):
    with pytest.raises(ValueError, match="zone"):
        make(order, created=CREATED.replace(tzinfo=None))

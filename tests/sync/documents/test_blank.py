"""A stack of pre-printed placards: what each says in both languages, its own number and code, room for the marker."""

from datetime import UTC, datetime

import segno

from sync.documents.blank import blanks_pdf
from sync.ordinance.pack import load_pack
from sync.records.protocol import public_order_url
from sync.where import pack_files
from tests.support.papers import check_golden, pages, qr_modules

NUMBERS = [("SW-2026-T07-0061-Q", "0123456789abcdef0123456789abcdef"),
           ("SW-2026-T07-0062-N", "fedcba9876543210fedcba9876543210")]
MADE = datetime(2026, 8, 27, 15, 0, tzinfo=UTC)
OFFICE = "https://siltwatch.example"


def stack(pack):
    return blanks_pdf(NUMBERS, pack, tablet="T07", public_url=OFFICE, created=MADE)


def test_each_paper_bears_its_own_number_and_code_and_says_it_in_two_languages():
    data = stack(load_pack(pack_files("demo")))
    assert data == stack(load_pack(pack_files("demo"))), "the same stack gives the same bytes"
    found = pages(data)
    assert len(found) == len(NUMBERS)
    for (number, _token), text in zip(NUMBERS, found, strict=True):
        assert text.count(number) == 2 and not any(other in text for other, _ in NUMBERS if other != number)
        assert "of 2" not in text, "each hangs by itself"
    check_golden("blank-placards", data)
    link = public_order_url(OFFICE, *NUMBERS[0])
    assert "&p=" not in link, "the code of a paper that waits for its day names none"
    code = segno.make(link, error="m", micro=False)
    dark = {(r, c) for r, row in enumerate(code.matrix) for c, cell in enumerate(row) if cell}
    assert qr_modules(data, len(code.matrix)) == dark


def test_a_ground_that_the_city_has_not_confirmed_gets_no_box():
    text = pages(stack(load_pack(pack_files("blank"))))[0]
    assert "(a)" not in text and "Grounds" not in text and "STOP WORK ORDER" in text

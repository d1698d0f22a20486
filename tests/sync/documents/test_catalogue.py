"""The Spanish words: nothing of papers and public page is missing or left over, and places for values agree."""

import re
from datetime import date

import pytest

from sync.documents.language import clock_words, date_words, long_date_words, translator
from sync.documents.placard import placard_pdf
from sync.ordinance.dates import order_dates
from tests.support import words
from tests.support.papers import check_golden, flat

from .conftest import CREATED, PUBLIC_URL


@pytest.fixture(scope="module")
def catalogue():
    return words.read("es")


def test_every_sentence_of_papers_and_public_page_is_translated(catalogue):
    said = words.said()
    kept = {message.id: message.string for message in catalogue if message.id}
    assert sorted(set(said) - set(kept)) == [], "run: python -m tests.support.words"
    assert sorted(set(kept) - set(said)) == [], "run: python -m tests.support.words"
    assert [sentence for sentence, spanish in kept.items() if not spanish] == []


def test_values_have_a_place_in_both_languages(catalogue):
    for message in catalogue:
        if message.id:
            assert set(re.findall(r"{\w+}", message.string)) == set(re.findall(r"{\w+}", message.id)), message.id


def test_what_programs_read_is_what_people_edit(catalogue):
    compiled = words.place("es").with_suffix(".mo").read_bytes()
    assert compiled == words.compiled(words.update("es")), "run: python -m tests.support.words"


def test_dates_and_times_in_spanish():
    spanish = translator("es")
    assert date_words(date(2026, 9, 8), spanish) == "mar 8 sep 2026"
    assert long_date_words(date(2026, 5, 6), spanish) == "miércoles 6 de mayo de 2026"
    assert clock_words("17:00", spanish) == "5:00 p. m."


def test_the_placard_in_spanish(pack, order, site, inspection):
    dates = order_dates(pack, posted_on=date(2026, 8, 27), permit_in_force=True)
    data = placard_pdf(
        order,
        pack,
        dates=dates,
        public_url=PUBLIC_URL,
        created=CREATED,
        site=site,
        language="es",
        findings=inspection["findings"],
    )
    text = flat(data)
    for sentence in (
        "DETENGA EL TRABAJO",
        "Este trabajo debe detenerse ya",
        "lun 7 sep es Día del Trabajo; último día mar 8 sep",
        "Fijada: jue 27 ago 2026 a las 2:20 p. m.",
    ):
        assert sentence in text, sentence
    check_golden("placard-posted-es", data)

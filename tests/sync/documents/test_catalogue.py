"""The Spanish words: nothing of tablet, papers and public page is missing or left over, and places for values agree.

The office console is English and is left out on purpose, except the pages that the public reads. What a refused
request says is kept too: the tablet shows it.
"""

import re
from datetime import date
from string import Formatter

import pytest

from sync.documents.language import clock_words, counted, date_words, long_date_words, translator
from sync.documents.placard import placard_pdf
from sync.ordinance.dates import order_dates
from tests.support import words
from tests.support.papers import flat

from .conftest import CREATED, PUBLIC_URL

ENDS_OTHERWISE: set[str] = {"No."}
"""An abbreviation, not a sentence."""


@pytest.fixture(scope="module")
def catalogue():
    return words.read("es")


def values(sentence):
    """The places for values in a sentence. Raises ValueError for a brace that stands alone."""
    return {name for _text, name, _form, _how in Formatter().parse(sentence) if name is not None}


def test_sentences_of_all_who_speak_are_collected():
    said = words.said()
    for sentence, place in (
        ("Review and sign", "field_app/ui/screens/inspection.py"),
        ("Take a photo, or say why there is none.", "field_app/work/words.py"),
        ("you do not hold the power to inspect today", "field_app/work/signing.py"),
        ("This Wi-Fi wants you to log in first.", "sync/client/reasons.py"),
        ("The placard has not been printed", "sync/records/problems.py"),
        ("STOP WORK ORDER", "sync/documents/placard.py"),
        ("We do not know this order", "sync/server/console/templates/public_unknown.html"),
    ):
        assert place in said[sentence], sentence
    office = {place for places in said.values() for place in places if place.startswith("sync/server/console")}
    assert {place.removeprefix("sync/server/console/") for place in office} <= set(words.PUBLIC)


def test_every_sentence_of_tablet_papers_and_public_page_is_translated(catalogue):
    said = words.said()
    kept = {message.id: message.string for message in catalogue if message.id}
    assert sorted(set(said) - set(kept), key=str) == [], "run: python -m tests.support.words"
    assert sorted(set(kept) - set(said), key=str) == [], "run: python -m tests.support.words"
    assert [sentence for sentence, spanish in kept.items() if not all(words.forms(spanish))] == []


def test_values_have_a_place_in_both_languages(catalogue):
    for message in catalogue:
        if message.id and all(words.forms(message.string)):
            for spanish, english in zip(words.forms(message.string), words.forms(message.id), strict=True):
                assert values(spanish) - {"count"} == values(english) - {"count"}, message.id
            # Of one thing the number may be said in words, of many it must be told.
            told = [values(words.forms(text)[-1]) for text in (message.string, message.id)]
            assert told[0] == told[1], message.id


def test_a_sentence_ends_alike_in_both_languages(catalogue):
    """A full stop or a question mark that got lost shows where words are joined."""
    for message in catalogue:
        if not message.id or not all(words.forms(message.string)):
            continue
        for spanish, english in zip(words.forms(message.string), words.forms(message.id), strict=True):
            if english and english[-1] in ".?!:" and english not in ENDS_OTHERWISE:
                assert spanish[-1] == english[-1], (english, spanish)
            opened, closed = re.findall("[¿¡]", spanish), re.findall("[?!]", spanish)
            assert len(opened) == len(closed), english


def test_what_programs_read_is_what_people_edit(catalogue):
    compiled = words.place("es").with_suffix(".mo").read_bytes()
    assert compiled == words.compiled(words.update("es")), "run: python -m tests.support.words"


def test_dates_and_times_in_spanish():
    spanish = translator("es")
    assert date_words(date(2026, 9, 8), spanish) == "martes 8 de septiembre de 2026"
    assert long_date_words(date(2026, 5, 6), spanish) == "miércoles 6 de mayo de 2026"
    assert clock_words("17:00", spanish) == "5:00 p.\u00a0m.", "not broken at the end of a line"
    late, one = clock_words("17:00", spanish), clock_words("13:05", spanish)
    assert [spanish("by {time}").format(time=at) for at in (late, one)] == [
        "a más tardar a las 5:00 p.\u00a0m.", "a más tardar a la 1:05 p.\u00a0m."]


def test_a_number_takes_the_form_of_its_language():
    def said(count, language):
        return counted(count, "1 file", "{count} files", translator(language))

    assert [said(n, "en") for n in (0, 1, 2)] == ["0 files", "1 file", "2 files"]
    assert [said(n, "es") for n in (0, 1, 2)] == ["0 archivos", "1 archivo", "2 archivos"]


def test_the_placard_in_spanish_and_english_whoever_prints_it(pack, order, site, inspection):
    dates = order_dates(pack, posted_on=date(2026, 8, 27), permit_in_force=True)
    data = placard_pdf(
        order,
        pack,
        dates=dates,
        public_url=PUBLIC_URL,
        created=CREATED,
        site=site,
        findings=inspection["findings"],
    )
    text = flat(data)
    for sentence in (
        "DETENGA EL TRABAJO",
        "Este trabajo debe detenerse ya",
        "el lunes 7 de septiembre es feriado (Día del Trabajo); el último día es el martes 8 de septiembre",
        "Fijada: jueves 27 de agosto de 2026 a las 2:20 p. m.",
    ):
        assert sentence in text, sentence

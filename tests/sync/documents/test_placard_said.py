"""What the screen shows of a placard stands on its paper, in each of its languages, word for word."""

import pytest

from sync.documents.placard import placard_pdf
from sync.documents.placard_said import placard_said
from tests.support.papers import flat

from .conftest import CREATED, PUBLIC_URL


@pytest.mark.parametrize("language", ["en", "es"])
def test_every_line_of_the_screen_is_on_the_paper(pack, order, dates, site, language):
    order = {**order, "written_in": "en", "said": {"es": {"must_stop": "Toda la nivelación y el acarreo."}}}
    paper = "".join(flat(placard_pdf(order, pack, dates=dates, public_url=PUBLIC_URL, created=CREATED,
                                     site=site)).split())
    parts = placard_said(order, pack, language, dates)
    assert [part.heading for part in parts][:2] == {
        "en": ["This work must stop now", "This work may and must go on"],
        "es": ["Este trabajo debe detenerse ya", "Este trabajo puede y debe continuar"]}[language]
    for part in parts:
        for line in part.lines:
            for word in line.replace("(", " ").replace(")", " ").split():
                assert word.rstrip(".") in paper, (part.heading, line, word)
    stop = parts[0].lines
    assert stop == (("All grading and hauling.",) if language == "en" else ("Toda la nivelación y el acarreo.",))
    assert len(parts) == 6


def test_what_was_given_in_one_language_only_is_not_passed_off_as_the_other(pack, order, dates):
    order = {**order, "written_in": "en"}
    seen = next(part for part in placard_said(order, pack, "es", dates) if part.heading == "Lo que vio el inspector")
    assert seen.lines[-1] == "Lo que escribió el inspector figura aquí solo en inglés."
    assert not placard_said({**order, "grounds": ["b"]}, pack, "en", ())[-1].heading.startswith("What may follow")

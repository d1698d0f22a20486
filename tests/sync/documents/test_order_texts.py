"""What a person wrote on an order, in the languages of its paper: known lines in each, own words as they were given."""

import pytest

from sync.documents.language import LANGUAGES, translator
from sync.documents.order_texts import (
    ALL_WORK,
    MAY_GO_ON,
    MUST_STOP,
    READY,
    correction_in,
    has_own_words,
    names_a_place,
    one_sided,
    ready_sentence,
    said_in,
)
from sync.documents.placard import placard_pdf
from sync.records.bodies import check
from sync.records.problems import Problem
from tests.support.papers import flat

from .conftest import CREATED, PUBLIC_URL

GRADING, SWEEPING = MUST_STOP["grading"], MAY_GO_ON["sweeping"]


def spanish(sentence: str) -> str:
    return translator("es")(sentence)


@pytest.fixture
def paper(pack, dates):
    return lambda order, **more: flat(
        placard_pdf(order, pack, dates=dates, public_url=PUBLIC_URL, created=CREATED, **more))


def test_every_ready_made_sentence_is_known_in_each_language_and_says_something_else_there():
    assert len(set(READY)) == len(READY)
    for sentence in READY:
        assert spanish(sentence) != sentence
        assert [ready_sentence(translator(language)(sentence)) for language in LANGUAGES] == [sentence, sentence]


def test_known_lines_are_said_in_each_language_and_own_words_where_they_were_given(order, pack):
    order |= {"written_in": "en", "must_stop": f"{GRADING}\nDigging behind lot 4.\nAnd by the pond."}
    lacking = said_in(order, "must_stop", pack, "es")
    assert lacking.text == f"{spanish(GRADING)}\nDigging behind lot 4.\nAnd by the pond."
    assert lacking.own == spanish(GRADING) and lacking.as_written
    order["said"] = {"es": {"must_stop": "Excavar detrás del lote 4 y junto al estanque."}}
    given = said_in(order, "must_stop", pack, "es")
    assert given.text == given.own == f"{spanish(GRADING)}\nExcavar detrás del lote 4 y junto al estanque."
    assert not given.as_written
    assert said_in(order, "must_stop", pack, "en").text == order["must_stop"]
    assert said_in(order, "observed", pack, "es").as_written


def test_an_order_written_in_spanish_lacks_the_english(order, pack):
    order |= {"written_in": "es", "must_stop": "Excavar.", "said": {"en": {"observed": "Mud."}}}
    assert said_in(order, "must_stop", pack, "en").as_written
    assert not said_in(order, "must_stop", pack, "es").as_written
    assert said_in(order, "observed", pack, "en").text == "Mud."
    assert one_sided(order, pack, "en") == ["must_stop", "may_continue", "corrections.1"]
    assert one_sided(order, pack, "es") == []


def test_a_finding_without_a_note_is_known(order, pack):
    item = pack.item("TRK-06")
    order |= {"written_in": "en", "observed": f"{pack.checklists['tracking'].title('en')}: {item.question('en')}\n"
                                              f"CB-1: {pack.item('INL-01').question('en')}"}
    said = said_in(order, "observed", pack, "es")
    assert said.text == (f"{pack.checklists['tracking'].title('es')}: {item.question('es')}\n"
                         f"CB-1: {pack.item('INL-01').question('es')}")
    assert not said.as_written and not has_own_words(order["observed"], pack)


def test_corrections_of_the_pack_are_known_alone_and_name_places_as_the_city_wrote_them(order, pack):
    barrier = "Install a barrier at inlet CB-1 (Mill Street, north curb)."
    said = correction_in(order, {"text": barrier}, pack, "es")
    assert said.text == "Instale una barrera en el sumidero CB-1 (Mill Street, north curb)." and not said.as_written
    assert names_a_place(barrier, pack) and not names_a_place(pack.item("TRK-06").correction("en"), pack)
    own = {"text": "Sweep it by noon.", "said": {"es": "Bárralo antes del mediodía."}}
    assert correction_in(order, own, pack, "es").text == "Bárralo antes del mediodía."
    assert correction_in(order, {"text": own["text"]}, pack, "es").as_written


def test_the_placard_says_own_words_in_both_or_says_in_which_language_they_stand(order, paper):
    order |= {"written_in": "en", "must_stop": f"{GRADING}\nDigging behind lot 4.",
              "may_continue": f"{SWEEPING}\nPumping at the pond."}
    text = paper(order)
    only = "Lo que escribió el inspector figura aquí solo en inglés."
    assert text.count("Digging behind lot 4.") == 1 and spanish(GRADING) in text and spanish(SWEEPING) in text
    assert text.count(only) == 3, "in both frames of the front, and once on the other side"
    assert text.index(only) < text.index(spanish(SWEEPING)) < text.index(only, text.index(spanish(SWEEPING)))
    order["said"] = {"es": {"must_stop": "Excavar detrás del lote 4.", "may_continue": "Bombear en el estanque.",
                            "observed": "Lodo en Mill Street."}}
    order["corrections"][0]["said"] = {"es": "Barra la vía."}
    text = paper(order)
    assert f"{spanish(GRADING)} Excavar detrás del lote 4." in text
    assert f"{spanish(SWEEPING)} Bombear en el estanque." in text
    assert "Sweep the road. Barra la vía." in text and "Lodo en Mill Street." in text
    assert only not in text


def test_the_placard_says_findings_in_both_and_that_places_stand_as_the_city_wrote_them(order, paper, inspection):
    order |= {"written_in": "en", "must_stop": ALL_WORK,
              "corrections": [{"text": "Install a barrier at inlet CB-1.", "due": None}]}
    finding = {**inspection["findings"][0], "note": ""}
    text = paper(order, findings=[finding], subjects={"inlet-01": "CB-1"})
    assert "Los lugares y las condiciones del permiso figuran como los escribió la ciudad." in text
    assert "sumidero" in text and "[D(4)]" in text


def test_the_optional_fields_are_checked_and_may_be_missing(order):
    check("order_posted", order, set())
    check("order_posted", order | {"written_in": "es", "said": {"en": {"must_stop": "Digging."}}}, set())
    for field, value in (("written_in", "Spanish"), ("said", {"es": {"must_stop": " "}}), ("said", ["es"]),
                         ("said", {"español": {}}), ("corrections", [{"text": "Sweep.", "due": None, "said": {"es": 1}}]
                                                     )):
        with pytest.raises(Problem, match="fact-malformed"):
            check("order_posted", order | {field: value}, set())

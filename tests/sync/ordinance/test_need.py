"""What a permit need says beside its result: the sentence, the inputs, the other regimes, what is unknown."""

from fractions import Fraction

import pytest

from sync.ordinance.need import Area, Project, Strip, decide_need, say_need
from sync.ordinance.slopes import parse_ratio, say, slope


def area(sq_ft, percent=None):
    return Area(Fraction(sq_ft), None if percent is None else slope("percent", Fraction(percent)))


def test_the_sentence_names_the_clauses_that_are_met(pack):
    need = decide_need(pack, Project(in_city=True, areas=(area(3000, "5.01"),), utility_segments_ft=(Fraction(300),)))
    assert say_need(need) == ("A permit is required because of the disturbed area and its slope (clause C(1)), "
                              "the length of underground pipe or cable (clause C(4)).")
    assert say_need(need, "es").startswith(
        "Se requiere permiso por la superficie removida y su pendiente (cláusula C(1))")


def test_the_sentence_names_what_must_be_known_first(pack):
    project = Project(in_city=True, areas=(area(8000),), cut_cu_yd=Fraction(0), fill_cu_yd=Fraction(0),
                      road_work="none", utility_segments_ft=(), dewatering="none")
    assert say_need(decide_need(pack, project)) == (
        "It cannot be said yet: the disturbed area and its slope (clause C(1)) must be known first.")


@pytest.mark.parametrize("project, basis, words", [
    (Project(in_city=False), "outside", "outside the city"),
    (Project(in_city=True, agricultural_use=True), "exception", "B(4)(a)"),
    (Project(in_city=True, state_project="without_plan"), "conditional", "comparable plan"),
    (Project(in_city=True), "unknown", "must be known first"),
])
def test_each_way_to_decide_has_its_sentence(pack, project, basis, words):
    need = decide_need(pack, project)
    assert need.basis == basis and words in say_need(need) and say_need(need, "es")


def test_other_regimes_are_named_and_decide_nothing(pack):
    flat = decide_need(pack, Project(in_city=True, areas=(area(43560, 1),), site_class="one_two_family"))
    assert flat.regimes == ("dnr_one_acre", "udc_dwelling")
    assert "NR 216" in say_need(flat)
    assert decide_need(pack, Project(in_city=True, areas=(area(43559, 1),))).regimes == ()


def test_the_inputs_are_kept_with_their_units(pack):
    project = Project(
        in_city=True, areas=(area("2999.9", "15.04"), Area(None, slope("degrees", Fraction(15))),
                             Area(Fraction(600), parse_ratio("1:20"))),
        cut_cu_yd=Fraction(60), strip=Strip(Fraction(6), Fraction(2700)), utility_segments_ft=(Fraction(150),) * 2)
    assert decide_need(pack, project).inputs == (
        ("in_city", "yes"), ("area 1", "2,999.9 sq ft, slope 15.04 %"), ("area 2", "unknown area, slope 15 degrees"),
        ("area 3", "600 sq ft, slope 1:20"), ("cut", "60 cu yd"), ("strip", "50 cu yd"),
        ("utility segments", "300 ft together"))


@pytest.mark.parametrize("number, text", [
    (Fraction(3000), "3,000"), (Fraction("0.05"), "0.05"), (Fraction(1, 3), "1/3"),
    (Fraction("12345.678"), "12,345.678"),
    (Fraction("5.000000000000000000000001"), "5.000000000000000000000001"), (Fraction(100), "100"),
])
def test_numbers_are_said_exactly(number, text):
    assert say(number) == text


@pytest.mark.parametrize("text", ["20", "1:0", "1:2:3", "a:b", "-1:2", "1/2:3", "1e3:1", "1:-2", ""])
def test_a_ratio_that_is_none_is_refused(text):
    with pytest.raises(ValueError, match="slope"):
        parse_ratio(text)


@pytest.mark.parametrize("unit, rise", [("percent", -1), ("degrees", 90), ("degrees", 120), ("grade", 5)])
def test_an_impossible_slope_is_refused(unit, rise):
    with pytest.raises(ValueError):
        slope(unit, Fraction(rise))


def test_a_tangent_is_never_rounded_onto_a_limit():
    assert slope("degrees", Fraction(45)).steeper_than(Fraction(100)) is False
    assert slope("degrees", Fraction(45)).steeper_than(Fraction("99.999999999999999999999999")) is True
    assert slope("degrees", Fraction("45.000000000000000000000000000000001")).steeper_than(Fraction(100)) is True
    assert slope("degrees", Fraction(0)).steeper_than(Fraction(0)) is False

"""The permit-need questions as they are asked on a site: in order, no more than matter, the unknown never a no."""

from fractions import Fraction

import pytest

from sync.ordinance.asking import AnswerUnreadable, need_of, project_of, questions
from sync.ordinance.need import say_need

SMALL = {"in_city": "yes", "agricultural_use": "no", "state_project": "no",
         "areas": [{"area_sq_ft": "400", "slope_percent": "3"}], "cut_cu_yd": "20", "fill_cu_yd": "10",
         "road_work": "none", "utility_ft": "0", "dewatering": "none"}


def test_everything_small_needs_no_permit(pack):
    need = need_of(pack, SMALL)
    assert need.result == "not_required"
    assert say_need(need) == "No permit is required: no listed activity reaches its limit."


@pytest.mark.parametrize("change, clause", [
    ({"areas": [{"area_sq_ft": "3000", "slope_percent": "5.01"}]}, "C1"),
    ({"areas": [{"area_sq_ft": "2000", "slope_percent": "6"}, {"area_sq_ft": "1000", "slope_percent": "6"}]}, "C1"),
    ({"cut_cu_yd": "90"}, "C2"), ({"road_work": "local"}, "C3"), ({"utility_ft": "300"}, "C4"),
    ({"dewatering": "may_carry_sediment"}, "C5")])
def test_each_limit_that_is_reached_is_named(pack, change, clause):
    need = need_of(pack, {**SMALL, **change})
    assert (need.result, need.triggers) == ("required", (clause,))
    assert f"(clause {pack.cite(clause)})" in say_need(need)
    assert f"(cláusula {pack.cite(clause)})" in say_need(need, "es")


@pytest.mark.parametrize("gone", ["areas", "cut_cu_yd", "road_work", "utility_ft", "dewatering", "agricultural_use"])
def test_what_is_not_known_is_no_no(pack, gone):
    expected = "not_required" if gone == "agricultural_use" else "undetermined"
    for unknown in ({k: v for k, v in SMALL.items() if k != gone}, {**SMALL, gone: "unknown"}, {**SMALL, gone: ""}):
        assert need_of(pack, unknown).result == expected
    assert need_of(pack, {**SMALL, gone: "unknown", "road_work": "county"}).result == "required"


def test_one_trigger_is_enough_whatever_else_is_open(pack):
    need = need_of(pack, {"road_work": "local"})
    assert (need.result, need.triggers) == ("required", ("C3",))


def test_nothing_is_asked_after_what_settles_it(pack):
    ids = lambda answers: [one.id for one in questions(pack, answers)]  # noqa: E731
    assert ids({"in_city": "no"}) == ["in_city"]
    assert ids({"in_city": "yes", "agricultural_use": "yes"}) == ["in_city", "agricultural_use"]
    assert ids({"state_project": "with_plan"})[-1] == "state_project"
    everything = ids({})
    assert everything[-1] == "dewatering" and "cut_reused_as_fill" not in everything
    assert "cut_reused_as_fill" in ids({"cut_cu_yd": "60", "fill_cu_yd": "60"})
    assert need_of(pack, {"in_city": "no"}).basis == "outside"
    assert need_of(pack, {**SMALL, "cut_cu_yd": "60", "fill_cu_yd": "60", "cut_reused_as_fill": "yes"}).result == (
        "undetermined")


def test_every_question_has_its_clause_and_words_in_both_languages(pack):
    for one in questions(pack, {"cut_cu_yd": "60", "fill_cu_yd": "60"}):
        assert one.id == "in_city" or one.clause in pack.clauses
        for language in ("en", "es"):
            assert one.text(language)
            assert all(one.choice_text(choice, language) for choice in (*one.choices, "unknown"))
        assert one.text("es") != one.text("en")


@pytest.mark.parametrize("answers, where", [
    ({"in_town": "yes"}, "in_town"), ({"in_city": "perhaps"}, "in_city"), ({"cut_cu_yd": "many"}, "cut_cu_yd"),
    ({"cut_cu_yd": "-3"}, "cut_cu_yd"), ({"cut_cu_yd": "NaN"}, "cut_cu_yd"), ({"cut_cu_yd": 3}, "cut_cu_yd"),
    ({"areas": "much"}, "areas"), ({"areas": [{"area_sq_ft": "x"}]}, "area 1"), ({"areas": ["x"]}, "areas"),
    ({"areas": [{"area_sq_ft": "1", "slope_percent": "1e999"}]}, "slope 1")])
def test_an_answer_that_cannot_be_read_is_named(answers, where):
    with pytest.raises(AnswerUnreadable) as caught:
        project_of(answers)
    assert caught.value.where == where


def test_numbers_stay_exact():
    assert project_of({"areas": [{"area_sq_ft": "0.1", "slope_percent": "15"}]}).areas[0].sq_ft == Fraction(1, 10)
    assert project_of({"areas": [{"area_sq_ft": "", "slope_percent": ""}]}).areas is None

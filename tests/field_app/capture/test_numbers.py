"""What people type for a number: nothing is dropped and nothing is guessed."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from field_app.capture.numbers import typed_number


@pytest.mark.parametrize(("typed", "number"), [
    ("0.8", "0.8"), ("0,8", "0.8"), (" 12,25 ", "12.25"), (".5", "0.5"), (",5", "0.5"), ("3", "3"), ("3.", "3"),
    ("3200", "3200"), ("0.125", "0.125"),
])  # fmt: skip
def test_a_point_and_a_comma_part_the_tenths(typed, number):
    assert typed_number(typed) == number


@pytest.mark.parametrize("typed", ["", " ", ".", ",", "3,200", "1,500", "0,125", "1,2,3", "1.2.3", "1,2.3", "-1", "1e5",
                                   "٣", "1 000", "NaN", "1" * 10])
def test_what_is_no_number_or_could_be_two_is_not_taken(typed):
    assert typed_number(typed) is None


@given(st.text("0123456789.,", max_size=12))
@settings(max_examples=200, deadline=None, derandomize=True)
def test_every_digit_that_was_typed_is_in_the_number(typed):
    number = typed_number(typed)
    if number is not None:
        assert re.fullmatch(r"[0-9]+(\.[0-9]+)?", number)
        assert re.sub("[^0-9]", "", number).lstrip("0") == re.sub("[^0-9]", "", typed).lstrip("0")

"""Which parcels an order binds, and which order it repeats."""

from datetime import date

import pytest

from sync.ordinance.parcels import apart, parcels, within
from sync.ordinance.repeats import repeats


def test_parcels_stand_beside_one_another():
    assert parcels(" 251-01,251-02 ;  251-01\n11/4  B ") == ("251-01", "251-02", "11/4 B")
    assert parcels(" ") == ()


@pytest.mark.parametrize(("named", "known", "fits"), [
    ("251-01", "251-01", True), ("251-02; 251-01", "251-01, 251-02", True), ("251-01a", "251-01A", True),
    ("251-03", "251-01, 251-02", False), ("251-01, 251-03", "251-01", False), ("", "251-01", True),
    ("251-01", "", True)])
def test_an_order_names_parcels_of_the_site(named, known, fits):
    assert within(named, known) is fits


@pytest.mark.parametrize(("one", "other", "are"), [
    ("1", "2", True), ("1, 2", "2", False), ("1", "", False), ("1", "9", False), ("1", "1", False)])
def test_lots_are_apart_only_among_those_of_the_site(one, other, are):
    assert apart(one, other, "1, 2, 3") is are and apart(other, one, "1, 2, 3") is are


def test_an_order_repeats_what_was_released_when_it_began():
    released = [("A", date(2026, 8, 1)), ("B", date(2026, 8, 20)), ("C", date(2026, 9, 5))]
    for given in (released, released[::-1]):
        assert repeats(date(2026, 8, 20), given) == ("B", "A")
    assert repeats(date(2026, 7, 31), released) == () and repeats(None, released) == ()

"""Every screen has a path, every path leads to its screen, "back" always ends on Today."""

import pytest

from field_app.ui.root import SCREENS
from field_app.ui.routes import ROUTES, Place, parent, parse, path

GIVEN = {"site": "site-01", "draft": "d1", "photo": "ab" * 32, "item": "INL-01@inlet:inlet-01-1", "fact": "f" * 32,
         "number": "SW-2026-T07-0012-K", "report": "r1", "plan": "p1", "act": "release"}


@pytest.mark.parametrize("name", ROUTES)
def test_a_path_and_back(name):
    assert parse(path(name, **GIVEN)).name == name
    wanted = {part[1:] for part in ROUTES[name][0].split("/") if part.startswith(":")}
    assert dict(parse(path(name, **GIVEN)).given) == {key: GIVEN[key] for key in wanted}


@pytest.mark.parametrize("name", ROUTES)
def test_back_ends_on_today(name):
    place, steps = parse(path(name, **GIVEN)), 0
    while (behind := parent(place)) is not None:
        place, steps = parse(behind), steps + 1
        assert steps < 5
    assert place == Place("today")


def test_every_path_has_a_screen():
    assert set(ROUTES) - set(SCREENS) == {"sites", "site", "people"}  # drawn by the root itself


UNKNOWN = ("", "/", "/nowhere", "/site/", "/site/a/b/c", "/inspection//review", "//", "/?a=1#b")


@pytest.mark.parametrize("route", UNKNOWN)
def test_an_unknown_path_is_the_first_screen(route):
    assert parse(route) == Place("today")


def test_a_path_needs_its_parts():
    with pytest.raises(KeyError):
        path("site")

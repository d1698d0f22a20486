"""How far a photo was taken from its site, with the limits of the rule: accuracy and the pack's measure add up."""

import pytest

from sync.records.places import metres_between, metres_off

SITE = {"lat_udeg": 43_073_051, "lon_udeg": -89_401_230}


def at(north: int, east: int, accuracy_cm: int = 500):
    return {"position": {"lat_udeg": SITE["lat_udeg"] + north, "lon_udeg": SITE["lon_udeg"] + east,
                         "accuracy_cm": accuracy_cm}}


@pytest.mark.parametrize(("north", "east", "metres"), [(0, 0, 0), (1_000, 0, 111), (-1_000, 0, 111), (0, 1_000, 81)])
def test_a_degree_of_longitude_is_shorter_than_one_of_latitude(north, east, metres):
    assert metres_between(at(north, east)["position"], SITE) == metres


def test_the_accuracy_of_the_position_is_granted_on_top():
    assert metres_off(at(952, 0, 600), SITE, 100) is None, "106 m off, known to 6 m"
    assert metres_off(at(952, 0, 500), SITE, 100) == 106
    assert metres_off(at(952, 0, 8_000), SITE, 100) is None
    assert metres_off(at(952, 0), SITE, 25) == 106


def test_nothing_is_said_without_a_position_or_without_a_point_of_the_site():
    assert metres_off({"position": None}, SITE, 100) is None
    assert metres_off(at(9_000, 0), {"lat_udeg": None, "lon_udeg": None}, 100) is None
    assert metres_off(at(9_000, 0), {}, 100) is None

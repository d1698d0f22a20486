"""The way from site to site always goes on to the nearest that is left, and over each site once."""

from hypothesis import given, settings
from hypothesis import strategies as st

from field_app.work import day_route
from field_app.work.day_route import metres, nearest_next

SPOT = st.tuples(st.integers(43_000_000, 43_100_000), st.integers(-89_500_000, -89_400_000))


@settings(max_examples=60, deadline=None, derandomize=True)
@given(SPOT, st.lists(SPOT, max_size=12), st.integers(0, 14))
def test_each_stop_is_the_nearest_of_those_that_are_left(start, spots, stops):
    way = nearest_next(start, spots, stops)
    assert len(way) == min(stops, len(spots)) and len({place for place, _away in way}) == len(way)
    here, left = start, set(range(len(spots)))
    for place, away in way:
        assert away == metres(here, spots[place]) == min(metres(here, spots[one]) for one in left)
        left.remove(place)
        here = spots[place]


def test_of_very_many_those_around_the_tablet_are_put_in_order(monkeypatch):
    monkeypatch.setattr(day_route, "AROUND", 3)
    spots = [(43_000_000 + 1000 * n, -89_400_000) for n in range(10, 0, -1)]
    assert [place for place, _away in nearest_next((43_000_000, -89_400_000), spots, 2)] == [9, 8]
    assert len(nearest_next((43_000_000, -89_400_000), spots, 5)) == 5, "as many as are wanted"

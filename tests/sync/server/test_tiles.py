"""Map tiles of the city's own server: served from the folder, told to the tablets, taken back; no other file is."""

import pytest
from sqlalchemy import select
from starlette.applications import Starlette
from starlette.testclient import TestClient

from sync.records.problems import Problem
from sync.server.db.schema import feed
from sync.server.tiles import tell_tablets, tile_route
from tests.support.city import memory_city
from tests.support.clock import StoppedClock
from tests.support.office import picture

ABOUT = 'attribution = "Demo County GIS"\nmin_zoom = 10\nmax_zoom = 17\n'


@pytest.fixture
def data(tmp_path):
    place = tmp_path / "tiles" / "12" / "1030"
    place.mkdir(parents=True)
    (place / "1510.png").write_bytes(picture(1, (256, 256)))
    (tmp_path / "tiles" / "map.toml").write_text(ABOUT)
    (tmp_path / "city.secret").write_text("never")
    return tmp_path


def told(city):
    with city.db.read() as tx:
        return [row.doc for row in tx.execute(select(feed).where(feed.c.kind == "map"))]


def test_the_tablets_are_told_once_and_told_when_they_are_gone(data):
    city = memory_city(StoppedClock())
    tell_tablets(city, data)
    (doc,) = told(city)
    assert doc == {"id": "tiles", "path": "/tiles/{z}/{x}/{y}.png", "attribution": "Demo County GIS", "min_zoom": 10,
                   "max_zoom": 17}
    (data / "tiles" / "map.toml").unlink()
    tell_tablets(city, data)
    assert told(city) == [None]


def test_a_city_without_tiles_says_nothing(tmp_path):
    city = memory_city(StoppedClock())
    tell_tablets(city, tmp_path)
    assert told(city) == []


@pytest.mark.parametrize("text", [
    "attribution = 5", "min_zoom = 1\nmax_zoom = 2", 'attribution = "x"\nmin_zoom = 9\nmax_zoom = 3', "= = =",
    'attribution = " "\nmin_zoom = 1\nmax_zoom = 2', 'attribution = "x"\nmin_zoom = 1\nmax_zoom = 99'])
def test_a_file_that_says_it_wrongly_is_named(data, text):
    (data / "tiles" / "map.toml").write_text(text)
    with pytest.raises(Problem) as caught:
        tell_tablets(memory_city(StoppedClock()), data)
    assert caught.value.code == "map-malformed" and "map.toml" in caught.value.detail


def test_only_pictures_of_the_folder_are_served(data):
    client = TestClient(Starlette(routes=[tile_route(data)]))
    answer = client.get("/tiles/12/1030/1510.png")
    assert answer.status_code == 200 and answer.headers["content-type"] == "image/png"
    for path in ("/tiles/12/1030/1.png", "/tiles/../city.secret", "/tiles/..%2f..%2fcity.secret/1/1.png",
                 "/tiles/-1/0/0.png", "/tiles/map.toml", "/tiles/12/1030/1510.png/"):
        assert client.get(path, follow_redirects=False).status_code in (404, 307), path

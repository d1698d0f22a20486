"""Which pieces of the city's map are kept: the city from afar, sites from near, a fixed budget; when it is asked."""

import asyncio
from dataclasses import replace

from field_app.hardware.ports import NetworkState
from field_app.work.map_tiles import AT_ONCE, BUDGET, tile_at, wanted
from sync.server.tiles import tell_tablets
from tests.support.field_desk import SERVER, bench, ready, settle

MADISON = (43_073_100, -89_401_200)


def test_a_place_lies_in_the_piece_that_every_web_map_gives_it():
    assert tile_at(*MADISON, 0) == (0, 0, 0)
    assert tile_at(*MADISON, 12) == (12, 1030, 1503)
    assert tile_at(0, 0, 1) == (1, 1, 1) and tile_at(89_000_000, 179_999_999, 3) == (3, 7, 0)


def test_the_city_comes_from_afar_and_each_site_from_near_within_the_budget():
    there = (MADISON[0] + 40_000, MADISON[1] + 60_000)
    found = wanted([MADISON, there], range(10, 18))
    assert len(found) == len(set(found)) < BUDGET
    for place in (MADISON, there):
        for zoom in range(10, 18):
            assert tile_at(*place, zoom) in found, "the place itself at each zoom"
    _zoom, x, y = tile_at(*MADISON, 17)
    assert {(17, x + dx, y + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1)} <= set(found), "and what lies around it"
    assert {zoom for zoom, _x, _y in wanted([MADISON], range(8, 13))} == set(range(8, 13)), "no zoom it does not have"
    many = [(MADISON[0] + n * 9_000, MADISON[1]) for n in range(500)]
    assert len(wanted(many, range(0, 20))) == BUDGET and tile_at(*many[0], 17) in wanted(many, range(0, 20))
    assert wanted([], range(0, 20)) == []


def test_it_is_asked_for_once_a_day_over_a_network_that_costs_nothing(tmp_path):
    async def go():
        desk, asked, costs, lost = bench(tmp_path), [], [True], []

        async def keep(paths):
            asked.append(paths)
            costs[0] = bool(lost)
            return len(paths)

        class Network:
            def state(self):
                return NetworkState(online=True, metered=costs[0])

            def listen(self, heard):
                return lambda: None

        (tmp_path / "city" / "tiles").mkdir(parents=True)
        async with desk.work() as work:
            work._desk.hardware = replace(work._desk.hardware, keep_tiles=keep, network=Network(), server=SERVER)
            await ready(desk, work)
            assert await work.keep_map() is None, "the server has no map"
            (tmp_path / "city" / "tiles" / "map.toml").write_text(
                'attribution = "City of Demo"\nmin_zoom = 10\nmax_zoom = 16\n')
            await desk.office(lambda city: tell_tablets(city, tmp_path / "city"))
            await settle(work, lambda: len(work._desk.store.table("maps")))
            assert await work.keep_map() is None, "not over a network that costs money"
            costs[0] = False
            held = await work.keep_map()
            first = [path for some in asked for path in some]
            assert held == len(first) == len(set(first)) > AT_ONCE and all(one.startswith("/tiles/") for one in first)
            assert all(len(some) <= AT_ONCE for some in asked), "a browser ends what takes too long"
            asked.clear()
            assert await work.keep_map() is None and asked == [], "once"
            desk.clock.advance(days=1)
            lost.append(True)
            assert await work.keep_map() == AT_ONCE and asked == [first[:AT_ONCE]], "the network went away meanwhile"
            lost.clear()
            costs[0] = False
            assert await work.keep_map() == held, "and is back"
            await work.stop_sync()
            desk.clock.advance(days=1)
            assert await work.keep_map() is None, "not without a network"

    asyncio.run(go())

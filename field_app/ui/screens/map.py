"""The sites on a map that works without a network: a plain grid with a scale, and pins told apart by shape and colour.

The map itself (moving and pinching) is drawn by the client. What is drawn on it is made anew when the map has come to
rest, so that a movement never waits for Python.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import flet as ft
import flet_map as fm

from field_app.ui import theme
from field_app.ui.components.buttons import action, icon_key, tap_card
from field_app.ui.components.frame import frame, safe_screen
from field_app.ui.components.layout import line, panel, text
from field_app.ui.components.marks import marked
from field_app.ui.components.nav import home_tabs
from field_app.ui.components.states import sign_words
from field_app.ui.screens.sites import asked, filter_part
from field_app.ui.words import _
from field_app.work.site_map import metres_per_pixel
from field_app.work.views.map import Heap, MapView, Pin
from sync.documents.language import FEET_PER_MILE, IN_FEET, METRES_PER_FOOT

MEMORY = "map"
REST = 0.2
"""Seconds without a movement after which pins and grid are made anew."""
GRID_PX = 110
FT_PER_M, FT_PER_MILE = 1 / METRES_PER_FOOT, FEET_PER_MILE
LOWEST, HIGHEST = 3.0, 19.0


def size_of(shell: Any) -> tuple[float, float]:
    """How much room the map has, in pixels, under the rows of filters and on a phone over the keys."""
    rows = (3 if shell.tiny else 1 if shell.narrow else 0) if asked(shell)["open"] else 0
    keys = 2 * (theme.TOUCH + 12) if shell.tiny else 0
    return shell.width, max(320.0, shell.height - (360 if shell.narrow else 300) - rows * (theme.TOUCH + 12) - keys)


@safe_screen
def MapScreen(shell: Any, beat: int) -> ft.Control:
    """Draws `MapView`. Where the map stands is kept while the window lives."""
    width, height = size_of(shell)
    here: dict[str, Any] = shell.memory.setdefault(MEMORY, {})
    if "lat" not in here:
        start = shell.work.map_start(width, height)
        here.update(lat=start.lat, lon=start.lon, zoom=start.zoom)
    now = asked(shell)
    # Half a window around what is seen, so that a small movement shows no bare edge.
    view: MapView = shell.work.site_map(
        here["lat"], here["lon"], here["zoom"], width * 1.5, height * 1.5, now["filters"])
    ref = ft.use_ref(lambda: ft.Ref[fm.Map]()).current
    waiting = ft.use_ref(lambda: {"task": None}).current
    opened = ft.use_ref(lambda: (here["lat"], here["lon"], here["zoom"])).current

    async def settle() -> None:
        await asyncio.sleep(REST)
        shell.redraw()

    def moved(e: fm.MapPositionChangeEvent) -> None:
        camera = e.camera
        here.update(lat=camera.center.latitude, lon=camera.center.longitude, zoom=camera.zoom)
        if waiting["task"] is not None:
            waiting["task"].cancel()
        waiting["task"] = asyncio.ensure_future(settle())

    def leave() -> None:
        if waiting["task"] is not None:
            waiting["task"].cancel()

    ft.use_effect(lambda: None, dependencies=[], cleanup=leave)

    async def go(lat: float, lon: float, zoom: float) -> None:
        here.update(lat=lat, lon=lon, zoom=min(HIGHEST, max(LOWEST, zoom)))
        await move(ref, lat, lon, here["zoom"])
        shell.redraw()

    def step(north: float, east: float) -> Any:
        async def stepped(_e: ft.Event) -> None:
            metres = metres_per_pixel(here["lat"], here["zoom"])
            lat = here["lat"] + north * height * metres / 111_320
            lon = here["lon"] + east * width * metres / (111_320 * math.cos(math.radians(here["lat"])))
            await go(lat, lon, here["zoom"])
        return stepped

    def zoom(by: float) -> Any:
        async def zoomed(_e: ft.Event) -> None:
            await go(here["lat"], here["lon"], here["zoom"] + by)
        return zoomed

    async def find_me(_e: ft.Event) -> None:
        async def act() -> None:
            near = await shell.work.locate()
            if near.lat_udeg is not None:
                await go(near.lat_udeg / 1_000_000, near.lon_udeg / 1_000_000, max(here["zoom"], 15.0))
        await shell.attempt(act, once="locate")

    async def all_sites(_e: ft.Event) -> None:
        start = shell.work.map_start(width, height)
        await go(start.lat, start.lon, start.zoom)

    layers: list[fm.MapLayer] = []
    if view.tiles is not None:
        layers.append(fm.TileLayer(
            url_template=view.tiles.url, min_native_zoom=view.tiles.min_zoom, max_native_zoom=view.tiles.max_zoom,
            evict_error_tile_strategy=fm.TileLayerEvictErrorTileStrategy.DISPOSE, key="tiles"))
        layers.append(fm.SimpleAttribution(text=view.tiles.attribution))
    layers.append(fm.PolylineLayer(polylines=list(grid(here, width * 2, height * 2))))
    markers = [pin_marker(shell, pin) for pin in view.pins]
    markers += [heap_marker(shell, heap, go, here) for heap in view.heaps]
    if view.near_lat is not None and view.near_lon is not None:
        layers.append(fm.MarkerLayer(markers=[fm.Marker(
            coordinates=fm.MapLatitudeLongitude(view.near_lat, view.near_lon), width=34, height=34,
            content=ft.Icon(ft.Icons.MY_LOCATION, size=34, color=theme.BRAND,
                            semantics_label=_("Your position")))]))
    layers.append(fm.MarkerLayer(markers=markers))
    the_map = fm.Map(
        layers=layers, expand=True, ref=ref, key="map", bgcolor=theme.GROUND,
        initial_center=fm.MapLatitudeLongitude(opened[0], opened[1]), initial_zoom=opened[2],
        min_zoom=LOWEST, max_zoom=HIGHEST, on_position_change=moved,
        interaction_configuration=fm.InteractionConfiguration(
            flags=fm.InteractionFlag.ALL & ~fm.InteractionFlag.ROTATE),
    )
    keys = [("in", ft.Icons.ADD, _("Larger"), zoom(1)), ("out", ft.Icons.REMOVE, _("Smaller"), zoom(-1)),
            ("me", ft.Icons.MY_LOCATION, _("Where am I?"), find_me),
            ("all", ft.Icons.ZOOM_OUT_MAP, _("All sites"), all_sites),
            ("north", ft.Icons.NORTH, _("Move the map north"), step(0.4, 0)),
            ("south", ft.Icons.SOUTH, _("Move the map south"), step(-0.4, 0)),
            ("west", ft.Icons.WEST, _("Move the map west"), step(0, -0.4)),
            ("east", ft.Icons.EAST, _("Move the map east"), step(0, 0.4))]
    across = 4 if shell.tiny else 2  # on a phone they would hide the map
    bar = ft.Column([ft.Row([icon_key(icon, words, act, id=f"map-{name}")
                            for name, icon, words, act in keys[at : at + across]], spacing=theme.APART,
                            tight=True) for at in range(0, len(keys), across)], spacing=theme.APART, tight=True,
                    horizontal_alignment=ft.CrossAxisAlignment.CENTER)
    words = " · ".join(w for w in (view.words, _("{n} without a position").format(n=view.unplaced) if view.unplaced
                                   else "", view.near_words) if w)
    filters = shell.work.sites("", now["filters"], limit=0).filters
    over = [ft.Container(scale(here), left=12, bottom=12)]
    if not shell.tiny:
        over.append(ft.Container(bar, right=8, top=8))
    body: list[ft.Control] = [
        filter_part(shell, filters),
        ft.Container(ft.Stack([the_map, *over], expand=True), height=height, border=ft.Border.all(1.5, theme.LINE),
                     border_radius=theme.RADIUS, clip_behavior=ft.ClipBehavior.HARD_EDGE),
        *([bar] if shell.tiny else []), *heap_list(shell, here), *no_streets(view),
        line(ft.Icons.INFO_OUTLINE, words, size=theme.SMALL), legend(),
    ]
    status = shell.work.status()
    subtitle = " · ".join(w for w in (status.user, status.city_name) if w)
    return frame(shell, _("Map"), body, subtitle=subtitle, home=True, top=home_tabs(shell, "map"), full=True)


def no_streets(view: MapView) -> list[ft.Control]:
    """What the lines are, where there is no map of the streets under them."""
    if view.tiles is not None:
        return []
    said = _("There is no street map here. The lines are a plain grid: north is up, and a square is as wide as the bar "
             "in the corner.")
    return [line(ft.Icons.GRID_ON, said, size=theme.SMALL)]


async def move(ref: ft.Ref[fm.Map], lat: float, lon: float, zoom: float) -> None:
    """Tell the client's map where to stand. A map that has just been drawn anew is not there yet for a moment."""
    for _try in range(20):
        await asyncio.sleep(0.02)
        if ref.current is None:
            continue
        with suppress(RuntimeError):
            await asyncio.wait_for(
                ref.current.move_to(fm.MapLatitudeLongitude(lat, lon), zoom=zoom, animation_duration=0), 5)
            return


def pin_marker(shell: Any, pin: Pin) -> fm.Marker:
    """A site: a round sign with the icon that says what matters most. A tap opens it."""
    tone = theme.SIGNS[pin.sign]
    face = ft.Container(
        ft.Icon(tone.icon, size=26, color=tone.ink), width=44, height=44, bgcolor=tone.solid,
        border_radius=22 if pin.sign == "good" else 10, border=ft.Border.all(2, theme.ON_SOLID),
        alignment=ft.Alignment.CENTER)
    return fm.Marker(
        coordinates=fm.MapLatitudeLongitude(pin.lat, pin.lon), width=theme.TOUCH, height=theme.TOUCH,
        content=marked(f"pin-{pin.site}", button=True, label=pin.words, content=ft.Container(
            face, width=theme.TOUCH, height=theme.TOUCH, alignment=ft.Alignment.CENTER,
            on_click=lambda e: shell.aside("site", site=pin.site))))


def heap_marker(shell: Any, heap: Heap, go: Any, here: dict[str, Any]) -> fm.Marker:
    """Several sites: their number on the colour of the gravest. A tap lists them, or comes closer."""
    tone = theme.SIGNS[heap.sign]

    async def closer(_e: ft.Event) -> None:
        here["listed"] = heap.sites
        if heap.sites:
            shell.redraw()
        else:
            await go(heap.lat, heap.lon, here["zoom"] + 2)

    face = ft.Container(
        ft.Text(str(heap.count), size=theme.BODY, weight=ft.FontWeight.BOLD, color=tone.ink), width=54, height=54,
        border_radius=27, bgcolor=tone.solid, border=ft.Border.all(5, theme.LINE_SOFT), alignment=ft.Alignment.CENTER)
    return fm.Marker(
        coordinates=fm.MapLatitudeLongitude(heap.lat, heap.lon), width=theme.TOUCH, height=theme.TOUCH,
        content=marked(f"heap-{heap.id}", button=True, label=heap.words, content=ft.Container(
            face, width=theme.TOUCH, height=theme.TOUCH, alignment=ft.Alignment.CENTER, on_click=closer)))


def heap_list(shell: Any, here: dict[str, Any]) -> list[ft.Control]:
    """The sites of the heap that was tapped."""
    listed = here.get("listed") or ()
    if not listed:
        return []

    def close(_e: ft.Event) -> None:
        here["listed"] = ()
        shell.redraw()

    rows = [tap_card(ft.Row([text(name, bold=True), ft.Icon(ft.Icons.CHEVRON_RIGHT, color=theme.INK_SOFT)],
                            alignment=ft.MainAxisAlignment.SPACE_BETWEEN),
                     (lambda target: lambda e: shell.aside("site", site=target))(site), id=f"heap-site-{site}")
            for site, name in listed]
    return [panel([*rows, action(_("Close the list"), close, id="heap-close", icon=ft.Icons.CLOSE, kind="quiet")])]


def step_feet(lat: float, zoom: float) -> float:
    """A round number of feet that is about as wide as a cell of the grid."""
    wanted = metres_per_pixel(lat, zoom) * GRID_PX * FT_PER_M
    if wanted >= FT_PER_MILE * IN_FEET:
        miles = wanted / FT_PER_MILE
        return _round(miles) * FT_PER_MILE
    return _round(wanted)


def _round(number: float) -> float:
    """1, 2 or 5 times a power of ten, near the number."""
    power = 10 ** math.floor(math.log10(number))
    return min((1, 2, 5, 10), key=lambda n: abs(n * power - number)) * power


def grid(here: dict[str, Any], width: float, height: float) -> Iterator[fm.PolylineMarker]:
    """Lines one step apart, at round distances, so that they stand still while the map moves over them."""
    metres = step_feet(here["lat"], here["zoom"]) / FT_PER_M
    pixel = metres_per_pixel(here["lat"], here["zoom"])
    lat_step = metres / 111_320
    lon_step = metres / (111_320 * math.cos(math.radians(round(here["lat"], 1))))
    half_lat, half_lon = height / 2 * pixel / 111_320, width / 2 * pixel / metres * lon_step
    south, north = here["lat"] - half_lat, here["lat"] + half_lat
    west, east = here["lon"] - half_lon, here["lon"] + half_lon
    for at in range(math.ceil(south / lat_step), math.floor(north / lat_step) + 1):
        yield _line(at * lat_step, west, at * lat_step, east)
    for at in range(math.ceil(west / lon_step), math.floor(east / lon_step) + 1):
        yield _line(south, at * lon_step, north, at * lon_step)


def _line(lat1: float, lon1: float, lat2: float, lon2: float) -> fm.PolylineMarker:
    return fm.PolylineMarker(coordinates=[fm.MapLatitudeLongitude(lat1, lon1), fm.MapLatitudeLongitude(lat2, lon2)],
                             color=theme.LINE_SOFT, stroke_width=1.5)


def scale(here: dict[str, Any]) -> ft.Control:
    """A bar as long as one cell of the grid, with its length."""
    feet = step_feet(here["lat"], here["zoom"])
    pixels = feet / FT_PER_M / metres_per_pixel(here["lat"], here["zoom"])
    said = _("{n} ft").format(n=f"{feet:g}")
    if feet >= FT_PER_MILE * IN_FEET:
        miles = f"{feet / FT_PER_MILE:g}"
        said = _("1 mi") if miles == "1" else _("{n} mi").format(n=miles)
    return ft.Container(
        ft.Column([ft.Text(said, size=theme.SMALL, weight=ft.FontWeight.BOLD, color=theme.INK),
                   ft.Container(width=max(20.0, min(pixels, 300.0)), height=8, bgcolor=theme.PAPER,
                                border=ft.Border.all(2, theme.INK))], spacing=2, tight=True),
        bgcolor=ft.Colors.with_opacity(0.85, theme.PAPER), border_radius=8, padding=8)


def legend() -> ft.Control:
    """What the signs mean, each with its own shape."""
    return ft.Row([
        ft.Row([ft.Container(ft.Icon(tone.icon, size=18, color=tone.ink), width=30, height=30, bgcolor=tone.solid,
                             border_radius=15 if sign == "good" else 7, alignment=ft.Alignment.CENTER),
                text(sign_words(sign), size=theme.SMALL)], spacing=6, tight=True)
        for sign, tone in theme.SIGNS.items()], wrap=True, spacing=16, run_spacing=6)

"""Draws the demo city's erosion control plans: a sheet for a site with its inlets and control devices where the list
says they are, and a sheet of details. Made up like everything in the demo, and it says so on every sheet.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from math import cos, radians
from typing import Any

from fpdf import FPDF

from sync.documents.language import date_words, translator
from sync.where import assets

Doc = Mapping[str, Any]
WIDE, HIGH, EDGE, BLOCK = 17.0, 11.0, 0.4, 4.2  # inches: a ledger sheet, its border, its title block
METRES_PER_UDEG = 0.111_320
INK, SOFT, WATER, SOIL, LINE = (20, 26, 30), (110, 118, 122), (10, 85, 140), (150, 90, 20), (190, 30, 40)
DETAILS = {
    "silt_fence": ("Silt fence", ("Fabric trenched in 6 in and backfilled", "Posts on the downhill side, 6 ft apart",
                                  "Clean when soil stands at half its height")),
    "stone_exit": ("Stone exit", ("3 to 6 in clear stone, 12 in thick", "50 ft long, over the full width of the exit",
                                  "Scrape or top up before it is full of soil")),
    "sediment_trap": ("Sediment trap", ("Outlet lined with stone", "Clean when half full",
                                        "Keep equipment off its banks")),
    "sediment_basin": ("Sediment basin", ("Riser and outlet as detailed by the engineer", "Clean when half full",
                                          "Dewater only through a filter bag")),
    "inlet": ("Inlet protection", ("Framed filter fabric under the grate", "Clean after each half inch of rain",
                                   "No straw or loose stone in the curb opening")),
}


def erosion_control_plan(site: Doc, on: date, *, revision: str = "A") -> bytes:
    """The plan of a site of assets/demo/sites.toml as a PDF of two sheets."""
    paper = FPDF(unit="in", format=(WIDE, HIGH))
    paper.set_auto_page_break(False)
    fonts = assets() / "fonts"
    paper.add_font("Plex", "", fonts / "IBMPlexSans-Regular.ttf")
    paper.add_font("Plex", "B", fonts / "IBMPlexSans-Bold.ttf")
    kinds = ["inlet", *sorted({device["kind"] for device in site.get("device", ())})]
    for number, draw in enumerate((_layout, _details), start=1):
        paper.add_page()
        _frame(paper, site, on, revision, number)
        draw(paper, site, kinds)
    return bytes(paper.output())


def _say(paper: FPDF, x: float, y: float, text: str, *, size: float = 9, bold: bool = False,
         colour: tuple[int, int, int] = INK) -> None:
    paper.set_font("Plex", "B" if bold else "", size)
    paper.set_text_color(*colour)
    paper.text(x, y, text)


def _frame(paper: FPDF, site: Doc, on: date, revision: str, sheet: int) -> None:
    paper.set_draw_color(*INK)
    paper.set_line_width(0.02)
    paper.rect(EDGE, EDGE, WIDE - 2 * EDGE, HIGH - 2 * EDGE)
    left = WIDE - EDGE - BLOCK
    paper.line(left, EDGE, left, HIGH - EDGE)
    rows = [("Site", site["name"]), ("Address", site["address"]), ("Parcel", site["parcel"]),
            ("Permittee", (site.get("permittee") or {}).get("name", "")),
            ("Contractor", (site.get("contractor") or {}).get("name", "")),
            ("Revision", revision), ("Date", date_words(on, translator("en"))), ("Sheet", f"{sheet} of 2")]
    _say(paper, left + 0.2, EDGE + 0.5, "Erosion control plan" if sheet == 1 else "Details", size=20, bold=True)
    _say(paper, left + 0.2, EDGE + 0.85, "DEMO: made up, not to be built by", size=11, bold=True, colour=LINE)
    for at, (name, value) in enumerate(rows):
        y = HIGH - EDGE - 0.35 * (len(rows) - at) + 0.1
        paper.line(left, y - 0.25, WIDE - EDGE, y - 0.25)
        _say(paper, left + 0.2, y, name, size=8, colour=SOFT)
        _say(paper, left + 1.2, y, value, size=10, bold=True)


def _layout(paper: FPDF, site: Doc, kinds: list[str]) -> None:
    points = [*site.get("inlet", ()), *site.get("device", ())]
    here = [_metres(point, site) for point in points]
    reach = max([abs(n) for place in here for n in place] or [10.0]) * 1.35
    middle = ((WIDE - BLOCK) / 2, HIGH / 2)
    scale = (HIGH / 2 - EDGE - 0.5) / reach

    def at(place: tuple[float, float]) -> tuple[float, float]:
        return middle[0] + place[0] * scale, middle[1] - place[1] * scale

    lot = reach * 0.78
    corners = [at(one) for one in ((-lot, -lot * 0.8), (lot, -lot * 0.8), (lot * 0.92, lot * 0.8), (-lot, lot * 0.72))]
    paper.set_draw_color(*SOFT)
    paper.set_line_width(0.01)
    for step in range(1, 6):  # the fall of the land
        shift = lot * 0.24 * step
        paper.set_dash_pattern(0.12, 0.06)
        bends = ((-lot, 0.7), (-lot / 3, 0.9), (lot / 3, 0.45), (lot * 0.95, 0.7))
        paper.bezier([at((east, lot * north - shift)) for east, north in bends])
        paper.set_dash_pattern()
        _say(paper, *at((-lot * 0.97, lot * 0.72 - shift)), str(872 - 2 * step), size=7, colour=SOFT)
    paper.set_draw_color(*INK)
    paper.set_line_width(0.03)
    paper.polygon(corners)
    street = [at((-reach, -lot * 0.95)), at((reach, -lot * 0.95))]
    paper.set_line_width(0.015)
    for offset in (0.0, 0.35):
        paper.line(street[0][0], street[0][1] + offset, street[1][0], street[1][1] + offset)
    _say(paper, middle[0] - 0.8, street[0][1] + 0.24, site["address"].partition(" ")[2], size=11, colour=SOFT)
    for point, place in zip(points, here, strict=True):
        _symbol(paper, *at(place), point.get("kind", "inlet"), point["label"])
    _north(paper)
    _legend(paper, kinds)
    feet = max(10, int(reach / 2 / 0.3048 / 10) * 10)
    x, y = EDGE + 0.5, HIGH - EDGE - 0.4
    paper.set_draw_color(*INK)
    paper.line(x, y, x + feet * 0.3048 * scale, y)
    _say(paper, x, y - 0.08, f"{feet} ft", size=9)


def _metres(point: Doc, site: Doc) -> tuple[float, float]:
    """East and north of the site's own position."""
    north = (point["lat_udeg"] - site["lat_udeg"]) * METRES_PER_UDEG
    east = (point["lon_udeg"] - site["lon_udeg"]) * METRES_PER_UDEG * cos(radians(site["lat_udeg"] / 1e6))
    return east, north


def _symbol(paper: FPDF, x: float, y: float, kind: str, label: str) -> None:
    paper.set_line_width(0.03)
    if kind == "inlet":
        paper.set_draw_color(*WATER)
        paper.rect(x - 0.12, y - 0.12, 0.24, 0.24)
        paper.line(x - 0.12, y - 0.12, x + 0.12, y + 0.12)
        paper.line(x - 0.12, y + 0.12, x + 0.12, y - 0.12)
    elif kind == "silt_fence":
        paper.set_draw_color(*LINE)
        paper.line(x - 0.9, y, x + 0.9, y)
        for n in range(-4, 5):
            paper.line(x + n * 0.2 - 0.05, y - 0.05, x + n * 0.2 + 0.05, y + 0.05)
    elif kind == "stone_exit":
        paper.set_draw_color(*SOIL)
        paper.rect(x - 0.15, y - 0.45, 0.3, 0.9)
        for n in range(5):
            paper.line(x - 0.15, y - 0.35 + n * 0.18, x + 0.15, y - 0.25 + n * 0.18)
    else:
        paper.set_draw_color(*SOIL)
        paper.ellipse(x - 0.35, y - 0.22, 0.7, 0.44)
    _say(paper, x + 0.2, y - 0.18, label, size=10, bold=True)


def _north(paper: FPDF) -> None:
    x, y = WIDE - EDGE - BLOCK - 0.7, EDGE + 1.1
    paper.set_draw_color(*INK)
    paper.set_line_width(0.03)
    paper.line(x, y, x, y - 0.6)
    paper.polygon([(x - 0.1, y - 0.45), (x, y - 0.75), (x + 0.1, y - 0.45)], style="F")
    _say(paper, x - 0.07, y + 0.22, "N", size=13, bold=True)


def _legend(paper: FPDF, kinds: list[str]) -> None:
    left, y = WIDE - EDGE - BLOCK + 0.3, EDGE + 1.7
    _say(paper, left, y, "Legend", size=12, bold=True)
    for n, kind in enumerate(kinds, start=1):
        name = DETAILS.get(kind, (kind.replace("_", " ").capitalize(), ()))[0]
        _symbol(paper, left + 0.9, y + n * 0.82 - 0.1, kind, "")
        _say(paper, left + 2.0, y + n * 0.82 - 0.05, name, size=10)


def _details(paper: FPDF, site: Doc, kinds: list[str]) -> None:
    width = (WIDE - BLOCK - EDGE * 2) / 3
    for n, kind in enumerate(kinds[:6]):
        name, notes = DETAILS.get(kind, (kind.replace("_", " ").capitalize(), ("As the city's standard detail",)))
        x, y = EDGE * 1.5 + (n % 3) * width, EDGE * 1.5 + (n // 3) * 4.8
        paper.set_draw_color(*INK)
        paper.set_line_width(0.015)
        paper.rect(x, y, width - 0.3, 4.4)
        _say(paper, x + 0.2, y + 0.4, name, size=14, bold=True)
        _symbol(paper, x + (width - 0.3) / 2, y + 1.6, kind, "")
        for row, note in enumerate(notes):
            _say(paper, x + 0.2, y + 2.8 + row * 0.4, f"{row + 1}. {note}", size=10)

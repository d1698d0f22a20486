"""The three looks as colours: normal, sun (black on white, nothing grey) and dark. Values only, no screen.

Invariant, computed by tests/field_app/ui/test_theme.py for every pair that is used: words keep 7:1 against their ground
in the sun and 4.5:1 elsewhere; icons and the edges of what can be tapped keep 3:1.
"""

from __future__ import annotations

from dataclasses import dataclass

import flet as ft


@dataclass(frozen=True, slots=True)
class Tone:
    """One meaning: its ink on its ground, its solid colour (the words on it: `Palette.on_solid`), its icon.

    The word beside it always says the same.
    """

    ink: str
    ground: str
    solid: str
    icon: ft.IconData


@dataclass(frozen=True, slots=True)
class Palette:
    """The colours of one look. `bar` is the title bar; `sheet` is paper that stays white whatever the look."""

    dark: bool
    ink: str
    ink_soft: str
    paper: str
    ground: str
    line: str
    line_soft: str
    brand: str
    on_brand: str
    brand_soft: str
    bar: str
    on_bar: str
    on_solid: str
    silt: str
    off_ink: str
    off_ground: str
    off_line: str
    good: Tone
    wait: Tone
    warn: Tone
    bad: Tone
    critical: str
    sheet: str = "#FFFFFF"
    sheet_ink: str = "#101820"


NORMAL = Palette(
    dark=False, ink="#101820", ink_soft="#3A4650", paper="#FFFFFF", ground="#EEF1F0", line="#7F8B92",
    line_soft="#C9D0D3", brand="#063B52", on_brand="#FFFFFF", brand_soft="#DDEAF0", bar="#063B52", on_bar="#FFFFFF",
    on_solid="#FFFFFF", silt="#7A3E00", off_ink="#45505A", off_ground="#D9DEE0", off_line="#7F8B92",
    good=Tone("#07501F", "#E2F4E7", "#086024", ft.Icons.CHECK_CIRCLE),
    wait=Tone("#0A3D66", "#E3F0FA", "#0B5088", ft.Icons.SCHEDULE),
    warn=Tone("#5C3600", "#FFF0D2", "#6B4000", ft.Icons.WARNING),
    bad=Tone("#7E0713", "#FDE7E7", "#9B0A18", ft.Icons.REPORT),
    critical="#8E0715",
)
SUN = Palette(
    dark=False, ink="#000000", ink_soft="#161D22", paper="#FFFFFF", ground="#FFFFFF", line="#000000",
    line_soft="#4B555B", brand="#002A40", on_brand="#FFFFFF", brand_soft="#C9E8FA", bar="#000000", on_bar="#FFFFFF",
    on_solid="#FFFFFF", silt="#5E2C00", off_ink="#2E383E", off_ground="#E4E8EA", off_line="#5E686E",
    good=Tone("#003A10", "#CFF5D8", "#004A16", ft.Icons.CHECK_CIRCLE),
    wait=Tone("#002B52", "#CDE7FC", "#003C70", ft.Icons.SCHEDULE),
    warn=Tone("#3F2300", "#FFE6AE", "#542F00", ft.Icons.WARNING),
    bad=Tone("#5E000B", "#FFDCDC", "#84000F", ft.Icons.REPORT),
    critical="#7A000E",
)
DARK = Palette(
    dark=True, ink="#F3F6F7", ink_soft="#C6D0D5", paper="#1A2328", ground="#0D1316", line="#8C9AA2",
    line_soft="#3F4B52", brand="#93D0F0", on_brand="#04202E", brand_soft="#15394A", bar="#06222F", on_bar="#FFFFFF",
    on_solid="#0B1013", silt="#F2B985", off_ink="#A9B5BB", off_ground="#2A343A", off_line="#7F8C94",
    good=Tone("#A4E7B4", "#12301B", "#84D99A", ft.Icons.CHECK_CIRCLE),
    wait=Tone("#AFD8F6", "#10304A", "#93CBF2", ft.Icons.SCHEDULE),
    warn=Tone("#FFD894", "#382A0A", "#F3C468", ft.Icons.WARNING),
    bad=Tone("#FFBDBB", "#471318", "#FFA5A2", ft.Icons.REPORT),
    critical="#FFA5A2",
)
PALETTES: dict[str, Palette] = {"normal": NORMAL, "sun": SUN, "dark": DARK}


@dataclass(frozen=True, slots=True)
class Type:
    """The sizes of one choice of text, in logical pixels. What is large already grows less, as on any tablet."""

    small: int
    body: int
    key: int
    title: int


TYPES: dict[str, Type] = {
    "standard": Type(16, 18, 22, 26), "large": Type(18, 21, 25, 29), "larger": Type(20, 23, 27, 31),
    "largest": Type(23, 26, 30, 34),
}

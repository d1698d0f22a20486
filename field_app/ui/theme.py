"""Colours, sizes and type as they are worn now: large, and nothing said by colour alone.

`wear` puts on a look (normal, sun, dark) and a size of text for every screen drawn from then on: one tablet has one
look at a time, as it speaks one language. So a look is asked for while drawing (`theme.INK` inside a function), never
kept in a constant or a default argument; tests/field_app/ui/test_theme.py reads the code for that. Nothing that a
gloved hand must hit is smaller than `TOUCH`.
"""

from __future__ import annotations

import flet as ft

from field_app.ui.palettes import PALETTES, TYPES, Palette, Tone
from field_app.ui.words import spoken

__all__ = ["Tone"]

# Sizes in logical pixels that no look changes.
TOUCH = 64
APART = 8  # so far apart are two things that a glove might hit at once
GAP = 12
EDGE = 16
RADIUS = 10
WIDE = 1000  # from here on a list and its detail stand side by side
READABLE = 860  # no column of text is wider
LOCALES = {"en": ft.Locale("en", "US"), "es": ft.Locale("es", "US")}
LETTER = 0.58  # how wide a letter of Roboto is at most on average, for each pixel of its size

# Worn now; `wear` sets them. Type: body 18 and more, what the eye must find first 22 and more.
SMALL: int
BODY: int
KEY: int
TITLE: int
INK: str
INK_SOFT: str
PAPER: str
GROUND: str
LINE: str
LINE_SOFT: str
BRAND: str
ON_BRAND: str
BRAND_SOFT: str
BAR: str
ON_BAR: str
ON_SOLID: str
SILT: str
SHEET: str
SHEET_INK: str
OFF_INK: str
OFF_GROUND: str
OFF_LINE: str
GOOD: Tone
WAIT: Tone
WARN: Tone
BAD: Tone
CALM: Tone
DEMO: Tone
SEVERITIES: dict[str, Tone]
ITEM_STATES: dict[str, Tone]
SENDING: dict[str, Tone]
DUE: dict[str, Tone]
SIGNS: dict[str, Tone]

# The one question of the status bar: the icon says the same as its word and its colour.
LEVELS: dict[str, ft.IconData] = {
    "safe": ft.Icons.CLOUD_DONE, "received": ft.Icons.CLOUD_DONE, "sending": ft.Icons.CLOUD_UPLOAD,
    "waiting": ft.Icons.CLOUD_OFF, "attention": ft.Icons.REPORT,
}

_worn = ("", "")


def wear(look: str, text: str) -> None:
    """Put on a look and a size of text. What nobody knows (a newer version wrote it) is the normal one."""
    global _worn
    _worn = (look if look in PALETTES else "normal", text if text in TYPES else "standard")
    palette, sizes = PALETTES[_worn[0]], TYPES[_worn[1]]
    now = globals()
    for source in (palette, sizes):
        now.update({name.upper(): getattr(source, name) for name in source.__slots__})
    now.update(_meanings(palette))


def worn() -> tuple[str, str, str]:
    """Look, size of text and language: what is drawn with another one must be drawn anew."""
    return (*_worn, spoken())


def px(size: float) -> int:
    """A size that is given for the standard text, as large as it is with the chosen one."""
    return round(size * TYPES[_worn[1]].body / TYPES["standard"].body)


def large() -> bool:
    """Whether the letters are so large that on a phone a word may not fit into half a row."""
    return TYPES[_worn[1]].small > 18


def is_dark() -> bool:
    """Whether light words stand on dark ground."""
    return PALETTES[_worn[0]].dark


def on(tone: Tone) -> str:
    """The ink on the solid colour of a tone: white, or near black in the dark."""
    return tone.ink if tone.ground == tone.solid else PALETTES[_worn[0]].on_solid


def _with(tone: Tone, icon: ft.IconData) -> Tone:
    return Tone(tone.ink, tone.ground, tone.solid, icon)


def _solid(p: Palette, colour: str, icon: ft.IconData) -> Tone:
    return Tone(p.on_solid, colour, colour, icon)


def _meanings(p: Palette) -> dict[str, Tone | dict[str, Tone]]:
    """Every meaning in the colours of one look. Each has an icon of its own within its group."""
    icons = ft.Icons
    calm = Tone(p.ink, p.ground, p.ink_soft, icons.INFO)
    return {
        "CALM": calm,
        "DEMO": _solid(p, p.silt, icons.SCIENCE),
        "SEVERITIES": {
            "critical": _solid(p, p.critical, icons.DANGEROUS), "major": _with(p.bad, icons.REPORT),
            "minor": _with(p.warn, icons.WARNING), "observation": _with(p.wait, icons.VISIBILITY),
        },
        "ITEM_STATES": {
            "empty": Tone(p.ink_soft, p.paper, p.ink_soft, icons.RADIO_BUTTON_UNCHECKED),
            "incomplete": _with(p.warn, icons.PENDING),
            "pass": p.good,
            "fail": _with(p.bad, icons.CANCEL),
            "na": Tone(p.ink_soft, p.ground, p.ink_soft, icons.DO_NOT_DISTURB_ON),
            "not_observed": _with(p.warn, icons.VISIBILITY_OFF),
        },
        "SENDING": {
            "safe": p.good, "sending": _with(p.wait, icons.CLOUD_UPLOAD), "received": _with(p.wait, icons.CLOUD_QUEUE),
            "held": _with(p.wait, icons.PERSON_SEARCH), "waiting": _with(p.warn, icons.SCHEDULE_SEND),
            "paused": _with(p.warn, icons.PAUSE_CIRCLE), "parked": _with(p.bad, icons.REPORT),
            "attention": _with(p.bad, icons.REPORT),
        },
        "DUE": {
            "overdue": _with(p.bad, icons.EVENT_BUSY), "today": _with(p.warn, icons.TODAY),
            "coming": _with(p.wait, icons.EVENT),
        },
        # Each sign of a site has a shape of its own, so that it is told apart without its colour.
        "SIGNS": {
            "order": _solid(p, p.bad.solid, icons.FRONT_HAND), "critical": _solid(p, p.bad.solid, icons.DANGEROUS),
            "overdue": _solid(p, p.bad.solid, icons.EVENT_BUSY), "no_permit": _solid(p, p.silt, icons.GPP_BAD),
            "due": _solid(p, p.warn.solid, icons.TODAY), "good": _solid(p, p.good.solid, icons.CHECK),
        },
    }


def theme() -> ft.Theme:
    """What Flutter draws by itself (fields, calendars, dialogs) in the look worn now; no animation between pages."""
    p, t = PALETTES[_worn[0]], TYPES[_worn[1]]
    still = ft.PageTransitionTheme.NONE
    # In the sun thin strokes vanish first.
    weight = ft.FontWeight.W_500 if _worn[0] == "sun" else None
    return ft.Theme(
        color_scheme=ft.ColorScheme(
            primary=p.brand, on_primary=p.on_brand, primary_container=p.brand_soft, on_primary_container=p.ink,
            secondary=p.silt, on_secondary=p.on_solid, tertiary=p.silt, tertiary_container=p.brand_soft,
            on_tertiary_container=p.ink, surface=p.paper, on_surface=p.ink, on_surface_variant=p.ink_soft,
            error=p.bad.solid, on_error=p.on_solid, outline=p.line, outline_variant=p.line_soft,
            surface_container=p.ground, surface_container_high=p.paper, surface_container_highest=p.ground,
            surface_container_low=p.paper, secondary_container=p.brand_soft, on_secondary_container=p.ink,
        ),
        scaffold_bgcolor=p.ground,
        font_family="Roboto",
        visual_density=ft.VisualDensity.STANDARD,
        page_transitions=ft.PageTransitionsTheme(
            android=still, ios=still, linux=still, macos=still, windows=still
        ),
        text_theme=ft.TextTheme(
            body_large=ft.TextStyle(size=t.body, color=p.ink, weight=weight),
            body_medium=ft.TextStyle(size=t.body, color=p.ink, weight=weight),
            body_small=ft.TextStyle(size=t.small, color=p.ink_soft, weight=weight),
            title_large=ft.TextStyle(size=t.title, weight=ft.FontWeight.BOLD, color=p.ink),
            title_medium=ft.TextStyle(size=t.key, weight=ft.FontWeight.BOLD, color=p.ink),
            label_large=ft.TextStyle(size=t.body, weight=ft.FontWeight.W_600),
            label_medium=ft.TextStyle(size=t.small),
        ),
        scrollbar_theme=ft.ScrollbarTheme(thickness=10, radius=5, thumb_visibility=False),
    )


def dress(page: ft.Page) -> None:
    """The page in the look worn now, and what Flutter says by itself (the menu of a text field, a dialog's edge for a
    screen reader) in the language spoken."""
    page.locale_configuration = ft.LocaleConfiguration(list(LOCALES.values()), LOCALES[spoken()])
    made = theme()
    page.theme = page.dark_theme = made
    page.theme_mode = ft.ThemeMode.DARK if is_dark() else ft.ThemeMode.LIGHT


wear("normal", "standard")

"""Colours, sizes and type for a wet tablet in the sun: black on white, large, and nothing said by colour alone.

Every text colour here keeps at least 7:1 against the ground it is used on (tests/field_app/ui/test_theme.py
computes it). Nothing that a gloved hand must hit is smaller than `TOUCH`.
"""

from __future__ import annotations

from dataclasses import dataclass

import flet as ft

# Sizes in logical pixels.
TOUCH = 64
GAP = 12
EDGE = 16
RADIUS = 10
WIDE = 1000  # from here on a list and its detail stand side by side
READABLE = 860  # no column of text is wider

# Type: body 18, what the eye must find first 22 and more.
SMALL = 16
BODY = 18
KEY = 22
TITLE = 26

INK = "#101820"
INK_SOFT = "#3A4650"
PAPER = "#FFFFFF"
GROUND = "#EEF1F0"
LINE = "#8A959C"
LINE_SOFT = "#C9D0D3"
BRAND = "#063B52"  # deep water
BRAND_SOFT = "#DDEAF0"
ON_BRAND = "#FFFFFF"
SILT = "#7A3E00"


@dataclass(frozen=True, slots=True)
class Tone:
    """One meaning: its ink on its ground, its icon. The word beside it says the same."""

    ink: str
    ground: str
    solid: str
    icon: ft.IconData


GOOD = Tone("#07501F", "#E2F4E7", "#086024", ft.Icons.CHECK_CIRCLE)
WAIT = Tone("#0A3D66", "#E3F0FA", "#0B5088", ft.Icons.SCHEDULE)
WARN = Tone("#5C3600", "#FFF0D2", "#6B4000", ft.Icons.WARNING)
BAD = Tone("#7E0713", "#FDE7E7", "#9B0A18", ft.Icons.REPORT)
CALM = Tone(INK, GROUND, INK_SOFT, ft.Icons.INFO)

SEVERITIES: dict[str, Tone] = {
    "critical": Tone("#FFFFFF", "#8E0715", "#8E0715", ft.Icons.DANGEROUS),
    "major": Tone(BAD.ink, BAD.ground, BAD.solid, ft.Icons.REPORT),
    "minor": Tone(WARN.ink, WARN.ground, WARN.solid, ft.Icons.WARNING),
    "observation": Tone(WAIT.ink, WAIT.ground, WAIT.solid, ft.Icons.VISIBILITY),
}

ITEM_STATES: dict[str, Tone] = {
    "empty": Tone(INK_SOFT, PAPER, INK_SOFT, ft.Icons.RADIO_BUTTON_UNCHECKED),
    "incomplete": Tone(WARN.ink, WARN.ground, WARN.solid, ft.Icons.PENDING),
    "pass": GOOD,
    "fail": Tone(BAD.ink, BAD.ground, BAD.solid, ft.Icons.CANCEL),
    "na": Tone(INK_SOFT, GROUND, INK_SOFT, ft.Icons.DO_NOT_DISTURB_ON),
    "not_observed": Tone(WARN.ink, WARN.ground, WARN.solid, ft.Icons.VISIBILITY_OFF),
}

SENDING: dict[str, Tone] = {
    "safe": GOOD,
    "sending": Tone(WAIT.ink, WAIT.ground, WAIT.solid, ft.Icons.CLOUD_UPLOAD),
    "received": Tone(WAIT.ink, WAIT.ground, WAIT.solid, ft.Icons.CLOUD_QUEUE),
    "held": Tone(WAIT.ink, WAIT.ground, WAIT.solid, ft.Icons.PERSON_SEARCH),
    "waiting": Tone(WARN.ink, WARN.ground, WARN.solid, ft.Icons.SCHEDULE_SEND),
    "paused": Tone(WARN.ink, WARN.ground, WARN.solid, ft.Icons.PAUSE_CIRCLE),
    "parked": Tone(BAD.ink, BAD.ground, BAD.solid, ft.Icons.REPORT),
    "attention": Tone(BAD.ink, BAD.ground, BAD.solid, ft.Icons.REPORT),
}
# The one question of the status bar: the icon says the same as its word and its colour.
LEVELS: dict[str, ft.IconData] = {
    "safe": ft.Icons.CLOUD_DONE, "received": ft.Icons.CLOUD_DONE, "sending": ft.Icons.CLOUD_UPLOAD,
    "waiting": ft.Icons.CLOUD_OFF, "attention": ft.Icons.REPORT,
}


def theme() -> ft.Theme:
    """The one theme: light, high contrast, no animation between pages, full-size touch targets."""
    still = ft.PageTransitionTheme.NONE
    return ft.Theme(
        color_scheme=ft.ColorScheme(
            primary=BRAND, on_primary=ON_BRAND, primary_container=BRAND_SOFT, on_primary_container=INK,
            secondary=SILT, on_secondary="#FFFFFF", tertiary=SILT, tertiary_container=BRAND_SOFT,
            on_tertiary_container=INK, surface=PAPER, on_surface=INK, on_surface_variant=INK_SOFT,
            error=BAD.solid, on_error="#FFFFFF", outline=LINE, outline_variant=LINE_SOFT,
            surface_container=GROUND, surface_container_high=PAPER, surface_container_highest=GROUND,
            surface_container_low=PAPER, secondary_container=BRAND_SOFT, on_secondary_container=INK,
        ),
        scaffold_bgcolor=GROUND,
        font_family="Roboto",
        visual_density=ft.VisualDensity.STANDARD,
        page_transitions=ft.PageTransitionsTheme(
            android=still, ios=still, linux=still, macos=still, windows=still
        ),
        text_theme=ft.TextTheme(
            body_large=ft.TextStyle(size=BODY, color=INK),
            body_medium=ft.TextStyle(size=BODY, color=INK),
            body_small=ft.TextStyle(size=SMALL, color=INK_SOFT),
            title_large=ft.TextStyle(size=TITLE, weight=ft.FontWeight.BOLD, color=INK),
            title_medium=ft.TextStyle(size=KEY, weight=ft.FontWeight.BOLD, color=INK),
            label_large=ft.TextStyle(size=BODY, weight=ft.FontWeight.W_600),
            label_medium=ft.TextStyle(size=SMALL),
        ),
        scrollbar_theme=ft.ScrollbarTheme(thickness=10, radius=5, thumb_visibility=False),
    )

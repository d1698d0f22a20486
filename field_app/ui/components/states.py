"""How urgent something is, and what a site's one sign is: word, icon, shape and colour for list, Today and map."""

from __future__ import annotations

import flet as ft

from field_app.ui import theme
from field_app.ui.theme import Tone
from field_app.ui.words import _

DUE: dict[str, Tone] = {
    "overdue": Tone(theme.BAD.ink, theme.BAD.ground, theme.BAD.solid, ft.Icons.EVENT_BUSY),
    "today": Tone(theme.WARN.ink, theme.WARN.ground, theme.WARN.solid, ft.Icons.TODAY),
    "coming": Tone(theme.WAIT.ink, theme.WAIT.ground, theme.WAIT.solid, ft.Icons.EVENT),
}
KIND_ICONS: dict[str, ft.IconData] = {
    "weekly": ft.Icons.EVENT_REPEAT, "rain": ft.Icons.WATER_DROP, "road": ft.Icons.ADD_ROAD,
    "re-inspection": ft.Icons.REPLAY, "correction": ft.Icons.BUILD_CIRCLE,
}
# Each sign has a shape of its own, so that it is told apart without its colour.
SIGNS: dict[str, Tone] = {
    "order": Tone("#FFFFFF", theme.BAD.solid, theme.BAD.solid, ft.Icons.FRONT_HAND),
    "critical": Tone("#FFFFFF", theme.BAD.solid, theme.BAD.solid, ft.Icons.DANGEROUS),
    "overdue": Tone("#FFFFFF", theme.BAD.solid, theme.BAD.solid, ft.Icons.EVENT_BUSY),
    "no_permit": Tone("#FFFFFF", theme.SILT, theme.SILT, ft.Icons.GPP_BAD),
    "due": Tone("#FFFFFF", theme.WARN.solid, theme.WARN.solid, ft.Icons.TODAY),
    "good": Tone("#FFFFFF", theme.GOOD.solid, theme.GOOD.solid, ft.Icons.CHECK),
}


def sign_words(sign: str) -> str:
    """What a sign means."""
    return {
        "order": _("Stop-work order"), "critical": _("Critical finding"), "overdue": _("Overdue"),
        "no_permit": _("No permit"), "due": _("Due today"), "good": _("Nothing open"),
    }.get(sign, sign)

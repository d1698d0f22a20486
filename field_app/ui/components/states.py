"""What is due and what a site's one sign means, in icon and word; the colours of both are the look's."""

from __future__ import annotations

import flet as ft

from field_app.ui.words import _

KIND_ICONS: dict[str, ft.IconData] = {
    "weekly": ft.Icons.EVENT_REPEAT, "rain": ft.Icons.WATER_DROP, "road": ft.Icons.ADD_ROAD,
    "re-inspection": ft.Icons.REPLAY, "correction": ft.Icons.BUILD_CIRCLE,
}

def sign_words(sign: str) -> str:
    """What a sign means."""
    return {
        "order": _("Stop-work order"), "critical": _("Critical finding"), "overdue": _("Overdue"),
        "no_permit": _("No permit"), "due": _("Due today"), "good": _("Nothing due"),
    }.get(sign, sign)

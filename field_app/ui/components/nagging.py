"""A placard hangs and its photos are still to be taken: said wherever one looks, with the way to the camera."""

from __future__ import annotations

from typing import Any

import flet as ft

from field_app.ui import theme
from field_app.ui.components.buttons import action
from field_app.ui.components.layout import panel, text, titled
from field_app.ui.words import _
from field_app.work.views.site import PlacardNag


def nag_card(shell: Any, nag: PlacardNag) -> ft.Control:
    """One placard: which photos are missing; a tap opens the camera."""
    return _card(nag, "nag", theme.WARN, ft.Icons.ADD_A_PHOTO, action(
        _("Photo of the placard"), lambda e: shell.aside("order_photos", number=nag.number),
        id=f"nag-photo-{nag.number}", icon=ft.Icons.PHOTO_CAMERA, kind="secondary"))


def take_down_card(shell: Any, nag: PlacardNag) -> ft.Control:
    """One placard whose order has ended: why it must come down; a tap opens its site."""
    return _card(nag, "take-down", theme.BAD, ft.Icons.REMOVE_CIRCLE_OUTLINE, action(
        _("Open the site"), lambda e: shell.go("site", site=nag.site), id=f"take-down-site-{nag.number}",
        icon=ft.Icons.PLACE, kind="secondary"))


def _card(nag: PlacardNag, name: str, tone: Any, icon: ft.IconData, what_to_do: ft.Control) -> ft.Control:
    return panel([
        titled(icon, _("Placard {number}").format(number=nag.number), tone.ink),
        *([text(nag.name, bold=True)] if nag.name else []),
        text(nag.words, id=f"{name}-{nag.number}"),
        what_to_do,
    ], ground=tone.ground, edge=tone.solid)

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
    return panel([
        titled(ft.Icons.ADD_A_PHOTO, _("Placard {number}").format(number=nag.number), theme.WARN.ink),
        *([text(nag.name, bold=True)] if nag.name else []),
        text(nag.words, id=f"nag-{nag.number}"),
        action(_("Photo of the placard"), lambda e: shell.aside("order_photos", number=nag.number),
               id=f"nag-photo-{nag.number}", icon=ft.Icons.PHOTO_CAMERA, kind="secondary"),
    ], ground=theme.WARN.ground, edge=theme.WARN.solid)


def take_down_card(shell: Any, nag: PlacardNag) -> ft.Control:
    """One placard whose order has ended: why it must come down; a tap opens its site."""
    return panel([
        titled(ft.Icons.REMOVE_CIRCLE_OUTLINE, _("Placard {number}").format(number=nag.number), theme.BAD.ink),
        *([text(nag.name, bold=True)] if nag.name else []),
        text(nag.words, id=f"take-down-{nag.number}"),
        action(_("Open the site"), lambda e: shell.go("site", site=nag.site), id=f"take-down-site-{nag.number}",
               icon=ft.Icons.PLACE, kind="secondary"),
    ], ground=theme.BAD.ground, edge=theme.BAD.solid)

"""What the camera sees, drawn once whatever the size: the camera control must stay the same one."""

from __future__ import annotations

from typing import Any

import flet as ft

from field_app.ui import theme
from field_app.ui.components.marks import marked
from field_app.ui.guard import safe_component
from field_app.ui.words import _


@safe_component
def _LivePicture(camera: Any, ident: str) -> ft.Control:
    return marked(
        ident, image=True, label=_("What the camera sees"),
        content=ft.Container(camera.control(), bgcolor="#000000", border_radius=theme.RADIUS, expand=True,
                             clip_behavior=ft.ClipBehavior.HARD_EDGE, alignment=ft.Alignment.CENTER),
    )


LivePicture = ft.memo(_LivePicture)

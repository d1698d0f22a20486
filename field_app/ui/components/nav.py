"""The three screens one starts from, as large tabs: today, the sites, the map; and the way to what is unfinished."""

from __future__ import annotations

from typing import Any

import flet as ft

from field_app.ui import theme
from field_app.ui.components.buttons import strut
from field_app.ui.components.marks import marked
from field_app.ui.words import _
from field_app.work.views.site import DraftRow


def go_on(shell: Any, draft: DraftRow) -> None:
    """Go on with something unfinished."""
    if draft.kind == "report":
        shell.go("find", report=draft.id)
    elif draft.kind == "placard_photos":
        shell.aside("order_photos", number=draft.number)
    else:
        shell.go(draft.kind, draft=draft.id)  # each of the others is a screen of that name


def home_tabs(shell: Any, here: str) -> ft.Control:
    """`here` today | sites | map. The chosen one is marked by a line below it as well as by its colour."""
    tabs = (("today", ft.Icons.TODAY, _("Today")), ("sites", ft.Icons.LIST_ALT, _("Sites")),
            ("map", ft.Icons.MAP, _("Map")))
    cells: list[ft.Control] = []
    for name, icon, words in tabs:
        chosen = name == here
        ink = theme.BRAND if chosen else theme.INK_SOFT
        cells.append(marked(f"nav-{name}", button=True, selected=chosen, expand=True,
                            value=_("chosen") if chosen else None, content=ft.Container(
            ft.Row([strut(padding=0), ft.Icon(icon, size=28, color=ink),
                    ft.Text(words, size=theme.BODY, weight=ft.FontWeight.BOLD if chosen else ft.FontWeight.W_600,
                            color=ink)], alignment=ft.MainAxisAlignment.CENTER, spacing=8),
            ink=True, bgcolor=theme.BRAND_SOFT if chosen else theme.PAPER,
            border=ft.Border.only(bottom=ft.BorderSide(5, theme.BRAND if chosen else theme.PAPER)),
            on_click=(lambda target: lambda e: shell.go(target))(name),
        )))
    return ft.Container(ft.Row(cells, spacing=theme.APART), bgcolor=theme.PAPER,
                        border=ft.Border.only(bottom=ft.BorderSide(1.5, theme.LINE_SOFT)))

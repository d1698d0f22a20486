"""A row of large tabs that scrolls sideways; the chosen one is always brought into view."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import flet as ft

from field_app.ui import theme
from field_app.ui.components.layout import side_margin
from field_app.ui.guard import safe_component

LAID_OUT = (0.05, 0.45)
"""Seconds after which the row stands where it will: at once mostly, and later on a slow tablet that is just turned."""


def tabs_above(shell: Any, tabs: Sequence[tuple[str, ft.Control]], chosen: str, *below: ft.Control) -> ft.Control:
    """The steps above a screen that is one column; they begin where its body begins."""
    row = TabRow(tabs, chosen, shell.width, key="tabs")
    return ft.Container(ft.Column([row, *below], spacing=6, tight=True), bgcolor=theme.GROUND,
                        padding=ft.Padding.only(left=side_margin(shell), right=10, top=8, bottom=8))


@safe_component
def TabRow(tabs: Sequence[tuple[str, ft.Control]], chosen: str, width: float) -> ft.Control:
    """`tabs`: name and control of each, in order. `chosen`: the name of the one that is shown. `width` of the
    screen: when the tablet is turned the chosen one is brought into view again."""
    row = ft.use_ref(lambda: ft.Ref[ft.Row]()).current

    async def bring_into_view() -> None:
        for wait in LAID_OUT:
            await asyncio.sleep(wait)
            if row.current is not None:
                await row.current.scroll_to(scroll_key=f"tab-{chosen}", duration=150)

    ft.use_effect(bring_into_view, dependencies=[chosen, width, theme.worn()], cleanup=lambda: None)
    return ft.Row(
        [ft.Container(control, key=ft.ScrollKey(f"tab-{name}")) for name, control in tabs],
        scroll=ft.ScrollMode.HIDDEN, spacing=8, ref=row,
    )

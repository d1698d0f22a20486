"""A clock time to choose with gloves: the hour, the quarter, the half of the day, and the minute by single steps.

The clock that the client brings has targets of a finger's width and is begun anew when the tablet is turned. This one
is drawn from the same parts as every other screen, and what is chosen in it is the question's own.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import time
from typing import Any

import flet as ft

from field_app.ui import theme
from field_app.ui.components.buttons import action, icon_action
from field_app.ui.components.marks import marked
from field_app.ui.words import _
from sync.documents.language import clock_words

CELL, EDGE = 56, 14
HOURS = (12, *range(1, 12))
QUARTERS = (0, 15, 30, 45)


def minutes_later(at: time, by: int) -> time:
    """So many minutes later (or earlier); midnight follows 11:59 PM."""
    minutes = (at.hour * 60 + at.minute + by) % (24 * 60)
    return time(minutes // 60, minutes % 60)


def hours(title: str, at: time, turn: Callable[[time], Any], take: Callable[[time], Awaitable[object]],
          close: Callable[..., Any], *, id: str) -> ft.AlertDialog:
    """The time `at` as a question. Show it with `ft.use_dialog`."""
    late = at.hour >= 12

    def cell(words: str, chosen: bool, to: time, name: str, told: str = "") -> ft.Control:
        return marked(
            f"{id}-{name}", button=True, selected=chosen, expand=True, value=_("chosen") if chosen else None,
            content=ft.Container(
                height=CELL, alignment=ft.Alignment.CENTER, bgcolor=theme.BRAND if chosen else theme.PAPER,
                border_radius=theme.RADIUS, ink=True, on_click=lambda e: turn(to),
                border=ft.Border.all(1, theme.BRAND if chosen else theme.LINE),
                content=ft.Text(words, size=theme.BODY, color=theme.ON_BRAND if chosen else theme.INK,
                                weight=ft.FontWeight.BOLD if chosen else ft.FontWeight.W_500,
                                semantics_label=told or None)))

    def row(*cells: ft.Control) -> ft.Control:
        return ft.Row(list(cells), spacing=theme.APART)

    async def taken(_e: ft.Event) -> None:
        await take(at)

    of_hours = [cell(str(hour), at.hour % 12 == hour % 12, at.replace(hour=hour % 12 + (12 if late else 0)),
                     f"hour-{hour}", clock_words(time(hour % 12 + (12 if late else 0)), _)) for hour in HOURS]
    rows: list[ft.Control] = [
        ft.Row([
            icon_action(ft.Icons.REMOVE_CIRCLE_OUTLINE, _("One minute earlier"),
                        lambda e: turn(minutes_later(at, -1)), id=f"{id}-earlier", ink=theme.BRAND),
            marked(f"{id}-shown", live_region=True, expand=True, content=ft.Text(
                clock_words(at, _), size=theme.KEY, weight=ft.FontWeight.BOLD, color=theme.INK,
                text_align=ft.TextAlign.CENTER)),
            icon_action(ft.Icons.ADD_CIRCLE_OUTLINE, _("One minute later"), lambda e: turn(minutes_later(at, 1)),
                        id=f"{id}-later", ink=theme.BRAND),
        ], spacing=theme.APART),
        row(cell(_("AM"), not late, at.replace(hour=at.hour % 12), "am"),
            cell(_("PM"), late, at.replace(hour=at.hour % 12 + 12), "pm")),
        *[row(*of_hours[start:start + 4]) for start in range(0, len(of_hours), 4)],
        row(*[cell(f":{minute:02d}", at.minute == minute, at.replace(minute=minute), f"minute-{minute:02d}")
              for minute in QUARTERS]),
    ]
    return ft.AlertDialog(
        modal=True, bgcolor=theme.PAPER, inset_padding=10, on_dismiss=close, scrollable=True,
        title_padding=ft.Padding.only(left=EDGE, top=EDGE, right=EDGE, bottom=4),
        content_padding=ft.Padding.symmetric(horizontal=EDGE, vertical=4),
        actions_padding=ft.Padding.only(left=EDGE, top=theme.APART, right=EDGE, bottom=EDGE),
        title=ft.Text(title, size=theme.BODY, weight=ft.FontWeight.BOLD, color=theme.INK),
        content=ft.Container(width=480, content=ft.Column(rows, spacing=theme.APART, tight=True)),
        actions=[action(_("Cancel"), close, id=f"{id}-cancel", kind="quiet"),
                 action(_("Take this time"), taken, id=f"{id}-take", kind="good", icon=ft.Icons.CHECK)],
        actions_overflow_button_spacing=10,
    )

"""A month to choose a day from, with days as large as a gloved finger and none that may not be chosen.

The calendar that the client brings has days of 35 pixels and lets the past be tapped; this one is drawn from the same
parts as every other screen. Weeks begin on Sunday, as calendars on walls here do in either language.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import date, timedelta
from typing import Any

import flet as ft

from field_app.ui import theme
from field_app.ui.components.buttons import action, icon_action
from field_app.ui.components.marks import marked
from field_app.ui.words import _
from sync.documents.language import DAYS, MONTHS, long_date_words
from sync.ordinance.clocks import add_months

CELL, EDGE, WIDTH = 56, 14, 480
_DAY = timedelta(days=1)
SUNDAY_FIRST = (6, 0, 1, 2, 3, 4, 5)


def month_after(month: date, by: int) -> date:
    """The first day of the month that lies `by` months after that of `month`."""
    return add_months(month.replace(day=1), by)


def weeks(month: date) -> list[list[date]]:
    """The whole weeks, from Sunday, in which the days of the month lie."""
    day = month.replace(day=1)
    day -= _DAY * ((day.weekday() + 1) % 7)
    found = []
    while not found or (day.year, day.month) == (month.year, month.month):
        found.append([day + _DAY * place for place in range(7)])
        day += _DAY * 7
    return found


def calendar(title: str, month: date, day: date | None, today: date | None, turn: Callable[[date], Any],
             take: Callable[[date], Awaitable[object]], close: Callable[..., Any], *, id: str,
             first: date | None = None, last: date | None = None) -> ft.AlertDialog:
    """One month as a question. `first` and `last`: the days that may be chosen. Show it with `ft.use_dialog`."""

    def may(one: date) -> bool:
        return (first is None or first <= one) and (last is None or one <= last)

    def turned(by: int) -> Callable[..., Any]:
        return lambda e: turn(month_after(month, by))

    def cell(one: date) -> ft.Control:
        chosen, open_, here = one == day, may(one), one.month == month.month
        if not here and not open_:
            return ft.Container(height=CELL, expand=True)
        # On the last of a month tomorrow is one tap away: its week is shown whole. What cannot be chosen is no box.
        ink = theme.ON_BRAND if chosen else theme.OFF_INK if not open_ else theme.INK if here else theme.INK_SOFT
        ground = theme.BRAND if chosen else theme.PAPER
        edge = theme.BRAND if one == today or chosen else theme.LINE if open_ else theme.PAPER

        async def taken(_e: ft.Event) -> None:
            await take(one)

        return marked(
            f"{id}-{one.isoformat()}", button=open_, selected=chosen, expand=True,
            value=_("chosen") if chosen else None,
            content=ft.Container(
                height=CELL, alignment=ft.Alignment.CENTER, bgcolor=ground, border_radius=theme.RADIUS,
                border=ft.Border.all(3 if one == today else 1, edge), ink=open_, on_click=taken if open_ else None,
                content=ft.Text(str(one.day), size=theme.BODY, color=ink, semantics_label=long_date_words(one, _),
                                weight=ft.FontWeight.BOLD if chosen or one == today else ft.FontWeight.W_500)))

    # As far apart as two things that a glove might hit at once, where seven of them fit so beside one another.
    apart = theme.APART if (ft.context.page.width or theme.WIDE) >= WIDTH + 40 else theme.APART // 2
    before = first is None or month_after(month, 0) > first
    after = last is None or month_after(month, 1) <= last
    name = ft.Text(_("{month} {year}").format(month=_(MONTHS[month.month - 1]), year=month.year).capitalize(),
                   size=theme.KEY, weight=ft.FontWeight.BOLD, color=theme.INK, text_align=ft.TextAlign.CENTER)
    gap = ft.Container(width=theme.TOUCH)
    rows: list[ft.Control] = [ft.Row([
        icon_action(ft.Icons.CHEVRON_LEFT, _("Month before"), turned(-1), id=f"{id}-before") if before else gap,
        marked(f"{id}-month", header=True, live_region=True, expand=True, content=name),
        icon_action(ft.Icons.CHEVRON_RIGHT, _("Month after"), turned(1), id=f"{id}-after") if after else gap,
    ]), ft.Row([ft.Container(expand=True, alignment=ft.Alignment.CENTER, content=ft.Text(
        _(DAYS[place])[:2], size=theme.SMALL, color=theme.INK_SOFT, semantics_label=_(DAYS[place])))
        for place in SUNDAY_FIRST], spacing=apart)]
    rows += [ft.Row([cell(one) for one in week], spacing=apart) for week in weeks(month)]
    return ft.AlertDialog(
        modal=True, bgcolor=theme.PAPER, inset_padding=10, on_dismiss=close, scrollable=True,
        # One margin all round: title, days and button stand on the same lines.
        title_padding=ft.Padding.only(left=EDGE, top=EDGE, right=EDGE, bottom=4),
        content_padding=ft.Padding.symmetric(horizontal=EDGE, vertical=4),
        actions_padding=ft.Padding.only(left=EDGE, top=8, right=EDGE, bottom=EDGE),
        title=ft.Text(title, size=theme.BODY, weight=ft.FontWeight.BOLD, color=theme.INK),
        content=ft.Container(width=WIDTH, content=ft.Column(rows, spacing=apart, tight=True)),
        actions=[action(_("Cancel"), close, id=f"{id}-cancel", kind="quiet")],
    )

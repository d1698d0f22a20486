"""Beside an inspection, or above it on a narrow screen: its sections, how far each is, and what still misses.

Every row is remembered with what it shows, so that a tap on an answer draws the one or two that changed.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import flet as ft

from field_app.ui import theme
from field_app.ui.components.badges import pill
from field_app.ui.components.buttons import tap_card
from field_app.ui.components.layout import heading, line, panel, text
from field_app.ui.components.marks import marked
from field_app.ui.components.tabs import TabRow
from field_app.ui.guard import remembered, safe_component
from field_app.ui.theme import Tone
from field_app.ui.words import _, counted
from field_app.work.views import MissingView, SectionView

Progress = tuple[str, int, int]  # that all is saved, answered, of how many


class Going:
    """Where a tap leads: set by the screen at each drawing, one object as long as it is shown."""

    to: Callable[..., Awaitable[None]]
    jump: Callable[[Any], Awaitable[None]]
    missing: Callable[[], None]


@dataclass(frozen=True, slots=True)
class Outline:
    """How far a section or card is."""

    id: str
    title: str
    done: int
    total: int
    failing: int


def outline(section: SectionView) -> Outline:
    return Outline(section.id, section.title, section.done, section.total, section.failing)


def section_words(section: Outline) -> str:
    """How far a section is, in words."""
    if section.id == "details":
        return _("kind, entry, weather")
    words = _("{done} of {total}").format(done=section.done, total=section.total)
    if section.failing:
        said = _("{count} open") if section.id == "last" else _("{count} failing")
        words += ", " + said.format(count=section.failing)
    return words


def section_tone(section: Outline) -> Tone:
    if section.failing:
        return theme.ITEM_STATES["fail"]
    if section.total and section.done == section.total:
        return theme.GOOD
    return Tone(theme.INK, theme.PAPER, theme.LINE, ft.Icons.LIST_ALT)


@remembered
@safe_component
def SectionTabs(going: Going, sections: tuple[Outline, ...], at: str, progress: Progress, width: float) -> ft.Control:
    """The sections as a row of large tabs, for a narrow screen."""
    tabs = [(one.id, SectionTab(going, one, one.id == at, key=f"tab-{one.id}")) for one in sections]
    return ft.Container(
        padding=ft.Padding.symmetric(horizontal=10, vertical=8), bgcolor=theme.GROUND,
        border=ft.Border.only(bottom=ft.BorderSide(1, theme.LINE_SOFT)),
        content=ft.Column([TabRow(tabs, at, width, key="tabs"), SavedLine(progress, key="saved-line")],
                          spacing=6, tight=True),
    )


@remembered
@safe_component
def SectionTab(going: Going, section: Outline, chosen: bool) -> ft.Control:
    tone = section_tone(section)
    ink = theme.ON_BRAND if chosen else tone.ink

    async def go(_e: ft.Event) -> None:
        await going.to(section.id)

    return tap_card(
        ft.Column(
            [ft.Text(section.title, size=theme.BODY, weight=ft.FontWeight.BOLD,
                     color=theme.ON_BRAND if chosen else theme.INK),
             ft.Row([ft.Icon(tone.icon, size=18, color=ink),
                     ft.Text(section_words(section), size=theme.SMALL, color=ink)], spacing=4, tight=True)],
            spacing=0, tight=True,
        ),
        go, id=f"section-{section.id}", chosen=chosen, ground=theme.BRAND if chosen else theme.PAPER,
        edge=theme.BRAND if chosen else theme.LINE, padding=9,
    )


@remembered
@safe_component
def SavedLine(progress: Progress) -> ft.Control:
    """That everything shown is kept, and how far the inspection is."""
    saved, done, total = progress
    return ft.Row(
        [ft.Icon(ft.Icons.CHECK, size=20, color=theme.GOOD.ink),
         marked("saved", expand=True, content=ft.Text(saved, size=theme.SMALL, color=theme.GOOD.ink,
                                                      weight=ft.FontWeight.W_600)),
         ft.Text(_("{done} of {total}").format(done=done, total=total), size=theme.SMALL,
                 color=theme.INK_SOFT, no_wrap=True, text_align=ft.TextAlign.RIGHT,
                 semantics_label=counted(done, "{done} of {total} answered", "{done} of {total} answered", done=done,
                                         total=total))],
        spacing=6,
    )


@remembered
@safe_component
def SidePanel(going: Going, sections: tuple[Outline, ...], at: str, progress: Progress,
              missing: tuple[MissingView, ...], count: int, kinds: str) -> ft.Control:
    """The sections and what is missing, beside the checklist on a wide screen."""
    rows: list[ft.Control] = [SavedLine(progress, key="saved-line")]
    rows += [SectionRow(going, one, one.id == at, key=f"row-{one.id}") for one in sections]
    if count:
        rows.append(MissingList(going, missing, count, kinds, key="missing-list"))
    else:
        rows.append(pill(theme.GOOD, _("Nothing is missing"), size=theme.BODY))
    return ft.Column(rows, scroll=ft.ScrollMode.AUTO, spacing=8, expand=True,
                     horizontal_alignment=ft.CrossAxisAlignment.STRETCH)


@remembered
@safe_component
def SectionRow(going: Going, section: Outline, chosen: bool) -> ft.Control:
    tone = section_tone(section)
    ink = theme.ON_BRAND if chosen else tone.ink

    async def go(_e: ft.Event) -> None:
        await going.to(section.id)

    return tap_card(
        ft.Row([ft.Icon(tone.icon, size=26, color=ink),
                ft.Column([ft.Text(section.title, size=theme.BODY + 1, weight=ft.FontWeight.BOLD,
                                   color=theme.ON_BRAND if chosen else theme.INK),
                           ft.Text(section_words(section), size=theme.SMALL, color=ink)],
                          spacing=0, expand=True, tight=True)], spacing=12),
        go, id=f"section-{section.id}", chosen=chosen, ground=theme.BRAND if chosen else theme.PAPER,
        edge=theme.BRAND if chosen else theme.LINE_SOFT, padding=12,
    )


@remembered
@safe_component
def MissingList(going: Going, missing: tuple[MissingView, ...], count: int, kinds: str) -> ft.Control:
    """What still misses, `kinds` says how much of what; a tap leads there. Only a window is drawn: it changes with
    every answer."""
    met: dict[str, int] = {}
    rows: list[ft.Control] = []
    for entry in missing:
        of = entry.key or entry.section
        met[of] = met.get(of, 0) + 1
        id = f"missing-{of}-{met[of]}"
        rows.append(MissingRow(going, entry, id, key=id))
    more = count - len(missing)
    return panel([heading(_("Still missing ({count})").format(count=count)), text(kinds, id="missing-kinds"), *rows,
                  *([text(_("and {count} more").format(count=more), soft=True)] if more else [])], id="missing")


@remembered
@safe_component
def MissingRow(going: Going, entry: MissingView, id: str) -> ft.Control:
    async def go(_e: ft.Event) -> None:
        await going.jump(entry)

    return tap_card(line(ft.Icons.CHEVRON_RIGHT, entry.sentence, ink=theme.WARN.ink), go, id=id, padding=12)

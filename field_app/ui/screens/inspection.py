"""The inspection: its sections, one card per inlet, what still misses. There is no save button: every tap is kept.

Where the inspector is (section and item) is stored with the draft, so a killed app opens at the same place.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import flet as ft

from field_app.ui import theme
from field_app.ui.components.badges import pill
from field_app.ui.components.buttons import action, icon_action, tap_card
from field_app.ui.components.dialogs import confirm
from field_app.ui.components.frame import frame, safe_screen
from field_app.ui.components.layout import abreast, heading, line, panel, text
from field_app.ui.components.marks import marked
from field_app.ui.components.tabs import TabRow
from field_app.ui.guard import safe_component
from field_app.ui.screens.inspection_head import details
from field_app.ui.screens.item import ItemCardMemo
from field_app.ui.screens.last_time import last_time_body
from field_app.ui.screens.section_tools import (
    AddPlace,
    InOrder,
    RetirePlace,
    counting,
    drop_checklist,
    gone_places,
)
from field_app.ui.theme import Tone
from field_app.ui.words import _
from field_app.work.views import CardView, InspectionView, MissingView, SectionView
from field_app.work.views.inspection import LastTimeView


@safe_screen
def InspectionScreen(shell: Any, beat: int, draft: str) -> ft.Control:
    """Draws `InspectionView`."""
    view: InspectionView = shell.work.inspection(draft)
    shell.behind("site", site=view.site)
    scroller = ft.use_ref(lambda: ft.Ref[ft.Column]()).current
    missing_open, open_missing = ft.use_state(False)
    jump, set_jump = ft.use_state(view.at_key)

    async def scroll() -> None:
        if jump and scroller.current is not None:
            await asyncio.sleep(0.05)
            await scroller.current.scroll_to(scroll_key=f"item-{jump}", duration=200)

    ft.use_effect(scroll, dependencies=[jump, shell.narrow], cleanup=lambda: None)
    sections = [SectionView("details", _("Beginning"), (), 0, 0, 0), *last_section(view), *view.sections]
    section = next((s for s in sections if s.id == view.at_section), sections[0])
    card = chosen_card(shell, view, section)

    async def go_to(name: str) -> None:
        open_missing(False)
        set_jump("")
        await shell.attempt(lambda: shell.work.go_to(draft, name))

    async def jump_to(entry: MissingView | LastTimeView) -> None:
        open_missing(False)
        if entry.card:
            shell.memory[("card", draft, entry.section)] = entry.card
        await shell.attempt(lambda: shell.work.go_to(draft, entry.section, entry.key))
        set_jump(entry.key)

    width = min(shell.width - 20, theme.READABLE) if shell.narrow else shell.width - 400 - 3 * theme.EDGE
    if missing_open and shell.narrow:
        body: list[ft.Control] = [missing_panel(view, jump_to)]
        part = "missing"
    elif section.id == "details":
        body, part = details(shell, view, width), "details"
    elif section.id == "last":
        body, part = last_time_body(shell, view, width, jump_to), "last"
    else:
        body = section_body(shell, view, section, card, width)
        part = f"{section.id}-{card.key if card else ''}"
    count = len(view.missing)
    bottom: list[ft.Control] = []
    left: list[ft.Control] = [undo_button(shell, view)] if view.undo else []
    if shell.narrow and count:
        tight = shell.tiny and bool(view.undo)
        missing_words = _("{count} left") if tight else _("{count} missing")
        left.append(action(missing_words.format(count=count) if not missing_open else _("Close the list"),
                             lambda e: open_missing(not missing_open), id="show-missing", kind="secondary",
                             icon=None if tight else ft.Icons.CHECKLIST, expand=True))
    if left:
        bottom.append(ft.Row(left, spacing=8 if shell.tiny else theme.GAP, expand=shell.narrow and count > 0))
    following = next_place(shell, view, sections, section, card)
    if following is not None and not missing_open:
        name, next_card, words = following

        async def forward(_e: ft.Event) -> None:
            if next_card:
                shell.memory[("card", draft, name)] = next_card
            await go_to(name)
            shell.redraw()

        bottom.append(action(words, forward, id="next-part", icon=ft.Icons.ARROW_FORWARD, expand=True,
                             kind="secondary" if not count else "primary"))
    if following is None or not count:
        bottom.append(action(_("Review and sign"), lambda e: shell.go("review", draft=draft), id="go-review",
                             icon=ft.Icons.DRAW, kind="good" if not count else "primary", expand=True))
    return frame(
        shell, view.site_name, body, subtitle=view.address, bottom=bottom, part=part, scroll_ref=scroller,
        top=section_tabs(shell, sections, section, go_to, view) if shell.narrow else None,
        left=side_panel(sections, section, go_to, jump_to, view),
    )


def last_section(view: InspectionView) -> list[SectionView]:
    """The open findings of last time stand before the checklists."""
    if not view.last_time:
        return []
    left = sum(1 for one in view.last_time if one.effective in ("still_open", "worse"))
    return [SectionView("last", _("Last time"), (), view.last_done, len(view.last_time), left)]


def undo_button(shell: Any, view: InspectionView) -> ft.Control:
    """Takes the last tap back. Beside a list of what misses there is room for its name
    alone, on a phone for its sign; screen readers hear what it takes back."""
    words = _("Undo: {what}").format(what=view.undo)

    async def take_back(_e: ft.Event) -> None:
        await shell.attempt(lambda: shell.work.undo(view.id), once="undo")

    if shell.tiny:
        return icon_action(ft.Icons.UNDO, words, take_back, id="undo", ink=theme.BRAND)
    if shell.narrow:
        return action(_("Undo"), take_back, id="undo", kind="quiet", icon=ft.Icons.UNDO)
    return action(words, take_back, id="undo", kind="quiet", icon=ft.Icons.UNDO)


def handler(act: Callable[[Any], Awaitable[None]], what: Any) -> Callable[[ft.Event], Awaitable[None]]:
    """A tap that does `act(what)`; Flet awaits it, so nothing of it is dropped on the way."""

    async def tapped(_e: ft.Event) -> None:
        await act(what)

    return tapped


def chosen_card(shell: Any, view: InspectionView, section: SectionView) -> CardView | None:
    """The card of the section that is shown: the one last chosen, else the one with the item we were at, else the
    first."""
    if not section.cards:
        return None
    wanted = shell.memory.get(("card", view.id, section.id))
    for card in section.cards:
        if card.key == wanted:
            return card
    if view.at_key:
        for card in section.cards:
            if any(item.key == view.at_key for item in card.items):
                return card
    return section.cards[0]


def next_place(shell: Any, view: InspectionView, sections: list[SectionView], section: SectionView,
               card: CardView | None) -> tuple[str, str, str] | None:
    """Section, card and words of what comes after this part; None on the last."""
    if card is not None:
        at = [c.key for c in section.cards].index(card.key)
        if at + 1 < len(section.cards):
            following = section.cards[at + 1]
            return section.id, following.key, _("Next: {what}").format(what=following.title)
    at = [s.id for s in sections].index(section.id)
    if at + 1 < len(sections):
        after = sections[at + 1]
        return after.id, after.cards[0].key if after.cards else "", _("Next: {what}").format(what=after.title)
    return None


def section_words(section: SectionView) -> str:
    """How far a section is, in words."""
    if section.id == "details":
        return _("kind, entry, weather")
    words = _("{done} of {total}").format(done=section.done, total=section.total)
    if section.failing:
        said = _("{count} open") if section.id == "last" else _("{count} failing")
        words += ", " + said.format(count=section.failing)
    return words


def section_tone(section: SectionView) -> Tone:
    if section.failing:
        return theme.ITEM_STATES["fail"]
    if section.total and section.done == section.total:
        return theme.GOOD
    return Tone(theme.INK, theme.PAPER, theme.LINE, ft.Icons.LIST_ALT)


def section_tabs(shell: Any, sections: list[SectionView], at: SectionView, go_to: Any,
                 view: InspectionView) -> ft.Control:
    """The sections as a row of large tabs, for a narrow screen."""
    tabs: list[tuple[str, ft.Control]] = []
    for section in sections:
        tone, chosen = section_tone(section), section.id == at.id
        tabs.append((section.id, tap_card(
            ft.Column(
                [ft.Text(section.title, size=theme.BODY, weight=ft.FontWeight.BOLD,
                         color=theme.ON_BRAND if chosen else theme.INK),
                 ft.Row([ft.Icon(tone.icon, size=18, color=theme.ON_BRAND if chosen else tone.ink),
                         ft.Text(section_words(section), size=theme.SMALL,
                                 color=theme.ON_BRAND if chosen else tone.ink)], spacing=4, tight=True)],
                spacing=0, tight=True,
            ),
            handler(go_to, section.id), id=f"section-{section.id}",
            chosen=chosen, ground=theme.BRAND if chosen else theme.PAPER, edge=theme.BRAND if chosen else theme.LINE,
            padding=9,
        )))
    return ft.Container(
        padding=ft.Padding.symmetric(horizontal=10, vertical=8), bgcolor=theme.GROUND,
        border=ft.Border.only(bottom=ft.BorderSide(1, theme.LINE_SOFT)),
        content=ft.Column([TabRow(tabs, at.id, shell.width, key="tabs"), saved_line(view)], spacing=6, tight=True),
    )


def saved_line(view: InspectionView) -> ft.Control:
    """That everything shown is kept, and how far the inspection is."""
    return ft.Row(
        [ft.Icon(ft.Icons.CHECK, size=20, color=theme.GOOD.ink),
         marked("saved", expand=True, content=ft.Text(view.saved, size=theme.SMALL, color=theme.GOOD.ink,
                                                      weight=ft.FontWeight.W_600)),
         ft.Text(_("{done} of {total}").format(done=view.done, total=view.total), size=theme.SMALL,
                 color=theme.INK_SOFT, no_wrap=True, text_align=ft.TextAlign.RIGHT,
                 semantics_label=_("{done} of {total} answered").format(done=view.done, total=view.total))],
        spacing=6,
    )


def side_panel(sections: list[SectionView], at: SectionView, go_to: Any, jump_to: Any,
               view: InspectionView) -> ft.Control:
    """The sections and what is missing, beside the checklist on a wide screen."""
    rows: list[ft.Control] = [saved_line(view)]
    for section in sections:
        tone, chosen = section_tone(section), section.id == at.id
        ink = theme.ON_BRAND if chosen else tone.ink
        rows.append(tap_card(
            ft.Row([ft.Icon(tone.icon, size=26, color=ink),
                    ft.Column([ft.Text(section.title, size=theme.BODY + 1, weight=ft.FontWeight.BOLD,
                                       color=theme.ON_BRAND if chosen else theme.INK),
                               ft.Text(section_words(section), size=theme.SMALL, color=ink)],
                              spacing=0, expand=True, tight=True)], spacing=12),
            handler(go_to, section.id), id=f"section-{section.id}",
            chosen=chosen, ground=theme.BRAND if chosen else theme.PAPER, edge=theme.BRAND if chosen else
            theme.LINE_SOFT, padding=12,
        ))
    if view.missing:
        rows.append(missing_panel(view, jump_to, 8))
    else:
        rows.append(pill(theme.GOOD, _("Nothing is missing"), size=theme.BODY))
    return ft.Column(rows, scroll=ft.ScrollMode.AUTO, spacing=8, expand=True,
                     horizontal_alignment=ft.CrossAxisAlignment.STRETCH)


def missing_panel(view: InspectionView, jump_to: Any, window: int = 40) -> ft.Control:
    """All that still misses; a tap leads there. Only a window is drawn: it changes with every answer."""
    shown = view.missing[:window]
    rows = [
        tap_card(line(ft.Icons.CHEVRON_RIGHT, entry.sentence, ink=theme.WARN.ink),
                 handler(jump_to, entry), id=f"missing-{n}", padding=12)
        for n, entry in enumerate(shown)
    ]
    more = len(view.missing) - len(shown)
    return panel([heading(_("Still missing ({count})").format(count=len(view.missing))), *rows,
                  *([text(_("and {count} more").format(count=more), soft=True)] if more else [])], id="missing")


def section_body(shell: Any, view: InspectionView, section: SectionView, card: CardView | None,
                 width: float) -> list[ft.Control]:
    """The chosen card of a section, with the choice of cards above it when there are several."""
    gone = gone_places(shell, view.id, section)
    adding = [AddPlace(shell, view.id, section, width, key=f"add-{section.id}")] if section.adds else []
    if card is None:
        return [panel([heading(section.title), text(_("Nothing to check here."))]), *gone, *adding]
    body: list[ft.Control] = []
    if section.in_order:
        body.append(InOrder(shell, view.id, section.id, section.title, section.in_order, section.to_look_at,
                            key=f"in-order-{section.id}"))
    if len(section.cards) > 1:
        body.append(card_choice(shell, view, section, card))
    if card.title:
        body.append(ft.Column([heading(card.title, id=f"card-{card.key}"),
                               *([text(card.subtitle, soft=True)] if card.subtitle else [])], spacing=0, tight=True))
    if section.counted and any(item.key == section.count_key for item in card.items):
        body.append(counting(shell, view.id, section))
    for item in card.items:
        body.append(ft.Container(key=ft.ScrollKey(f"item-{item.key}"), content=ItemCardMemo(
            shell, view.id, section.id, item, width, key=f"item-{item.key}")))
    if card.done < card.total:
        body.append(AnswerRest(shell, view.id, card.key, card.total - card.done, key=f"rest-{card.key}"))
    if card.place:
        body.append(RetirePlace(shell, view.id, card, key=f"retire-{card.key}"))
    body += [*gone, *adding]
    if section.droppable:
        body.append(drop_checklist(shell, view.id, section))
    body.append(ft.Container(height=24))
    return body


@safe_component
def AnswerRest(shell: Any, draft: str, card: str, count: int) -> ft.Control:
    """Answer all that has no answer yet on this card in one go, after a question."""
    asking, ask = ft.use_state("")

    async def take(_e: ft.Event) -> None:
        value = asking
        ask("")
        await shell.attempt(lambda: shell.work.answer_rest(draft, card, value), once="rest")

    words = {"na": _("not applicable"), "not_observed": _("not observed")}
    ft.use_dialog(confirm(
        _("Answer the rest of this card?"),
        _("What is not answered yet ({count}) becomes \"{answer}\". What is answered stays as it is.").format(
            count=count, answer=words.get(asking, "")), _("Yes, answer them"), take, lambda e: ask("")
    ) if asking else None)
    return panel([
        text(_("Not answered yet: {count}. The rest of this card:").format(count=count), soft=True),
        abreast([action(_("Not applicable"), lambda e: ask("na"), id="rest-na", kind="quiet", expand=True),
                 action(_("Not observed"), lambda e: ask("not_observed"), id="rest-not_observed", kind="quiet",
                        expand=True)]),
    ])


def card_choice(shell: Any, view: InspectionView, section: SectionView, at: CardView) -> ft.Control:
    """One chip per inlet (or device): its name, how far it is, whether something fails."""

    def choose(key: str) -> Any:
        def chosen(_e: ft.Event) -> None:
            shell.memory[("card", view.id, section.id)] = key
            shell.redraw()
        return chosen

    chips: list[ft.Control] = []
    for card in section.cards:
        chosen = card.key == at.key
        tone = section_tone(SectionView(section.id, "", (), card.done, card.total, card.failing))
        ink = theme.ON_BRAND if chosen else tone.ink
        chips.append(tap_card(
            ft.Column(
                [ft.Text(card.title, size=theme.BODY, weight=ft.FontWeight.BOLD,
                         color=theme.ON_BRAND if chosen else theme.INK),
                 ft.Row([ft.Icon(tone.icon, size=18, color=ink),
                         ft.Text(_("{done} of {total}").format(done=card.done, total=card.total), size=theme.SMALL,
                                 color=ink)], spacing=4, tight=True)],
                spacing=0, tight=True),
            choose(card.key), id=f"choose-{card.key}", chosen=chosen, padding=10,
            ground=theme.BRAND if chosen else theme.PAPER, edge=theme.BRAND if chosen else theme.LINE,
        ))
    return ft.Row(chips, wrap=True, spacing=8, run_spacing=8)

"""The inspection: its sections, one card per inlet, what still misses. There is no save button: every tap is kept.

Where the inspector is (section and item) is stored with the draft, so a killed app opens at the same place. A tap
draws only what it changed: every part is remembered with what it shows, and an item's card listens to its own item.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

import flet as ft

from field_app.ui import theme
from field_app.ui.components.buttons import action, icon_action, side_by_side, tap_card
from field_app.ui.components.dialogs import confirm, use_asking
from field_app.ui.components.frame import frame, safe_screen
from field_app.ui.components.layout import LEFT, heading, panel, panel_width, text
from field_app.ui.guard import remembered, safe_component
from field_app.ui.screens.inspection_head import details
from field_app.ui.screens.inspection_side import (
    Going,
    MissingList,
    Outline,
    SectionTabs,
    SidePanel,
    outline,
    section_tone,
)
from field_app.ui.screens.item import ItemCard
from field_app.ui.screens.last_time import last_time_body
from field_app.ui.screens.section_tools import (
    AddPlace,
    InOrder,
    RetirePlace,
    counting,
    drop_checklist,
    gone_places,
)
from field_app.ui.words import _, counted
from field_app.work.views import CardView, InspectionView, ItemView, MissingView, SectionView
from field_app.work.views.inspection import LastTimeView


@safe_screen
def InspectionScreen(shell: Any, beat: int, draft: str) -> ft.Control:
    """Draws `InspectionView`."""
    view: InspectionView = shell.work.inspection(draft)
    shell.behind("site", site=view.site)
    scroller = ft.use_ref(lambda: ft.Ref[ft.Column]()).current
    going: Going = ft.use_ref(Going).current
    items: dict[str, Shown] = ft.use_ref(dict).current
    missing_open, open_missing = ft.use_state(False)
    jump, set_jump = ft.use_state(view.at_key)

    async def scroll() -> None:
        if jump and scroller.current is not None:
            await asyncio.sleep(0.05)
            await scroller.current.scroll_to(scroll_key=f"item-{jump}", duration=200)

    ft.use_effect(scroll, dependencies=[jump, shell.narrow], cleanup=lambda: None)
    sections = [SectionView("details", _("Beginning"), (), 0, 0, 0), *last_section(view), *view.sections]
    outlines = tuple(outline(one) for one in sections)
    section = next((s for s in sections if s.id == view.at_section), sections[0])
    card = chosen_card(shell, view, section)

    async def go_to(name: str, card_key: str = "") -> None:
        if card_key:
            shell.memory[("card", draft, name)] = card_key
        open_missing(False)
        set_jump("")
        await shell.attempt(lambda: shell.work.go_to(draft, name))

    async def jump_to(entry: MissingView | LastTimeView) -> None:
        open_missing(False)
        if entry.card:
            shell.memory[("card", draft, entry.section)] = entry.card
        await shell.attempt(lambda: shell.work.go_to(draft, entry.section, entry.key))
        set_jump(entry.key)

    going.to, going.jump, going.missing = go_to, jump_to, lambda: open_missing(not missing_open)
    width = min(shell.width - 20, theme.READABLE) if shell.narrow else shell.width - LEFT - 3 * theme.EDGE
    progress = (view.saved, view.done, view.total)
    count = len(view.missing)
    if missing_open and shell.narrow:
        body: list[ft.Control] = [MissingList(going, view.missing[:40], count, view.missing_kinds,
                                              key="missing-list")]
        part = "missing"
    elif section.id == "details":
        body, part = details(shell, view, width), "details"
    elif section.id == "last":
        body, part = last_time_body(shell, view, width, going), "last"
    else:
        body = section_body(shell, view, section, card, width, items)
        part = f"{section.id}-{card.key if card else ''}"
    bottom: list[ft.Control] = []
    left: list[ft.Control] = [UndoButton(shell, draft, view.undo, shell.tiny, shell.narrow, key="undo-part")
                              ] if view.undo else []
    if shell.narrow and count:
        left.append(ft.Container(MissingButton(going, count, missing_open, shell.tiny and bool(view.undo),
                                               key="missing-part"), expand=True))
    if left:
        bottom.append(ft.Row(left, spacing=8 if shell.tiny else theme.GAP, expand=shell.narrow and count > 0))
    following = next_place(view, sections, section, card)
    if following is not None and not missing_open:
        bottom.append(ft.Container(NextButton(going, *following, not count, key="next"), expand=True))
    if following is None or not count:
        bottom.append(ft.Container(ReviewButton(shell, draft, not count, key="review"), expand=True))
    return frame(
        shell, view.site_name, body, subtitle=view.address, bottom=bottom, part=part, scroll_ref=scroller,
        top=SectionTabs(going, outlines, section.id, progress, shell.width, key="sections") if shell.narrow else None,
        left=SidePanel(going, outlines, section.id, progress, view.missing[:8], count, view.missing_kinds, key="side"),
    )


def last_section(view: InspectionView) -> list[SectionView]:
    """The open findings of last time stand before the checklists."""
    if not view.last_time:
        return []
    left = sum(1 for one in view.last_time if one.effective in ("still_open", "worse"))
    return [SectionView("last", _("Last time"), (), view.last_done, len(view.last_time), left)]


# --- the buttons below ---------------------------------------------------------------------------------------------
@remembered
@safe_component
def UndoButton(shell: Any, draft: str, what: str, tiny: bool, narrow: bool) -> ft.Control:
    """Takes the last tap back. Beside a list of what misses there is room for its name
    alone, on a phone for its sign; screen readers hear what it takes back."""
    words = _("Undo: {what}").format(what=what)

    async def take_back(_e: ft.Event) -> None:
        await shell.attempt(lambda: shell.work.undo(draft), once="undo")

    if tiny:
        return icon_action(ft.Icons.UNDO, words, take_back, id="undo", ink=theme.BRAND)
    return action(_("Undo") if narrow else words, take_back, id="undo", kind="quiet", icon=ft.Icons.UNDO)


@remembered
@safe_component
def MissingButton(going: Going, count: int, opened: bool, tight: bool) -> ft.Control:
    """Opens and closes the list of what misses, on a narrow screen."""
    words = counted(count, "1 missing", "{count} missing")
    return action(_("Close the list") if opened else words, lambda e: going.missing(), id="show-missing",
                  kind="secondary", icon=None if tight else ft.Icons.CHECKLIST)


@remembered
@safe_component
def NextButton(going: Going, name: str, card: str, words: str, done: bool) -> ft.Control:
    """On to the next card or section."""

    async def forward(_e: ft.Event) -> None:
        await going.to(name, card)

    return action(words, forward, id="next-part", icon=ft.Icons.ARROW_FORWARD,
                  kind="primary" if done else "secondary", lines=2)


@remembered
@safe_component
def ReviewButton(shell: Any, draft: str, done: bool) -> ft.Control:
    return action(_("Review and sign"), lambda e: shell.go("review", draft=draft), id="go-review",
                  icon=ft.Icons.DRAW, kind="good" if done else "primary")


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


def next_place(view: InspectionView, sections: list[SectionView], section: SectionView,
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


# --- a section -----------------------------------------------------------------------------------------------------
@ft.observable
@dataclass(eq=False)
class Shown:
    """An item as it is shown now; its card draws again when this changes, and nothing else does."""

    item: ItemView


@remembered
@safe_component
def ItemSlot(shell: Any, draft: str, section: str, shown: Shown, width: float) -> ft.Control:
    """The card of one item."""
    return ItemCard(shell, draft, section, shown.item, width, key=f"item-{shown.item.key}")


@remembered
@safe_component
def Items(shell: Any, draft: str, section: str, items: tuple[Shown, ...], width: float) -> ft.Control:
    """The questions of a card, one below the other."""
    return ft.Column(
        [ft.Container(key=ft.ScrollKey(f"item-{one.item.key}"), content=ItemSlot(
            shell, draft, section, one, width, key=f"slot-{one.item.key}")) for one in items],
        spacing=theme.GAP, tight=True, horizontal_alignment=ft.CrossAxisAlignment.STRETCH,
    )


def section_body(shell: Any, view: InspectionView, section: SectionView, card: CardView | None, width: float,
                 items: dict[str, Shown]) -> list[ft.Control]:
    """The chosen card of a section, with the choice of cards above it when there are several."""
    gone = gone_places(shell, view.id, section)
    adding = [AddPlaceKept(shell, view.id, section.adds, section.device_kinds, width, key=f"add-{section.id}")
              ] if section.adds else []
    if card is None:
        return [panel([heading(section.title), text(_("Nothing to check here."))]), *gone, *adding]
    body: list[ft.Control] = []
    if section.in_order:
        body.append(InOrderKept(shell, view.id, section.id, section.title, section.in_order, section.to_look_at,
                                key=f"in-order-{section.id}"))
    if len(section.cards) > 1:
        chips = tuple(Outline(one.key, one.title, one.done, one.total, one.failing) for one in section.cards)
        body.append(CardChoice(shell, view.id, section.id, chips, card.key, key=f"cards-{section.id}"))
    if card.title:
        body.append(CardTitle(card.key, card.title, card.subtitle, key=f"title-{card.key}"))
    if section.counted and any(item.key == section.count_key for item in card.items):
        body.append(counting(shell, view.id, section))
    for item in card.items:
        if item.key not in items:
            items[item.key] = Shown(item)
        elif items[item.key].item is not item:
            items[item.key].item = item
    body.append(Items(shell, view.id, section.id, tuple(items[item.key] for item in card.items), width,
                      key=f"items-{card.key}"))
    if card.done < card.total:
        body.append(AnswerRest(shell, view.id, card.key, card.total - card.done, key=f"rest-{card.key}"))
    if card.place:
        body.append(RetirePlaceKept(shell, view.id, card.title, card.place, card.added, key=f"retire-{card.key}"))
    body += [*gone, *adding]
    if section.droppable:
        body.append(drop_checklist(shell, view.id, section))
    body.append(ft.Container(height=24))
    return body


InOrderKept, AddPlaceKept, RetirePlaceKept = remembered(InOrder), remembered(AddPlace), remembered(RetirePlace)


@remembered
@safe_component
def CardTitle(key: str, title: str, subtitle: str) -> ft.Control:
    return ft.Column([heading(title, id=f"card-{key}"), *([text(subtitle, soft=True)] if subtitle else [])],
                     spacing=0, tight=True)


@remembered
@safe_component
def AnswerRest(shell: Any, draft: str, card: str, count: int) -> ft.Control:
    """Answer all that has no answer yet on this card in one go, after a question."""
    asking, ask = use_asking(shell, f"rest-{card}", "")

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
    buttons = [action(name, lambda e, value=value: ask(value), id=f"rest-{value}", kind="quiet", expand=True)
               for value, name in (("na", _("Does not apply")), ("not_observed", _("Not observed")))]
    return panel([
        text(_("Not answered yet: {count}. The rest of this card:").format(count=count), soft=True),
        side_by_side(buttons, panel_width(shell, beside=True)),
    ])


@remembered
@safe_component
def CardChoice(shell: Any, draft: str, section: str, cards: tuple[Outline, ...], at: str) -> ft.Control:
    """One chip per inlet (or device): its name, how far it is, whether something fails."""
    return ft.Row([CardChip(shell, draft, section, card, card.id == at, key=f"chip-{card.id}") for card in cards],
                  wrap=True, spacing=8, run_spacing=8)


@remembered
@safe_component
def CardChip(shell: Any, draft: str, section: str, card: Outline, chosen: bool) -> ft.Control:
    def choose(_e: ft.Event) -> None:
        shell.memory[("card", draft, section)] = card.id
        shell.redraw()

    tone = section_tone(card)
    ink = theme.ON_BRAND if chosen else tone.ink
    return tap_card(
        ft.Column(
            [ft.Text(card.title, size=theme.BODY, weight=ft.FontWeight.BOLD,
                     color=theme.ON_BRAND if chosen else theme.INK),
             ft.Row([ft.Icon(tone.icon, size=18, color=ink),
                     ft.Text(_("{done} of {total}").format(done=card.done, total=card.total), size=theme.SMALL,
                             color=ink)], spacing=4, tight=True)],
            spacing=0, tight=True),
        choose, id=f"choose-{card.id}", chosen=chosen, padding=10,
        ground=theme.BRAND if chosen else theme.PAPER, edge=theme.BRAND if chosen else theme.LINE,
    )


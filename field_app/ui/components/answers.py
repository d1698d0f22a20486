"""The answers to a checklist question: large buttons, never a drop-down, the chosen one marked by a tick as well.

Whether an answer is good or bad is the pack's to say, so the colour of the chosen button follows the state of the
item, not the word on the button.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import flet as ft

from field_app.ui import theme
from field_app.ui.components.buttons import strut
from field_app.ui.components.fields import NumberField, TextLine
from field_app.ui.components.layout import grid, labelled
from field_app.ui.components.marks import marked
from field_app.ui.words import _
from field_app.work.views import Choice, ItemView, PartView

ROOM = 24 + 3 * 6 + 2 * 8 + 6  # of an answer: its mark, gaps and edges, in logical pixels

Tapped = Callable[[str], Awaitable[Any]]


def choice_button(choice: Choice, chosen: bool, tapped: Tapped, *, id: str, tone: theme.Tone | None = None,
                  several: bool = False, size: int | None = None, about: str = "") -> ft.Control:
    """One answer. `several`: more than one may be chosen, so the mark is a box and not a tick alone. `about`: what it
    answers, said with it to those who do not see what it stands under."""
    tone = tone or theme.Tone(theme.ON_BRAND, theme.BRAND, theme.BRAND, ft.Icons.CHECK_CIRCLE)
    ink = theme.on(tone) if chosen else theme.INK
    mark = ft.Icons.CHECK_BOX if several else ft.Icons.CHECK_CIRCLE
    empty = ft.Icons.CHECK_BOX_OUTLINE_BLANK if several else ft.Icons.RADIO_BUTTON_UNCHECKED

    async def on_click(_e: ft.Event) -> None:
        await tapped(choice.value)

    return marked(
        id,
        selected=chosen,
        expand=True,
        content=ft.FilledButton(
            expand=True,
            on_click=on_click,
            content=ft.Row(
                [
                    strut(padding=4),
                    ft.Icon(mark if chosen else empty, size=24, color=ink if chosen else theme.INK_SOFT,
                            semantics_label=_("chosen") if chosen else None),
                    ft.Text(choice.words, size=size or theme.BODY, weight=ft.FontWeight.W_600, color=ink, expand=True,
                            semantics_label=f"{about}: {choice.words}" if about else None),
                ],
                spacing=6,
            ),
            style=ft.ButtonStyle(
                bgcolor=tone.solid if chosen else theme.PAPER,
                color=ink,
                side=ft.BorderSide(3 if chosen else 2, tone.solid if chosen else theme.LINE),
                shape=ft.RoundedRectangleBorder(radius=theme.RADIUS),
                padding=ft.Padding.symmetric(horizontal=8, vertical=4),
            ),
        ),
    )


def choices_grid(choices: Sequence[Choice], value: str | tuple[str, ...], tapped: Tapped, *, id: str, width: float,
                 tone: theme.Tone | None = None, several: bool = False, about: str = "") -> ft.Control:
    """All the answers, two to four in a row, as the width and the longest word allow."""
    longest = max((len(c.words) for c in choices), default=1)
    word = max((len(w) for c in choices for w in c.words.replace("-", " ").split()), default=1)
    # On a phone words may wrap, but no word may be broken.
    least = ROOM + word * theme.LETTER * theme.SMALL
    per_cell = 78 + min(longest, 18) * theme.px(7.5) if width > 420 else max(150, least)
    columns = max(1, min(len(choices), int((width + 10) // (per_cell + 10)), 4))
    if len(choices) == 4 and columns == 3:
        columns = 2
    chosen = set(value) if isinstance(value, tuple) else {value}
    cell = (width - 10 * (columns - 1)) / columns
    small = (cell < 190 and longest > 14) or ROOM + word * theme.LETTER * theme.BODY > cell
    size = theme.SMALL if small else theme.BODY
    return grid(
        [choice_button(c, c.value in chosen, tapped, id=f"{id}-{c.value}", tone=tone, several=several, size=size,
                       about=about) for c in choices],
        columns,
    )


def part_control(shell: Any, draft: str, item: ItemView, part: PartView, width: float) -> ft.Control:
    """One field of an answer."""
    id = f"answer-{item.key}-{part.id}"
    # One answer may be called right or wrong; of several parts none is, only all together.
    tone = theme.ITEM_STATES.get(item.state) if len(item.parts) == 1 else None
    work = shell.work

    async def save(value: str) -> None:
        await shell.attempt(lambda: work.answer(draft, item.key, part.id, value))

    async def choose(value: str) -> None:
        await save("" if part.value == value else value)

    async def toggle(value: str) -> None:
        now = list(part.value) if isinstance(part.value, tuple) else []
        changed = [v for v in now if v != value] if value in now else [*now, value]
        await shell.attempt(lambda: work.answer(draft, item.key, part.id, changed))

    value = part.value
    single = value if isinstance(value, str) else ""
    label = part.label or item.question
    if part.unit:
        label = f"{label} ({part.unit})"
    if part.kind in ("YN", "SEL"):
        grid_control = choices_grid(part.choices, single, choose, id=id, width=width, tone=tone, about=part.label)
        return _labelled(part, grid_control, len(item.parts) > 1)
    if part.kind == "MUL":
        many = value if isinstance(value, tuple) else ()
        return _labelled(part, choices_grid(part.choices, many, toggle, id=id, width=width, tone=tone, several=True,
                                            about=part.label), len(item.parts) > 1)
    if part.kind in ("NUM", "CNT"):
        room = min(width, 460)
        number = NumberField(single, save, label, id, whole=part.kind == "CNT", unit=part.unit,
                             problem=part.problem or "", above=_too_long(label, room, part), key=f"field-{id}")
        return ft.Container(number, width=room)
    return TextLine(single, save, label, id, lines=2, problem=part.problem or "", key=f"field-{id}")


def _too_long(label: str, room: float, part: PartView) -> bool:
    """Whether the label of a number needs more than one line inside its field: then it stands above it."""
    keys = 2 * (theme.TOUCH + theme.APART) if part.kind == "CNT" else len(part.unit) * theme.LETTER * theme.KEY
    return len(label) * theme.LETTER * theme.BODY > room - keys - 2 * 14


def _labelled(part: PartView, control: ft.Control, wanted: bool) -> ft.Control:
    if not wanted or not part.label:
        return control
    return labelled(part.label, control)


def special_control(shell: Any, draft: str, item: ItemView, width: float) -> ft.Control:
    """"Not applicable" and "not observed" for the whole item."""

    async def tapped(value: str) -> None:
        wanted = "" if item.special_value == value else value
        await shell.attempt(lambda: shell.work.answer_special(draft, item.key, wanted))

    return choices_grid(item.special, item.special_value, tapped, id=f"answer-{item.key}", width=min(width, 560),
                        tone=theme.ITEM_STATES.get(item.state),
                        about=_("The whole question") if len(item.parts) > 1 else "")


def yes_no_row(shell: Any, draft: str, item: ItemView, width: float) -> ft.Control:
    """The commonest item in one block of four: yes, no, not applicable, not observed."""
    part = item.parts[0]

    async def tapped(value: str) -> None:
        own = {c.value for c in part.choices}
        if value in own:
            wanted = "" if part.value == value else value
            await shell.attempt(lambda: shell.work.answer(draft, item.key, part.id, wanted))
        else:
            wanted = "" if item.special_value == value else value
            await shell.attempt(lambda: shell.work.answer_special(draft, item.key, wanted))

    taken = {c.value for c in part.choices}
    choices = (*part.choices, *[c for c in item.special if c.value not in taken])
    value = item.special_value or (part.value if isinstance(part.value, str) else "")
    return choices_grid(choices, value, tapped, id=f"answer-{item.key}", width=width,
                        tone=theme.ITEM_STATES.get(item.state))

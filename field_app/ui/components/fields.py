"""Fields for text, numbers, dates and times.

The invariant of every text field: it shows exactly what was typed and saves exactly that, at once and in order.
While one save runs, newer text waits and only the newest is saved next: typing never queues up behind the disk.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import date, time
from typing import Any

import flet as ft

from field_app.ui import theme, turning
from field_app.ui.components.buttons import action, icon_action, one_line, side_by_side
from field_app.ui.components.calendar import calendar
from field_app.ui.components.dialogs import use_asking
from field_app.ui.components.hours import hours
from field_app.ui.components.layout import line
from field_app.ui.components.marks import marked
from field_app.ui.guard import safe_component
from field_app.ui.routes import path
from field_app.ui.words import _
from sync.documents.language import clock_words, date_words

Save = Callable[[str], Awaitable[object]]
END_OF_WORK = "17:00"
"""Where a clock opens, and the hour that goes with a day until another is chosen."""


@dataclass
class _Typing:
    """What a field knows between two renders: the text that stands in it, what was last handed on to be saved and what
    of that still waits, what was last seen from outside, and the control as it was last drawn.

    What is typed comes as two messages: first what stands in the field, at once in the control, and some time later the
    event that tells of it. A field that is drawn in between with what its events told would take letters back while
    more are typed. So what the client said last always stands; `ahead`: no event has told of it yet.
    """

    text: str
    taken: str
    seen: str
    waiting: str | None = None
    saving: bool = False
    ahead: bool = False
    control: ft.TextField | None = None
    drawn: str = ""

    def told(self) -> str:
        """What stands in the field, as far as the client has said."""
        return (self.control.value or "") if self.control is not None else self.drawn

    def look(self, value: str) -> None:
        """Before it is drawn. What comes from outside is shown unless the user is ahead of it."""
        if (told := self.told()) != self.drawn:
            self.text = self.drawn = told
            self.ahead = told != self.taken
        if value != self.seen:
            self.seen = value
            if not (self.saving or self.ahead) and self.waiting is None:
                self.text = self.taken = value

    def hear(self, text: str) -> None:
        """An event told of this text."""
        told = self.told()
        if told == text:
            self.ahead = False
        if not self.ahead and told in (text, self.drawn):
            self.text = text
        self.taken = self.waiting = text

    def put_back(self) -> None:
        """What was handed on last stands in the field again, whatever the client says."""
        self.drawn, self.ahead, self.text = self.told(), False, self.taken


def _use_typing(value: str, save: Save) -> tuple[_Typing, Callable[[str], Awaitable[None]], Callable[[], None]]:
    """What the field knows, the coroutine that takes a newer text, and what draws the field again."""
    typing = ft.use_ref(lambda: _Typing(value, value, value, drawn=value)).current
    _tick, set_tick = ft.use_state(0)
    typing.look(value)

    def draw_again() -> None:
        set_tick(lambda n: n + 1)

    async def take(text: str) -> None:
        if text == typing.taken and typing.waiting is None:
            typing.hear(text)
            typing.waiting = None
            draw_again()
            return
        typing.hear(text)
        draw_again()
        if typing.saving:
            return
        typing.saving = True
        try:
            while typing.waiting is not None:
                newest, typing.waiting = typing.waiting, None
                await save(newest)
        finally:
            typing.saving = False

    return typing, take, draw_again


def use_entry(shell: Any, name: str, first: str = "") -> tuple[str, Save]:
    """Text that only the screen holds until a button takes it, and the `save` that its field or its choices get.

    Under `name`, which no other on the screen has, it is still there when the tablet locked itself meanwhile."""
    here = ft.use_ref(lambda: f"{path(shell.place.name, **dict(shell.place.given))}#{name}").current
    begun = ft.use_ref(lambda: shell.typed_before.pop(here, first)).current
    text, put = ft.use_state(begun)

    def note(value: str) -> None:
        if value == first:
            shell.entries.pop(here, None)
        else:
            shell.entries[here] = value

    async def keep(value: str) -> None:
        note(value)
        put(value)

    ft.use_effect(lambda: note(begun), dependencies=[], cleanup=lambda: note(first))
    return text, keep


@safe_component
def TextLine(value: str, save: Save, label: str, id: str, *, lines: int = 1, hint: str = "", problem: str = "",
             number: bool = False, whole: bool = False, unit: str = "", password: bool = False,
             capitals: bool = False, submit: Callable[[], Awaitable[object]] | None = None,
             autofocus: bool = False) -> ft.Control:
    """One text field. `number` brings the number keypad and lets digits and a point or a comma through, `whole` only
    digits."""
    typing, take, draw_again = _use_typing(value, save)
    heard = ft.use_ref(lambda: [0]).current

    async def changed(e: ft.Event) -> None:
        # What the event brings: the field itself may have been drawn again meanwhile, as it was before.
        now = e.data if isinstance(e.data, str) else e.control.value or ""
        heard[0] = this = heard[0] + 1
        if not now and len(typing.taken) > 1 and await turning.just_turned():
            if this == heard[0]:
                typing.put_back()  # nobody erased it: the window was turned under the fingers
                draw_again()
            return
        if this == heard[0]:  # else it was erased and written anew while we waited
            await take(now)

    async def submitted(e: ft.Event) -> None:
        await take(e.control.value or "")
        if submit is not None:
            await submit()

    allowed = r"^[0-9]*$" if whole else r"^[0-9]*[.,]?[0-9]*$"
    typing.drawn = typing.text
    typing.control = ft.TextField(
        value=typing.text,
        label=label,
        on_change=changed,
        on_submit=submitted if lines == 1 else None,
        multiline=lines > 1,
        min_lines=lines if lines > 1 else None,
        max_lines=max(lines, 6) if lines > 1 else 1,
        hint_text=hint or None,
        error=problem or None,
        suffix=unit or None,
        suffix_style=ft.TextStyle(size=theme.KEY, color=theme.INK_SOFT) if unit else None,
        keyboard_type=ft.KeyboardType.NUMBER if number or whole else
        (ft.KeyboardType.MULTILINE if lines > 1 else ft.KeyboardType.TEXT),
        input_filter=ft.InputFilter(allowed, allow=True) if number or whole else None,
        password=password,
        capitalization=ft.TextCapitalization.CHARACTERS if capitals else None,
        autofocus=autofocus,
        text_size=theme.KEY if number or whole or password or capitals else theme.BODY + 1,
        label_style=ft.TextStyle(size=theme.BODY, color=theme.INK_SOFT),
        hint_style=ft.TextStyle(size=theme.BODY, color=theme.INK_SOFT),
        error_style=ft.TextStyle(size=theme.SMALL, color=theme.BAD.ink, weight=ft.FontWeight.BOLD),
        error_max_lines=3,
        content_padding=ft.Padding.symmetric(horizontal=14, vertical=18),
        filled=True,
        fill_color=theme.PAPER,
        border=ft.OutlineInputBorder(side=ft.BorderSide(2, theme.LINE), border_radius=theme.RADIUS),
    )
    return marked(id, content=typing.control)


@safe_component
def NumberField(value: str, save: Save, label: str, id: str, *, whole: bool, unit: str = "",
                problem: str = "", above: bool = False) -> ft.Control:
    """A number with its unit. A count has big minus and plus keys, so that nothing need be typed with gloves. `above`:
    the label is too long for the field and stands over it; a screen reader hears it with the field."""
    field: ft.Control = TextLine(value, save, _("Number") if above else label, id, number=not whole, whole=whole,
                                 unit=unit, problem=problem, key="typed")

    def under_label(control: ft.Control) -> ft.Control:
        # The same column with and without it: what is being typed outlives a turn of the tablet.
        said = [ft.Text(label, size=theme.BODY, weight=ft.FontWeight.W_600, color=theme.INK)] if above else []
        return ft.Column([*said, ft.Container(control, key="field")], spacing=6, tight=True,
                         horizontal_alignment=ft.CrossAxisAlignment.STRETCH)

    if not whole:
        return under_label(field)

    def step(by: int) -> Callable[[ft.Event], Awaitable[None]]:
        async def stepped(_e: ft.Event) -> None:
            now = int(value) if value.isdigit() else (0 if by > 0 else 1)
            first = not value.isdigit() and by > 0
            await save(str(max(0, now + (by if not first else 1))))
        return stepped

    async def zero(_e: ft.Event) -> None:
        await save("0")

    row = ft.Row(
        [
            icon_action(ft.Icons.REMOVE_CIRCLE_OUTLINE, _("One less: {what}").format(what=label),
                        step(-1) if value.isdigit() else zero, id=f"{id}-less", ink=theme.BRAND),
            ft.Container(expand=True, content=field),
            icon_action(ft.Icons.ADD_CIRCLE_OUTLINE, _("One more: {what}").format(what=label), step(1),
                        id=f"{id}-more", ink=theme.BRAND),
        ],
        spacing=theme.APART, vertical_alignment=ft.CrossAxisAlignment.CENTER,
    )
    return under_label(row)


@safe_component
def DueField(shell: Any, on: str, at: str, save: Callable[[str, str], Awaitable[object]], id: str, *, words: str = "",
             problem: str = "", at_once: bool = False, first: Callable[[], date] | None = None,
             last: Callable[[], date] | None = None) -> ft.Control:
    """A day and a clock time: two buttons that show them and open a calendar and a clock.

    `on` is an ISO date or "", `at` "HH:MM" or "". `save(on, at)` gets the same forms. `first` and `last` give the days
    that may be chosen; without a day one of them says where the calendar opens. `at_once`: it is due before the
    inspector leaves, so there is no day and no hour to show, only the way to set one. `problem`: what is wrong with
    what is shown.
    """
    # What is asked: the month that is shown of the calendar, or the time that the clock shows.
    asking, ask = use_asking(shell, id, None)
    day = date.fromisoformat(on) if on and not at_once else None
    lowest, highest = first() if first else None, last() if last else None

    async def take_day(picked: date) -> None:
        ask(None)
        await save(picked.isoformat(), at or END_OF_WORK)

    async def take_time(picked: time) -> None:
        ask(None)
        await save(on, picked.strftime("%H:%M"))

    def closed(_e: ft.Event) -> None:
        ask(None)

    def open_days(_e: ft.Event) -> None:
        start = day or lowest or highest
        if start is not None:
            ask(start.replace(day=1))

    def open_hours(_e: ft.Event) -> None:
        ask(time.fromisoformat(at or END_OF_WORK))

    dialog: ft.DialogControl | None = None
    if isinstance(asking, date):
        dialog = calendar(_("Choose the day"), asking, day, lowest or highest, ask,
                          take_day, closed, id=f"{id}-day", first=lowest, last=highest)
    elif isinstance(asking, time):
        dialog = hours(_("Choose the time"), asking, ask, take_time, closed, id=f"{id}-time")
    ft.use_dialog(dialog)
    buttons = [action(date_words(day, _) if day else _("Choose the day"), open_days, id=f"{id}-day",
                      icon=ft.Icons.EVENT, kind="secondary", expand=3)]
    if at_once:
        buttons = [action(_("Set a day and a time instead"), open_days, id=f"{id}-day", icon=ft.Icons.EVENT,
                          kind="quiet", expand=True)]
    elif day:
        buttons.append(action(clock_words(time.fromisoformat(at), _) if at else _("Time"), open_hours,
                              id=f"{id}-time", icon=ft.Icons.SCHEDULE, kind="secondary", expand=2))
    said = [line(theme.WARN.icon, problem, ink=theme.WARN.ink)] if problem else []
    if words and not problem:
        said = [ft.Text(words, size=theme.SMALL, color=theme.INK_SOFT)]
    room = min((ft.context.page.width or theme.WIDE) - 2 * theme.EDGE - 2 * theme.EDGE - 6, theme.READABLE)
    words_of = (date_words(day, _), clock_words(time.fromisoformat(at), _)) if day and at else ()
    # On a phone neither a day nor an hour is broken in two.
    tight = any(one_line(one) > room * share - 10 for one, share in zip(words_of, (3 / 5, 2 / 5), strict=False))
    both = side_by_side(buttons, room)
    if tight:
        both = ft.Column([ft.Row([one]) for one in buttons], spacing=8, tight=True)
    rows = [*said, both] if at_once else [both, *said]
    return ft.Column(rows, spacing=4, tight=True)

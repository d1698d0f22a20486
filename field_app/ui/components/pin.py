"""The PIN pad: twelve big keys, dots instead of digits, the same wherever something is signed."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import flet as ft

from field_app.ui import theme
from field_app.ui.components.buttons import action, strut
from field_app.ui.components.marks import marked
from field_app.ui.guard import safe_component
from field_app.ui.words import _, counted
from sync.records.problems import Problem

SAID_HERE = ("pin-wrong", "pin-wait", "pin-weak")


@safe_component
def PinPad(shell: Any, label: str, ok: str, submit: Callable[[str], Awaitable[Any]], *, shortest: int = 4,
           longest: int = 12, wait: int = 0, disabled: bool = False, act: str = "pin") -> ft.Control:
    """Type a PIN and confirm it. `submit` gets the digits; the pad is empty again afterwards. That one is wrong, or too
    simple, the pad says itself and no banner beside it.

    `wait`: seconds until a PIN may be tried again; the pad counts them down and takes nothing meanwhile.
    """
    digits, set_digits = ft.use_state("")
    typed: Any = ft.use_ref(str)  # a key and "ok" may both come before anything is drawn again
    left, set_left = ft.use_state(wait)
    refused, set_refused = ft.use_state("")
    wrong = refused == "pin-wrong"
    last_wait = ft.use_ref(lambda: wait)
    if last_wait.current != wait:
        last_wait.current = wait
        left = wait
        set_left(wait)

    async def count_down() -> None:
        remaining = wait
        while remaining > 0:
            await asyncio.sleep(1)
            remaining -= 1
            set_left(remaining)
        if wait:
            shell.redraw()

    ft.use_effect(count_down, dependencies=[wait], cleanup=lambda: None)
    running = shell.busy(act)
    locked = disabled or running or left > 0

    def press(digit: str) -> Callable[[ft.Event], None]:
        def pressed(_e: ft.Event) -> None:
            show((typed.current + digit)[:longest])
        return pressed

    def show(now: str) -> None:
        typed.current = now
        set_digits(now)
        set_refused(lambda was: "" if was == "short" else was)

    async def done(_e: ft.Event) -> None:
        if shell.busy(act):
            return  # the digits stay for when it is done
        pin = typed.current
        if len(pin) < shortest:
            set_refused("short")
            return
        show("")
        set_refused("")

        async def tried() -> None:
            try:
                await submit(pin)
            except Problem as refusal:
                if refusal.code not in SAID_HERE:
                    raise
                set_refused(shell.work.problem_view(refusal).sentence if refusal.code == "pin-weak" else refusal.code)

        await shell.attempt(tried, once=act)

    def key(digit: str) -> ft.Control:
        return marked(
            f"pin-{digit}", expand=True,
            content=ft.FilledButton(
                content=ft.Row([strut(padding=8), ft.Text(digit, size=theme.px(28), weight=ft.FontWeight.BOLD,
                                                           color=theme.INK)],
                               alignment=ft.MainAxisAlignment.CENTER, spacing=0, tight=True),
                disabled=locked, on_click=press(digit),
                style=ft.ButtonStyle(bgcolor=theme.PAPER, color=theme.INK,
                                     padding=ft.Padding.symmetric(horizontal=8, vertical=8),
                                     side=ft.BorderSide(2, theme.LINE),
                                     shape=ft.RoundedRectangleBorder(radius=theme.RADIUS)),
            ),
        )

    erase = action(_("Delete"), lambda e: show(typed.current[:-1]), id="pin-erase", kind="quiet",
                   disabled=locked or not digits, expand=True)
    said = _("Type your PIN")
    if left > 0:
        said = counted(left, "That PIN was wrong. Wait 1 second.", "That PIN was wrong. Wait {count} seconds.")
        if not wrong:
            said = counted(left, "Wait 1 second, then try again.", "Wait {count} seconds, then try again.")
    elif running:
        said = _("One moment ...")
    elif wrong:
        said = _("That PIN was wrong. Type it again.")
    elif refused == "pin-wait":  # its last second had not passed
        said = _("Wait a moment, then try again.")
    elif refused == "short":
        said = _("Type the whole PIN first.")
    elif refused:
        said = refused
    dotted = "" if refused == "short" else digits
    dots = ft.Row(
        [ft.Icon(ft.Icons.CIRCLE, size=20, color=theme.INK) for _digit in dotted]
        or [marked("pin-said", live_region=True, content=ft.Text(
            said, size=theme.BODY, color=theme.BAD.ink if left > 0 or (refused and not running) else theme.INK_SOFT,
            weight=ft.FontWeight.BOLD if refused and not running else None,
            text_align=ft.TextAlign.CENTER), expand=True)],
        alignment=ft.MainAxisAlignment.CENTER, spacing=8,
    )
    rows = [ft.Row([key(d) for d in row], spacing=10) for row in ("123", "456", "789")]
    # It can be tapped before the last digit is drawn: a fast tap on a slow tablet must not be lost.
    confirm = action(ok, done, id="pin-ok", kind="good", disabled=locked, expand=True)
    width = min(420, shell.width - 72)
    # A word that would be broken in a third of the pad stands below it, over its whole width; 0 stays below 8.
    word = max((len(word) for word in (*ok.split(), *_("Delete").split())), default=0)
    if word * theme.LETTER * theme.BODY > (width - 20) / 3 - 36:
        beside = [ft.Container(expand=True) for _side in range(2)]
        rows += [ft.Row([beside[0], key("0"), beside[1]], spacing=10), ft.Row([erase]), ft.Row([confirm])]
    else:
        rows.append(ft.Row([erase, key("0"), confirm], spacing=10))
    return marked(
        "pin-pad", container=True,
        content=ft.Column(
            [
                ft.Text(label, size=theme.BODY, weight=ft.FontWeight.W_600),
                ft.Container(
                    dots, height=None if refused and not dotted else max(48, theme.px(48)), bgcolor=theme.GROUND,
                    border=ft.Border.all(2, theme.LINE),
                    border_radius=theme.RADIUS, alignment=ft.Alignment.CENTER,
                    padding=ft.Padding.symmetric(horizontal=8, vertical=8) if refused and not dotted else None,
                ),
                *rows,
            ],
            spacing=10, width=width, horizontal_alignment=ft.CrossAxisAlignment.STRETCH,
        ),
    )


@safe_component
def NewPin(shell: Any, label: str, ok: str, take: Callable[[str, str], Awaitable[Any]], *, shortest: int = 4,
           longest: int = 12) -> ft.Control:
    """Choose a PIN and type it once more. One that may not be is refused at the first; `take` gets both."""
    first, set_first = ft.use_state("")

    async def chosen(pin: str) -> None:
        await shell.work.check_new_pin(pin)
        set_first(pin)

    async def again(pin: str) -> None:
        set_first("")
        await take(first, pin)

    if not first:
        return PinPad(shell, label, _("Next"), chosen, shortest=shortest, longest=longest, act="choose-pin",
                      key="choose")
    return PinPad(shell, _("Type the same PIN once more"), ok, again, shortest=shortest, longest=longest, act="set-pin",
                  key="again")

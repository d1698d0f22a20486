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
from field_app.ui.words import _
from sync.records.problems import Problem


@safe_component
def PinPad(shell: Any, label: str, ok: str, submit: Callable[[str], Awaitable[Any]], *, shortest: int = 4,
           longest: int = 12, wait: int = 0, disabled: bool = False, act: str = "pin") -> ft.Control:
    """Type a PIN and confirm it. `submit` gets the digits; the pad is empty again afterwards, and a wrong one it says
    itself: the banner may be out of sight.

    `wait`: seconds until a PIN may be tried again; the pad counts them down and takes nothing meanwhile.
    """
    digits, set_digits = ft.use_state("")
    left, set_left = ft.use_state(wait)
    wrong, set_wrong = ft.use_state(False)
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
            set_digits(lambda now: (now + digit)[:longest])
        return pressed

    async def done(_e: ft.Event) -> None:
        pin = digits
        set_digits("")
        set_wrong(False)

        async def tried() -> None:
            try:
                await submit(pin)
            except Problem as refusal:
                set_wrong(refusal.code == "pin-wrong")
                raise

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

    erase = action(_("Erase"), lambda e: set_digits(lambda now: now[:-1]), id="pin-erase", kind="quiet",
                   disabled=locked or not digits, expand=True)
    said = _("Type your PIN")
    if left > 0:
        again = _("That PIN was wrong. Wait {seconds} seconds.") if wrong else _(
            "Wait {seconds} seconds, then try again.")
        said = again.format(seconds=left)
    elif running:
        said = _("One moment ...")
    elif wrong:
        said = _("That PIN was wrong. Type it again.")
    dots = ft.Row(
        [ft.Icon(ft.Icons.CIRCLE, size=20, color=theme.INK) for _digit in digits]
        or [marked("pin-said", live_region=True, content=ft.Text(
            said, size=theme.BODY, color=theme.BAD.ink if left > 0 or (wrong and not running) else theme.INK_SOFT,
            weight=ft.FontWeight.BOLD if wrong and not running else None))],
        alignment=ft.MainAxisAlignment.CENTER, spacing=8,
    )
    rows = [ft.Row([key(d) for d in row], spacing=10) for row in ("123", "456", "789")]
    rows.append(ft.Row(
        [erase, key("0"), action(ok, done, id="pin-ok", kind="good", disabled=locked or len(digits) < shortest,
                                 expand=True)],
        spacing=10,
    ))
    return marked(
        "pin-pad", container=True,
        content=ft.Column(
            [
                ft.Text(label, size=theme.BODY, weight=ft.FontWeight.W_600),
                ft.Container(
                    dots, height=max(48, theme.px(48)), bgcolor=theme.GROUND, border=ft.Border.all(2, theme.LINE),
                    border_radius=theme.RADIUS, alignment=ft.Alignment.CENTER,
                ),
                *rows,
            ],
            spacing=10, width=min(420, shell.width - 72), horizontal_alignment=ft.CrossAxisAlignment.STRETCH,
        ),
    )

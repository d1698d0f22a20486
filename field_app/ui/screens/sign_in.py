"""Who works with this tablet: people it knows take it with one tap, a new one signs in once with a personal code."""

from __future__ import annotations

from typing import Any

import flet as ft

from field_app.ui import theme
from field_app.ui.components.buttons import action, tap_card
from field_app.ui.components.fields import TextLine
from field_app.ui.components.frame import frame, safe_screen
from field_app.ui.components.layout import heading, panel, panel_width, text
from field_app.ui.components.pin import NewPin, PinPad
from field_app.ui.components.scanner import OfficeCode
from field_app.ui.words import _


@safe_screen
def SignInScreen(shell: Any, beat: int, inside: bool = False) -> ft.Control:
    """Draws `SignInView`. `inside`: opened from the title bar by somebody who is signed in."""
    view = shell.work.sign_in_view()
    code, put_code = ft.use_state(view.code)  # a code is for once, and outlives nothing
    ft.use_effect(lambda: put_code(view.code) if view.code else None, dependencies=[view.code])

    async def keep(value: str) -> None:
        put_code(value)

    def next_screen(pin: Any) -> None:
        if pin is not None:
            shell.enter("pin")
        else:
            shell.unlocked(shell.work.where())

    async def lock(_e: ft.Event) -> None:
        async def act() -> None:
            await shell.work.leave()
            shell.enter("locked")
        await shell.attempt(act, once="leave")

    async def sign_in() -> None:
        async def act() -> None:
            next_screen(await shell.work.sign_in(code))
        await shell.attempt(act, once="sign-in")

    async def tapped(_e: ft.Event) -> None:
        await sign_in()

    async def scan(picture: bytes) -> None:
        found = await shell.work.scan_personal_code(picture)
        put_code(found)  # left in the field when there is no network just now
        next_screen(await shell.work.sign_in(found))

    def take(person: str) -> Any:
        async def taken(_e: ft.Event) -> None:
            async def act() -> None:
                next_screen(await shell.work.switch_person(person))
            await shell.attempt(act, once="sign-in")
        return taken

    running = shell.busy("sign-in")
    known = [
        tap_card(
            ft.Row([
                ft.Icon(ft.Icons.ACCOUNT_CIRCLE, size=44, color=theme.BRAND),
                ft.Column([ft.Text(p.name, size=theme.KEY, weight=ft.FontWeight.BOLD),
                           ft.Text(p.title, size=theme.BODY, color=theme.INK_SOFT)], spacing=0, expand=True),
                ft.Icon(ft.Icons.CHEVRON_RIGHT, size=32, color=theme.INK_SOFT),
            ], spacing=14),
            take(p.id), id=f"person-{p.id}",
        )
        for p in view.people
    ]
    body: list[ft.Control] = []
    if known:
        body.append(heading(_("Who are you?")))
        body += known
    if inside:
        body.append(action(_("Lock the tablet"), lock, id="lock-tablet", icon=ft.Icons.LOCK, kind="secondary"))
    body.append(panel([
        heading(_("First time on this tablet") if known else _("Sign in")),
        text(_("The office shows your personal code once. Scan or type it here; this needs the network once.")),
        OfficeCode(shell, scan, _("The office shows it beside the code, under People."), panel_width(shell),
                   key="office-code"),
        TextLine(code, keep, _("Personal code"), "sign-in-code", capitals=True, submit=sign_in),
        action(_("Signing in ...") if running else _("Sign in"), tapped, id="sign-in", icon=ft.Icons.LOGIN,
               disabled=running or not code.strip()),
    ]))
    return frame(
        shell, _("Who works with this tablet") if inside else _("Sign in"), body,
        subtitle=_("{city}, tablet {tablet}").format(city=view.city_name, tablet=view.tablet), home=not inside,
    )


@safe_screen
def PinScreen(shell: Any, beat: int) -> ft.Control:
    """Draws `PinView`: choose a PIN, then type it a second time."""
    view = shell.work.pin_view()

    async def take(first: str, again: str) -> None:
        await shell.work.set_pin(first, again)
        shell.enter("work")

    limits = {"shortest": view.shortest, "longest": view.longest}
    pad = NewPin(shell, _("Choose a PIN of {shortest} to {longest} digits").format(**limits), _("Done"), take,
                 key="new", **limits)
    return frame(
        shell, _("Your PIN"),
        [panel([heading(_("Hello, {name}").format(name=view.name)), text(view.explanation),
                ft.Row([pad], alignment=ft.MainAxisAlignment.CENTER)])],
        home=True,
    )


@safe_screen
def ChangePinScreen(shell: Any, beat: int) -> ft.Control:
    """The old PIN first, then the new one twice."""
    view = shell.work.pin_view()
    old, set_old = ft.use_state("")

    async def take_old(pin: str) -> None:
        await shell.work.confirm_pin(pin)
        set_old(pin)

    async def take(first: str, again: str) -> None:
        set_old("")
        await shell.work.set_pin(first, again, old=old or None)
        shell.say(_("The PIN is changed."))
        shell.back()

    limits = {"shortest": view.shortest, "longest": view.longest}
    if shell.work.settings().has_pin and not old:
        pad = PinPad(shell, _("Your PIN now"), _("Next"), take_old, act="old-pin", key="old", **limits)
    else:
        pad = NewPin(shell, _("Choose a PIN of {shortest} to {longest} digits").format(**limits), _("Done"), take,
                     key="new", **limits)
    return frame(shell, _("Change my PIN"), [panel([ft.Row([pad], alignment=ft.MainAxisAlignment.CENTER)])])

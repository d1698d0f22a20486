"""Choosing a pre-printed placard for an order: its code is scanned, or its number typed; one may be spoiled or lost.

Once it is bound the placard's own screen goes on: date it, put it up, sign.
"""

from __future__ import annotations

from typing import Any

import flet as ft

from field_app.ui import theme
from field_app.ui.components.buttons import action
from field_app.ui.components.dialogs import confirm, use_asking
from field_app.ui.components.fields import TextLine, use_entry
from field_app.ui.components.frame import frame, safe_screen
from field_app.ui.components.layout import heading, panel, panel_width, text
from field_app.ui.components.scanner import Scanner
from field_app.ui.guard import safe_component
from field_app.ui.words import _, counted
from field_app.work.views import OrderDraftView


@safe_screen
def BlankScreen(shell: Any, beat: int, draft: str) -> ft.Control:
    """Draws `BlankView` for one order."""
    view: OrderDraftView = shell.work.order(draft)
    stack = shell.work.blanks()

    async def scan(picture: bytes) -> None:
        await shell.work.scan_blank(draft, picture)
        shell.go("placard", draft=draft)

    if stack.free:
        known = counted(len(stack.free), "1 of this tablet's placards is not used yet.",
                        "{count} of this tablet's placards are not used yet.")
    elif stack.total:
        known = _("None of the placards printed for this tablet is left. The office prints new ones.")
    else:
        known = _("None was printed for this tablet, as far as it knows. The office prints them; let the tablet reach "
                  "the office once before you leave with them.")
    return frame(shell, _("Pre-printed placard"), [
        panel([
            heading(_("Scan the code on the placard"), 3),
            text(_("Hold the tablet so that the code fills the frame."), soft=True, size=theme.SMALL),
            Scanner(shell, scan, panel_width(shell), key="scanner"),
        ]),
        TypedNumber(shell, draft, key="typed"),
        panel([text(known, id="blank-stack")]),
        Spoiled(shell, key="spoiled"),
        ft.Container(height=24),
    ], subtitle=f"{view.site_name}, {view.address}")


@safe_component
def TypedNumber(shell: Any, draft: str) -> ft.Control:
    """The other way: the number as it stands on the paper, check character included."""
    number, keep = use_entry(shell, "blank-number")

    async def use(_e: ft.Event) -> None:
        async def act() -> None:
            await shell.work.bind_blank(draft, number)
            shell.go("placard", draft=draft)
        await shell.attempt(act, once="bind-blank")

    return panel([
        heading(_("Or type its number"), 3),
        TextLine(number, keep, _("Number, e.g. SW-2026-T07-0012-K"), "blank-number"),
        text(_("The last character of a number checks the others: one with a slip in it is refused."), soft=True,
             size=theme.SMALL),
        action(_("Use this placard"), use, id="blank-use", icon=ft.Icons.CHECK, kind="secondary",
               disabled=not number.strip() or shell.busy("bind-blank")),
    ])


@safe_component
def Spoiled(shell: Any) -> ft.Control:
    """One that nobody can use any more: its number is explained, so that the register has no unexplained gap."""
    number, keep_number = use_entry(shell, "spoiled-number")
    reason, keep_reason = use_entry(shell, "spoiled-reason")
    open_, set_open = ft.use_state(bool(number or reason))
    asking, ask = use_asking(shell, "spoiled")

    async def void(_e: ft.Event) -> None:
        ask(False)

        async def act() -> None:
            await shell.work.spoil_blank(number, reason)
            await keep_number("")
            await keep_reason("")
            set_open(False)
            shell.say(_("Recorded: {number} is not used.").format(number=number.strip().upper()))
        await shell.attempt(act, once="spoil-blank")

    ft.use_dialog(confirm(
        _("Record it as void?"), _("{number} then goes on no order, for good.").format(number=number.strip().upper()),
        _("Record it as void"), void, lambda e: ask(False), danger=True) if asking else None)
    if not open_:
        return ft.Row(wrap=True, controls=[
            action(_("A placard is spoiled or lost"), lambda e: set_open(True), id="blank-spoiled", kind="quiet",
                   icon=ft.Icons.DELETE_OUTLINE)])
    return panel([
        heading(_("A placard is spoiled or lost"), 3),
        TextLine(number, keep_number, _("Number, e.g. SW-2026-T07-0012-K"), "spoiled-number"),
        TextLine(reason, keep_reason, _("What became of it?"), "spoiled-reason"),
        action(_("Record it as void"), lambda e: ask(True), id="spoiled-void", kind="danger",
               icon=ft.Icons.DELETE_OUTLINE, disabled=not (number.strip() and reason.strip())),
    ])

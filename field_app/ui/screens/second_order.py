"""Before a second stop-work order on a site: which one stands, what can be done with it, and a choice with a reason."""

from __future__ import annotations

from typing import Any

import flet as ft

from field_app.ui import theme
from field_app.ui.components.answers import choices_grid
from field_app.ui.components.buttons import action, side_by_side
from field_app.ui.components.fields import TextLine
from field_app.ui.components.frame import frame, safe_screen
from field_app.ui.components.layout import heading, limit_row, panel, panel_width, text
from field_app.ui.words import _
from field_app.work.views import OrderRow, SecondOrderView

NONE = "-"  # in the path: the order rests on no certain inspection


async def write_order(shell: Any, site: str, fact: str | None = None) -> None:
    """Begin a stop-work order, or go on with the one begun; where another one stands, ask first."""
    if shell.work.must_ask_first(site):
        shell.go("second_order", site=site, fact=fact or NONE)
        return
    draft = await shell.work.begin_order(site, fact)
    shell.go("order", draft=draft.id)


@safe_screen
def SecondOrderScreen(shell: Any, beat: int, site: str, fact: str) -> ft.Control:
    """Draws `SecondOrderView`."""
    view: SecondOrderView = shell.work.second_order(site)
    kept = f"second_order:{site}"
    typed: dict[str, str] = shell.forms.setdefault(kept, {})
    how, reason = typed.get("how", ""), typed.get("reason", "")

    async def choose(value: str) -> None:
        typed["how"] = value
        shell.redraw()

    async def keep(value: str) -> None:
        typed["reason"] = value
        shell.redraw()

    async def write(_e: ft.Event) -> None:
        async def act() -> None:
            draft = await shell.work.begin_order(site, None if fact == NONE else fact, how=how, reason=reason)
            shell.forms.pop(kept, None)
            shell.go("order", draft=draft.id)
        await shell.attempt(act, once="order")

    async def inspect(_e: ft.Event) -> None:
        async def act() -> None:
            draft = await shell.work.begin_inspection(site, "re-inspection")
            shell.go("inspection", draft=draft.id)
        await shell.attempt(act, once="begin")

    body: list[ft.Control] = [order_part(shell, order) for order in view.orders]
    body.append(panel([
        heading(_("You found more?")),
        text(_("Inspect the site: findings and photos are filed beside the order. Its words and its time limits "
               "stay.")),
        ft.Row([action(_("Begin re-inspection"), inspect, id="second-inspect", icon=ft.Icons.ASSIGNMENT,
                       disabled=shell.busy("begin"), expand=True)]),
    ]))
    parts: list[ft.Control] = [
        heading(_("A second order all the same")),
        choices_grid(view.choices, how, choose, id="second", width=panel_width(shell)),
    ]
    if how in view.says:
        parts += [text(view.says[how], id="second-says"),
                  TextLine(reason, keep, _("Why a second order is needed"), "second-reason", lines=2, key="reason")]
    parts.append(ft.Row([action(
        _("Write a second order") if view.may_post else _("Recommend a second order"), write, id="second-write",
        icon=ft.Icons.FRONT_HAND, kind="danger", expand=True,
        disabled=(bool(view.orders) and (how not in view.says or not reason.strip())) or shell.busy("order"))]))
    return frame(shell, view.title, [*body, panel(parts, id="second-part"),
                                                            ft.Container(height=24)],
                 subtitle=f"{view.site_name}, {view.address}")


def order_part(shell: Any, order: OrderRow) -> ft.Control:
    """An order that stands, and what can be done with it instead of a second one."""
    buttons: list[ft.Control] = []
    if "repost" in order.acts:
        buttons.append(action(_("Put the same placard up again"),
                              lambda e: shell.go("order_act", fact=order.fact, act="repost"),
                              id=f"second-repost-{order.number}", icon=ft.Icons.REPLAY, kind="secondary", expand=True))
    if order.can_add_photo:
        buttons.append(action(_("Photo of the placard"), lambda e: shell.aside("order_photos", number=order.number),
                              id=f"second-photo-{order.number}", icon=ft.Icons.PHOTO_CAMERA, kind="secondary",
                              expand=True))
    rows = [side_by_side(buttons, panel_width(shell))] if buttons else []
    return panel([
        ft.Row([ft.Icon(ft.Icons.FRONT_HAND, size=30, color=theme.BAD.ink),
                text(order.number, bold=True, size=theme.KEY, id=f"second-order-{order.number}")], spacing=10),
        text(order.words),
        *[limit_row(clock) for clock in order.clocks[:1]],
        *rows,
    ], ground=theme.BAD.ground, edge=theme.BAD.solid)

"""What was signed here and how far it has come: per item and per photo, in words; why something is parked."""

from __future__ import annotations

from typing import Any

import flet as ft

from field_app.ui import theme
from field_app.ui.components.badges import sending_sign
from field_app.ui.components.buttons import action
from field_app.ui.components.frame import frame, safe_screen
from field_app.ui.components.layout import fact, line, nothing_here, panel, text
from field_app.ui.guard import safe_component
from field_app.ui.words import _
from field_app.work.views import OutboxRow, OutboxView

WINDOW = 25


@safe_screen
def OutboxScreen(shell: Any, beat: int) -> ft.Control:
    """Draws `OutboxView`, a window of it."""
    view: OutboxView = shell.work.outbox()
    shown, show = ft.use_state(WINDOW)
    status = view.status

    def send(_e: ft.Event) -> None:
        shell.work.send_now()
        shell.say(_("Trying now"))

    tone = theme.SENDING.get(status.level, theme.CALM)
    safe = status.level == "safe"
    body: list[ft.Control] = [panel([
        ft.Row([ft.Icon(ft.Icons.CLOUD_DONE if safe else tone.icon, size=44, color=tone.ink),
                ft.Text(status.sentence, size=theme.KEY, weight=ft.FontWeight.BOLD, color=tone.ink, expand=True)],
               spacing=14),
        fact(_("Last answer from the server"), status.last_contact),
        text(_("Safe to hand in this tablet: yes") if safe else _("Safe to hand in this tablet: not yet"), bold=True,
             id="hand-in"),
    ], ground=tone.ground, edge=tone.solid)]
    if view.empty:
        body.append(nothing_here(view.empty))
    body += [OutboxCardMemo(shell, row, key=f"out-{row.fact}") for row in view.rows[:shown]]
    if len(view.rows) > shown:
        body.append(action(_("Show older ones"), lambda e: show(lambda n: n + WINDOW), id="outbox-more",
                           kind="secondary", icon=ft.Icons.EXPAND_MORE))
    body.append(ft.Container(height=24))
    return frame(shell, _("Sent and waiting"), body, bottom=[
        action(_("Send now"), send, id="send-now", icon=ft.Icons.SYNC, expand=True,
               kind="secondary" if safe else "primary"),
    ])


@safe_component
def OutboxCard(shell: Any, row: OutboxRow) -> ft.Control:
    """One signed item with its files."""
    tone = theme.SENDING.get(row.state, theme.CALM)
    parts: list[ft.Control] = [
        text(row.title, bold=True, size=theme.BODY + 1),
        text(row.signed, soft=True, size=theme.SMALL),
        ft.Row([sending_sign(row.state, row.words, id=f"out-{row.state}")], wrap=True),
    ]
    if row.reason:
        parts.append(line(ft.Icons.HELP, row.reason, ink=tone.ink))
    if row.state == "sending":
        parts.append(ft.ProgressBar(value=row.percent / 100, bar_height=10, color=theme.WAIT.solid,
                                    semantics_label=_("{percent} percent sent").format(percent=row.percent)))
    for file in row.files:
        ink = theme.SENDING.get(file.state, theme.CALM)
        parts.append(ft.Row([
            ft.Icon(ink.icon, size=22, color=ink.ink),
            ft.Text(" · ".join(w for w in (file.kind, file.size, file.words) if w), size=theme.SMALL,
                    color=theme.INK, expand=True),
        ], spacing=8))
    if row.can_send_again:
        async def again(_e: ft.Event) -> None:
            await shell.attempt(lambda: shell.work.send_again(row.fact), once=f"again-{row.fact}")

        parts.append(ft.Row([action(_("Send it again"), again, id=f"again-{row.fact}", kind="secondary",
                                    icon=ft.Icons.REPLAY)]))
    return panel(parts, edge=tone.solid if row.state in ("parked", "safe") else theme.LINE_SOFT)


OutboxCardMemo = ft.memo(OutboxCard)

"""What was signed here and how far it has come: is all of it safe, per item and per photo, and what a person can do.

From top to bottom: the answer, what is needed now (photos that wait for Wi-Fi, the next try), the items with what needs
a look first, and last the way out when nothing else works.
"""

from __future__ import annotations

import asyncio
from typing import Any

import flet as ft

from field_app.ui import theme
from field_app.ui.components.answers import choices_grid
from field_app.ui.components.badges import sending_sign
from field_app.ui.components.buttons import action
from field_app.ui.components.files import file_button, use_file
from field_app.ui.components.frame import frame, safe_screen
from field_app.ui.components.layout import heading, line, nothing_here, panel, text
from field_app.ui.components.marks import marked
from field_app.ui.components.nagging import nag_card
from field_app.ui.guard import remembered, safe_component
from field_app.ui.words import _, counted
from field_app.work.views import Choice, FileRow, OutboxRow, OutboxView, PhotosPausedView, WayOutView

WINDOW = 25
FILES_SHOWN = 6
SAID_S = 6


@safe_screen
def OutboxScreen(shell: Any, beat: int) -> ft.Control:
    """Draws `OutboxView`, a window of it."""
    shown, show = ft.use_state(WINDOW)
    view: OutboxView = shell.work.outbox(shown)

    def send(_e: ft.Event) -> None:
        shell.work.send_now()
        _say(shell, _("Trying now"))

    body: list[ft.Control] = [_answer(view), *photos_on_the_network(shell, view.photos)]
    body += [nag_card(shell, one) for one in view.nags]
    if view.drafts:
        body.append(panel([heading(_("Begun and not signed"), 3),
                           *(line(ft.Icons.EDIT_NOTE, draft) for draft in view.drafts)], id="outbox-drafts"))
    if view.empty:
        body.append(nothing_here(view.empty))
    body += [OutboxCardMemo(shell, row, key=f"out-{row.fact}") for row in view.rows]
    if view.total > len(view.rows):
        body.append(action(_("Show {count} more").format(count=min(WINDOW, view.total - len(view.rows))),
                           lambda e: show(lambda n: n + WINDOW), id="outbox-more", kind="secondary",
                           icon=ft.Icons.EXPAND_MORE))
    body += [WayOut(shell, view.way_out, bool(view.drafts), key="way-out"), ft.Container(height=24)]
    return frame(shell, _("Sent and waiting"), body, bottom=[
        action(_("Send now"), send, id="send-now", icon=ft.Icons.SYNC, expand=True,
               kind="secondary" if view.status.level == "safe" else "primary"),
    ])


def _say(shell: Any, sentence: str) -> None:
    """Say it for a moment: what was true when it was tapped must not stand there for hours."""

    async def fade() -> None:
        await asyncio.sleep(SAID_S)
        if shell.said == sentence:
            shell.say("")

    shell.say(sentence)
    shell.start_task(fade())


def _answer(view: OutboxView) -> ft.Control:
    """Is everything safe, is the tablet safe to hand in, what is where, and when it goes on."""
    status = view.status
    tone = theme.SENDING.get(status.level, theme.CALM)
    hand_in = view.hand_in
    sign = theme.GOOD if hand_in.yes else theme.WARN
    parts: list[ft.Control] = [
        text(_("Is everything safe on the server?"), soft=True, size=theme.SMALL),
        ft.Row([ft.Icon(theme.LEVELS.get(status.level, tone.icon), size=40, color=tone.ink),
                ft.Text(view.answer, size=theme.KEY, weight=ft.FontWeight.BOLD, color=tone.ink, expand=True)],
               spacing=14),
        ft.Row([ft.Icon(sign.icon, size=28, color=sign.ink),
                ft.Container(text(_("Safe to hand in this tablet: yes") if hand_in.yes
                                  else _("Safe to hand in this tablet: not yet"), bold=True, id="hand-in"),
                             expand=True)], spacing=10),
        *(text(reason) for reason in hand_in.reasons),
    ]
    if view.counts:
        parts.append(ft.Row([sending_sign(state, words, id=f"count-{state}") for state, words in view.counts],
                            wrap=True, spacing=8, run_spacing=6))
    if view.left:
        parts.append(text(f"{view.left}, {view.estimate}" if view.estimate else view.left, bold=True, id="left"))
    parts += [
        line(ft.Icons.CLOUD_DONE if status.online else ft.Icons.CLOUD_OFF, view.connection),
        text(_("Last answer from the server: {moment}").format(moment=status.last_contact), soft=True,
             size=theme.SMALL),
    ]
    return panel(parts, ground=tone.ground, edge=tone.solid, id="outbox-answer")


def photos_on_the_network(shell: Any, photos: PhotosPausedView, *head: ft.Control) -> list[ft.Control]:
    """Photos on networks that cost money: the switch, what it means here, and "now, this once". `head` stands above."""

    async def choose(value: str) -> None:
        await shell.attempt(lambda: shell.work.set_photos_wifi_only(value == "wifi"), once="photos-wifi")

    def now(_e: ft.Event) -> None:
        shell.work.send_photos_now()
        _say(shell, _("Photos go now, this once"))

    waits = photos.paused and photos.count
    tone = theme.WARN if waits else theme.CALM
    width = min(shell.width - 20, theme.READABLE) - 2 * theme.EDGE
    choices = (Choice("wifi", _("Photos only on Wi-Fi")), Choice("any", _("Photos over any network")))
    parts: list[ft.Control] = [
        *head, choices_grid(choices, "wifi" if photos.wifi_only else "any", choose, id="photos", width=width),
        line(ft.Icons.PAUSE_CIRCLE if photos.paused else ft.Icons.WIFI, photos.words, ink=tone.ink),
    ]
    if waits:
        parts += [
            text(counted(photos.count, "Waiting for Wi-Fi: 1 photo, {size}",
                         "Waiting for Wi-Fi: {count} photos, {size}", size=photos.size), bold=True,
                 id="photos-waiting"),
            action(_("Send these photos now anyway"), now, id="photos-now", icon=ft.Icons.CLOUD_UPLOAD,
                   kind="secondary"),
        ]
    return [panel(parts, ground=tone.ground if waits else theme.PAPER, edge=tone.solid if waits else theme.LINE_SOFT)]


@safe_component
def WayOut(shell: Any, view: WayOutView, drafts: bool) -> ft.Control:
    """Everything signed into a file, and the office's answer back: for the day on which no network helps. `drafts`:
    something is begun and not signed: it is no record yet, and is kept under its person's PIN, out of an open file."""

    async def take(data: bytes) -> None:
        told = await shell.work.take_receipts(data)
        shell.say(_("Taken in: receipts for {records} and {files}").format(
            records=counted(told.facts, "1 record", "{count} records"),
            files=counted(told.files, "1 file", "{count} files")))

    use_file(shell, take, "receipts")

    async def save(everything: bool) -> None:
        async def act() -> None:
            made = await shell.work.export(everything)
            shell.say(_("Saved to {name}").format(name=made.name) if made else _("Nothing was saved"))
        await shell.attempt(act, once="export")

    async def save_some(_e: ft.Event) -> None:
        await save(False)

    async def save_all(_e: ft.Event) -> None:
        await save(True)

    busy = bool(view.making)
    parts: list[ft.Control] = [
        heading(_("When no network helps"), 3),
        text(_("Save it to a file and bring that to the office. The file is not encrypted: keep it as you keep the "
               "tablet.")),
    ]
    if drafts:
        parts.append(marked("export-drafts", content=line(
            ft.Icons.EDIT_NOTE, _("Only what is signed goes into it. What is begun and not signed stays on this "
                                  "tablet alone: sign it before you bring the file."), ink=theme.WARN.ink)))
    if view.words:
        parts.append(action(_("Save what is not safe: {what}").format(what=view.words), save_some, id="export",
                            icon=ft.Icons.SAVE_ALT, kind="secondary", disabled=busy))
    if view.all_words:
        parts.append(action(_("Save everything still here: {what}").format(what=view.all_words), save_all,
                            id="export-all", icon=ft.Icons.SAVE, kind="quiet", disabled=busy))
    if view.making:
        parts.append(text(view.making, bold=True, id="export-making"))
    if view.last:
        parts.append(line(ft.Icons.CHECK, view.last))
    parts += file_button(shell, _("Take in the office's receipts"), id="take-receipts")
    return panel(parts, id="way-out")


@safe_component
def OutboxCard(shell: Any, row: OutboxRow) -> ft.Control:
    """One signed item with its files."""
    whole, unfold = ft.use_state(False)
    tone = theme.SENDING.get(row.state, theme.CALM)
    parts: list[ft.Control] = [
        text(row.title, bold=True, size=theme.BODY + 1),
        text(row.signed, soft=True, size=theme.SMALL),
        ft.Row([sending_sign(row.state, row.words, id=f"out-{row.state}")], wrap=True),
    ]
    if row.reason:
        parts.append(line(ft.Icons.HELP, row.reason, ink=tone.ink))
    if row.state == "sending":
        parts.append(_bar(row.percent))
    open_first = sorted(row.files, key=lambda file: file.state == "safe")
    shown = open_first if whole else open_first[:FILES_SHOWN]
    parts += [_file(file) for file in shown]
    if len(open_first) > len(shown):
        more = counted(len(open_first) - len(shown), "Show 1 more file", "Show {count} more files")
        parts.append(action(more, lambda e: unfold(True), id=f"files-{row.fact}", kind="quiet",
                            icon=ft.Icons.EXPAND_MORE))
    if row.can_send_again:
        async def again(_e: ft.Event) -> None:
            await shell.attempt(lambda: shell.work.send_again(row.fact), once=f"again-{row.fact}")

        parts.append(ft.Row(wrap=True, controls=[action(_("Try again"), again, id=f"again-{row.fact}", kind="secondary",
                                    icon=ft.Icons.REPLAY)]))
        parts.append(text(_("If it stays set aside, ask the office and name this number: {number}").format(
            number=row.fact[:8]), soft=True, size=theme.SMALL))
    return panel(parts, edge=tone.solid if row.state in ("parked", "safe") else theme.LINE_SOFT)


def _bar(percent: int) -> ft.Control:
    return ft.ProgressBar(value=percent / 100, bar_height=10, color=theme.WAIT.solid,
                          semantics_label=_("{percent} percent sent").format(percent=percent))


def _file(file: FileRow) -> ft.Control:
    """Icon, what it is, where it is, what to do."""
    tone = theme.SENDING.get(file.state, theme.CALM)
    words = " · ".join(w for w in (file.kind, file.size, file.words) if w)
    said: list[ft.Control] = [ft.Text(words, size=theme.SMALL, color=theme.INK)]
    if file.advice:
        said.append(ft.Text(file.advice, size=theme.SMALL, color=theme.INK_SOFT))
    if file.state == "sending" and file.percent:
        said.append(_bar(file.percent))
    return ft.Row([ft.Icon(tone.icon, size=22, color=tone.ink),
                   ft.Column(said, spacing=3, expand=True, tight=True)], spacing=8,
                  vertical_alignment=ft.CrossAxisAlignment.START)


OutboxCardMemo = remembered(OutboxCard)

"""What a section of an inspection offers beside its questions: all in order, counting inlets, places added or gone."""

from __future__ import annotations

from typing import Any

import flet as ft

from field_app.ui import theme
from field_app.ui.components.answers import choices_grid
from field_app.ui.components.buttons import action
from field_app.ui.components.dialogs import confirm, use_asking
from field_app.ui.components.fields import TextLine, use_entry
from field_app.ui.components.layout import heading, line, panel, text
from field_app.ui.guard import safe_component
from field_app.ui.words import _, counted
from field_app.work.views import Choice, SectionView


@safe_component
def InOrder(shell: Any, draft: str, section: str, title: str, count: int, left: int) -> ft.Control:
    """Answer everything of a section that can only be in order in one way, after a question."""
    asking, ask = use_asking(shell, "in-order")

    async def take(_e: ft.Event) -> None:
        ask(False)
        await shell.attempt(lambda: shell.work.answer_in_order(draft, section), once="in-order")

    said = counted(count, "1 question without an answer is answered as in order.",
                   "{count} questions without an answer are answered as in order.")
    if left:
        said += " " + counted(left, "1 stays open: it must be measured, counted or chosen.",
                              "{count} stay open: they must be measured, counted or chosen.")
    ft.use_dialog(confirm(_("{section}: all in order?").format(section=title), said, _("Yes, I saw it: in order"), take,
                          lambda e: ask(False)) if asking else None)
    return ft.Row([action(_("All in order ({count})").format(count=count), lambda e: ask(True), id="in-order",
                          kind="secondary", icon=ft.Icons.DONE_ALL, expand=True)])


def counting(shell: Any, draft: str, section: SectionView) -> ft.Control:
    """The inlets against the list, and the tap that takes these numbers as the answer."""

    async def take(_e: ft.Event) -> None:
        await shell.attempt(lambda: shell.work.count_inlets(draft))

    return panel([
        line(ft.Icons.FORMAT_LIST_NUMBERED, section.counted),
        ft.Row([action(_("Take these numbers"), take, id="count-inlets", kind="secondary", icon=ft.Icons.CHECK,
                       expand=True)]),
    ], id="inlets-counted")


@safe_component
def AddPlace(shell: Any, draft: str, adds: str, device_kinds: tuple[Choice, ...], width: float) -> ft.Control:
    """An inlet or control device (`adds`: inlet | device) that is not on the list."""
    label, keep_label = use_entry(shell, f"{adds}-label")
    place, keep_place = use_entry(shell, f"{adds}-place")
    device, keep_device = use_entry(shell, f"{adds}-kind")
    opened, set_opened = ft.use_state(bool(label or place or device))
    inlet = adds == "inlet"

    async def add(_e: ft.Event) -> None:
        done = await shell.attempt(
            lambda: shell.work.add_place(draft, adds, label, place, device), once="add-place")
        if done is not None:
            for keep in (keep_label, keep_place, keep_device):
                await keep("")
            set_opened(False)

    words = _("Add an inlet that is not listed") if inlet else _("Add a control device that is not listed")
    if not opened:
        return ft.Row([action(words, lambda e: set_opened(True), id="add-place-open", kind="quiet",
                              icon=ft.Icons.ADD_LOCATION_ALT, expand=True)])
    parts: list[ft.Control] = [heading(words)]
    if not inlet:
        parts.append(choices_grid(device_kinds, device, keep_device, id="place-kind",
                                  width=width - 2 * theme.EDGE))
    parts += [
        TextLine(label, keep_label, _("Name, as on the plan or your own"), "place-label"),
        TextLine(place, keep_place, _("Where it is"), "place-where"),
        text(_("It becomes part of the site's list when this inspection is signed and has reached the office."),
             soft=True),
        ft.Row([action(_("Add it"), add, id="place-add", icon=ft.Icons.ADD, expand=True,
                       disabled=not label.strip() or (not inlet and not device)),
                action(_("Leave it"), lambda e: set_opened(False), id="place-leave", kind="quiet", expand=True)],
               spacing=10),
    ]
    return panel(parts, id="add-place")


@safe_component
def RetirePlace(shell: Any, draft: str, title: str, at: tuple[str, str], added: bool) -> ft.Control:
    """This inlet or device is no longer there; one just added is simply taken back."""
    kind, ident = at
    asking, ask = use_asking(shell, f"retire-{ident}")
    why, keep_why = use_entry(shell, f"retire-{ident}")

    async def take(_e: ft.Event) -> None:
        ask(False)
        await shell.attempt(lambda: shell.work.retire_place(draft, kind, ident, why), once="retire")

    if added:
        ft.use_dialog(None)
        return ft.Row(wrap=True, controls=[
            action(_("Take it back: it was added here"), take, id=f"retire-{ident}", kind="quiet",
                              icon=ft.Icons.REMOVE_CIRCLE_OUTLINE)])
    ft.use_dialog(confirm(
        _("{what} is no longer there?").format(what=title),
        _("Its questions are left out. What you answered stays as long as you can take this back."),
        _("Yes, it is gone"), take, lambda e: ask(False),
        more=ft.Row([ft.Container(TextLine(why, keep_why, _("What became of it"), "retire-why"), expand=True)]),
    ) if asking else None)
    return ft.Row(wrap=True, controls=[
        action(_("No longer there"), lambda e: ask(True), id=f"retire-{ident}", kind="quiet",
                          icon=ft.Icons.WRONG_LOCATION)])


def gone_places(shell: Any, draft: str, section: SectionView) -> list[ft.Control]:
    """What this inspection says is gone, each with the way back."""

    def back(kind: str, ident: str) -> Any:
        async def kept(_e: ft.Event) -> None:
            await shell.attempt(lambda: shell.work.keep_place(draft, kind, ident))
        return kept

    return [
        panel([
            line(ft.Icons.WRONG_LOCATION, _("No longer there: {label}").format(label=gone.label), ink=theme.WARN.ink),
            *([text(gone.why, soft=True)] if gone.why else []),
            ft.Row(wrap=True, controls=[
                action(_("It is there after all"), back(gone.kind, gone.id), id=f"keep-{gone.id}", kind="quiet",
                           icon=ft.Icons.UNDO)]),
        ], id=f"gone-{gone.id}")
        for gone in section.gone
    ]


def drop_checklist(shell: Any, draft: str, section: SectionView) -> ft.Control:
    """Leave a checklist out that was added and in which nothing is answered."""

    async def drop(_e: ft.Event) -> None:
        await shell.attempt(lambda: shell.work.drop_topic(draft, section.id))

    return ft.Row(wrap=True, controls=[
        action(_("Leave this checklist out"), drop, id=f"drop-{section.id}", kind="quiet",
                          icon=ft.Icons.PLAYLIST_REMOVE)])

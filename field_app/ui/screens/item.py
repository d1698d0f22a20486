"""One item of a checklist: the question, its answer, and when it fails all that a finding needs."""

from __future__ import annotations

from typing import Any

import flet as ft

from field_app.ui import theme
from field_app.ui.components.answers import choices_grid, part_control, special_control, yes_no_row
from field_app.ui.components.badges import due_chip, pill, severity_badge, state_sign
from field_app.ui.components.buttons import action
from field_app.ui.components.fields import DueField, TextLine, use_entry
from field_app.ui.components.layout import line, text
from field_app.ui.components.marks import marked
from field_app.ui.components.photos import photo_strip
from field_app.ui.components.voice import VoiceNotes
from field_app.ui.guard import remembered, safe_component
from field_app.ui.theme import Tone
from field_app.ui.words import _
from field_app.work.views import ItemView

RANK = {"observation": 0, "minor": 1, "major": 2, "critical": 3}


@safe_component
def ItemCard(shell: Any, draft: str, section: str, item: ItemView, width: float) -> ft.Control:
    """Draws `ItemView`. A passing item is short; note and photo open on demand, a failing one opens by itself."""
    opened, set_opened = ft.use_state(False)
    tone = theme.ITEM_STATES.get(item.state, theme.CALM)
    inner = width - 2 * theme.EDGE
    head: list[ft.Control] = [
        ft.Row([text(item.item, soft=True, size=theme.SMALL, bold=True),
                *([state_sign(item.state, item.state_words)] if item.state != "empty" else [])],
               alignment=ft.MainAxisAlignment.SPACE_BETWEEN, wrap=True, spacing=8, run_spacing=4),
        ft.Semantics(header=True, heading_level=3, content=ft.Text(
            item.question, size=theme.BODY + 2, weight=ft.FontWeight.W_600, color=theme.INK)),
    ]
    if item.help:
        head.append(text(item.help, soft=True, size=theme.SMALL))
    if item.earlier:
        head.append(line(ft.Icons.HISTORY, item.earlier, ink=theme.WAIT.ink, size=theme.SMALL))
    if item.with_last_time:
        head.append(line(ft.Icons.SUBDIRECTORY_ARROW_RIGHT, item.with_last_time, ink=theme.WAIT.ink,
                         size=theme.SMALL))
    if len(item.parts) == 1 and item.parts[0].kind == "YN":
        head.append(yes_no_row(shell, draft, item, inner))
    else:
        head += [part_control(shell, draft, item, part, inner) for part in item.parts]
        if item.special:
            head.append(ft.Container(height=0, border=ft.Border.only(top=ft.BorderSide(1, theme.LINE_SOFT))))
            head.append(special_control(shell, draft, item, inner))
    failing = item.state == "fail"
    if failing or opened or item.note or item.photos or item.voice_notes:
        head += evidence(shell, draft, section, item, failing)
    elif item.state == "incomplete":
        head += [line(theme.WARN.icon, sentence, ink=theme.WARN.ink) for sentence in item.missing]
    elif item.state != "empty":
        head.append(ft.Row(wrap=True, controls=[
            action(_("Add a note or photo"), lambda e: set_opened(True), id=f"open-{item.key}",
                                   kind="quiet", icon=ft.Icons.ADD_COMMENT)]))
    return marked(
        f"item-{item.key}", container=True,
        content=ft.Container(
            padding=ft.Padding.only(left=theme.EDGE, right=theme.EDGE, top=12, bottom=14),
            bgcolor=theme.PAPER, border_radius=theme.RADIUS,
            border=ft.Border(
                left=ft.BorderSide(8, tone.solid if item.state != "empty" else theme.LINE_SOFT),
                top=ft.BorderSide(1.5, theme.LINE_SOFT), right=ft.BorderSide(1.5, theme.LINE_SOFT),
                bottom=ft.BorderSide(1.5, theme.LINE_SOFT),
            ),
            content=ft.Column(head, spacing=10, tight=True, horizontal_alignment=ft.CrossAxisAlignment.STRETCH),
        ),
    )


ItemCardMemo = remembered(ItemCard)


def evidence(shell: Any, draft: str, section: str, item: ItemView, failing: bool) -> list[ft.Control]:
    """Note and photos; for a failing item also severity, correction, due date, and what is still wanted."""
    work = shell.work
    parts: list[ft.Control] = []
    if item.missing:
        parts.append(ft.Container(
            bgcolor=theme.WARN.ground, border=ft.Border.all(1.5, theme.WARN.solid), border_radius=theme.RADIUS,
            padding=10,
            content=ft.Column([line(theme.WARN.icon, sentence, ink=theme.WARN.ink) for sentence in item.missing],
                              spacing=4, tight=True),
        ))
    if failing:
        parts.append(SeverityPart(shell, draft, item, key=f"severity-{item.key}"))

    async def save_note(value: str) -> None:
        await shell.attempt(lambda: work.note(draft, item.key, value))

    async def remove(sha256: str) -> None:
        await shell.attempt(lambda: work.remove_photo(draft, item.key, sha256))

    async def photograph(_e: ft.Event) -> None:
        await shell.attempt(lambda: work.go_to(draft, section, item.key))  # come back to this item
        shell.go("camera", draft=draft, item=item.key)

    parts.append(TextLine(item.note, save_note, _("What you see"), f"note-{item.key}", lines=2,
                          key=f"note-{item.key}"))
    parts.append(VoiceNotes(shell, draft, item.key, item.voice_notes, key=f"voice-{item.key}"))
    if item.photos:
        parts.append(photo_strip(shell, item.photos, id=f"photos-{item.key}",
                                 on_remove=lambda sha: shell.start_task(remove(sha)),
                                 on_mark=lambda sha: shell.aside("marks", draft=draft, photo=sha)))
    parts.append(action(_("Take a photo") if not item.photos else _("Take another photo"),
                        photograph, id=f"photo-{item.key}", icon=ft.Icons.PHOTO_CAMERA, kind="secondary"))
    if failing:
        if not item.photos or item.no_photo:
            parts.append(NoPhoto(shell, draft, item, key=f"no-photo-{item.key}"))
        parts += correction(shell, draft, item)
    return parts


@safe_component
def NoPhoto(shell: Any, draft: str, item: ItemView) -> ft.Control:
    """Why there is no photo, for the rare case; the reason is part of what is signed."""
    opened, set_opened = ft.use_state(bool(item.no_photo))

    async def save(value: str) -> None:
        await shell.attempt(lambda: shell.work.set_no_photo(draft, item.key, value))

    if not opened:
        return ft.Row(wrap=True, controls=[
            action(_("No photo possible?"), lambda e: set_opened(True), id=f"no-photo-open-{item.key}",
                              kind="quiet", icon=ft.Icons.NO_PHOTOGRAPHY)])
    return TextLine(item.no_photo, save, _("Why no photo could be taken"), f"no-photo-{item.key}")


def correction(shell: Any, draft: str, item: ItemView) -> list[ft.Control]:
    """What must be done, by when, or that it was done before leaving."""
    work = shell.work

    async def save_text(value: str) -> None:
        await shell.attempt(lambda: work.set_correction(draft, item.key, value))

    async def save_due(on: str, at: str) -> None:
        await shell.attempt(lambda: work.set_due(draft, item.key, on, at))

    async def corrected(_e: ft.Event) -> None:
        await shell.attempt(lambda: work.set_corrected(draft, item.key, not item.corrected))

    parts: list[ft.Control] = [
        TextLine(item.correction, save_text, _("What must be done"), f"correction-{item.key}", lines=2,
                 key=f"correction-{item.key}"),
    ]
    if not item.corrected:
        parts.append(ft.Row([text(_("To be done by"), bold=True),
                             *([due_chip(item.due_words)] if item.due_words else [])], wrap=True, spacing=10))
        parts.append(DueField(shell, item.due_on, item.due_at, save_due, f"due-{item.key}", problem=item.due_problem,
                              at_once=item.due_at_once, first=work.day, key=f"due-{item.key}"))
    parts.append(action(
        _("Corrected before I left: yes") if item.corrected else _("Corrected before I left?"), corrected,
        id=f"corrected-{item.key}", kind="good" if item.corrected else "quiet",
        icon=ft.Icons.CHECK_BOX if item.corrected else ft.Icons.CHECK_BOX_OUTLINE_BLANK,
    ))
    return parts


@safe_component
def SeverityPart(shell: Any, draft: str, item: ItemView) -> ft.Control:
    """How severe it is and why the rules say so; another severity may be chosen, a lower one with a reason."""
    wanted, set_wanted = use_entry(shell, f"severity-{item.key}")
    reason, keep_reason = use_entry(shell, f"severity-reason-{item.key}", item.severity_reason)
    changing, set_changing = ft.use_state(bool(wanted))

    async def choose(value: str) -> None:
        await set_wanted(value)
        if RANK.get(value, 0) >= RANK.get(item.computed, 0):
            done = await shell.attempt(lambda: shell.work.set_severity(draft, item.key, value))
            if done is not None:
                set_changing(False)

    async def lower_it(_e: ft.Event) -> None:
        done = await shell.attempt(lambda: shell.work.set_severity(draft, item.key, wanted, reason))
        if done is not None:
            set_changing(False)

    parts: list[ft.Control] = [
        ft.Row([severity_badge(item.severity, item.severity_words),
                *([pill(Tone(theme.INK, theme.GROUND, theme.LINE, ft.Icons.EDIT), _("changed by you"))]
                  if item.severity != item.computed else [])], wrap=True, spacing=8, run_spacing=6),
        text(item.severity_why),
        text(_("Clause {cite}").format(cite=item.clause), soft=True, size=theme.SMALL),
    ]
    if item.severity_reason and not changing:
        parts.append(text(_("Your reason: {reason}").format(reason=item.severity_reason), soft=True))
    if not changing:
        parts.append(ft.Row(wrap=True, controls=[action(_("Change severity"), lambda e: set_changing(True),
                                    id=f"severity-change-{item.key}", kind="quiet", icon=ft.Icons.TUNE)]))
    else:
        parts.append(choices_grid(item.severities, wanted or item.severity, choose, id=f"severity-{item.key}",
                                  width=520))
        if wanted and wanted != item.severity:
            parts.append(TextLine(reason, keep_reason, _("Why it is less severe than the rules say"),
                                  f"severity-reason-{item.key}", lines=2))
            parts.append(action(_("Take this severity"), lower_it, id=f"severity-take-{item.key}",
                                disabled=not reason.strip()))
        parts.append(ft.Row(wrap=True, controls=[action(_("Leave it"), lambda e: set_changing(False),
                                    id=f"severity-leave-{item.key}", kind="quiet")]))
    return ft.Column(parts, spacing=8, tight=True, horizontal_alignment=ft.CrossAxisAlignment.STRETCH)

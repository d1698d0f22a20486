"""The open findings of last time: what they looked like, how old they are, and what became of them in one tap."""

from __future__ import annotations

from typing import Any

import flet as ft

from field_app.ui import theme
from field_app.ui.components.answers import choices_grid
from field_app.ui.components.badges import due_chip, pill, severity_badge
from field_app.ui.components.buttons import action
from field_app.ui.components.fields import TextLine
from field_app.ui.components.layout import heading, line, text
from field_app.ui.components.marks import marked
from field_app.ui.components.photos import photo_strip
from field_app.ui.guard import remembered, safe_component
from field_app.ui.theme import Tone
from field_app.ui.words import _
from field_app.work.views import InspectionView
from field_app.work.views.inspection import LastTimeView

WINDOW = 10  # so many are drawn; "show more" widens it


def became_tone(state: str) -> Tone | None:
    """What became of a finding."""
    return {
        "fixed": theme.GOOD, "still_open": theme.ITEM_STATES["fail"], "worse": theme.SEVERITIES["critical"],
        "not_observed": theme.ITEM_STATES["not_observed"],
    }.get(state)


def last_time_body(shell: Any, view: InspectionView, width: float, going: Any) -> list[ft.Control]:
    """The gravest first, a window of them; with `going.jump` to the question that a finding is about."""
    kept = ("last", view.id)
    at = next((n for n, one in enumerate(view.last_time) if one.id == view.at_key), 0)
    shown = max(shell.memory.get(kept, WINDOW), at + 1)
    left = len(view.last_time) - shown

    def more(_e: ft.Event) -> None:
        shell.memory[kept] = shown + WINDOW
        shell.redraw()

    return [
        ft.Column(
            [heading(_("Open from last time"), id="card-last"),
             text(_("Say of each what became of it. A photo shows it best, also of what is fixed."), soft=True)],
            spacing=0, tight=True),
        *[ft.Container(key=ft.ScrollKey(f"item-{one.id}"),
                       content=LastTimeMemo(shell, view.id, one, width, going, key=f"last-{one.id}"))
          for one in view.last_time[:shown]],
        *([action(_("Show {count} more").format(count=min(WINDOW, left)), more, id="last-more", kind="secondary",
                  icon=ft.Icons.EXPAND_MORE)] if left > 0 else []),
        ft.Container(height=24),
    ]


@safe_component
def LastTimeCard(shell: Any, draft: str, one: LastTimeView, width: float, going: Any) -> ft.Control:
    """Draws `LastTimeView`."""
    inner = width - 2 * theme.EDGE
    tone = became_tone(one.effective)

    async def choose(value: str) -> None:
        wanted = "" if one.state == value else value
        await shell.attempt(lambda: shell.work.follow_up(draft, one.id, wanted))

    async def to_question(_e: ft.Event) -> None:
        await going.jump(one)

    signs: list[ft.Control] = [
        severity_badge(one.severity, one.severity_words),
        pill(Tone(theme.INK, theme.GROUND, theme.LINE, ft.Icons.HISTORY), one.age),
        *([due_chip(one.due, one.overdue)] if one.due else []),
    ]
    words: list[ft.Control] = [ft.Semantics(header=True, heading_level=3, content=ft.Text(
        one.title, size=theme.BODY + 1, weight=ft.FontWeight.W_600, color=theme.INK))]
    words += [line(icon, said) for icon, said in (
        (ft.Icons.PLACE, one.where), (ft.Icons.NOTES, one.noted), (ft.Icons.BUILD, one.must)) if said]
    photo = LastPhoto(shell, one, 96 if shell.tiny else 168, key=f"last-photo-{one.id}")
    if shell.tiny:  # beside the picture there is room for the signs alone
        head: list[ft.Control] = [
            ft.Row([photo, ft.Column(signs, spacing=6, expand=True, tight=True)], spacing=12,
                   vertical_alignment=ft.CrossAxisAlignment.START), *words]
    else:
        head = [ft.Row(
            [photo, ft.Column([ft.Row(signs, wrap=True, spacing=8, run_spacing=6), *words], spacing=6, expand=True,
                              tight=True)],
            spacing=14, vertical_alignment=ft.CrossAxisAlignment.START)]
    parts: list[ft.Control] = [
        *head,
        choices_grid(one.states, one.state, choose, id=f"follow-{one.id}", width=inner, tone=became_tone(one.state)),
    ]
    if one.effective_words:
        parts.append(line(ft.Icons.AUTO_AWESOME, one.effective_words, ink=theme.WAIT.ink))
    parts += [line(theme.WARN.icon, sentence, ink=theme.WARN.ink) for sentence in one.missing if one.state]
    if one.state in ("fixed", "still_open", "worse") or one.note or one.photos:
        parts += evidence(shell, draft, one)
    if one.key:
        asked = one.state in ("still_open", "worse")
        parts.append(ft.Row(wrap=True, controls=[action(_("To its question"), to_question, id=f"last-question-{one.id}",
                                    kind="secondary" if asked else "quiet", icon=ft.Icons.ARROW_FORWARD)]))
    return marked(
        f"last-{one.id}", container=True,
        content=ft.Container(
            padding=ft.Padding.only(left=theme.EDGE, right=theme.EDGE, top=12, bottom=14), bgcolor=theme.PAPER,
            border_radius=theme.RADIUS,
            border=ft.Border(
                left=ft.BorderSide(8, tone.solid if tone else theme.LINE_SOFT),
                top=ft.BorderSide(1.5, theme.LINE_SOFT), right=ft.BorderSide(1.5, theme.LINE_SOFT),
                bottom=ft.BorderSide(1.5, theme.LINE_SOFT)),
            content=ft.Column(parts, spacing=10, tight=True, horizontal_alignment=ft.CrossAxisAlignment.STRETCH)))


LastTimeMemo = remembered(LastTimeCard)


def evidence(shell: Any, draft: str, one: LastTimeView) -> list[ft.Control]:
    """Note and photos of what is seen today."""
    work = shell.work

    async def save_note(value: str) -> None:
        await shell.attempt(lambda: work.follow_up_note(draft, one.id, value))

    async def remove(sha256: str) -> None:
        await shell.attempt(lambda: work.remove_photo(draft, one.photo_key, sha256))

    async def photograph(_e: ft.Event) -> None:
        await shell.attempt(lambda: work.go_to(draft, "last", one.id))  # come back to this finding
        shell.go("camera", draft=draft, item=one.photo_key)

    parts: list[ft.Control] = [
        TextLine(one.note, save_note, _("What you see today"), f"last-note-{one.id}", lines=2,
                 key=f"last-note-{one.id}")]
    if one.photos:
        parts.append(photo_strip(shell, one.photos, id=f"last-photos-{one.id}",
                                 on_remove=lambda sha: shell.start_task(remove(sha)),
                                 on_mark=lambda sha: shell.aside("marks", draft=draft, photo=sha)))
    first = _("Take a photo of what is fixed") if one.state == "fixed" else _("Take a photo")
    parts.append(action(first if not one.photos else _("Take another photo"), photograph,
                        id=f"last-take-{one.id}", icon=ft.Icons.PHOTO_CAMERA, kind="secondary"))
    return parts


@safe_component
def LastPhoto(shell: Any, one: LastTimeView, side: int) -> ft.Control:
    """The picture of last time: the photo where it is on this tablet, else its small copy, else a sign."""
    data, set_data = ft.use_state(lambda: next((shell.pictures[s] for s in one.pictures if s in shell.pictures), None))
    gone, set_gone = ft.use_state(not one.pictures)

    async def load() -> None:
        for sha in one.pictures:
            picture = await shell.picture(sha)
            if picture is not None:
                set_data(picture)
                return
        set_gone(True)

    ft.use_effect(load, dependencies=[one.pictures], cleanup=lambda: None)
    if data is not None:
        inside: ft.Control = ft.Image(src=data, width=side, height=side, fit=ft.BoxFit.COVER, gapless_playback=True,
                                      semantics_label=_("Photo of last time"), cache_width=side * 2)
    else:
        words = (_("no photo") if not one.pictures else _("photo not on this tablet")) if gone else ""
        inside = ft.Column(
            [ft.Icon(ft.Icons.IMAGE_NOT_SUPPORTED if gone else ft.Icons.IMAGE, size=36, color=theme.INK_SOFT),
             *([ft.Text(words, size=theme.px(14), color=theme.INK_SOFT,
                        text_align=ft.TextAlign.CENTER)] if words else [])],
            alignment=ft.MainAxisAlignment.CENTER, horizontal_alignment=ft.CrossAxisAlignment.CENTER)
    return ft.Container(width=side, height=side, bgcolor=theme.GROUND, border_radius=8, content=inside,
                        clip_behavior=ft.ClipBehavior.HARD_EDGE, border=ft.Border.all(1, theme.LINE))

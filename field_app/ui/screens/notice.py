"""The correction notice on the tablet: large enough to be read by two people, with a copy to take away."""

from __future__ import annotations

from typing import Any

import flet as ft

from field_app.ui import theme
from field_app.ui.components.badges import due_chip, severity_badge
from field_app.ui.components.files import paper_button, paper_words
from field_app.ui.components.frame import frame, safe_screen
from field_app.ui.components.layout import heading, line, panel, text
from field_app.ui.components.marks import marked
from field_app.ui.words import _
from field_app.work.views.inspection import NoticeLineView, NoticeView


@safe_screen
def NoticeScreen(shell: Any, beat: int, fact: str) -> ft.Control:
    """Draws `NoticeView`."""
    view: NoticeView = shell.work.notice(fact)
    shell.behind("signed", fact=fact)

    def paper(words: str, language: str) -> ft.Control:
        return paper_button(shell, lambda: shell.work.save_notice(fact, language), id=f"notice-{language}", words=words)

    body: list[ft.Control] = [
        panel([heading(view.heading, 1, id="notice"), text(view.address, bold=True), text(view.told, soft=True)],
              ground=theme.WARN.ground, edge=theme.WARN.solid),
        *[one_line(entry) for entry in view.lines],
        panel([
            heading(_("A copy for the person in charge")),
            ft.Row([paper(_("Paper in English"), "en"), paper(_("Paper in Spanish"), "es")], spacing=10),
            text(paper_words(shell), soft=True, size=theme.SMALL, id="notice-how"),
            *([ft.Row([code(view.code, 220 if shell.tiny else 280)], alignment=ft.MainAxisAlignment.CENTER),
               text(view.link_words, soft=True, id="notice-link")] if view.link else []),
        ], id="notice-copy"),
        ft.Container(height=24),
    ]
    return frame(shell, _("Correction notice"), body, subtitle=view.site_name)


def one_line(entry: NoticeLineView) -> ft.Control:
    """One correction: what, where, by when; the date is what the eye must find first."""
    return panel([
        ft.Row([ft.Text(entry.number, size=theme.TITLE, weight=ft.FontWeight.BOLD, color=theme.INK),
                severity_badge(entry.severity, entry.severity_words), due_chip(entry.due)],
               wrap=True, spacing=10, run_spacing=6),
        text(entry.what, bold=True, size=theme.KEY - 2),
        *([line(ft.Icons.PLACE, entry.where)] if entry.where else []),
        line(ft.Icons.NOTES, entry.found),
    ], id=f"notice-line-{entry.number}")


def code(picture: bytes, side: int) -> ft.Control:
    """The link as a QR code, sharp at any size."""
    return marked("notice-code", image=True, label=_("Code that leads to the notice"), content=ft.Container(
        ft.Image(src=picture, width=side, height=side, filter_quality=ft.FilterQuality.NONE), bgcolor=theme.SHEET,
        border=ft.Border.all(1, theme.LINE)))

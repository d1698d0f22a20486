"""The frame around every screen: title and way back, the status bar, the body that scrolls, the buttons below.

The status bar is on every screen and answers one question: is everything safe on the server?
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import flet as ft

from field_app.ui import theme
from field_app.ui.components.badges import pill
from field_app.ui.components.banner import problem_banner, problem_over
from field_app.ui.components.buttons import action, icon_action, side_by_side, strut
from field_app.ui.components.layout import LEFT, side_margin
from field_app.ui.components.marks import marked
from field_app.ui.components.warnings import warning_bars
from field_app.ui.guard import failure_panel, remembered, safe_component
from field_app.ui.shell import LOOK
from field_app.ui.theme import Tone
from field_app.ui.words import _
from field_app.work.views import StatusView
from sync.records.problems import Problem

BAR_TITLE, BAR_WORDS = 24, 20
"""On a phone the letters of the bars above the body are at most so large: what is worked on needs the room."""


def safe_screen(draw: Callable[..., Any]) -> Callable[..., Any]:
    """Like `safe_component`, for a whole screen: when it fails the frame with its way back still stands.

    A refusal of the work (a draft that was signed meanwhile, a site that is no longer ours) is said as such.
    """

    def fallback(failure: Exception, shell: Any, *_args: Any, **_kwargs: Any) -> ft.Control:
        if isinstance(failure, Problem) and shell.work is not None:
            return frame(shell, _("This is not here"), [
                problem_banner(shell.work.problem_view(failure), None),
                action(_("Go to the sites"), lambda e: shell.go("sites"), id="to-sites", icon=ft.Icons.LIST),
            ])
        return frame(shell, _("Something is wrong here"), [failure_panel(draw.__name__, failure)])

    return safe_component(draw, fallback)


def frame(
    shell: Any,
    title: str,
    body: Sequence[ft.Control],
    *,
    subtitle: str = "",
    bottom: Sequence[ft.Control] = (),
    left: ft.Control | None = None,
    top: ft.Control | None = None,
    home: bool = False,
    scroll_ref: ft.Ref[ft.Column] | None = None,
    full: bool = False,
    part: str = "",
) -> ft.Control:
    """One screen.

    `left` stands beside the body on a wide screen; `top` stays above it while it scrolls; `bottom` are the
    buttons that stay in reach of the thumb; `home` shows no way back; `full` gives the body no reading margin.
    `part` names what the body shows: another part starts at its top, the same one keeps its place.
    """
    column = ft.Column(
        list(body), scroll=ft.ScrollMode.AUTO, expand=True, spacing=theme.GAP,
        horizontal_alignment=ft.CrossAxisAlignment.STRETCH, ref=scroll_ref,
        key=f"body-{shell.phase}-{shell.place}-{part}",
    )
    edge = 10 if shell.tiny else theme.EDGE
    side = edge if full or left is not None else side_margin(shell)
    # Every part has its key: what comes or goes above the body at another size must not draw the body anew.
    middle: ft.Control = ft.Container(
        content=column, expand=True, padding=ft.Padding.only(left=side, right=side, top=edge, bottom=0),
        key="frame-body",
    )
    if left is not None:
        # The same row at every size: what was typed or opened in the body must outlive a turn of the tablet.
        beside = ft.Container(left, width=LEFT, padding=ft.Padding.only(left=edge, top=edge)) if not shell.narrow else (
            ft.Container(width=0))
        middle = ft.Row([beside, middle], expand=True, spacing=0, key="frame-middle",
                        vertical_alignment=ft.CrossAxisAlignment.STRETCH)
    parts: list[ft.Control] = [ft.Container(_title_bar(shell, title, subtitle, home), key="frame-title"),
                               ft.Container(status_bar(shell), key="frame-status"), *warning_bars(shell)]
    if top is not None:
        parts.append(ft.Container(top, key="frame-top"))
    if shell.problem is not None:
        parts.append(ft.Container(problem_over(shell, shell.width - 2 * side), key="frame-problem",
                                  padding=ft.Padding.only(left=side, right=side, top=edge)))
    parts.append(middle)
    if bottom and not shell.typing:  # under the keyboard every line counts
        stacked = shell.tiny and (len(bottom) > 2 or (len(bottom) == 2 and theme.BODY > 22))
        parts.append(
            ft.Container(
                bgcolor=theme.PAPER, border=ft.Border.only(top=ft.BorderSide(1.5, theme.LINE_SOFT)),
                padding=ft.Padding.symmetric(horizontal=side, vertical=10), key="frame-bottom",
                content=ft.Column([ft.Row([one]) for one in bottom], spacing=8, tight=True)
                if stacked else side_by_side(bottom, shell.width - 2 * side, theme.GAP),
            )
        )
    return ft.Column(parts, spacing=0, expand=True, horizontal_alignment=ft.CrossAxisAlignment.STRETCH)


def _title_bar(shell: Any, title: str, subtitle: str, home: bool) -> ft.Control:
    working = shell.phase == "work"
    sun = shell.work.look().look == "sun" if working and (home or not shell.tiny) else None
    return TitleBar(
        shell, title, subtitle, home, not home or bool(shell.memory.get(LOOK)),
        shell.phase in ("locked", "enrol", "sign_in", "pin", "withdrawn") and not shell.memory.get(LOOK), sun,
        working and shell.place.name not in ("settings", "people"), shell.tiny, key="title-bar")


@remembered
@safe_component
def TitleBar(shell: Any, title: str, subtitle: str, indented: bool, back: bool, look: bool, sun: bool | None,
             working: bool, tiny: bool) -> ft.Control:
    """Title, the way back, and what is reached from every screen. `sun`: whether that look is worn, None for no tap."""
    words: list[ft.Control] = [
        ft.Semantics(
            header=True, heading_level=1, identifier="screen-title",
            content=ft.Text(title, size=min(theme.KEY - 2, BAR_TITLE) if tiny else theme.KEY, weight=ft.FontWeight.BOLD,
                            color=theme.ON_BAR, max_lines=3 if tiny else 2, overflow=ft.TextOverflow.ELLIPSIS),
        )
    ]
    if subtitle:
        # On a phone with large letters the number of an order takes two lines, and is needed whole.
        words.append(ft.Text(subtitle, size=min(theme.SMALL, BAR_WORDS) if tiny else theme.SMALL, color=theme.ON_BAR,
                             max_lines=2 if tiny else 1, overflow=ft.TextOverflow.ELLIPSIS))
    row: list[ft.Control] = []
    if back:
        row.append(icon_action(ft.Icons.ARROW_BACK, _("Back"), lambda e: shell.back(), id="back", ink=theme.ON_BAR))
    # Two lines and the one below them make the bar higher, never cut.
    name = ft.Row([strut(padding=-1), ft.Column(words, spacing=0, tight=True, expand=True)], spacing=0)
    row.append(ft.Container(name, expand=True, padding=ft.Padding.only(left=theme.EDGE if indented else 0)))
    if look:
        row.append(icon_action(ft.Icons.SETTINGS, _("Language and look"), lambda e: _open_look(shell), id="open-look",
                               ink=theme.ON_BAR))
    if sun is not None:
        row.append(icon_action(ft.Icons.WB_SUNNY if not sun else ft.Icons.BRIGHTNESS_MEDIUM,
                               _("Colors for the sun") if not sun else _("Colors as before"),
                               _sun_tap(shell), id="turn-sun", ink=theme.ON_BAR))
    if working:
        row.append(icon_action(ft.Icons.PERSON, _("Who works with this tablet"), lambda e: shell.aside("people"),
                               id="open-people", ink=theme.ON_BAR))
        row.append(icon_action(ft.Icons.SETTINGS, _("Settings"), lambda e: shell.aside("settings"),
                               id="open-settings", ink=theme.ON_BAR))
    return ft.Container(
        bgcolor=theme.BAR, padding=ft.Padding.only(left=4, right=4, top=4, bottom=theme.APART),
        content=ft.Row(row, spacing=theme.APART, vertical_alignment=ft.CrossAxisAlignment.CENTER),
    )


def _open_look(shell: Any) -> None:
    shell.memory[LOOK] = True
    shell.redraw()


def _sun_tap(shell: Any) -> Callable[..., Any]:
    async def tapped(_e: ft.Event) -> None:
        await shell.attempt(shell.turn_sun, once="look")
    return tapped


def status_bar(shell: Any) -> ft.Control:
    """Word, icon, colour and count; a tap opens the outbox. Before the store is open there is nothing to say."""
    if shell.work is None or not shell.work.readable():
        return ft.Container(height=0)
    return StatusBar(shell, shell.work.status(), shell.said, shell.phase == "work", shell.tiny, key="status-bar")


@remembered
@safe_component
def StatusBar(shell: Any, status: StatusView, said: str, working: bool, tiny: bool) -> ft.Control:
    tone: Tone = theme.SENDING.get(status.level, theme.CALM)
    icon = theme.LEVELS.get(status.level, tone.icon)
    row: list[ft.Control] = [
        strut(56, 8),
        ft.Icon(icon, size=24, color=tone.ink),
        *([ft.Icon(ft.Icons.CLOUD_OFF, size=24, color=theme.WARN.ink)]
          if status.lost and icon != ft.Icons.CLOUD_OFF else []),
        ft.Text(status.sentence, size=min(theme.SMALL + 1, BAR_WORDS) if tiny else theme.SMALL + 1,
                weight=ft.FontWeight.W_600, color=tone.ink, expand=True,
                max_lines=6 if status.lost else 3 if tiny else 2, overflow=ft.TextOverflow.ELLIPSIS),
    ]
    if said:
        row.append(marked("said", live_region=True, content=ft.Text(said, size=theme.SMALL, color=theme.INK)))
    count = status.waiting + status.parked + status.held
    if count:
        row.append(ft.Container(
            bgcolor=tone.solid, border_radius=14, padding=ft.Padding.symmetric(horizontal=12, vertical=3),
            content=ft.Text(str(count), size=theme.BODY, weight=ft.FontWeight.BOLD, color=theme.on(tone),
                            semantics_label=_("{count} not yet safe").format(count=count)),
        ))
    if status.demo:
        row.append(pill(theme.DEMO, _("DEMO"), size=14 if tiny else theme.px(14)))
    bar = ft.Container(
        bgcolor=tone.ground, border=ft.Border.only(bottom=ft.BorderSide(2, tone.solid)), ink=True,
        on_click=(lambda e: shell.aside("outbox")) if working else None,
        padding=ft.Padding.symmetric(horizontal=theme.EDGE, vertical=8),
        content=ft.Row(row, spacing=10),
    )
    return marked(f"status-{status.level}", button=working, live_region=True, content=bar)

"""Arrows, circles and words over a photo: large tools, one stroke each, every one kept as it ends.

It is drawn over a copy: the photo itself is not touched. Nothing here scrolls, or a stroke would move the page.
"""

from __future__ import annotations

from typing import Any

import flet as ft
import flet.canvas as cv

from field_app.ui import theme
from field_app.ui.components.answers import choice_button
from field_app.ui.components.banner import SHARE, height_of
from field_app.ui.components.buttons import action, tap_card
from field_app.ui.components.fields import TextLine
from field_app.ui.components.frame import frame, safe_screen
from field_app.ui.components.layers import shapes
from field_app.ui.components.layout import grid, line, text
from field_app.ui.components.marks import marked
from field_app.ui.guard import safe_component
from field_app.ui.words import _, counted
from field_app.work.views import Choice
from field_app.work.views.photos import LayerView, MarkingView
from sync.records.layers import MOST_TEXT, Layer, fitted, primitives


@safe_screen
def MarksScreen(shell: Any, beat: int, photo: str, draft: str = "", report: str = "", number: str = "") -> ft.Control:
    """Draws `MarkingView` of a photo of an inspection, of a report about a site, or of the placard with this number."""
    draft = draft or report
    view, set_view = ft.use_state(None)
    layer, set_layer = ft.use_state(None)
    tool, set_tool = ft.use_state("arrow")
    colour, set_colour = ft.use_state("red")
    words, set_words = ft.use_state("")

    async def load() -> None:
        found: MarkingView | None = await shell.attempt(lambda: shell.work.marking(draft, photo))
        if found is not None:
            set_layer(found.layer)
            set_view(found)

    ft.use_effect(load, dependencies=[photo], cleanup=lambda: None)

    def empty(found: MarkingView) -> LayerView:
        return LayerView(found.layer.width, found.layer.height, found.layer.line, (), 0)

    async def drawn(stroke: list[list[int]]) -> None:
        size = (view.layer.width, view.layer.height)

        async def keep() -> None:
            made = await shell.work.add_mark(draft, photo, size, tool, stroke, colour, words)
            set_layer(made or empty(view))

        await shell.attempt(keep)

    async def back(_e: ft.Event) -> None:
        async def take() -> None:
            set_layer(await shell.work.take_mark_back(draft, photo) or empty(view))

        await shell.attempt(take)

    async def choose(value: str) -> None:
        set_tool(value)

    async def write(value: str) -> None:
        set_words(value[:MOST_TEXT])

    names = {"arrow": _("Arrow"), "circle": _("Circle"), "text": _("Words")}
    beside = not shell.narrow
    side = 300 if beside else 0
    tight = theme.large()  # one below the other
    told = {"arrow": _("Draw from the tail to the tip, or tap what it shall point at."),
            "circle": _("Draw around it, or tap its middle."),
            "text": _("Write the words, then tap where they shall stand.")}[tool]
    tools: list[ft.Control] = [
        grid([choice_button(Choice(name, word), name == tool, choose, id=f"tool-{name}", size=theme.SMALL)
              for name, word in names.items()], 1 if beside or tight else 3, 8),
        grid([_swatch(name, inks, name == colour, set_colour) for name, inks in view.colours],
             1 if beside or tight else 3, 8) if view else ft.Container(),
        text(told, soft=True, size=theme.SMALL),
    ]
    if tool == "text":
        tools.append(TextLine(words, write, _("Words on the photo"), "mark-words", key="mark-words"))
    room_w = shell.width - side - (3 if beside else 2) * theme.EDGE
    room_h = shell.height - (250 if beside else 520 if tool == "text" else 440)
    if shell.problem is not None:
        room_h -= min(height_of(shell.problem, shell.width - 2 * theme.EDGE), shell.height * SHARE)
    picture: ft.Control = ft.Container(height=200)
    if view is not None and layer is not None:
        scale = min(room_w / view.layer.width, max(160.0, room_h) / view.layer.height)
        picture = ft.Row([Easel(view, layer, scale, tool, colour, words, drawn, key="easel")],
                         alignment=ft.MainAxisAlignment.CENTER)
    panel = ft.Column(tools, spacing=10, tight=True, height=shell.height - 230 if beside else None,
                      scroll=ft.ScrollMode.AUTO if beside else None)
    body = ft.Row([ft.Container(picture, expand=True), ft.Container(panel, width=side)], spacing=theme.EDGE,
                  vertical_alignment=ft.CrossAxisAlignment.START) if beside else ft.Column(
        [picture, panel], spacing=10, tight=True, horizontal_alignment=ft.CrossAxisAlignment.STRETCH)
    count = layer.marks if layer is not None else 0
    note = line(ft.Icons.VERIFIED, _("You draw on a copy. The photo and its fingerprint stay as they are."),
                size=theme.SMALL)
    return frame(
        shell, _("Marks on the photo"), [note],
        top=ft.Container(body, padding=ft.Padding.symmetric(horizontal=theme.EDGE, vertical=10)),
        full=True,
        bottom=[action(_("Undo the last mark") if count else _("Nothing drawn yet"), back,
                       id="mark-undo", icon=ft.Icons.UNDO, kind="secondary", disabled=not count, expand=True),
                action(_("Done"), lambda e: shell.back(), id="marks-done", icon=ft.Icons.CHECK, kind="good",
                       expand=True)])


def _swatch(name: str, inks: tuple[str, str], chosen: bool, set_colour: Any) -> ft.Control:
    words = {"red": _("Red"), "yellow": _("Yellow"), "blue": _("Blue")}[name]
    return tap_card(
        ft.Row([ft.Icon(ft.Icons.CHECK_CIRCLE if chosen else ft.Icons.CIRCLE, size=28, color=inks[0]),
                ft.Text(words, size=theme.SMALL, weight=ft.FontWeight.BOLD, color=theme.INK)], spacing=6, tight=True),
        lambda e: set_colour(name), id=f"colour-{name}", chosen=chosen, padding=12,
        edge=inks[0] if chosen else theme.LINE_SOFT, expand=True)


@safe_component
def Easel(view: MarkingView, layer: LayerView, scale: float, tool: str, colour: str, words: str, drawn: Any) -> Any:
    """The copy with what is drawn over it; a stroke shows fitted while the finger still draws."""
    now, set_now = ft.use_state(lambda: [])
    stroke = ft.use_ref(lambda: [])
    frame_of = Layer(view.sha256, view.layer.width, view.layer.height, ())
    width, height = view.layer.width * scale, view.layer.height * scale

    def point(event: Any) -> list[int]:
        return [round(event.local_position.x / scale), round(event.local_position.y / scale)]

    def begin(event: Any) -> None:
        stroke.current = [point(event)]
        set_now(list(stroke.current))

    def go_on(event: Any) -> None:
        stroke.current.append(point(event))
        set_now(list(stroke.current))

    async def end(_event: Any) -> None:
        made, stroke.current = stroke.current, []
        if made and (tool != "text" or words.strip()):
            await drawn(made)
        set_now([])

    async def tapped(event: Any) -> None:
        if tool != "text" or words.strip():
            await drawn([point(event)])

    shown = shapes(layer, scale)
    if now and (tool != "text" or words.strip()):
        mark = fitted(frame_of, tool, now, colour, words)
        half = Layer(view.sha256, view.layer.width, view.layer.height, (mark,))
        shown += shapes(LayerView(half.width, half.height, half.line, tuple(primitives(half)), 1), scale)
    name = counted(layer.marks, "The photo to draw on; 1 mark", "The photo to draw on; {count} marks")
    return marked("easel", image=True, label=name,
                  content=ft.GestureDetector(
        on_pan_start=begin, on_pan_update=go_on, on_pan_end=end, on_tap_up=tapped, drag_interval=16,
        # As a part for screen readers it would be tapped in its middle, wherever the finger was.
        exclude_from_semantics=True,
        content=ft.Stack([
            ft.Image(src=view.picture, width=width, height=height, fit=ft.BoxFit.FILL, gapless_playback=True,
                     exclude_from_semantics=True),
            cv.Canvas(shown, width=width, height=height),
        ], width=width, height=height)))

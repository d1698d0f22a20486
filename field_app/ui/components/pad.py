"""A pad to draw on with a finger: strokes in a frame of fixed size, so that turning the screen changes nothing.

It must not lie in something that scrolls: there the first upward stroke would move the page instead.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import flet as ft
import flet.canvas as cv

from field_app.ui import theme
from field_app.ui.components.marks import marked
from field_app.ui.guard import safe_component

Stroke = list[list[int]]


def drawn(strokes: list[Stroke], scale: float, thickness: float = 3) -> list[cv.Shape]:
    """The strokes as shapes of a canvas, `scale` logical pixels for each unit of the frame."""
    ink = ft.Paint(color=theme.SHEET_INK, stroke_width=thickness, style=ft.PaintingStyle.STROKE,
                   stroke_cap=ft.StrokeCap.ROUND, stroke_join=ft.StrokeJoin.ROUND)
    shapes: list[cv.Shape] = []
    for stroke in strokes:
        if not stroke:
            continue
        points = [(point[0] * scale, point[1] * scale) for point in stroke]
        lines: list[Any] = [cv.Path.MoveTo(*points[0])]
        lines += [cv.Path.LineTo(*point) for point in points[1:]] or [cv.Path.LineTo(points[0][0] + 0.5, points[0][1])]
        shapes.append(cv.Path(lines, paint=ink))
    return shapes


@safe_component
def Pad(strokes: list[Stroke], ended: Callable[[list[Stroke]], Awaitable[Any]], width: float, frame: tuple[int, int],
        words: str) -> ft.Control:
    """`ended(strokes)` gets everything drawn after each stroke. `words` name the pad to screen readers."""
    scale = width / frame[0]
    now, set_now = ft.use_state(lambda: [])
    box = ft.use_ref(lambda: {"stroke": [], "began": 0})

    def point(event: Any) -> list[int]:
        at = event.local_position
        x, y = round(at.x / scale), round(at.y / scale)
        stamp = getattr(event, "timestamp", None)
        ms = int(getattr(stamp, "in_milliseconds", 0) or 0)
        if not box.current["stroke"]:
            box.current["began"] = ms
        return [min(max(x, 0), frame[0]), min(max(y, 0), frame[1]), max(0, ms - box.current["began"])]

    def begin(event: Any) -> None:
        box.current["stroke"] = []
        box.current["stroke"] = [point(event)]
        set_now(list(box.current["stroke"]))

    def go_on(event: Any) -> None:
        box.current["stroke"].append(point(event))
        set_now(list(box.current["stroke"]))

    async def end(_event: Any) -> None:
        stroke, box.current["stroke"] = box.current["stroke"], []
        if len(stroke) > 1:
            await ended([*strokes, stroke])
        set_now([])

    return marked(
        "pad", label=words, image=True,
        content=ft.GestureDetector(
            on_pan_start=begin, on_pan_update=go_on, on_pan_end=end, drag_interval=12,
            content=ft.Container(
                width=width, height=frame[1] * scale, bgcolor=theme.SHEET,
                border=ft.Border.all(2, theme.INK), border_radius=theme.RADIUS,
                content=cv.Canvas([
                    cv.Line(frame[0] * scale * 0.06, frame[1] * scale * 0.78, frame[0] * scale * 0.94,
                            frame[1] * scale * 0.78, paint=ft.Paint(color=theme.LINE, stroke_width=1.5)),
                    *drawn([*strokes, now], scale),
                ], width=width, height=frame[1] * scale))))

"""What is drawn over a photo, as shapes of a canvas: each line twice, so that it shows on any ground."""

from __future__ import annotations

from typing import Any

import flet as ft
import flet.canvas as cv

from field_app.work.views.photos import LayerView
from sync.records.layers import COLOURS, Ellipse, Line, Primitive


def shapes(layer: LayerView, scale: float, left: float = 0, top: float = 0, thinnest: float = 2) -> list[cv.Shape]:
    """`scale` logical pixels for each pixel of the photo; `left`, `top` where the photo begins."""
    width = max(thinnest, layer.line * scale)
    return [shape for one in layer.drawn for shape in _drawn(one, scale, left, top, width)]


def _paint(colour: str, width: float) -> ft.Paint:
    return ft.Paint(color=colour, stroke_width=width, style=ft.PaintingStyle.STROKE, stroke_cap=ft.StrokeCap.ROUND,
                    stroke_join=ft.StrokeJoin.ROUND)


def _drawn(one: Primitive, scale: float, left: float, top: float, width: float) -> list[cv.Shape]:
    ink, around = COLOURS[one.colour]
    coats = ((around, width * 1.8), (ink, width))
    if isinstance(one, Line):
        points = [(left + x * scale, top + y * scale) for x, y in one.points]
        path: list[Any] = [cv.Path.MoveTo(*points[0]), *[cv.Path.LineTo(*point) for point in points[1:]]]
        return [cv.Path(path, paint=_paint(colour, wide)) for colour, wide in coats]
    if isinstance(one, Ellipse):
        x, y = left + (one.x - one.rx) * scale, top + (one.y - one.ry) * scale
        return [cv.Oval(x, y, one.rx * 2 * scale, one.ry * 2 * scale, paint=_paint(colour, wide))
                for colour, wide in coats]
    size = max(9.0, one.size * scale)
    return [
        cv.Text(left + one.x * scale, top + one.y * scale, one.text, alignment=ft.Alignment.CENTER_LEFT,
                style=ft.TextStyle(size=size, weight=ft.FontWeight.BOLD, foreground=_paint(around, size / 6))),
        cv.Text(left + one.x * scale, top + one.y * scale, one.text, alignment=ft.Alignment.CENTER_LEFT,
                style=ft.TextStyle(size=size, weight=ft.FontWeight.BOLD, color=ink)),
    ]


def over_cover(layer: LayerView, side: float) -> cv.Canvas:
    """For a square that the photo fills, its longer side cut off on both ends."""
    scale = side / min(layer.width, layer.height)
    return cv.Canvas(shapes(layer, scale, (side - layer.width * scale) / 2, (side - layer.height * scale) / 2),
                     width=side, height=side)

"""What was drawn over a photo, as a picture of its own: an SVG that a page lays over the small copy of the photo.

Only lines, ellipses and escaped words are written into it; nothing of a layer's bytes gets there as it stands.
"""

from __future__ import annotations

from xml.sax.saxutils import escape

from sync.records.layers import COLOURS, Ellipse, Layer, Line, Words, primitives


def layer_svg(layer: Layer) -> str:
    """The marks alone, on nothing, as wide and as high as the photo."""
    parts = []
    for one in primitives(layer):
        ink, around = COLOURS[one.colour]
        for colour, width in ((around, layer.line * 2), (ink, layer.line)):
            stroke = f'stroke="{colour}" stroke-width="{width}"'
            if isinstance(one, Line):
                points = " ".join(f"{x},{y}" for x, y in one.points)
                parts.append(f'<polyline points="{points}" {stroke}/>')
            elif isinstance(one, Ellipse):
                parts.append(f'<ellipse cx="{one.x}" cy="{one.y}" rx="{one.rx}" ry="{one.ry}" {stroke}/>')
        if isinstance(one, Words):
            parts.append(
                f'<text x="{one.x}" y="{one.y}" dominant-baseline="central" font-family="sans-serif" font-weight="700" '
                f'font-size="{one.size}" fill="{ink}" stroke="{around}" stroke-width="{max(1, one.size // 6)}" '
                f'paint-order="stroke">{escape(one.text)}</text>')
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {layer.width} {layer.height}" fill="none" '
            f'stroke-linecap="round" stroke-linejoin="round">{"".join(parts)}</svg>')


def draw_on_paper(paper, layer: Layer, x: float, y: float, width: float, height: float) -> None:
    """The marks over a picture that stands in the middle of a frame of millimetres, its proportions kept."""
    from sync.documents.paper import TEXT

    scale = min(width / layer.width, height / layer.height)
    left, top = x + (width - layer.width * scale) / 2, y + (height - layer.height * scale) / 2
    thin = max(0.35, layer.line * scale)
    for one in primitives(layer):
        coats = list(zip(COLOURS[one.colour][::-1], (thin * 1.9, thin), strict=True))
        for colour, line in coats:
            paper.set_draw_color(colour)
            paper.set_line_width(line)
            if isinstance(one, Line):
                paper.polyline([(left + px * scale, top + py * scale) for px, py in one.points])
            elif isinstance(one, Ellipse):
                paper.ellipse(left + (one.x - one.rx) * scale, top + (one.y - one.ry) * scale, one.rx * 2 * scale,
                              one.ry * 2 * scale)
        if isinstance(one, Words):
            size = max(5.0, one.size * scale * 72 / 25.4 * 0.9)
            paper.set_font(TEXT, "B", size)
            wide = paper.get_string_width(one.text)
            high = size * 25.4 / 72
            paper.set_fill_color(COLOURS[one.colour][1])
            paper.rect(left + one.x * scale - 0.4, top + one.y * scale - high / 2, wide + 0.8, high, "F")
            paper.set_text_color(COLOURS[one.colour][0])
            paper.text(left + one.x * scale, top + one.y * scale + high * 0.35, one.text)
            paper.set_text_color(0, 0, 0)
    paper.set_line_width(0.2)
    paper.set_draw_color(150, 150, 150)

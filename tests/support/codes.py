"""QR codes as a camera sees them: on paper, turned, from one side, out of focus, in shadow, in the dark."""

from __future__ import annotations

import io

import segno
from PIL import Image, ImageChops, ImageFilter

PAPER = 205


def printed(text: str, *, module: int = 8, error: str = "m") -> Image.Image:
    """The code itself, sharp, with its quiet zone."""
    out = io.BytesIO()
    segno.make(text, error=error, micro=False).save(out, kind="png", scale=module, border=4)
    return Image.open(out).convert("L").point(lambda grey: 18 if grey < 128 else 235)


def seen(
    text: str,
    *,
    size: tuple[int, int] = (1000, 750),
    share: float = 0.6,
    turned: float = 0,
    blur: float = 0,
    light: float = 1,
    grain: float = 0,
    shadow: bool = False,
    aside: float = 0,
) -> Image.Image:
    """A picture of a paper with the code. `share` of its height, `turned` in degrees, `blur` in pixels, `light` as a
    share of daylight, `grain` of the sensor, `shadow` from one edge to the other, `aside` how slanted it is seen."""
    width, height = size
    side = int(height * share)
    code = printed(text).resize((side, side), Image.Resampling.LANCZOS)
    paper = Image.new("L", (side * 2, side * 2), PAPER)
    paper.paste(code, (side // 2, side // 2))
    paper = paper.rotate(turned, resample=Image.Resampling.BICUBIC, fillcolor=PAPER)
    picture = Image.new("L", size, PAPER)
    picture.paste(paper, (width // 2 - side, height // 2 - side))
    if aside:
        # The right edge is further away: it comes out shorter.
        far, over = width * (1 + aside), height * aside / 2
        quad = (0, 0, 0, height, far, height + over, far, -over)
        picture = picture.transform(size, Image.Transform.QUAD, quad, Image.Resampling.BICUBIC, fillcolor=PAPER)
    if blur:
        picture = picture.filter(ImageFilter.GaussianBlur(blur))
    if shadow:
        fall = Image.linear_gradient("L").resize(size).rotate(90).resize(size)
        picture = ImageChops.multiply(picture, fall.point(lambda grey: 50 + grey * 205 // 255))
    picture = picture.point(lambda grey: int(grey * light))
    if grain:
        picture = ImageChops.add(picture, Image.effect_noise(size, grain * 2), 1, -128)
    return picture


def jpeg_of(picture: Image.Image, quality: int = 80) -> bytes:
    """The picture as the camera hands it over."""
    out = io.BytesIO()
    picture.convert("RGB").save(out, "JPEG", quality=quality)
    return out.getvalue()

"""Draws the app's icons: a silt fence that holds brown water back from blue. Run it to write assets/icons anew.

`python -m field_app.packaging.icons`. Everything is drawn on a 1000-unit square, four times oversampled.
"""

from pathlib import Path

from PIL import Image, ImageDraw

from sync.where import assets

GREEN, LIGHT, SILT, WATER, POST = "#0b5d52", "#f6f4ef", "#b9874f", "#5fb6d9", "#14201e"


def draw(size: int, *, inset: float = 0.0, rounded: bool = True) -> Image.Image:
    """The icon in `size` pixels; `inset` is the free margin (as a share) that a maskable icon needs."""
    big = size * 4
    image = Image.new("RGBA", (big, big), (0, 0, 0, 0))
    pen = ImageDraw.Draw(image)
    if rounded:
        pen.rounded_rectangle((0, 0, big - 1, big - 1), radius=int(big * 0.2), fill=GREEN)
    else:
        pen.rectangle((0, 0, big, big), fill=GREEN)
    side = big * (1 - 2 * inset)

    def at(x: float, y: float) -> tuple[float, float]:
        return big * inset + side * x / 1000, big * inset + side * y / 1000

    def shape(points: list[tuple[float, float]], fill: str) -> None:
        pen.polygon([at(*point) for point in points], fill=fill)

    # The slope with silt on the left, clear water on the right, the fence between them.
    shape([(130, 520), (500, 640), (500, 820), (130, 820)], SILT)
    shape([(500, 760), (870, 760), (870, 820), (500, 820)], WATER)
    shape([(300, 330), (700, 330), (700, 700), (300, 700)], LIGHT)
    for x in (300, 500, 700):
        shape([(x - 26, 220), (x + 26, 220), (x + 26, 800), (x, 860), (x - 26, 800)], POST)
    for y in (430, 560):
        shape([(326, y), (474, y), (474, y + 22), (326, y + 22)], GREEN)
        shape([(526, y), (674, y), (674, y + 22), (526, y + 22)], GREEN)
    return image.resize((size, size), Image.Resampling.LANCZOS)


def write(folder: Path) -> None:
    """Write every icon the web manifest, iOS and Android ask for."""
    folder.mkdir(parents=True, exist_ok=True)
    for size in (192, 512):
        draw(size).save(folder / f"icon-{size}.png", optimize=True)
        draw(size, inset=0.14, rounded=False).save(folder / f"icon-maskable-{size}.png", optimize=True)
    draw(192, rounded=False).convert("RGB").save(folder / "apple-touch-icon-192.png", optimize=True)
    draw(32).save(folder / "favicon.png", optimize=True)
    draw(1024).save(folder / "icon.png", optimize=True)
    draw(1024, inset=0.2, rounded=False).save(folder / "icon_android.png", optimize=True)


if __name__ == "__main__":
    write(assets() / "icons")

"""Turns a plan into pictures, one for each page: run as a program of its own, because a PDF is a stranger's program.

    python -m sync.server.page_pictures FILE FOLDER

Writes FOLDER/pages.json, a list of {file, media, width, height}, and the pictures. A PDF that is broken, needs a
password or has too many pages ends with a sentence on the standard error and exit code 3. Memory and time are bounded;
whatever happens in here, the server goes on.
"""

from __future__ import annotations

import json
import sys
from io import BytesIO
from pathlib import Path

LONGEST = 2600  # pixels; on a large sheet small lettering can still be read when it is drawn out
MOST_PAGES = 60
MEMORY = 2 * 1024**3
SECONDS = 120
REFUSED = 3
# Line drawings are smaller as PNG, scans and photos as JPEG.
_COLOURS = 64
_CLEARLY_DRAWN = 0.1  # bytes for each pixel, below which a JPEG need not be tried


class Refused(Exception):
    """The file cannot be shown; the message says why."""


def bounded(memory: int, seconds: int) -> None:
    """From now on this process has so many bytes and so many seconds of the processor, where the system knows that."""
    try:
        import resource
    except ImportError:  # not on Windows
        return
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def encoded(image) -> tuple[bytes, str]:
    """The smaller of PNG (in few colours) and JPEG, and which it is."""
    from PIL import Image

    png, jpeg = BytesIO(), BytesIO()
    image = image.convert("RGB")
    image.quantize(_COLOURS, method=Image.Quantize.FASTOCTREE, dither=0).save(png, "PNG")
    if len(png.getvalue()) < _CLEARLY_DRAWN * image.width * image.height:
        return png.getvalue(), "image/png"
    image.save(jpeg, "JPEG", quality=82, optimize=True)
    if len(png.getvalue()) <= len(jpeg.getvalue()):
        return png.getvalue(), "image/png"
    return jpeg.getvalue(), "image/jpeg"


def pdf_pages(place: Path):
    """The pages of a PDF as Pillow images. Raises Refused."""
    import pypdfium2
    import pypdfium2.raw as raw

    try:
        document = pypdfium2.PdfDocument(place)
    except pypdfium2.PdfiumError as error:
        if getattr(error, "err_code", None) == raw.FPDF_ERR_PASSWORD:
            raise Refused("the PDF needs a password") from error
        raise Refused("the PDF cannot be read") from error
    count = len(document)
    if count == 0:
        raise Refused("the PDF has no pages")
    if count > MOST_PAGES:
        raise Refused(f"the PDF has {count} pages; at most {MOST_PAGES} are taken")
    for number in range(count):
        page = document[number]
        width, height = page.get_size()
        if width <= 0 or height <= 0:
            raise Refused(f"page {number + 1} has no size")
        yield page.render(scale=min(LONGEST / max(width, height), 6), may_draw_forms=True).to_pil()
        page.close()


def picture_page(place: Path):
    """A picture, upright and no larger than a page. Raises Refused."""
    from PIL import Image, ImageOps

    from sync.records.pictures import eight_bits

    try:
        with Image.open(place, formats=("PNG", "JPEG")) as image:
            image.draft("RGB", (LONGEST * 2, LONGEST * 2))
            upright = eight_bits(ImageOps.exif_transpose(image))
            if upright.mode in ("RGBA", "LA", "P", "PA"):
                upright = upright.convert("RGBA")
                white = Image.new("RGBA", upright.size, "white")
                upright = Image.alpha_composite(white, upright)
            upright = upright.convert("RGB")
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        raise Refused("the picture cannot be read") from error
    upright.thumbnail((LONGEST, LONGEST), Image.Resampling.LANCZOS)
    yield upright


def main(argv: list[str]) -> int:
    """Draws the pages of one file into one folder."""
    place, folder = Path(argv[0]), Path(argv[1])
    bounded(MEMORY, SECONDS)
    try:
        with place.open("rb") as file:
            is_pdf = file.read(5) == b"%PDF-"
        pages = []
        for number, image in enumerate(pdf_pages(place) if is_pdf else picture_page(place), start=1):
            data, media = encoded(image)
            name = f"{number}.{'png' if media == 'image/png' else 'jpg'}"
            (folder / name).write_bytes(data)
            pages.append({"file": name, "media": media, "width": image.width, "height": image.height})
    except Refused as refused:
        print(refused, file=sys.stderr)
        return REFUSED
    except MemoryError:
        print("a page is too large to be drawn", file=sys.stderr)
        return REFUSED
    (folder / "pages.json").write_text(json.dumps(pages), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

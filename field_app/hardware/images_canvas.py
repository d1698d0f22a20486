"""Pictures with the browser's own decoder and canvas, reached from the worker that runs Python.

Invariant: at most one picture crosses into JavaScript at a time, and its pixels never enter the WASM heap, which
would never shrink again. The browser applies the EXIF orientation while decoding.
"""

import asyncio
from collections.abc import Sequence

import js
from pyodide.ffi import JsException, to_js

from field_app.hardware.picture import size_of
from field_app.photos.outside import Outside, outside
from field_app.photos.stamp import SHADE, letters, plan
from sync.records.problems import Problem

HEAD = 1024 * 1024


class CanvasImages:
    """The images port on createImageBitmap and OffscreenCanvas."""

    def __init__(self) -> None:
        self._one = asyncio.Lock()

    async def dimensions(self, data: bytes) -> tuple[int, int]:
        """Width and height, upright. Raises Problem."""
        media, _, _ = size_of(data)
        async with self._one:
            bitmap = await _decode(data, media)
            size = (bitmap.width, bitmap.height)
            bitmap.close()
        return size

    async def thumbnail(
        self, data, longest: int, *, stay: bool = False, stamp: Sequence[str] = ()
    ) -> bytes | Outside:
        """A JPEG of at most `longest` pixels on its longer side, upright; of bytes, or of an `Outside` or a File, whose
        bytes then stay out of the WASM heap; with `stay` so does what is made. `stamp` stands along its lower edge.
        Raises Problem."""
        media = await _media_of(data)
        async with self._one:
            bitmap = await _decode(data, media)
            canvas, pen = _drawn(bitmap, longest)
            if stamp:
                _print(canvas, pen, stamp)
            blob = await canvas.convertToBlob(_options(type="image/jpeg", quality=0.8))
            return await outside(blob) if stay else (await blob.arrayBuffer()).to_bytes()

    async def grey(self, data, longest: int) -> tuple[int, int, bytes]:
        """Width, height and one byte a pixel, the longer side at most `longest`. Raises Problem."""
        media = await _media_of(data)
        async with self._one:
            canvas, pen = _drawn(await _decode(data, media), longest)
            pixels = pen.getImageData(0, 0, canvas.width, canvas.height).data.to_bytes()
            return canvas.width, canvas.height, pixels[1::4]  # green is what the eye takes for brightness, nearly


def _drawn(bitmap, longest: int):
    """The picture on a canvas, its longer side at most `longest`, and the canvas's pen. Lets go of the picture."""
    scale = min(1, longest / max(bitmap.width, bitmap.height))
    width, height = max(1, round(bitmap.width * scale)), max(1, round(bitmap.height * scale))
    canvas = js.OffscreenCanvas.new(width, height)
    pen = canvas.getContext("2d")
    pen.imageSmoothingQuality = "high"
    pen.drawImage(bitmap, 0, 0, width, height)
    bitmap.close()
    return canvas, pen


def _print(canvas, pen, stamp: Sequence[str]) -> None:
    """The stamp on a small picture."""
    size = letters(canvas.width, canvas.height)
    pen.font = f"bold {size}px sans-serif"
    where = plan(canvas.width, canvas.height, stamp, lambda said: pen.measureText(said).width)
    pen.fillStyle = f"rgba(0, 0, 0, {1 - SHADE})"
    pen.fillRect(where.left, where.top, where.width, where.height)
    pen.fillStyle = "white"
    for at, line in enumerate(where.lines):
        pen.fillText(line, where.left + where.pad, where.top + where.pad // 2 + at * where.step + size)


async def _media_of(data) -> str:
    """The media type, after the size was checked by the head alone where that tells it."""
    if isinstance(data, bytes | bytearray | Outside):
        return size_of(data)[0]
    head = (await data.slice(0, HEAD).arrayBuffer()).to_bytes()
    if data.size > HEAD and head[8:12] == b"WEBP":  # its first chunk may be all of it, and is read as a whole
        head = (await data.arrayBuffer()).to_bytes()
    return size_of(head)[0]


async def _decode(data, media: str):
    if isinstance(data, bytes | bytearray | Outside):
        held = data.array if isinstance(data, Outside) else to_js(data)
        blob = js.Blob.new(js.Array.of(held), _options(type=media))
    else:
        blob = data.slice(0, data.size, media)
    try:
        return await js.createImageBitmap(blob, _options(imageOrientation="from-image"))
    except JsException as error:
        raise Problem("evidence-not-an-image", "The picture is damaged: it cannot be decoded.") from error


def _options(**values):
    return to_js(values, dict_converter=js.Object.fromEntries)

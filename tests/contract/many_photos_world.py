"""Thirty photos of 12 megapixels in the browser, as a camera gives them: a Blob each, kept and shown. Runs in Pyodide
only."""

import json

import js
import pyodide_js

from field_app.hardware.images_canvas import CanvasImages
from field_app.photos import look, read_exif
from field_app.photos.opfs import open_opfs_box
from field_app.photos.outside import outside

# One picture with grain enough to be as long as a real one; each shot has other bytes in a comment.
SHOOT = """
(() => {
  let plain = null;
  return async (number) => {
    if (plain === null) {
      const small = new OffscreenCanvas(1008, 756), grain = new ImageData(1008, 756);
      for (let at = 0; at < grain.data.length; at += 65536)
        crypto.getRandomValues(grain.data.subarray(at, Math.min(at + 65536, grain.data.length)));
      for (let at = 3; at < grain.data.length; at += 4) grain.data[at] = 255;
      small.getContext("2d").putImageData(grain, 0, 0);
      const large = new OffscreenCanvas(4032, 3024);
      large.getContext("2d").drawImage(small, 0, 0, 4032, 3024);
      plain = await large.convertToBlob({type: "image/jpeg", quality: 0.8});
    }
    const comment = new Uint8Array([0xff, 0xfe, 0, 6, 0, 0, number >> 8, number & 255]);
    return new Blob([plain.slice(0, 2), comment, plain.slice(2)]);
  };
})()
"""


def heap() -> int:
    return pyodide_js._module.HEAP8.byteLength


async def many() -> str:
    shoot, box, seen, kept = js.eval(SHOOT), await open_opfs_box("many", CanvasImages()), {}, set()
    for number in range(1, 31):
        data = await outside(await shoot(number))
        picture = look(data)
        sha = await box.keep(data, kind="photo")
        read_exif(data)
        seen |= {"bytes": len(data), "megapixels": picture.width * picture.height // 1_000_000}
        kept.add(sha)
        del data
        await box.thumbnail(sha, 320)
        if number % 3 == 0:
            await box.keep(await box.smaller(sha, 1_280), kind="preview")
        if number in (3, 30):
            seen[f"after_{number}"] = heap()
    seen["kept"] = len(kept & set(await box.shas()))
    return json.dumps(seen)

"""Marks over photos: drawn on a small copy, kept stroke by stroke in the draft, signed as a file of their own.

A photo may be of an inspection or of a report about a site, as long as that is not signed. The photo's bytes and hash
stay what they were; the layer names the photo, and is drawn over it wherever it is shown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from field_app.capture import marks
from field_app.photos import look
from field_app.photos.pieces import pieces
from field_app.work import inspecting, reports
from field_app.work.photo_records import layer_view, shown
from field_app.work.views.photos import LayerView, MarkingView
from sync.records.facts import Evidence
from sync.records.layers import COLOURS, Layer, read_layer
from sync.records.problems import Problem
from sync.records.strokes import ANNOTATION_MEDIA

if TYPE_CHECKING:
    from field_app.work.desk import Desk

SHOWN_LONGEST = 1_280


async def view(desk: Desk, draft: str, sha256: str) -> MarkingView:
    """The photo to draw on, from a small upright copy. Problem "evidence-not-an-image" where nothing here can show it;
    the original stays as it is."""
    photo = _photo(desk, draft, sha256)
    small = await desk.box.thumbnail(sha256, SHOWN_LONGEST)
    layer = marks.layer_of(photo)
    if layer is None:
        layer = Layer(sha256, *await _upright(desk, sha256, small), ())
    return MarkingView(sha256=sha256, picture=small, layer=shown(layer), colours=tuple(COLOURS.items()))


async def _upright(desk: Desk, sha256: str, small: bytes) -> tuple[int, int]:
    """Width and height of the photo as it is seen upright: its own numbers, turned as the small copy stands."""
    head, seen = b"", None
    async for piece in pieces(await desk.box.upload_body(sha256)):
        head += piece
        seen = look(head)
        if seen is not None and seen.width:
            break
    copy = look(small)
    if seen is None or copy is None or not seen.width:
        raise Problem("evidence-not-an-image", where=sha256)
    turned = (seen.width > seen.height) != (copy.width > copy.height) and copy.width != copy.height
    return (seen.height, seen.width) if turned else (seen.width, seen.height)


def _photo(desk: Desk, draft: str, sha256: str) -> Any:
    """The photo's record in the inspection or the report."""
    report = desk.store.table("reports").get(draft)
    photos = {one["sha256"]: one for one in report["photos"]} if report else inspecting.load(desk, draft).photos
    if sha256 not in photos:
        raise Problem("evidence-unknown", "this photo is not in the inspection any more", where=sha256)
    return photos[sha256]


async def _edit(desk: Desk, draft: str, sha256: str, change: Callable[[Any], Any], undo: str = "") -> LayerView | None:
    """One durable change of the photo's record; what is drawn over it then."""
    if desk.store.table("reports").get(draft):
        await reports.edit_open(desk, draft, lambda doc: True, lambda doc: {
            **doc, "photos": [change(one) if one["sha256"] == sha256 else one for one in doc["photos"]]})
    else:
        await inspecting.tap(desk, draft, lambda d, form: marks.over(d, sha256, change), undo)
    return layer_view(_photo(desk, draft, sha256))


async def add(
    desk: Desk, draft: str, sha256: str, size: tuple[int, int], kind: str, stroke: Any, colour: str, text: str
) -> LayerView | None:
    points = [[int(point[0]), int(point[1])] for point in stroke]
    return await _edit(
        desk, draft, sha256, lambda photo: marks.add(photo, size, kind, points, colour, text), "mark")


async def take_back(desk: Desk, draft: str, sha256: str) -> LayerView | None:
    return await _edit(desk, draft, sha256, marks.take_back)


async def keep_layers(desk: Desk, photos: Iterable[Any]) -> set[str]:
    """Before signing: every layer is durable under its hash. Gives the hashes."""
    files = [data for photo in photos if (data := marks.layer_file(photo)) is not None]
    return {await desk.box.keep(data, kind="annotation") for data in files}


def drawn_over(photos: Iterable[Any]) -> list[Evidence]:
    """The layers as evidence of the record that is signed."""
    return [Evidence(marks.layer_sha(photo), "annotation", len(data), ANNOTATION_MEDIA) for photo in photos
            if (data := marks.layer_file(photo)) is not None]


async def _readable(desk: Desk, sha256: str) -> Layer | None:
    """A layer that was signed; None when it is no longer on this tablet, or cannot be read."""
    with suppress(Problem):
        if await desk.box.has(sha256):
            return read_layer(await desk.box.read(sha256))
    return None


async def signed_view(desk: Desk, sha256: str) -> LayerView | None:
    """What a signed layer draws; None when it is no longer on this tablet, or cannot be read here: the photo is shown
    all the same."""
    layer = await _readable(desk, sha256)
    return shown(layer) if layer is not None else None


async def read_layers(desk: Desk, photos: Iterable[Any]) -> dict[str, Layer]:
    """What is drawn over signed photos, by the photo's SHA-256. A layer that is no longer on this tablet, or cannot be
    read, is left out: one of them keeps no photo from being shown, and no paper from being made."""
    found: dict[str, Layer] = {}
    for photo in photos:
        layer = await _readable(desk, photo["layer"]) if photo.get("layer") else None
        if layer is not None:
            found[photo["sha256"]] = layer
    return found


async def layers_of(desk: Desk, body: Any) -> dict[str, dict[str, Any]]:
    """The same of a signed record, as drafts have it."""
    return {sha: {"width": layer.width, "height": layer.height, "marks": list(layer.marks)}
            for sha, layer in (await read_layers(desk, body["photos"])).items()}

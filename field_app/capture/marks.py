"""Marks over a photo of the draft: a layer beside the photo's record, never in the photo.

A photo's record has `layer` once something was drawn: {"width", "height", "marks"} in the photo's own upright pixels.
When the inspection is signed the layer becomes an evidence file of its own (`layer_file`), and the record names it by
its hash. Nothing drawn means no layer.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from field_app.capture.draft import Draft
from sync.records.layers import COLOURS, KINDS, MOST_MARKS, Layer, fitted, layer_bytes
from sync.records.problems import Problem


def layer_of(photo: Mapping[str, Any]) -> Layer | None:
    """What is drawn over a photo of a draft."""
    raw = photo.get("layer")
    return Layer(photo["sha256"], raw["width"], raw["height"], tuple(raw["marks"])) if raw else None


def layer_file(photo: Mapping[str, Any]) -> bytes | None:
    """The layer as the file that is signed; None without marks."""
    layer = layer_of(photo)
    return layer_bytes(layer.of, layer.width, layer.height, layer.marks) if layer else None


def add(
    draft: Draft, sha: str, size: tuple[int, int], kind: str, stroke: list[list[int]], colour: str, text: str
) -> Draft:
    """One more mark; `size` of the photo seen upright, `stroke` in its pixels. Raises Problem."""
    if sha not in draft.photos:
        raise Problem("evidence-unknown", "this photo is not in the inspection any more", where=sha)
    if kind not in KINDS or colour not in COLOURS or not stroke or (kind == "text" and not text.strip()):
        raise Problem("choice-unknown", "a mark is an arrow, a circle or words", where="mark")
    photo = draft.photos[sha]
    layer = layer_of(photo) or Layer(sha, *size, ())
    if len(layer.marks) >= MOST_MARKS:
        raise Problem("too-many-marks", where=sha)
    return _with(draft, sha, layer, (*layer.marks, fitted(layer, kind, stroke, colour, text.strip())))


def take_back(draft: Draft, sha: str) -> Draft:
    """Without the last mark."""
    layer = layer_of(draft.photos.get(sha, {}))
    return draft if layer is None else _with(draft, sha, layer, layer.marks[:-1])


def _with(draft: Draft, sha: str, layer: Layer, marks: tuple[Any, ...]) -> Draft:
    kept = {name: value for name, value in draft.photos[sha].items() if name != "layer"}
    if marks:
        plain = [{**mark, "points": [list(point) for point in mark["points"]]} for mark in marks]
        kept["layer"] = {"width": layer.width, "height": layer.height, "marks": plain}
    return replace(draft, photos={**draft.photos, sha: kept})

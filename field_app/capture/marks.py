"""Marks over a photo that is not signed yet: a layer beside the photo's record, never in the photo.

A photo's record has `layer` once something was drawn: {"width", "height", "marks"} in the photo's own upright pixels.
When the inspection or the report is signed the layer becomes an evidence file of its own (`layer_file`), and the record
names it by its hash (`layer_sha`). Nothing drawn means no layer.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
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


def layer_sha(photo: Mapping[str, Any]) -> str | None:
    """The SHA-256 of that file."""
    data = layer_file(photo)
    return None if data is None else hashlib.sha256(data).hexdigest()


def add(
    photo: Mapping[str, Any], size: tuple[int, int], kind: str, stroke: list[list[int]], colour: str, text: str
) -> dict[str, Any]:
    """The photo's record with one more mark; `size` of the photo seen upright, `stroke` in its pixels. Raises Problem.
    """
    sha = photo["sha256"]
    if kind not in KINDS or colour not in COLOURS or not stroke or (kind == "text" and not text.strip()):
        raise Problem("choice-unknown", "a mark is an arrow, a circle or words", where="mark")
    layer = layer_of(photo) or Layer(sha, *size, ())
    if len(layer.marks) >= MOST_MARKS:
        raise Problem("too-many-marks", where=sha)
    return _with(photo, layer, (*layer.marks, fitted(layer, kind, stroke, colour, text.strip())))


def take_back(photo: Mapping[str, Any]) -> dict[str, Any]:
    """Without the last mark."""
    layer = layer_of(photo)
    return dict(photo) if layer is None else _with(photo, layer, layer.marks[:-1])


def over(draft: Draft, sha: str, change: Callable[[Mapping[str, Any]], dict[str, Any]]) -> Draft:
    """The inspection with this photo's record changed. Raises Problem "evidence-unknown"."""
    if sha not in draft.photos:
        raise Problem("evidence-unknown", "this photo is not in the inspection any more", where=sha)
    return replace(draft, photos={**draft.photos, sha: change(draft.photos[sha])})


def _with(photo: Mapping[str, Any], layer: Layer, marks: tuple[Any, ...]) -> dict[str, Any]:
    kept = {name: value for name, value in photo.items() if name != "layer"}
    if marks:
        plain = [{**mark, "points": [list(point) for point in mark["points"]]} for mark in marks]
        kept["layer"] = {"width": layer.width, "height": layer.height, "marks": plain}
    return kept

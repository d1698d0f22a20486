"""What was drawn with a finger, as data: a signature's strokes, or the layer of marks that lies over a photo.

JSON in whole numbers, so that the hash of the bytes names the drawing. A layer never touches the photo: it names the
photo by its SHA-256 and gives its marks in the photo's own upright pixels. Fields that this version does not know are
kept, because the bytes are.
"""

from typing import Any

from sync.records.macs import is_fingerprint
from sync.records.problems import Problem
from sync.records.wire import decode

SIGNATURE_MEDIA = "application/vnd.siltwatch.signature+json"
ANNOTATION_MEDIA = "application/vnd.siltwatch.annotation+json"
MAX_BYTES = 1_000_000
MAX_MARKS = 2_000
MAX_SIDE = 20_000


def is_signature(data: bytes) -> bool:
    """``{"signature": 1, "width", "height", "strokes": [[[x, y, ms], ...], ...]}``, with one stroke at least of two
    points."""
    raw = _drawing(data, "signature")
    strokes = raw.get("strokes") if raw else None
    if not isinstance(strokes, list) or not 0 < len(strokes) <= MAX_MARKS:
        return False
    whole = all(isinstance(stroke, list) and stroke and all(map(_point, stroke)) for stroke in strokes)
    return whole and any(len(stroke) > 1 for stroke in strokes)


def is_annotation(data: bytes) -> bool:
    """``{"annotation": 1, "of": sha256, "width", "height", "marks": [{"kind", "points": [[x, y], ...], ...}]}``."""
    raw = _drawing(data, "annotation")
    if not raw or not is_fingerprint(raw.get("of")):
        return False
    marks = raw.get("marks")
    return isinstance(marks, list) and 0 < len(marks) <= MAX_MARKS and all(map(_mark, marks))


def _drawing(data: bytes, name: str) -> dict[str, Any] | None:
    """The object in ``data`` when it is one of this name with a size; None otherwise."""
    if not 2 < len(data) <= MAX_BYTES or data[:1] != b"{":
        return None
    try:
        raw = decode(bytes(data))
    except Problem:
        return None
    if not isinstance(raw, dict) or not _whole(raw.get(name), 1, 1_000):
        return None
    return raw if all(_whole(raw.get(side), 1, MAX_SIDE) for side in ("width", "height")) else None


def _whole(value: Any, low: int, high: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high


def _point(raw: Any) -> bool:
    return isinstance(raw, list) and 2 <= len(raw) <= 4 and all(_whole(n, -(10**9), 10**9) for n in raw)


def _mark(raw: Any) -> bool:
    if not isinstance(raw, dict) or not isinstance(raw.get("kind"), str) or not raw["kind"]:
        return False
    points = raw.get("points")
    return isinstance(points, list) and len(points) <= MAX_MARKS and all(map(_point, points))

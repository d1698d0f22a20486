"""What each kind of evidence file must be, judged by its bytes alone, the same on the tablet and on the server.

What the tablet keeps the server takes, because both ask here: an empty file, one that is cut off, one of another kind
and a picture of too many pixels are refused with the same codes. Nothing is decoded and nothing is changed.
"""

from dataclasses import dataclass

from sync.records.pictures import look
from sync.records.problems import Problem
from sync.records.protocol import MAX_PIXELS
from sync.records.recordings import listen
from sync.records.strokes import ANNOTATION_MEDIA, SIGNATURE_MEDIA, is_annotation, is_signature

PREVIEW = "preview"
PREVIEW_LONGEST = 2_048
MAX_PREVIEW_BYTES = 2 * 1024 * 1024
UNKNOWN = "application/octet-stream"
_TAIL = 1_024


@dataclass(frozen=True, slots=True)
class Seen:
    """What the bytes are: the media type, for a picture its width and height in pixels as stored, else None."""

    media: str
    width: int | None = None
    height: int | None = None


def check_file(kind: str, data: bytes) -> Seen:
    """What the file of this kind (photo, placard, signature, voice_note, annotation, preview) is.

    ``data`` may be a memory map. Raises Problem "evidence-empty", "evidence-truncated", "evidence-not-an-image",
    "evidence-too-many-pixels", "evidence-not-a-recording", "evidence-not-a-paper", "evidence-not-a-signature",
    "evidence-not-an-annotation", "evidence-too-large" (a preview only); "body-malformed" for a kind we do not know.
    """
    if len(data) == 0:
        raise Problem("evidence-empty")
    check = _CHECKS.get(kind)
    if check is None:
        raise Problem("body-malformed", f"the kind is one of {', '.join(_CHECKS)}", where="kind")
    return check(data)


def fits(kind: str, media: str) -> bool:
    """Whether a file of this media type, as `check_file` told it, may be of this kind, whatever kind it was looked at
    under."""
    return media.startswith(_MEDIA.get(kind, ()))


def media_type(data: bytes) -> str:
    """The media type by the bytes; ``application/octet-stream`` when they are nothing we know."""
    if picture := look(data):
        return picture.media
    if recording := listen(data):
        return recording.media
    if data[:5] == b"%PDF-":
        return "application/pdf"
    if is_signature(data):
        return SIGNATURE_MEDIA
    return ANNOTATION_MEDIA if is_annotation(data) else UNKNOWN


def _picture(data: bytes) -> Seen:
    picture = look(data)
    if picture is None:
        raise Problem("evidence-not-an-image", "no header of a picture that we know")
    if not picture.whole:
        raise Problem("evidence-truncated", f"this {picture.media} of {len(data)} bytes has no end")
    if picture.width < 1 or picture.height < 1:
        raise Problem("evidence-not-an-image", "a picture without size")
    if picture.width * picture.height > MAX_PIXELS:
        raise Problem("evidence-too-many-pixels",
                      f"{picture.width} x {picture.height} pixels; at most {MAX_PIXELS} are taken")
    return Seen(picture.media, picture.width, picture.height)


def _recording(data: bytes) -> Seen:
    recording = listen(data)
    if recording is None:
        raise Problem("evidence-not-a-recording", "no recording that we know")
    if not recording.whole:
        raise Problem("evidence-truncated", f"this {recording.media} of {len(data)} bytes was not finished")
    return Seen(recording.media)


def _paper(data: bytes) -> Seen:
    if data[:5] != b"%PDF-":
        if look(data) is None:
            raise Problem("evidence-not-a-paper", "neither a PDF nor a picture")
        return _picture(data)
    if b"%%EOF" not in data[max(0, len(data) - _TAIL) : len(data)]:
        raise Problem("evidence-truncated", f"this PDF of {len(data)} bytes has no end")
    return Seen("application/pdf")


def _signature(data: bytes) -> Seen:
    if look(data) is not None:
        return _picture(data)
    if not is_signature(data):
        raise Problem("evidence-not-a-signature", "neither a picture nor strokes")
    return Seen(SIGNATURE_MEDIA)


def _annotation(data: bytes) -> Seen:
    if not is_annotation(data):
        raise Problem("evidence-not-an-annotation", "no layer of marks over a photo")
    return Seen(ANNOTATION_MEDIA)


def _preview(data: bytes) -> Seen:
    if len(data) > MAX_PREVIEW_BYTES:
        raise Problem("evidence-too-large", f"a preview has at most {MAX_PREVIEW_BYTES} bytes")
    seen = _picture(data)
    if seen.media != "image/jpeg" or max(seen.width or 0, seen.height or 0) > PREVIEW_LONGEST:
        raise Problem("evidence-not-an-image", f"a preview is a JPEG of at most {PREVIEW_LONGEST} pixels a side")
    return seen


_MEDIA = {
    "photo": ("image/",), "placard": ("application/pdf", "image/"), "signature": (SIGNATURE_MEDIA, "image/"),
    "voice_note": ("audio/",), "annotation": (ANNOTATION_MEDIA,), PREVIEW: ("image/jpeg",),
}
_CHECKS = {"photo": _picture, "placard": _paper, "signature": _signature, "voice_note": _recording,
           "annotation": _annotation, PREVIEW: _preview}

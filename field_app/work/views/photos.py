"""Photos with what is drawn over them, voice notes, and the taking of them."""

from __future__ import annotations

from dataclasses import dataclass

from field_app.work.views.common import Choice
from sync.records.layers import Primitive


@dataclass(frozen=True, slots=True)
class LayerView:
    """What is drawn over a photo, in its upright pixels: `width` x `height` of the photo, `line` how wide lines are,
    `drawn` what to draw (`sync.records.layers`), `marks` how many there are."""

    width: int
    height: int
    line: int
    drawn: tuple[Primitive, ...]
    marks: int


@dataclass(frozen=True, slots=True)
class MarkingView:
    """A photo to draw on: `picture` a small upright JPEG, `colours` (name, (ink, what stands around it))."""

    sha256: str
    picture: bytes
    layer: LayerView
    colours: tuple[tuple[str, tuple[str, str]], ...]


@dataclass(frozen=True, slots=True)
class PhotoView:
    """`sha256` names the original; get a picture with `await work.thumbnail(sha256)`. `flags`: what the
    office will see about it ("gallery picture, not taken in the app", "150 m from the site"). What is drawn over it is
    `layer`; over a signed one it is the file `layer_sha`, to be read with `await work.signed_layer(layer_sha)`."""

    sha256: str
    taken: str
    source: str
    view: str
    place: str
    name: str
    flags: tuple[str, ...]
    layer: LayerView | None = None
    layer_sha: str = ""


@dataclass(frozen=True, slots=True)
class VoiceNoteView:
    """A voice note: when it was spoken, how long it is ("0:42") and its size, in words."""

    sha256: str
    recorded: str
    length: str
    size: str


@dataclass(frozen=True, slots=True)
class FarView:
    """Photos were taken far from the site: in words, answers to choose from (their words are what is kept), and what
    was said."""

    words: str
    reasons: tuple[Choice, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class PlacardPhotosView:
    """Photos of a placard that is up. `waiting` are kept and not signed yet; `needs_pin`: a PIN must sign them, with
    what `statement` says. `far`: asked before those taken far from the site are signed. `row`: as what those that wait
    can be drawn on (`Work.marking`), "" for none."""

    number: str
    row: str
    site: str
    waiting: tuple[PhotoView, ...]
    signed: tuple[PhotoView, ...]
    needs_pin: bool
    far: FarView | None
    suggested_view: str
    statement: str
    pin_wait: int


@dataclass(frozen=True, slots=True)
class PhotoCaptureView:
    """Taking a photo for an item or an order. `kept` are those already safe; `ask` what is still wanted ("a
    close view"); `views` the choices wide | close | other."""

    title: str
    question: str
    kept: tuple[PhotoView, ...]
    ask: tuple[str, ...]
    views: tuple[Choice, ...]
    suggested_view: str
    picture_limit: str
    far: FarView | None = None

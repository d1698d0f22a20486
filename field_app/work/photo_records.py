"""A photo's record: as the screen shows it, as a fact names it, as evidence; and how far from the site it was taken."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from field_app.capture import marks
from field_app.capture.findings import far_photos
from field_app.work.views import Choice, PhotoView
from field_app.work.views.photos import FarView, LayerView
from field_app.work.words import N_, PHOTO_SOURCE, PHOTO_VIEW, photos_said, said
from sync.documents.language import Translate, counted, distance_words
from sync.records.facts import Evidence
from sync.records.layers import Layer, primitives
from sync.records.places import metres_off

if TYPE_CHECKING:
    from field_app.work.desk import Desk


def layer_view(photo: Any) -> LayerView | None:
    layer = marks.layer_of(photo)
    return shown(layer) if layer else None


def shown(layer: Layer) -> LayerView:
    return LayerView(layer.width, layer.height, layer.line, tuple(primitives(layer)), len(layer.marks))


def photo_view(desk: Desk, photo: Any, site: dict[str, Any]) -> PhotoView:
    _ = desk.words
    place, flags = photo["no_position"] or "", []
    position = photo["position"]
    if position:
        place = _("position known to {distance}").format(distance=distance_words(position["accuracy_cm"] / 100, _))
        metres = metres_off(photo, site, desk.pack().far_photo_m)
        if position.get("mocked"):
            flags.append(_("position set by an app, not measured"))
        if metres is not None:
            flags.append(_("{distance} from the site").format(distance=distance_words(metres, _)))
    else:
        place = _(place)
    if photo["source"] == "gallery":
        flags.append(_("not taken in the app"))
    largest = desk.outbox.view().largest
    if largest is not None and photo.get("size", 0) > largest:
        flags.append(_("too large for the server: it stays here, a smaller copy goes"))
    return PhotoView(
        sha256=photo["sha256"],
        taken=taken_words(desk, photo),
        source=said(PHOTO_SOURCE, photo["source"], _),
        view=said(PHOTO_VIEW, photo["view"], _),
        place=place,
        name=photo["name"] or "",
        flags=tuple(flags),
        layer=layer_view(photo),
    )


FINGERPRINT_SHOWN = 12
FAR_REASONS = {
    "seen": N_("From where the site can be seen"),
    "map": N_("The site's place on the map is wrong"),
    "fix": N_("The tablet's position is wrong"),
    "off": N_("It shows something off the site"),
}


def far_view(desk: Desk, photos: Iterable[Any], reason: str) -> FarView | None:
    """What is asked when photos were taken far from the site, with what was said; None when none was."""
    _, metres = desk.words, far_photos(photos)
    if not metres:
        return None
    words = counted(len(metres), "1 photo was taken {distance} from the site. Why?",
                    "{count} photos were taken far from the site, up to {distance}. Why?", _,
                    distance=distance_words(metres[-1], _))
    return FarView(words, tuple(Choice(name, _(said_)) for name, said_ in FAR_REASONS.items()), reason)


def taken_words(desk: Desk, photo: Any) -> str:
    """When it was taken. A picture from the gallery only says so itself; without that, when it was chosen."""
    _ = desk.words
    stored = desk.moment_words(photo["taken"]["wall"])
    if photo["source"] != "gallery":
        return stored
    claimed = claimed_moment(desk, photo)
    if claimed is None:
        return _("chosen {moment}; when it was taken is not known").format(moment=stored)
    return _("{moment}, as the picture itself says").format(moment=desk.moment_words(claimed))


def claimed_moment(desk: Desk, photo: Any) -> datetime | None:
    """When the picture itself says that it was taken, as the city's clock showed it; None where it says nothing, or a
    time that no calendar has there."""
    try:
        moment = datetime.fromisoformat((photo.get("exif") or {}).get("taken") or "")
        if moment.tzinfo is None and desk.zone:
            moment = moment.replace(tzinfo=ZoneInfo(desk.zone))
        return desk.local(moment)
    except (ValueError, OverflowError):
        return None


def where_words(placed: Any, _: Translate) -> str:
    """A position, or why there is none, in few words; "" where nobody asked for one."""
    if not placed:
        return ""
    position = placed["position"]
    if position and position.get("mocked"):
        return _("position set by an app, not measured")
    if position:
        return _("position known to {distance}").format(distance=distance_words(position["accuracy_cm"] / 100, _))
    return _("no position: {reason}").format(reason=_(placed["no_position"]))


def listed(shas: Iterable[str], _: Translate) -> str:
    """Photos as a signed statement names them: by number and the beginning of the SHA-256."""
    return "; ".join(_("photo {number}: {fingerprint}").format(number=number, fingerprint=sha[:FINGERPRINT_SHOWN])
                     for number, sha in enumerate(shas, start=1))


def photos_covered(shas: list[str], _: Translate) -> str:
    """What is signed of all photos of a record."""
    return _("I took or chose each photo of this record, {photos} in all, and changed none ({listed}).").format(
        photos=photos_said(len(shas), _), listed=listed(shas, _))


def wire_photo(photo: Any, *, item: str | None, finding: str | None) -> dict[str, Any]:
    """The photo's record as a fact names it."""
    kept = {name: value for name, value in photo.items() if name not in ("size", "media", "layer")}
    drawn = marks.layer_sha(photo)
    return {**kept, **({"layer": drawn} if drawn else {}), "item": item, "finding": finding}


def photo_evidence(photo: Any) -> Evidence:
    return Evidence(photo["sha256"], "photo", photo["size"], photo["media"])

"""What facts say about photos and voice notes, checked field by field; part of `bodies.py`."""

from typing import Any

from sync.records.shapes import Check, bad, filled, maybe, obj, one_of, reading, sha256, text, truth, wall, whole

PHOTO_SOURCES = ("camera", "system camera", "gallery")
PHOTO_VIEWS = ("wide", "close", "other")
SUBJECTS = ("inlet", "device", "condition", "exit", "timetable")
SUBJECT = obj({"kind": one_of(*SUBJECTS), "id": filled})
_udeg_lat, _udeg_lon = whole(-90_000_000, 90_000_000), whole(-180_000_000, 180_000_000)

# `mocked`: the tablet says that an app set the position, not a receiver.
_POSITION = obj(
    {"lat_udeg": _udeg_lat, "lon_udeg": _udeg_lon, "accuracy_cm": whole(0, 10**9), "fixed_at": wall}, {"mocked": truth})


def position(value: Any, where: str) -> None:
    """Microdegrees; 0,0 is refused, because it is what a device says that does not know."""
    _POSITION(value, where)
    if value["lat_udeg"] == 0 and value["lon_udeg"] == 0:
        raise bad(where, "0,0 is not a position: write null and the reason")


PHOTO_FIELDS: dict[str, Check] = {
    "sha256": sha256,
    "taken": reading,
    "source": one_of(*PHOTO_SOURCES),
    "position": maybe(position),
    "no_position": maybe(filled),
    "item": maybe(text),
    "finding": maybe(text),
    "view": one_of(*PHOTO_VIEWS),
    "name": maybe(text),
}


# `layer`: the evidence file of kind "annotation" with the marks that were drawn over a copy of the photo.
# `site_position`: where the site was by the tablet's list when the photo was taken far from it, `site_m` how far that
# is in whole metres, `far_reason` what the inspector says to it.
PHOTO_MORE: dict[str, Check] = {
    "layer": maybe(sha256),
    "site_position": obj({"lat_udeg": _udeg_lat, "lon_udeg": _udeg_lon}),
    "site_m": whole(0, 10**8),
    "far_reason": text,
}
_PHOTO = obj(PHOTO_FIELDS, PHOTO_MORE)


def photo(value: Any, where: str) -> None:
    _PHOTO(value, where)
    if (value["position"] is None) == (value["no_position"] is None):
        raise bad(f"{where}.position", "either a position or the reason why there is none")


# What was spoken, `ms` long by the tablet's clock; of the inspection as a whole, or of one question of it.
VOICE_NOTE = obj(
    {"sha256": sha256, "recorded": reading, "ms": whole(0, 10**8), "item": maybe(filled), "finding": maybe(filled)},
    {"subject": maybe(SUBJECT)},
)

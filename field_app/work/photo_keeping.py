"""A photo becomes a record: kept under its hash and durable first, looked at afterwards, then placed.

Where it was taken is the tablet's position, or the reason why there is none: never made up. Originals stay as they are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from field_app.photos import look, read_exif
from field_app.work import room
from field_app.work.words import N_
from sync.records.photo_bodies import PHOTO_SOURCES, PHOTO_VIEWS
from sync.records.places import metres_off
from sync.records.problems import Problem
from sync.records.protocol import MAX_PIXELS

if TYPE_CHECKING:
    from field_app.work.desk import Desk

NOT_YET = N_("no position had come when the photo was kept")
NOT_IN_TIME = N_("none had come when it was signed")
NO_FIX = {
    "denied": N_("the tablet may not tell its position"),
    "off": N_("positioning is switched off"),
    "timeout": N_("no position came in time"),
    "implausible": N_("the position made no sense"),
    "unsupported": N_("this tablet gives no position"),
    "failed": N_("the position could not be read"),
}
# More than any camera of a tablet makes; a file of this size still fits the memory of the browser.
LARGEST_KEPT = 200_000_000
FROM_GALLERY = N_("chosen from the tablet's pictures, so where it was taken is not known")
_PLACE = ("position", "no_position", "site_position", "site_m")


async def keep_photo(desk: Desk, data: bytes, *, source: str, view: str, name: str | None) -> dict[str, Any]:
    """Keep a picture and give its record, without position yet. Raises Problem "evidence-..." with nothing kept."""
    if source not in PHOTO_SOURCES or view not in PHOTO_VIEWS:
        raise Problem("choice-unknown", "a photo has a source and a view that we know", where="photo")
    room.check(desk)
    if len(data) > LARGEST_KEPT:  # what is only too large for the server is kept: a smaller copy goes there
        raise Problem("evidence-too-large", f"the picture has {len(data)} bytes, {LARGEST_KEPT} are kept")
    picture = look(data)
    if picture and picture.width * picture.height > MAX_PIXELS:
        raise Problem("evidence-too-many-pixels", f"the picture is {picture.width} x {picture.height}")
    sha = await desk.box.keep(data, photo=True)
    room.look_soon(desk)
    record = {
        "sha256": sha,
        "taken": desk.at().to_wire(),
        "source": source,
        "position": None,
        "no_position": FROM_GALLERY if source == "gallery" else NOT_YET,
        "view": view,
        "name": name,
        "size": len(data),
        "media": picture.media if picture else "application/octet-stream",
    }
    if source != "camera":
        exif = read_exif(data)
        claims = {
            "taken": exif.taken and exif.taken + (exif.offset or ""),
            "lat_udeg": exif.lat_udeg,
            "lon_udeg": exif.lon_udeg,
            "camera": " ".join(part for part in (exif.make, exif.model) if part) or None,
        }
        record["exif"] = {key: value for key, value in claims.items() if value is not None}
    return record


async def located(desk: Desk, record: dict[str, Any], site: str = "") -> dict[str, Any]:
    """The record with the tablet's position, or with the reason why there is none. A gallery picture keeps its own."""
    if record["source"] == "gallery":
        return record
    fix = await desk.hardware.position.fix()
    desk.locating.note(fix)
    return at_fix(desk, record, fix, site)


def at_fix(desk: Desk, record: dict[str, Any], fix: Any, site: str) -> dict[str, Any]:
    """The record with this position, or with the reason that came instead. Far from the site both positions are kept:
    the list may be wrong as well as the photographer."""
    reason = getattr(fix, "reason", None)
    if reason is not None:
        return {**record, "position": None, "no_position": NO_FIX.get(reason, reason)}
    position = {
        "lat_udeg": fix.lat_udeg,
        "lon_udeg": fix.lon_udeg,
        "accuracy_cm": fix.accuracy_cm,
        "fixed_at": desk.local(fix.fixed_at).isoformat(timespec="seconds"),
        **({"mocked": True} if fix.mocked else {}),
    }
    placed = {**record, "position": position, "no_position": None}
    place = desk.store.table("sites").get(site) or {}
    metres = metres_off(placed, place, desk.pack().far_photo_m)
    if metres is not None:
        placed |= {"site_position": {name: place[name] for name in ("lat_udeg", "lon_udeg")}, "site_m": metres}
    return placed


def entered(record: dict[str, Any], placed: dict[str, Any]) -> dict[str, Any]:
    """The record of a photo as it stands by now, with the position that came for `placed`: where both are of one photo
    and it still waits for its position."""
    if record["sha256"] != placed["sha256"] or record["no_position"] != NOT_YET:
        return record
    return {**record, **{name: placed[name] for name in _PLACE if name in placed}}


def where(desk: Desk, fix: Any | None) -> dict[str, Any]:
    """Where something was done, as records say it: {position, no_position}. None: nothing had come by then."""
    nowhere = {"position": None, "no_position": NOT_IN_TIME}
    return nowhere if fix is None else {name: at_fix(desk, nowhere, fix, "")[name] for name in nowhere}

"""Photos: kept under their hash and durable first, looked at afterwards.

A photo is attached before the tablet is asked where it is; the position is added when it comes. Killed in between, the
photo is there with the reason why it has none. Originals are never changed; small pictures are derived from them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from field_app.capture import draft as taps
from field_app.photos import look, read_exif
from field_app.work import inspecting, room, taken_off
from field_app.work.photo_records import far_view, photo_view
from field_app.work.stamping import stamp_of
from field_app.work.views import Choice, PhotoCaptureView
from field_app.work.words import N_, PHOTO_VIEW, said
from sync.documents.language import feet
from sync.records.photo_bodies import PHOTO_SOURCES, PHOTO_VIEWS
from sync.records.places import metres_off
from sync.records.problems import Problem
from sync.records.protocol import MAX_PIXELS

if TYPE_CHECKING:
    from field_app.work.desk import Desk

NOT_YET = N_("no position had come when the photo was kept")
NOT_IN_TIME = N_("no position had come when it was signed")
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


PLACE = ("position", "no_position", "site_position", "site_m")


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
    }
    placed = {**record, "position": position, "no_position": None}
    place = desk.store.table("sites").get(site) or {}
    metres = metres_off(placed, place, desk.pack().far_photo_m)
    if metres is not None:
        placed |= {"site_position": {name: place[name] for name in ("lat_udeg", "lon_udeg")}, "site_m": metres}
    return placed


def where(desk: Desk, fix: Any | None) -> dict[str, Any]:
    """Where something was done, as records say it: {position, no_position}. None: nothing had come by then."""
    nowhere = {"position": None, "no_position": NOT_IN_TIME}
    return nowhere if fix is None else {name: at_fix(desk, nowhere, fix, "")[name] for name in nowhere}


async def shoot(desk: Desk, draft: str, key: str, data: bytes, *, view: str) -> str:
    """A photo of the in-app camera, durable when this returns; its position comes behind it. Gives the view that is
    suggested next."""
    inspecting.check_photo_key(desk, draft, key)
    record = await keep_photo(desk, data, source="camera", view=view, name=None)
    sha, fresh, site = record["sha256"], desk.locating.fresh(), inspecting.load(desk, draft).site
    if fresh is not None:
        record = at_fix(desk, record, fresh, site)
    else:
        desk.locating.awaited.add(sha)
    after = await inspecting.tap(desk, draft, lambda d, form: taps.attach_photo(d, form, key, record))

    async def place(fix: Any) -> None:
        desk.locating.awaited.discard(sha)
        await _place(desk, draft, sha, at_fix(desk, record, fix, site))

    desk.locating.ask(place if fresh is None else None)
    return suggested(desk, after, key)


async def _place(desk: Desk, draft: str, sha: str, placed: dict[str, Any]) -> None:
    """Enter the position, unless the photo was taken off or the draft was signed or thrown away while it was asked
    for: then the reason stands."""

    def entered(d: taps.Draft, form: Any) -> taps.Draft:
        if sha not in d.photos or d.photos[sha].get("no_position") != NOT_YET:
            return d
        where = {name: placed[name] for name in PLACE if name in placed}
        return replace(d, photos={**d.photos, sha: {**d.photos[sha], **where}})

    if desk.store.table("drafts").get(draft):
        await inspecting.tap(desk, draft, entered)


async def add_photo(
    desk: Desk, draft: str, key: str, data: bytes, *, source: str, view: str, name: str | None
) -> PhotoCaptureView:
    inspecting.check_photo_key(desk, draft, key)
    record = await keep_photo(desk, data, source=source, view=view, name=name)
    sha = record["sha256"]
    desk.locating.awaited.add(sha)
    try:
        await inspecting.tap(desk, draft, lambda d, form: taps.attach_photo(d, form, key, record))
        placed = await located(desk, record, inspecting.load(desk, draft).site)
    finally:
        desk.locating.awaited.discard(sha)
    if placed != record:
        await _place(desk, draft, sha, placed)
    return capture_view(desk, draft, key)


async def remove_photo(desk: Desk, draft: str, key: str, sha256: str, *, retake: bool = False) -> PhotoCaptureView:
    before = inspecting.load(desk, draft).photos.get(sha256)
    after = await inspecting.tap(desk, draft, lambda d, form: taps.remove_photo(d, form, key, sha256), "photo-off")
    if before is not None and sha256 not in after.photos:
        await taken_off.note(desk, draft, before, why=taken_off.RETAKEN if retake else "")
    return capture_view(desk, draft, key)


def suggested(desk: Desk, d: taps.Draft, key: str) -> str:
    """Which view the next photo should be of."""
    wanted = inspecting.views_wanted(desk, d, key) if key and not key.startswith(taps.LAST) else ()
    return wanted[0] if wanted else ("other" if taps.photos_of(d, key) else "wide")


def capture_view(desk: Desk, draft: str, key: str) -> PhotoCaptureView:
    _ = desk.words
    d = inspecting.load(desk, draft)
    site = desk.store.table("sites").get(d.site) or {}
    ask: list[str] = []
    if key.startswith(taps.LAST):
        title, question = _("Last time"), inspecting.last_title(desk, d, key)
        shas, wanted = taps.photos_of(d, key), ()
    elif key:
        item = inspecting.item_view(desk, d, key)
        title, question = item.item, item.question
        shas, wanted = taps.entry_of(d, key).photos, inspecting.views_wanted(desk, d, key)
        ask = [_("Wanted: {view}").format(view=said(PHOTO_VIEW, v, _)) for v in wanted]
    else:
        title, question, shas, wanted = _("Photos of the site"), "", d.general, ()
    return PhotoCaptureView(
        title=title,
        question=question,
        kept=tuple(photo_view(desk, d.photos[sha], site) for sha in shas),
        ask=tuple(ask),
        views=tuple(Choice(v, said(PHOTO_VIEW, v, _)) for v in PHOTO_VIEWS),
        suggested_view=suggested(desk, d, key),
        far=far_view(desk, d.photos.values(), d.far_reason),
        picture_limit=_("JPEG, PNG, WebP or HEIC, at most {count} megapixels").format(count=MAX_PIXELS // 1_000_000),
    )


async def no_picture_words(desk: Desk, sha256: str) -> str:
    """Why there is no small picture of a photo."""
    _ = desk.words
    return _("preview in the office") if await desk.box.has(sha256) else _("not on this tablet")


async def thumbnail(desk: Desk, sha256: str, longest: int) -> bytes | None:
    try:
        return await desk.box.thumbnail(sha256, longest, stamp_of(desk, sha256, longest))
    except Problem as problem:
        if problem.code in ("evidence-unknown", "evidence-damaged", "evidence-not-an-image"):
            return None
        raise


def position_words(desk: Desk) -> str:
    """How old the last position is."""
    _, last, age = desk.words, desk.locating.last, desk.locating.age_s()
    if last is None or age is None:
        return _("No position yet.")
    near = feet(last[0].accuracy_cm / 100)
    if age < 10:
        return _("Position known to {feet} ft, just now.").format(feet=near)
    if age < 120:
        return _("Position known to {feet} ft, {count} seconds ago.").format(feet=near, count=age)
    return _("Last position {count} minutes ago, known to {feet} ft.").format(feet=near, count=age // 60)

"""Photos of an inspection, and what is shown of any photo.

A photo is attached before the tablet is asked where it is; the position is added when it comes. Killed in between, the
photo is there with the reason why it has none. Originals are never changed; small pictures are derived from them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from field_app.capture import draft as taps
from field_app.work import inspecting, taken_off
from field_app.work.photo_keeping import at_fix, entered, keep_photo, located
from field_app.work.photo_records import far_view, photo_view
from field_app.work.stamping import stamp_of
from field_app.work.views import Choice, PhotoCaptureView
from field_app.work.words import PHOTO_VIEW, said
from sync.documents.language import distance_words
from sync.records.photo_bodies import PHOTO_VIEWS
from sync.records.problems import Problem
from sync.records.protocol import MAX_PIXELS

if TYPE_CHECKING:
    from field_app.work.desk import Desk


async def shoot(desk: Desk, draft: str, key: str, data: bytes, *, view: str) -> str:
    """A photo of the in-app camera, durable when this returns; its position comes behind it. Gives the view that is
    suggested next."""
    inspecting.check_photo_fits(desk, draft, key)
    record = await keep_photo(desk, data, source="camera", view=view, name=None)
    sha, fresh, site = record["sha256"], desk.locating.fresh(), inspecting.load(desk, draft).site
    if fresh is not None:
        record = at_fix(desk, record, fresh, site)
    after = await inspecting.tap(desk, draft, lambda d, form: taps.attach_photo(d, form, key, record))
    if fresh is None:
        desk.locating.awaited.add(sha)

    async def place(fix: Any) -> None:
        desk.locating.awaited.discard(sha)
        await _place(desk, draft, at_fix(desk, record, fix, site))

    desk.locating.ask(place if fresh is None else None)
    return suggested(desk, after, key)


async def _place(desk: Desk, draft: str, placed: dict[str, Any]) -> None:
    """Enter the position, unless the photo was taken off or the draft was signed or thrown away while it was asked
    for: then the reason stands."""
    if desk.store.table("drafts").get(draft):
        await inspecting.tap(desk, draft, lambda d, form: replace(
            d, photos={sha: entered(record, placed) for sha, record in d.photos.items()}))


async def add_photo(
    desk: Desk, draft: str, key: str, data: bytes, *, source: str, view: str, name: str | None
) -> PhotoCaptureView:
    inspecting.check_photo_fits(desk, draft, key)
    record = await keep_photo(desk, data, source=source, view=view, name=name)
    sha = record["sha256"]
    desk.locating.awaited.add(sha)
    try:
        await inspecting.tap(desk, draft, lambda d, form: taps.attach_photo(d, form, key, record))
        placed = await located(desk, record, inspecting.load(desk, draft).site)
    finally:
        desk.locating.awaited.discard(sha)
    if placed != record:
        await _place(desk, draft, placed)
    return capture_view(desk, draft, key)


async def remove_photo(desk: Desk, draft: str, key: str, sha256: str, *, retake: bool = False) -> PhotoCaptureView:
    def told(tx: Any, before: taps.Draft, after: taps.Draft) -> None:
        if sha256 in before.photos and sha256 not in after.photos:
            taken_off.note(desk, tx, draft, before.photos[sha256], why=taken_off.RETAKEN if retake else "")

    await inspecting.tap(desk, draft, lambda d, form: taps.remove_photo(d, form, key, sha256), "photo-off", told)
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
    near = distance_words(last[0].accuracy_cm / 100, _)
    if age < 10:
        return _("Position known to {distance}, just now.").format(distance=near)
    if age < 120:
        return _("Position known to {distance}, {count} seconds ago.").format(distance=near, count=age)
    return _("Last position {count} minutes ago, known to {distance}.").format(distance=near, count=age // 60)

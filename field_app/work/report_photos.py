"""Photos of an unfinished report about a site: the shutter waits for no position, what is taken off leaves a trace.

Both stand in what is signed, and the statement names each photo.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from field_app.capture.findings import far_photos
from field_app.work import taken_off, voice_beside, voice_keeping
from field_app.work.photo_keeping import NOT_YET, at_fix, entered, keep_photo, located
from field_app.work.photo_records import photo_evidence, photos_covered, wire_photo
from field_app.work.reports import edit_open
from sync.records.facts import Evidence
from sync.records.problems import Problem

if TYPE_CHECKING:
    from field_app.work.desk import Desk

Doc = dict[str, Any]
LONGEST_REASON = 4_000
MOST_PHOTOS = 100  # one record takes no more


def _about_a_site(doc: Doc) -> bool:
    """Photos of a placard stand in a row of the same table, and go another way (`placard_photos.py`)."""
    return doc.get("act") != "placard"


def _has_room(doc: Doc) -> Doc:
    """The row as it is. Raises Problem "too-many-photos" when one more could not be signed with the others."""
    if len(doc["photos"]) >= MOST_PHOTOS:
        raise Problem("too-many-photos", f"at most {MOST_PHOTOS} photos fit into one report", where="photos")
    return doc


async def attach_photo(
    desk: Desk, ident: str, data: bytes, source: str, view: str, name: str | None, *, wait: bool
) -> None:
    """A photo is kept under its hash first, then attached, then its position is asked for: with `wait` until it is
    there, else behind it."""
    site = (desk.store.table("reports").get(ident) or {}).get("site", "")
    await edit_open(desk, ident, _about_a_site, _has_room)  # refused before anything is kept
    record = await keep_photo(desk, data, source=source, view=view, name=name)
    sha, fresh = record["sha256"], desk.locating.fresh()
    if record["no_position"] == NOT_YET and fresh is not None:
        record = at_fix(desk, record, fresh, site)
    await edit_open(desk, ident, _about_a_site, lambda doc: doc if any(p["sha256"] == sha for p in doc["photos"]) else {
        **_has_room(doc), "photos": [*doc["photos"], record]})

    async def place(fix: Any) -> None:
        await _place(desk, ident, at_fix(desk, record, fix, site))

    if record["no_position"] == NOT_YET and wait:
        await _place(desk, ident, await located(desk, record, site))
    elif record["no_position"] == NOT_YET or fresh is None:
        desk.locating.ask(place if record["no_position"] == NOT_YET else None)


async def _place(desk: Desk, ident: str, placed: Doc) -> None:
    """Enter the position, unless the photo was taken off or the report signed meanwhile: then the reason stands."""
    async with desk.store.change() as tx:
        doc = tx.get("reports", ident)
        if doc is not None and doc["stage"] == "open":
            tx.put("reports", ident, {**doc, "photos": [entered(one, placed) for one in doc["photos"]]})


async def remove_photo(desk: Desk, ident: str, sha256: str, *, retake: bool = False) -> None:
    """Take a photo off, for good or to take it again; what is signed says so. The last one can be put back."""
    gone: list[Doc] = []

    def without(doc: Doc) -> Doc:
        gone[:] = [photo for photo in doc["photos"] if photo["sha256"] == sha256]
        if not gone:
            return doc
        at = [photo["sha256"] for photo in doc["photos"]].index(sha256)
        return {**doc, "photos": [p for p in doc["photos"] if p["sha256"] != sha256],
                "off": {"photo": gone[0], "at": at, "retake": retake}}

    def told(tx: Any) -> None:
        for photo in gone:
            taken_off.note(desk, tx, ident, photo, why=taken_off.RETAKEN if retake else "")

    await edit_open(desk, ident, _about_a_site, without, told)


async def put_photo_back(desk: Desk, ident: str) -> None:
    """The photo that was taken off last stands where it stood."""

    def back(doc: Doc) -> Doc:
        off = doc.get("off")
        if not off:
            return doc
        photos = [p for p in _has_room(doc)["photos"] if p["sha256"] != off["photo"]["sha256"]]
        return {**doc, "photos": [*photos[:off["at"]], off["photo"], *photos[off["at"]:]], "off": None}

    await edit_open(desk, ident, _about_a_site, back)


def files_of(doc: Doc) -> set[str]:
    """The files that an unfinished report holds or can still bring back."""
    off = [doc["off"]["photo"]] if doc.get("off") else []
    return {photo["sha256"] for photo in (*doc["photos"], *off)} | voice_beside.files_of(doc)


async def set_far_reason(desk: Desk, ident: str, reason: str) -> None:
    """Why photos of the report were taken far from the site."""
    if len(reason) > LONGEST_REASON:
        raise Problem("text-too-long", f"at most {LONGEST_REASON} characters fit here", where="far_reason")
    await edit_open(desk, ident, _about_a_site, lambda doc: {**doc, "far_reason": reason})


def far_reason(doc: Doc) -> str:
    return doc.get("far_reason", "")


def lacks_reason(doc: Doc) -> bool:
    """Whether somebody must still say why photos were taken far from the site."""
    return bool(far_photos(doc["photos"])) and not far_reason(doc).strip()


# --- signing --------------------------------------------------------------------------------------------------------
def photos_signed(doc: Doc) -> list[Doc]:
    """The photos as the record names them."""
    said = far_reason(doc).strip()
    return [{**wire_photo(photo, item=None, finding=None), **({"far_reason": said} if photo.get("site_m") and said
                                                              else {})} for photo in doc["photos"]]


def signed_beside(desk: Desk, doc: Doc) -> Doc:
    """The parts of the record that name what was spoken, and what was taken off; empty where there is nothing."""
    held = {photo["sha256"] for photo in doc["photos"]} | voice_beside.files_of(doc)
    return voice_beside.record(doc) | taken_off.for_record(desk, doc["id"], held)


def evidence(doc: Doc) -> list[Evidence]:
    """All files of the record: photos, what was drawn over them, what was spoken."""
    from field_app.work import marking

    return [*(photo_evidence(photo) for photo in doc["photos"]), *marking.drawn_over(doc["photos"]),
            *voice_beside.evidence(doc)]


def with_files(desk: Desk, statement: str, doc: Doc) -> str:
    """The statement that is signed, with every photo and voice note by number and fingerprint."""
    shas = [photo["sha256"] for photo in doc["photos"]]
    parts = (statement, photos_covered(shas, desk.words) if shas else "",
             voice_keeping.covered(voice_beside.of(doc), desk.words))
    return " ".join(part for part in parts if part)

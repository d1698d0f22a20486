"""Plan documents of a site on the tablet: listed from what came down, shown from the files that were fetched.

A plan counts as here when every page of it is here, verified under its hash. Nothing waits for the network: what is
not here says so, and asking for it puts it first in the row (see `field_app/work/fetching.py`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from field_app.work.sites import site_doc
from field_app.work.views.plans import PlanPage, PlanRow, PlansView, PlanView, SpaceView
from sync.client.fetching import shown_pages
from sync.records.problems import Problem

if TYPE_CHECKING:
    from field_app.work.desk import Desk

DEFAULT_MB = 200
CHOICES_MB = (50, 100, 200, 500, 1000)
BUDGET, FIRST = "file_budget", "files_first"


def plan_doc(desk: Desk, ident: str) -> dict[str, Any]:
    doc = desk.store.table("plans").get(ident)
    if doc is None:
        raise Problem("subject-unknown", "this plan is not on the tablet", where=ident)
    return doc


def is_here(desk: Desk, sha256: str) -> bool:
    """Whether the file is on the tablet, verified."""
    return sha256 in desk.store.table("fetched")


def budget_mb(desk: Desk) -> int:
    """How many megabytes the fetched files may take."""
    return (desk.store.table("settings").get(BUDGET) or {}).get("value") or DEFAULT_MB


def megabytes(desk: Desk, size: int) -> str:
    _ = desk.words
    if size < 1_000_000:
        return _("{n} kB").format(n=max(1, size // 1000))
    return _("{n} MB").format(n=f"{size / 1_000_000:.1f}".removesuffix(".0"))


def _kind_words(desk: Desk, kind: str) -> str:
    _ = desk.words
    return {
        "erosion_control_plan": _("Erosion control plan"),
        "drawing": _("Drawing"),
        "detail": _("Detail"),
        "permit": _("Permit paper"),
    }.get(kind, _("Document"))


def _status_words(desk: Desk, status: str) -> str:
    _ = desk.words
    return {"current": _("in use"), "replaced": _("replaced by a newer one"), "withdrawn": _("withdrawn")}.get(
        status, status
    )


def plan_row(desk: Desk, doc: dict[str, Any]) -> PlanRow:
    _ = desk.words
    pages = shown_pages(doc)
    here = bool(pages) and all(is_here(desk, page["sha256"]) for page in pages)
    permit = desk.store.table("permits").get(doc["permit"]) if doc.get("permit") else None
    weight = sum(page["size"] for page in pages)
    if here:
        coming = ""
    elif not pages:
        coming = _("The office has no picture of it yet.")
    elif weight > budget_mb(desk) * 1_000_000:
        coming = _("It is larger than the space set aside for plans. See Settings.")
    else:
        coming = _("Not on this tablet yet. It comes by itself when everything of yours is sent.")
    return PlanRow(
        id=doc["id"],
        title=doc["title"],
        kind_words=_kind_words(desk, doc.get("kind", "other")),
        version=doc.get("version", ""),
        status=doc.get("status", "current"),
        status_words=_status_words(desk, doc.get("status", "current")),
        permit=permit["number"] if permit else None,
        added=desk.date_words(doc.get("added_on")),
        size=megabytes(desk, weight or doc["size"]),
        pages=len(pages),
        here=here,
        fetching=coming,
    )


def plans(desk: Desk, site: str) -> PlansView:
    """The plans of a site, those in use first. Problem "subject-unknown"."""
    _ = desk.words
    site_doc(desk, site)
    docs = [doc for doc in desk.store.table("plans").all() if doc["site"] == site]
    docs.sort(key=lambda doc: (doc.get("added_on", ""), doc["id"]), reverse=True)
    rows = [plan_row(desk, doc) for doc in docs]
    return PlansView(
        site=site,
        current=tuple(row for row in rows if row.status == "current"),
        replaced=tuple(row for row in rows if row.status != "current"),
        empty=None if rows else _("The office has added no plans to this site."),
    )


def open_plan(desk: Desk, ident: str) -> PlanView:
    """One plan with its pages. Problem "subject-unknown"."""
    doc = plan_doc(desk, ident)
    newer = desk.store.table("plans").get(doc["replaced_by"]) if doc.get("replaced_by") else None
    return PlanView(
        row=plan_row(desk, doc),
        site_name=site_doc(desk, doc["site"])["name"],
        pages=tuple(
            PlanPage(at, page.get("width") or 0, page.get("height") or 0, is_here(desk, page["sha256"]))
            for at, page in enumerate(shown_pages(doc), start=1)
        ),
        newer=plan_row(desk, newer) if newer else None,
        can_save=is_here(desk, doc["sha256"]),
    )


async def page(desk: Desk, ident: str, number: int) -> bytes:
    """The picture (PNG or JPEG) of one page, checked against its hash. Problem "subject-unknown", "file-not-here"."""
    pages = shown_pages(plan_doc(desk, ident))
    if not 1 <= number <= len(pages):
        raise Problem("subject-unknown", f"the plan has {len(pages)} pages", where=str(number))
    return await read(desk, pages[number - 1]["sha256"])


async def read(desk: Desk, sha256: str) -> bytes:
    """A fetched file, checked against its hash. One that was damaged is fetched anew. Problem "file-not-here"."""
    if not is_here(desk, sha256):
        raise Problem("file-not-here", where=sha256)
    files = await desk.files()
    try:
        return await files.read(sha256)
    except Problem:
        await files.delete(sha256)  # before its note: what is fetched anew must not be what goes
        async with desk.store.change() as tx:
            tx.delete("fetched", sha256)
        desk.wake_fetcher()
        detail = "the copy on this tablet was damaged; it is fetched again"
        raise Problem("file-not-here", detail, where=sha256) from None


async def small_picture(desk: Desk, photo: str) -> bytes | None:
    """The small picture of a finding's photo that came down; None when there is none, or not yet."""
    for doc in desk.store.table("findings").search(lambda one: one.get("photo") == photo):
        small = doc.get("thumbnail") or {}
        if is_here(desk, small.get("sha256", "")):
            try:
                return await read(desk, small["sha256"])
            except Problem:
                return None
    return None


async def save(desk: Desk, ident: str) -> bool:
    """Hands the original file out. False: it was cancelled. Problem "file-not-here"."""
    doc = plan_doc(desk, ident)
    data = await read(desk, doc["sha256"])
    return await desk.hardware.save_file(doc.get("name") or f"{doc['title']}.pdf", data, doc["media"])


async def want(desk: Desk, ident: str) -> PlanView:
    """Fetch this plan before all others, also when it is an old one. Problem "subject-unknown"."""
    doc = plan_doc(desk, ident)
    async with desk.store.change() as tx:
        before = (tx.get("meta", FIRST) or {}).get("plans", [])
        tx.put("meta", FIRST, {"plans": [doc["id"], *[one for one in before if one != doc["id"]]][:20]})
    desk.wake_fetcher()
    return open_plan(desk, ident)


def space(desk: Desk) -> SpaceView:
    """What fetched files may take and take."""
    _ = desk.words
    taken = sum(doc["size"] for doc in desk.store.table("fetched").all())
    words = _("Plans and small pictures take {taken} of {budget} MB on this tablet.").format(
        taken=megabytes(desk, taken), budget=budget_mb(desk)
    )
    return SpaceView(budget_mb(desk), CHOICES_MB, words)


async def set_budget(desk: Desk, megabytes_: int) -> SpaceView:
    """At most so many megabytes for fetched files. Evidence never counts and never goes. Problem "body-malformed"."""
    if megabytes_ not in CHOICES_MB:
        raise Problem("body-malformed", "this size is not offered", where="budget")
    async with desk.store.change() as tx:
        tx.put("settings", BUDGET, {"value": megabytes_})
    desk.wake_fetcher()
    return space(desk)

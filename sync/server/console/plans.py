"""Plan documents and drawings of a site: added with a form, looked at page by page, replaced or withdrawn, not lost."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response, StreamingResponse

from sync.documents.language import Translate
from sync.records.down import PLAN_KINDS
from sync.records.problems import Problem
from sync.server.casework import queries
from sync.server.casework.naming import person_names
from sync.server.casework.people import DECIDE_APPLICATIONS
from sync.server.casework.plans import MAX_PLAN_BYTES, add_plan, plan_file, plans_of, withdraw_plan
from sync.server.console.seat import Seat, natural, takes_files
from sync.server.console.security import guard

Doc = dict[str, Any]
FOREVER = "private, max-age=31536000, immutable"
PIECE = 256 * 1024


def may_keep(seat: Seat) -> bool:
    return seat.may(DECIDE_APPLICATIONS) or seat.may_administer


def kind_words(kind: str, _: Translate) -> str:
    return {
        "erosion_control_plan": _("Erosion control plan"), "drawing": _("Drawing"), "detail": _("Detail"),
        "permit": _("Permit paper"), "other": _("Other document"),
    }.get(kind, kind)


def _size(size: int) -> str:
    return f"{max(1, size // 1000)} kB" if size < 1_000_000 else f"{size / 1_000_000:.1f} MB"


def plan_rows(seat: Seat, site: str) -> list[Doc]:
    """The plans of a site for its page."""
    return [_row(seat, doc) for doc in plans_of(seat.city, site)]


def _row(seat: Seat, doc: Doc) -> Doc:
    _ = seat._
    said, tone = {
        "current": (_("in use"), "good"), "replaced": (_("replaced"), "mute"), "withdrawn": (_("withdrawn"), "mute"),
    }[doc["status"]]
    return {
        "id": doc["id"], "title": doc["title"], "version": doc["version"], "kind": kind_words(doc["kind"], _),
        "status": said, "tone": tone, "current": doc["status"] == "current", "permit": doc["permit"],
        "added": seat.day(doc["added_on"]), "by": doc["added_by"], "size": _size(doc["size"]), "name": doc["name"],
        "pages": len(doc["pages"]), "replaced_by": doc["replaced_by"], "site": doc["site"],
        "on_tablets": _size(sum(page["size"] for page in doc["pages"])),
        "sizes": [(page["width"], page["height"]) for page in doc["pages"]],
    }


def kinds(_: Translate) -> list[tuple[str, str]]:
    return [(kind, kind_words(kind, _)) for kind in PLAN_KINDS]


@takes_files(MAX_PLAN_BYTES + 100_000)
def add(seat: Seat) -> Response:
    """POST: a new plan of the site, drawn as pictures before it counts."""
    site, form = seat.path("id"), seat.form
    if not seat.files:
        raise Problem("plan-missing", where="file")
    brought = seat.files[0]
    incoming = seat.city.blobs.incoming()
    try:
        while piece := brought.file.read(PIECE):
            incoming.write(piece)
    except BaseException:
        incoming.drop()
        raise
    add_plan(seat.city, seat.who, site, incoming, title=form.get("title", ""), kind=form.get("kind", ""),
             version=form.get("version", ""), permit=form.get("permit") or None, name=brought.filename or "",
             replaces=form.get("replaces") or None)
    return seat.go(f"/office/sites/{site}?done=plan-added#plans")


def _plan(seat: Seat) -> tuple[Doc, Doc]:
    """The plan of the address, and its site."""
    ident = seat.path("id")
    for site in queries.site_list(seat.city):
        for doc in plans_of(seat.city, site["id"]):
            if doc["id"] == ident:
                return doc, site
    raise Problem("not-found", "there is no such plan")


def show(seat: Seat) -> Response:
    """One plan, page by page, as tablets show it."""
    doc, site = _plan(seat)
    names = person_names(seat.city)
    row = _row(seat, doc)
    permits = {permit["id"]: permit["number"] for permit in site["permits"]}
    return seat.page(
        "plan.html", "/office/sites", plan=row | {"by": names.get(row["by"], row["by"])},
        site=site, permit=permits.get(doc["permit"] or "", ""), may_keep=may_keep(seat), sha256=doc["sha256"],
    )


def picture(seat: Seat) -> Response:
    """A page of a plan (1..), or the file as it was added (0)."""
    number = natural(seat.path("page"), 3)
    found = plan_file(seat.city, seat.path("id"), number) if number is not None else None
    if found is None or not seat.city.blobs.has(found[0]):
        raise Problem("not-found", "there is no such page")
    sha256, size, media, name = found
    shown = media.startswith("image/")
    plain = "".join(one if one.isascii() and (one.isalnum() or one in "-_. ") else "_" for one in name)[:80]
    headers = {
        "Content-Length": str(size),
        "Content-Disposition": "inline" if shown else f'attachment; filename="{plain or "plan.pdf"}"',
        "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; sandbox",
    }
    return guard(StreamingResponse(seat.city.blobs.stream(sha256), media_type=media, headers=headers), cache=FOREVER)


def withdraw(seat: Seat) -> Response:
    """POST: the plan no longer counts; it stays readable."""
    doc, site = _plan(seat)
    withdraw_plan(seat.city, seat.who, doc["id"], seat.form.get("reasons", ""))
    return seat.go(f"/office/sites/{site['id']}?done=plan-withdrawn#plans")

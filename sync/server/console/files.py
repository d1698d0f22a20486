"""Files that pages show or hand out: originals by hash, previews, the order and the report as PDF, style and script.

An original is served as the type that its bytes were found to be, never as what was announced, and nothing of it
can run in the page. Papers are made from the record when asked for: the same record gives the same bytes.
"""

from __future__ import annotations

import mimetypes
from datetime import date, datetime, timedelta
from typing import Any

from starlette.requests import Request
from starlette.responses import FileResponse, Response

from sync.documents.layers import layer_svg
from sync.documents.order import order_pdf
from sync.documents.placard import placard_pdf
from sync.documents.report import inspection_report_pdf
from sync.records.bodies import signatures_of
from sync.records.layers import Layer, read_layer
from sync.records.problems import Problem
from sync.records.strokes import ANNOTATION_MEDIA, SIGNATURE_MEDIA
from sync.records.wire import decode
from sync.server.casework import queries
from sync.server.casework.evidence import evidence_for_office
from sync.server.casework.naming import person_names
from sync.server.casework.office import pack_of
from sync.server.casework.previews import preview_for_office
from sync.server.console.evidence import evidence_of_order, subjects_of
from sync.server.console.orders import PUBLISHED
from sync.server.console.previews import preview
from sync.server.console.seat import Seat
from sync.server.console.security import guard
from sync.server.parts import beyond, file_answer
from sync.where import assets

# Content under its own hash never changes; only this person's browser may keep it.
FOREVER = "private, max-age=31536000, immutable"
PAPER_PHOTOS = 40
NO_PREVIEW = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 480 360"><rect width="480" height="360" fill="#e6e9e4"/>'
    '<text x="240" y="186" text-anchor="middle" font-family="sans-serif" font-size="22" fill="#1a2327">{words}</text>'
    "</svg>"
)


def original(seat: Seat) -> Response:
    """The untouched bytes, or the part of them that is asked for."""
    held = evidence_for_office(seat.city, seat.path("sha256"))
    ending = mimetypes.guess_extension(held.media) or ".bin"
    # A picture opens in the browser's own viewer, which styles itself; anything else is saved, not shown.
    how = "inline" if held.media.startswith("image/") else "attachment"
    headers = {
        "Content-Disposition": f'{how}; filename="{held.sha256[:16]}{ending}"',
        "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; sandbox",
    }
    try:
        answer = file_answer(seat.request.headers, seat.city.blobs, held.sha256, held.size, held.media, headers)
    except Problem as problem:
        return guard(beyond(Response(problem.detail, status_code=problem.status, media_type="text/plain"), held.size))
    return guard(answer, cache=FOREVER)


def small(seat: Seat) -> Response:
    """A preview of a photo."""
    try:
        held = evidence_for_office(seat.city, seat.path("sha256"))
    except Problem:
        return _sent_ahead(seat)
    if held.media == SIGNATURE_MEDIA:
        return guard(Response(drawn_strokes(seat.city.blobs.read(held.sha256)), media_type="image/svg+xml"),
                     cache=FOREVER)
    if held.media == ANNOTATION_MEDIA and (layer := read_layer(seat.city.blobs.read(held.sha256))):
        return guard(Response(layer_svg(layer), media_type="image/svg+xml"), cache=FOREVER)
    data = preview(seat.city.blobs, held.sha256)
    if data is None and (ahead := preview_for_office(seat.city, held.sha256)):
        data = preview(seat.city.blobs, ahead)  # the tablet could read what we cannot (HEIC)
    if data is None:
        drawn = NO_PREVIEW.format(words=seat._("No preview. Open the original."))
        return guard(Response(drawn, media_type="image/svg+xml"), cache=FOREVER)
    return guard(Response(data, media_type="image/jpeg"), cache=FOREVER)


def _sent_ahead(seat: Seat) -> Response:
    """The preview that a tablet sent ahead of a photo; not to be kept, for the original follows."""
    ahead = preview_for_office(seat.city, seat.path("sha256"))
    data = preview(seat.city.blobs, ahead) if ahead else None
    if data is None:
        raise Problem("evidence-unknown", where=seat.path("sha256")[:64])
    return guard(Response(data, media_type="image/jpeg"))


def drawn_strokes(data: bytes) -> str:
    """A signature's strokes as a picture."""
    drawing = decode(data)
    lines = "".join(
        f'<polyline points="{" ".join(f"{point[0]},{point[1]}" for point in stroke)}"/>'
        for stroke in drawing["strokes"])
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {drawing["width"]} {drawing["height"]}">'
            f'<rect width="100%" height="100%" fill="#fff"/><g fill="none" stroke="#1a2327" stroke-width="3" '
            f'stroke-linecap="round" stroke-linejoin="round">{lines}</g></svg>')


def _previews(seat: Seat, photos: list[dict[str, Any]]) -> dict[str, bytes]:
    held = [photo["sha256"] for photo in photos if photo["held"]][:PAPER_PHOTOS]
    made = {sha: preview(seat.city.blobs, sha) for sha in held}
    return {sha: data for sha, data in made.items() if data is not None}


def _absent(seat: Seat, photos: list[dict[str, Any]], shown: dict[str, bytes]) -> dict[str, str]:
    """Photos that the office holds and that are not on the paper: too many, or none that it can read."""
    words = seat._("The office holds this photo; it is not shown on this paper.")
    return {photo["sha256"]: words for photo in photos if photo["held"] and photo["sha256"] not in shown}


def _pdf(data: bytes, name: str) -> Response:
    headers = {"Content-Disposition": f'inline; filename="{name}.pdf"'}
    return guard(Response(data, media_type="application/pdf", headers=headers))


def order_paper(seat: Seat) -> Response:
    """The registered order as PDF."""
    found = queries.order_page(seat.city, seat.path("id"))
    if found is None:
        raise Problem("not-found", "there is no such order")
    row, doc, body = found["row"], found["doc"], found["body"]
    if row["status"] not in PUBLISHED:
        raise Problem("not-found", "there is no paper of an order that was not issued")
    acts = {act["act"]: act for act in found["acts"]}
    issued = None
    if "issue" in acts:
        issued = {"on": acts["issue"]["on_day"], "by": acts["issue"]["person_name"]}
    decision = None
    for act, kind in (("confirm", "confirmed"), ("decline", "declined"), ("refuse", "declined")):
        if act in acts:
            decision = {
                "kind": kind,
                "by": acts[act]["person_name"],
                "at": seat.local(acts[act]["at"]),
                "reasons": acts[act]["reasons"] or "",
            }
    rests = evidence_of_order(seat.city, found, seat.language)
    registered_at = seat.local(row["registered_at"]) if row["registered_at"] else None
    data = order_pdf(
        body | {"posted_on": doc["posted_on"], "posted_at": doc["posted_at"]},
        pack_of(seat.city, found["pack_ref"]),
        dates=doc["dates"],
        public_url=seat.city.public_url,
        created=_last_act(found, registered_at or seat.local(row["received_at"])),
        register=doc["register"],
        status=row["status"],
        registered_at=registered_at,
        issued=issued,
        decision=decision,
        ended=_ended(doc, seat),
        site=found["site"],
        findings=rests.findings,
        subjects=rests.subjects,
        evidence=rests.photos,
        previews=_previews(seat, rests.photos),
        layers=_layers(seat, rests.photos),
        language=seat.language,
    )
    return _pdf(data, row["number"])


def order_placard(seat: Seat) -> Response:
    """The placard of an order that the office issued, for an inspector to put up: the day is written on it by hand, and
    its code names none."""
    found = queries.order_page(seat.city, seat.path("id"))
    if found is None:
        raise Problem("not-found", "there is no such order")
    acts = {act["act"]: act for act in found["acts"]}
    if found["row"]["status"] != "issued" or "issue" not in acts:
        raise Problem("not-found", "only an order that is issued and not up yet has a placard to print here")
    issue = acts["issue"]
    rests = evidence_of_order(seat.city, found, seat.language)
    data = placard_pdf(
        found["body"] | {"posted_on": None, "posted_at": None, "printed_on": None},
        pack_of(seat.city, found["pack_ref"]),
        dates=(),
        public_url=seat.city.public_url,
        created=seat.local(issue["at"]),
        site=found["site"],
        findings=rests.findings,
        subjects=rests.subjects,
        issued={"on": issue["on_day"], "by": issue["person_name"]},
    )
    return _pdf(data, f"{found['row']['number']}-placard")


def _ended(doc: dict[str, Any], seat: Seat) -> dict[str, str] | None:
    """What voided the order when nobody declined it: by record, replaced, or reversed on appeal."""
    act = None if doc["declined"] or doc["status"] != "voided" else doc.get("void") or doc.get("reversed")
    if act is None:
        return None
    names = person_names(seat.city)
    return {"on": act["on"], "by": names.get(act["by"], act["by"]), "reasons": act["reasons"]}


def _last_act(found: dict[str, Any], start: datetime) -> datetime:
    """When the record of this order last changed: the paper's own date, so that it is the same bytes each time."""
    return max([start, *(act["at"] for act in found["acts"])])


def inspection_paper(seat: Seat) -> Response:
    """The inspection report as PDF."""
    found = queries.inspection_page(seat.city, seat.path("id"))
    if found is None:
        raise Problem("not-found", "there is no such inspection")
    row, fact = found["row"], found["fact"]
    received = seat.local(row["received_at"])
    data = inspection_report_pdf(
        found["body"] | {"photos": found["photos"] + found["added"]},
        pack_of(seat.city, fact["pack"]),
        fact_id=row["id"],
        sha256=fact["sha256"],
        created=received,
        received_at=received,
        site=found["site"],
        subjects=subjects_of(found),
        previews=(shown := _previews(seat, found["photos"] + found["added"])),
        absent=_absent(seat, found["photos"] + found["added"], shown),
        revises=fact["revises"],
        superseded_by=row["superseded_by"],
        signatures=_signatures(seat, found["body"]),
        layers=_layers(seat, found["photos"] + found["added"]),
        language=seat.language,
    )
    return _pdf(data, f"inspection-{date.isoformat(row['inspected_on'])}-{row['id'][:8]}")


def _signatures(seat: Seat, body: dict[str, Any]) -> dict[str, bytes]:
    """The drawn signatures of an inspection that have arrived, by SHA-256."""
    drawn = {}
    for sha in set(signatures_of(body)) - {None}:
        try:
            held = evidence_for_office(seat.city, sha)
        except Problem:
            continue  # still on the tablet
        if held.media == SIGNATURE_MEDIA:
            drawn[sha] = seat.city.blobs.read(held.sha256)
    return drawn


def _layers(seat: Seat, photos: list[dict[str, Any]]) -> dict[str, Layer]:
    """What was drawn over photos, as far as it has arrived, by the photo's SHA-256."""
    drawn = {}
    for photo in photos[:PAPER_PHOTOS]:
        if not photo.get("layer"):
            continue
        try:
            held = evidence_for_office(seat.city, photo["layer"])
        except Problem:
            continue  # still on the tablet
        layer = read_layer(seat.city.blobs.read(held.sha256)) if held.media == ANNOTATION_MEDIA else None
        if layer is not None and layer.of == photo["sha256"]:
            drawn[photo["sha256"]] = layer
    return drawn


async def static(request: Request) -> Response:
    """A file of assets/console. Only files that are there, never a path out of it."""
    home = (assets() / "console").resolve()
    wanted = (home / request.path_params["path"]).resolve()
    if not wanted.is_relative_to(home) or not wanted.is_file():
        return guard(Response("not here", status_code=404, media_type="text/plain"))
    kept = timedelta(days=365) if "v" in request.query_params else timedelta(days=1)
    answer = FileResponse(wanted)
    return guard(answer, cache=f"public, max-age={int(kept.total_seconds())}")


async def icon(_request: Request) -> Response:
    """The mark: what a browser asks for by itself when it shows a file that names no icon, such as a photo."""
    day = timedelta(days=1)
    answer = FileResponse(assets() / "console" / "mark.svg", media_type="image/svg+xml")
    guarded = guard(answer, cache=f"public, max-age={int(day.total_seconds())}")
    # A photo's page stands in a sandbox, which is of no origin at all, not even ours.
    guarded.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
    return guarded

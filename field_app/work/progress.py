"""What is under way: drafts, signed items, and when the tablet last heard from the office."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from field_app.store.sealed import ENDED
from field_app.work.sealing import in_line
from field_app.work.views import DraftRow, SignedRow
from field_app.work.words import OUTCOME, said
from sync.client.reasons import explain_item
from sync.client.rows import RECEIVED, SAFE, WAITING, fact_row

if TYPE_CHECKING:
    from field_app.work.desk import Desk


def sync_clock(desk: Desk) -> str | None:
    """When the last answer of the server came (wall time), None when there was none yet."""
    return (desk.store.table("meta").get("contact") or {}).get("at")


def is_safe(desk: Desk, doc: dict[str, Any] | None) -> bool:
    """Whether the signed item has its whole receipt of the server as it is now: record and every file."""
    epoch = (desk.store.table("meta").get("sync") or {}).get("epoch", "")
    return doc is not None and fact_row(doc, epoch).state == SAFE


def journey(desk: Desk, doc: dict[str, Any] | None) -> str:
    """Where a signed item is and whether a person must do something, in a sentence or two; "" while it simply waits
    to be sent."""
    _ = desk.words
    if doc is None:
        return _("It is not on this tablet any more.")
    row = fact_row(doc, (desk.store.table("meta").get("sync") or {}).get("epoch", ""))
    if row.state == SAFE:
        return _("It is safe on the server.")
    if row.park is not None and row.park.held:
        reason = explain_item(row.park.code, row.park.detail, True, _)
        return f"{reason.words} {reason.advice}"
    if row.park is not None:
        return _("It is kept on this tablet, set aside. See “Sent and waiting” for why and what to do.")
    if row.state == RECEIVED:
        return _("The office has the record; the rest goes there by itself.")
    return ""


def draft_rows(desk: Desk, site: str | None = None) -> tuple[DraftRow, ...]:
    """Unfinished inspections, orders, affixings and reports of finds of the person signed in, on one site or on all."""
    from field_app.work import lacking, placard_photos

    _ = desk.words
    user = desk.session().get("user")
    rows = []
    for doc in desk.store.table("drafts").all():
        if doc["user"] == user and site in (None, doc["site"]):
            rows.append(
                DraftRow(
                    doc["id"],
                    "inspection",
                    _("Correction of an inspection") if doc.get("revises") else _("Inspection"),
                    lacking.progress_words(desk, doc),
                    desk.moment_words(doc["began"]),
                )
            )
    for doc in desk.store.table("order_drafts").all():
        if doc["user"] == user and site in (None, doc["site"]) and doc["stage"] not in ENDED:
            title = _("Put up stop-work order {number}") if doc["kind"] == "affix" else (
                _("Stop-work order {number}") if on_paper(doc) else _("Stop-work order"))
            rows.append(
                DraftRow(
                    doc["id"],
                    doc["kind"],
                    title.format(number=doc["number"]),
                    " · ".join(filter(None, (stage_words(desk, doc["stage"]), lacking.order_words(desk, doc)))),
                    desk.moment_words(doc["began"]),
                )
            )
    for doc in desk.store.table("reports").all():
        if doc["user"] == user and site in (None, doc["site"]) and doc["stage"] == "open":
            title = _("A site on no list") if doc["new"] else _("Is a permit needed?")
            kind, words, number = "report", doc["address"], ""
            if doc.get("act") == placard_photos.ACT:
                kind, words, number = "placard_photos", placard_photos.progress(desk, doc), doc["number"]
                title = _("Photos of the placard {number}").format(number=number)
            elif act := doc.get("act"):
                kind, title = "site_act", _("Emergency report") if act == "emergency" else _("Revision of the plan")
            if kind != "placard_photos":
                words = " · ".join(filter(None, (words, lacking.report_words(desk, doc))))
            rows.append(DraftRow(doc["id"], kind, title, words, desk.moment_words(doc["began"]), number))
    return tuple(rows)


def on_paper(doc: dict[str, Any]) -> bool:
    """Whether the order's number stands on a paper: from then on it is this order's, or a record explains the gap."""
    return doc["kind"] == "affix" or bool(doc.get("printed") or doc.get("blank"))


def stage_words(desk: Desk, stage: str) -> str:
    _ = desk.words
    return {
        "draft": _("being written"),
        "printed": _("placard made, not up yet"),
        "up": _("the placard is up, not signed yet"),
        "done": _("signed"),
        "abandoned": _("given up"),
    }[stage]


def signed_rows(desk: Desk, site: str) -> tuple[SignedRow, ...]:
    """The inspections of the site that were signed on this tablet, the newest first."""
    from field_app.work.order_findings import corrected_by
    from field_app.work.orders_known import outcome_now
    from field_app.work.second_orders import rested_on

    _ = desk.words
    rows = []
    over, ordered = corrected_by(desk), rested_on(desk, site)
    for doc in sorted(desk.store.table("facts").all(), key=in_line, reverse=True):
        if doc["kind"] != "inspection_signed":
            continue
        body = desk.fact(doc).body
        if body["site"] != site:
            continue
        sending = _where(desk, doc)
        rows.append(
            SignedRow(
                doc["id"],
                _("Inspection of {moment}").format(moment=desk.moment_words(body["ended"])),
                _("Corrected by a later record") if doc["id"] in over else said(
                    OUTCOME, outcome_now(desk, body["outcome"], doc["id"], desk.fact(doc).revises or ""), _),
                sending,
                bool(order_findings(body)) and doc["id"] not in over and doc["id"] not in ordered,
                desk.may("post"),
                ordered.get(doc["id"], ""),
            )
        )
    return tuple(rows)


def _where(desk: Desk, doc: dict[str, Any]) -> str:
    """Where it is, in a few words."""
    _ = desk.words
    row = fact_row(doc, (desk.store.table("meta").get("sync") or {}).get("epoch", ""))
    if row.state == SAFE:
        return _("on the server")
    if row.park is not None and row.park.held:
        return _("on the server, the office looks at it")
    if row.park is not None:
        return _("kept here, set aside")
    return _("kept here, not yet on the server") if row.state == WAITING else _("on the server, not everything yet")


def order_findings(body: dict[str, Any]) -> list[dict[str, Any]]:
    """The findings of a signed inspection that an order could rest on: still open, and with a ground."""
    return [f for f in body["findings"] if f["status"] == "open" and f["grounds"]]

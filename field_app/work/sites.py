"""One site, as it came down last, with what is under way on this tablet."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Any

from field_app.work import finding_sites, orders_known
from field_app.work.progress import draft_rows, signed_rows
from field_app.work.site_list import known_as_of, permit_line, permit_words
from field_app.work.site_standing import current_permit
from field_app.work.views import (
    Choice,
    ConditionView,
    OpenFindingView,
    PartyView,
    PermitView,
    PlaceView,
    SiteView,
)
from field_app.work.words import (
    BARRIER_UNKNOWN,
    ENTRY_BASIS,
    INSPECTION_TYPE,
    SEVERITY,
    SITE_CLASS,
    said,
)
from sync.records.bodies import ENTRY_BASES, INSPECTION_TYPES, SEVERITIES
from sync.records.problems import Problem

if TYPE_CHECKING:
    from field_app.work.desk import Desk


def site_doc(desk: Desk, site: str) -> dict[str, Any]:
    doc = desk.store.table("sites").get(site)
    if doc is None:
        raise Problem("subject-unknown", "this site is not on the tablet", where=site)
    return doc


class _BySite:
    """The documents of a table by site, looked up and not gathered."""

    def __init__(self, index: finding_sites.SiteIndex, table: str) -> None:
        self._index, self._table = index, table

    def get(self, site: str, default: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return self._index.of_site(self._table, site) or default


def grouped(desk: Desk, table: str) -> _BySite:
    """The documents of a table by site: `grouped(desk, "permits").get(site, [])`."""
    return _BySite(finding_sites.of(desk), table)


def site(desk: Desk, site: str) -> SiteView:
    _ = desk.words
    doc = site_doc(desk, site)
    today = desk.today()
    permits = sorted(grouped(desk, "permits").get(site, []), key=lambda p: p["number"])
    open_findings = [f for f in grouped(desk, "findings").get(site, []) if f.get("status", "open") == "open"]
    open_findings.sort(key=lambda f: (SEVERITIES.index(f["severity"]), f["found_on"]))
    labels = place_labels(desk, site)
    parties = []
    for role, name in ((_("Permittee"), "permittee"), (_("Landowner"), "landowner"), (_("Land user"), "land_user")):
        party = doc.get(name)
        if party:
            parties.append(PartyView(role, party.get("name", ""), party.get("address", ""), party.get("phone", "")))
    return SiteView(
        id=site,
        name=doc["name"],
        address=doc["address"],
        parcel=doc.get("parcel") or _("unknown"),
        site_class=said(SITE_CLASS, doc.get("site_class") or "other", _),
        parties=tuple(parties),
        permits=tuple(permit_view(desk, p) for p in permits),
        permit_words=permit_line(desk, current_permit(desk, permits, today)),
        inlets=tuple(
            PlaceView(
                i["id"], i["label"], _("Inlet"), i.get("place", ""), i.get("planned_barrier") or _(BARRIER_UNKNOWN)
            )
            for i in inlets_of(desk, site)
        ),
        devices=tuple(
            PlaceView(d["id"], d["label"], d["kind"].replace("_", " "), d.get("place", ""), "")
            for d in devices_of(desk, site)
        ),
        findings=tuple(finding_view(desk, f, labels, today) for f in open_findings),
        orders=tuple(orders_known.order_row(desk, o) for o in orders_known.orders_of(desk, site)),
        drafts=draft_rows(desk, site),
        signed=signed_rows(desk, site),
        inspection_types=tuple(Choice(t, said(INSPECTION_TYPE, t, _)) for t in INSPECTION_TYPES),
        entry_bases=tuple(Choice(b, said(ENTRY_BASIS, b, _)) for b in ENTRY_BASES),
        may_inspect=desk.may("inspect"),
        known_as_of=known_as_of(desk),
    )


def permit_view(desk: Desk, permit: dict[str, Any]) -> PermitView:
    try:
        clauses = desk.pack().clauses
    except Problem:
        clauses = {}  # the pack has not come down yet; the permit's own words can be read already
    conditions = []
    for condition in permit.get("conditions", []):
        clause = clauses.get(condition.get("clause", ""))
        conditions.append(ConditionView(condition["id"], condition["text"], clause.cite if clause else ""))
    return PermitView(
        id=permit["id"],
        number=permit["number"],
        state=permit["state"],
        in_force=orders_known.permit_in_force(desk, permit["id"], desk.today()),
        words=permit_words(desk, permit),
        conditions=tuple(conditions),
    )


def inlets_of(desk: Desk, site: str) -> list[dict[str, Any]]:
    found = [i for i in grouped(desk, "inlets").get(site, []) if not i.get("retired")]
    return sorted(found, key=lambda i: i["label"])


def devices_of(desk: Desk, site: str) -> list[dict[str, Any]]:
    return sorted(grouped(desk, "devices").get(site, []), key=lambda d: d["label"])


def place_labels(desk: Desk, site: str) -> dict[tuple[str, str], str]:
    """What the subjects of findings are called."""
    labels = {("inlet", i["id"]): i["label"] for i in grouped(desk, "inlets").get(site, [])}
    labels |= {("device", d["id"]): d["label"] for d in devices_of(desk, site)}
    for permit in grouped(desk, "permits").get(site, []):
        labels |= {("condition", c["id"]): c["text"] for c in permit.get("conditions", [])}
    return labels


def finding_view(
    desk: Desk, finding: dict[str, Any], labels: dict[tuple[str, str], str], today: date
) -> OpenFindingView:
    _ = desk.words
    due = finding.get("due")
    overdue = is_past(desk, due)
    subject = finding.get("subject") or {}
    return OpenFindingView(
        id=finding["id"],
        title=finding["title"],
        subject=labels.get((subject.get("kind", ""), subject.get("id", "")), ""),
        severity=finding["severity"],
        severity_words=said(SEVERITY, finding["severity"], _),
        found=_("found {date}").format(date=desk.date_words(finding["found_on"])),
        due=due_line(desk, due, overdue=overdue),
        overdue=overdue,
        note=finding.get("note", ""),
        photo=finding.get("photo"),
    )


def due_line(desk: Desk, due: dict[str, Any] | None, *, overdue: bool = False) -> str:
    """ "due Fri Aug 28, 2026 at 5:00 PM", or "" when none is set. With `overdue`: since when."""
    from sync.documents.language import clock_words
    from sync.documents.order_words import due_words

    _ = desk.words
    if not due:
        return ""
    day = desk.date_words(due["on"])
    if due.get("at_once"):
        if overdue:
            return _("overdue: was due at once on {date}").format(date=day)
        return _("due {when}").format(when=due_words(due, _))
    if overdue:
        return _("overdue since {date} at {time}").format(date=day, time=clock_words(due["at"], _))
    return _("due {date} at {time}").format(date=day, time=clock_words(due["at"], _))


def is_past(desk: Desk, due: dict[str, Any] | None) -> bool:
    """Whether the due minute is over by the tablet's clock; what has no date yet is never past."""
    return bool(due) and f"{due['on']}T{due['at']}" < desk.now().strftime("%Y-%m-%dT%H:%M")

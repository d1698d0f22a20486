"""The list of sites and one site, as they came down last, with what is under way on this tablet."""

from __future__ import annotations

import unicodedata
from datetime import date
from typing import TYPE_CHECKING, Any

from field_app.work import orders_known
from field_app.work.progress import draft_rows, signed_rows, sync_clock
from field_app.work.views import (
    Choice,
    ConditionView,
    OpenFindingView,
    PartyView,
    PermitView,
    PlaceView,
    SiteRow,
    SitesView,
    SiteView,
)
from field_app.work.words import (
    BARRIER_UNKNOWN,
    ENTRY_BASIS,
    INSPECTION_TYPE,
    PERMIT_STATE,
    SEVERITY,
    SITE_CLASS,
    said,
)
from sync.records.bodies import ENTRY_BASES, INSPECTION_TYPES, SEVERITIES
from sync.records.problems import Problem

if TYPE_CHECKING:
    from field_app.work.desk import Desk


def folded(text: str) -> str:
    """Lower case without accents, so that "resume" finds "Résumé"."""
    plain = unicodedata.normalize("NFKD", text.casefold())
    return "".join(c for c in plain if not unicodedata.combining(c))


def site_doc(desk: Desk, site: str) -> dict[str, Any]:
    doc = desk.store.table("sites").get(site)
    if doc is None:
        raise Problem("subject-unknown", "this site is not on the tablet", where=site)
    return doc


def grouped(desk: Desk, table: str) -> dict[str, list[dict[str, Any]]]:
    """The documents of a table by site."""
    found: dict[str, list[dict[str, Any]]] = {}
    for doc in desk.store.table(table).all():
        found.setdefault(doc["site"], []).append(doc)
    return found


def known_as_of(desk: Desk) -> str:
    _ = desk.words
    at = sync_clock(desk)
    if not at:
        return _("Nothing has come down from the office yet")
    return _("As the office knew it on {moment}").format(moment=desk.moment_words(at))


def sites(desk: Desk, query: str = "") -> SitesView:
    _ = desk.words
    today = desk.today()
    permits, findings = grouped(desk, "permits"), grouped(desk, "findings")
    orders: dict[str, list[orders_known.KnownOrder]] = {}
    for order in orders_known.all_orders(desk):
        orders.setdefault(order.site, []).append(order)
    drafts = {row["site"]: row["id"] for row in desk.store.table("drafts").all()}
    wanted = folded(query).split()
    docs = desk.store.table("sites").all()
    rows = []
    for doc in docs:
        own_permits = permits.get(doc["id"], [])
        own_orders = orders.get(doc["id"], [])
        words = [doc["name"], doc["address"], doc.get("parcel") or ""]
        words += [p["number"] for p in own_permits] + [o.number for o in own_orders]
        haystack = folded(" ".join(words))
        if not all(word in haystack for word in wanted):
            continue
        current = current_permit(desk, own_permits, today)
        open_findings = [f for f in findings.get(doc["id"], []) if f.get("status", "open") == "open"]
        active = [o for o in own_orders if o.status in orders_known.OPEN]
        line = None
        if active:
            line = _("Stop-work order {number}: {status}").format(
                number=active[-1].number, status=orders_known.status_words(desk, active[-1])
            )
        rows.append(
            SiteRow(
                id=doc["id"],
                name=doc["name"],
                address=doc["address"],
                permit=permit_line(desk, current),
                permit_ok=current is not None and orders_known.permit_in_force(desk, current["id"], today),
                open_findings=len(open_findings),
                critical=sum(1 for f in open_findings if f["severity"] == "critical"),
                order=line,
                draft=drafts.get(doc["id"]),
            )
        )
    rows.sort(key=lambda r: (r.draft is None, r.order is None, -r.critical, -r.open_findings, folded(r.name)))
    empty = None
    if not docs:
        empty = _("No sites yet. They come down from the office as soon as this tablet reaches it.")
    elif not rows:
        empty = _("No site matches “{query}”.").format(query=query)
    return SitesView(query, tuple(rows), len(docs), known_as_of(desk), empty)


def current_permit(desk: Desk, permits: list[dict[str, Any]], on: date) -> dict[str, Any] | None:
    """The permit that counts for the site on that day: one in force, else the one issued last, else any."""
    running = [p for p in permits if orders_known.permit_in_force(desk, p["id"], on)]
    ranked = sorted(running or permits, key=lambda p: (p.get("issued_on") or "", p["number"]))
    return ranked[-1] if ranked else None


def permit_line(desk: Desk, permit: dict[str, Any] | None) -> str:
    _ = desk.words
    if permit is None:
        return _("No permit found")
    return _("Permit {number}: {state}").format(number=permit["number"], state=permit_words(desk, permit))


def permit_words(desk: Desk, permit: dict[str, Any]) -> str:
    """The permit's state today with its dates; a permit that came down "in force" may have run out since."""
    _ = desk.words
    last = permit.get("last_valid_day")
    state = permit["state"]
    if state == "in_force" and last and last < desk.today().isoformat():
        return _("expired, last valid day {date}").format(date=desk.date_words(last))
    words = said(PERMIT_STATE, state, _)
    if state == "in_force" and last:
        return _("{state} through {date}").format(state=words, date=desk.date_words(last))
    if last:
        return _("{state}, last valid day {date}").format(state=words, date=desk.date_words(last))
    return words


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

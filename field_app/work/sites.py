"""One site: as it came down last, what was signed and is under way on this tablet, and what it is owed."""

from __future__ import annotations

import re
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

from field_app.work import finding_sites, orders_known
from field_app.work.finding_sites import SiteIndex, metres_to
from field_app.work.need_words import need_words
from field_app.work.new_site import ROLE
from field_app.work.new_site import unfinished as unfinished_reports
from field_app.work.progress import draft_rows, signed_rows
from field_app.work.rain import readings
from field_app.work.site_links import map_link
from field_app.work.site_list import distance_words, known_as_of, orders_by_site, permit_line, permit_words
from field_app.work.site_standing import current_permit, inspections_here, standing
from field_app.work.views import (
    Choice,
    ConditionView,
    OpenFindingView,
    PartyView,
    PermitView,
    PlaceView,
    SiteView,
)
from field_app.work.views.site import HistoryRow, RoundLine, TimetableRow
from field_app.work.words import (
    BARRIER_UNKNOWN,
    ENTRY_BASIS,
    INSPECTION_TYPE,
    OUTCOME,
    SEVERITY,
    SITE_CLASS,
    said,
)
from sync.documents.language import counted
from sync.ordinance.rounds import Owed
from sync.records.bodies import ENTRY_BASES, INSPECTION_TYPES, SEVERITIES
from sync.records.problems import Problem

if TYPE_CHECKING:
    from field_app.work.desk import Desk


__all__ = ["current_permit", "devices_of", "due_line", "grouped", "inlets_of", "is_past", "permit_line", "place_labels",
           "site", "site_doc"]


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
    index = finding_sites.of(desk)
    known = index.sites[site]
    here = standing(desk, index, known)
    now, user = desk.now().replace(tzinfo=None), desk.session().get("user")
    permits = sorted(index.of_site("permits", site), key=lambda p: p["number"])
    open_here = sorted(here.open, key=lambda f: (SEVERITIES.index(f["severity"]), f["found_on"], f["id"]))
    labels = place_labels(desk, site)
    may_inspect = desk.may("inspect")
    return SiteView(
        id=site,
        name=doc["name"],
        address=doc["address"],
        parcel=doc.get("parcel") or _("unknown"),
        site_class=said(SITE_CLASS, doc.get("site_class") or "other", _),
        parties=parties(desk, doc),
        permits=tuple(permit_view(desk, p) for p in permits),
        permit_words=permit_line(desk, here.permit),
        inlets=tuple(
            PlaceView(
                i["id"], i["label"], _("Inlet"), i.get("place", ""), i.get("planned_barrier") or _(BARRIER_UNKNOWN)
            )
            for i in inlets_of(desk, site)
        ),
        devices=tuple(
            PlaceView(d["id"], d["label"], device_words(desk, d["kind"]), d.get("place", ""), "")
            for d in devices_of(desk, site)
        ),
        findings=tuple(finding_view(desk, f, labels, now.date()) for f in open_here),
        orders=tuple(orders_known.order_row(desk, o) for o in orders_by_site(desk, index).get(site, ())),
        drafts=draft_rows(desk, site),
        signed=signed_rows(desk, site),
        inspection_types=tuple(Choice(t, said(INSPECTION_TYPE, t, _)) for t in INSPECTION_TYPES),
        entry_bases=tuple(Choice(b, said(ENTRY_BASIS, b, _)) for b in ENTRY_BASES),
        may_inspect=may_inspect,
        known_as_of=known_as_of(desk),
        owed=tuple(round_line(desk, one, now) for one in here.owed),
        need_words=need_words(desk, doc.get("need")),
        reported=reported_words(desk, doc),
        history=history(desk, index, site),
        timetable=timetable(desk, doc),
        rain=tuple(row.words for row in readings(desk, index, site)),
        assigned=", ".join(desk.name_of(one) for one in doc.get("inspectors") or ()),
        mine=user in (doc.get("inspectors") or ()),
        lat_udeg=doc.get("lat_udeg"),
        lon_udeg=doc.get("lon_udeg"),
        distance=distance_words(desk, metres_to(index.fix, doc) if index.fix else None),
        map_link=map_link(doc),
        report=next((one["id"] for one in unfinished_reports(desk, site)), ""),
        can_ask_need=may_inspect and not here.permit_ok,
        can_order=may_inspect,
        may_post=desk.may("post"),
        moved_to=doc.get("same_as") or "",
        as_written=citys_words(desk),
    )


def citys_words(desk: Desk) -> str:
    """What stands over words that the city wrote in its own language, for a reader of another; else ""."""
    _ = desk.words
    return "" if in_the_citys_language(desk) else _("In the city's own words")


def in_the_citys_language(desk: Desk) -> bool:
    """Whether the person reads the language that the city writes; before the ordinance came down nobody can tell."""
    try:
        return desk.language == desk.pack().languages[0]
    except Problem:
        return True


def parties(desk: Desk, doc: dict[str, Any]) -> tuple[PartyView, ...]:
    """Who is who, each with the link that calls."""
    _ = desk.words
    named = ((_("Contractor"), "contractor"), (_("Permittee"), "permittee"), (_("Landowner"), "landowner"),
             (_("Land user"), "land_user"))
    found = [(role, doc[name]) for role, name in named if doc.get(name)]
    found += [(said(ROLE, one.get("role") or "other", _), one) for one in doc.get("contacts") or ()]
    return tuple(
        PartyView(role, one.get("name") or "", one.get("address") or "", one.get("phone") or "",
                  call_link(one.get("phone") or ""))
        for role, one in found
    )


def call_link(phone: str) -> str:
    """The link that calls a number as people write it, "" when it has no digits. US numbers get their country code."""
    plus = phone.strip().startswith("+")
    number = re.split(r"(?i)\s*(?:x|ext)\.?\s*\d+\s*$", phone)[0]
    digits = "".join(letter for letter in number if letter.isdigit())
    if not digits:
        return ""
    if not plus and len(digits) == 10:
        digits = f"1{digits}"
    return f"tel:+{digits}" if plus or len(digits) == 11 else f"tel:{digits}"


def device_words(desk: Desk, kind: str) -> str:
    """What the pack's catalogue calls a kind of device."""
    try:
        return desk.pack().devices[kind].name(desk.law_language)
    except (Problem, KeyError):
        return kind.replace("_", " ")


def round_line(desk: Desk, owed: Owed, now: datetime) -> RoundLine:
    from field_app.work.today import owed_line

    line = owed_line(desk, owed, now)
    return RoundLine(line.words, line.why, line.state, "re-inspection" if owed.kind == "road" else owed.kind)


def reported_words(desk: Desk, doc: dict[str, Any]) -> str:
    """That the site was found in the field and what the office said of it, "" for a site of the office."""
    _, told = desk.words, doc.get("reported")
    if not told:
        return ""
    found = _("Found in the field by {name}, {date}.").format(
        name=desk.name_of(told.get("by")), date=desk.date_words(told.get("on")))
    state = {
        "reported": _("The office has not confirmed it yet."),
        "confirmed": _("The office has confirmed it."),
        "duplicate": _("The office filed it under another site."),
    }.get(told.get("state", ""), "")
    return f"{found} {state}".strip()


def history(desk: Desk, index: SiteIndex, site: str) -> tuple[HistoryRow, ...]:
    """The inspections that the office knows of, and those signed here since; the newest first."""
    _ = desk.words
    rows: dict[str, tuple[str, str, str, str, int, int, bool]] = {}
    for one in index.of_site("inspections", site):
        name = one.get("inspector") or desk.name_of(one["person"])
        outcome = orders_known.outcome_now(desk, one["outcome"], one["id"], *one.get("instead", ()))
        rows[one["id"]] = (one["inspected_on"], one["type"], outcome, name, one.get("findings", 0),
                           one.get("critical", 0), False)
    for row, body in inspections_here(desk, index, site):
        critical = sum(1 for finding in body["findings"] if finding["severity"] == "critical")
        outcome = orders_known.outcome_now(desk, body["outcome"], row["id"], desk.fact(row).revises or "")
        rows[row["id"]] = (body["inspected_on"], body["type"], outcome, desk.name_of(row["user"]),
                           len(body["findings"]), critical, True)
    found = []
    for ident, (on, type_, outcome, name, findings, critical, mine) in sorted(
            rows.items(), key=lambda item: (item[1][0], item[0]), reverse=True):
        words = [said(OUTCOME, outcome, _), name]
        if findings:
            words.append(_("Findings: {count}").format(count=findings))
        if critical:
            words.append(_("Critical: {count}").format(count=critical))
        title = f"{desk.date_words(on)}, {said(INSPECTION_TYPE, type_, _)}"
        found.append(HistoryRow(ident, title, " · ".join(words), mine))
    return tuple(found)


def timetable(desk: Desk, doc: dict[str, Any]) -> tuple[TimetableRow, ...]:
    """The steps of the plan's timetable with their days."""
    _, today = desk.words, desk.today().isoformat()
    found = []
    for row in doc.get("timetable") or ():
        start, end = row.get("start") or "", row.get("end") or ""
        if row.get("done_on"):
            state, words = "done", _("done {date}").format(date=desk.date_words(row["done_on"]))
        elif end and end < today:
            state, words = "late", _("late")
        elif start and start <= today:
            state, words = "now", _("now")
        else:
            state, words = "coming", _("planned")
        when = " – ".join(desk.date_words(day) for day in (start, end) if day)
        found.append(TimetableRow(row.get("activity", ""), when, row.get("note") or "", state, words))
    return tuple(found)


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
        validity=(permit.get("validity") or {}).get(desk.language) or (permit.get("validity") or {}).get("en", ""),
    )


def inlets_of(desk: Desk, site: str) -> list[dict[str, Any]]:
    return _there(desk, "inlets", site)


def devices_of(desk: Desk, site: str) -> list[dict[str, Any]]:
    return _there(desk, "devices", site)


def _there(desk: Desk, table: str, site: str) -> list[dict[str, Any]]:
    found = [one for one in grouped(desk, table).get(site, []) if not one.get("retired")]
    return sorted(found, key=lambda one: one["label"])


def place_labels(desk: Desk, site: str) -> dict[tuple[str, str], str]:
    """What the subjects of findings are called, also those that are gone."""
    labels = {("inlet", i["id"]): i["label"] for i in grouped(desk, "inlets").get(site, [])}
    labels |= {("device", d["id"]): d["label"] for d in grouped(desk, "devices").get(site, [])}
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
    photos = finding.get("photos") or ()
    return OpenFindingView(
        id=finding["id"],
        title=finding_title(desk, finding),
        subject=labels.get((subject.get("kind", ""), subject.get("id", "")), ""),
        severity=finding["severity"],
        severity_words=said(SEVERITY, finding["severity"], _),
        found=_("found {date}").format(date=desk.date_words(finding["found_on"])),
        due=due_line(desk, due, overdue=overdue),
        overdue=overdue,
        note=finding.get("note", ""),
        photo=finding.get("photo") or (photos[0] if photos else None),
        age=age_words(desk, finding.get("first_found_on") or finding["found_on"], today),
    )


def finding_title(desk: Desk, finding: dict[str, Any]) -> str:
    """The question that failed, in the language of the tablet; where the pack has no such one, as the office says."""
    from field_app.work.order_findings import item_title

    try:
        found = item_title(desk.pack(), finding["item"], desk.law_language)
    except Problem:
        found = finding["item"]
    return finding.get("title") or found if found == finding["item"] else found


def age_words(desk: Desk, found_on: str, today: date) -> str:
    """How long a finding has been open."""
    _, days = desk.words, (today - date.fromisoformat(found_on)).days
    if days <= 0:
        return _("since today")
    return counted(days, "open for 1 day", "open for {count} days", _)


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


def due_problem(desk: Desk, due: dict[str, Any] | None) -> str:
    """What is wrong with the day of a correction, said where it is set; "" for nothing."""
    _ = desk.words
    if not due:
        return _("Choose the day by which it must be done.")
    past = not due.get("at_once") and is_past(desk, due)
    return _("This is over already: choose a later day or time.") if past else ""

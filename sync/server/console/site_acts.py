"""Emergencies and revisions of a plan in the office: those of a site, one of them, its paper, the decisions."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from sync.documents.language import moment_words, parse_wall
from sync.documents.order_words import due_words, met_words
from sync.documents.site_papers import approval_words, emergency_pdf, revision_pdf, threat_words
from sync.documents.spoken import spoken_beside
from sync.records.problems import Problem
from sync.server.casework import queries, site_acts
from sync.server.casework.naming import person_names, site_addresses
from sync.server.casework.office import pack_of
from sync.server.casework.people import APPROVE_ENTRY, CONFIRM, REVISE
from sync.server.casework.site_acts import EMERGENCY, SiteAct
from sync.server.console import calling, words
from sync.server.console.evidence import with_held
from sync.server.console.seat import Seat
from sync.server.console.security import guard

TONES = {"recorded": "", "recommended": "wait", "ordered": "good", "declined": "mute", "withdrawn": "mute"}


def rows_of(seat: Seat, site: str | None = None, *, waiting: bool = False) -> list[dict[str, Any]]:
    """Those of a site; ``waiting``: the revisions of the city that nobody has decided about."""
    found = [one for one in site_acts.open_site_acts(seat.city) if one.act != EMERGENCY] if waiting \
        else site_acts.site_acts(seat.city, site)
    places = site_addresses(seat.city) if waiting and found else {}
    return [
        {
            "id": one.id,
            "title": title_words(one, seat),
            "address": places.get(one.site, one.site),
            "says": seat.day(one.body["found_on"]),
            "standing": standing_words(one, seat),
            "tone": tone_of(one),
        }
        for one in found
    ]


def tone_of(one: SiteAct) -> str:
    """Red while an emergency calls for somebody."""
    return "stop" if one.act == EMERGENCY and one.attended is None else TONES[one.status]


def title_words(one: SiteAct, seat: Seat) -> str:
    _ = seat._
    said = _("Emergency report {number}") if one.act == EMERGENCY else _("Revision order {number}")
    return said.format(number=one.reference)


def standing_words(one: SiteAct, seat: Seat) -> str:
    _ = seat._
    if one.act == EMERGENCY:
        return _("seen to") if one.attended else _("nobody in the office has seen to it")
    return {"recommended": _("recommended; owed since the conditions were found"),
            "ordered": _("ordered"), "declined": _("declined"), "withdrawn": _("withdrawn")}[one.status]


def show(seat: Seat, *, wrong: Problem | None = None) -> Response:
    _, city = seat._, seat.city
    one = site_acts.one_site_act(city, seat.path("id"))
    names = person_names(city)
    found = queries.site_page(city, one.site)
    photos = _photos(seat, one, found["site"] if found else None)
    choices = []
    if one.status == "recommended":
        choices = [("issue", _("Order this revision"), False), ("decline", _("No revision is needed"), True)]
    elif one.status == "ordered":
        choices = [("withdraw", _("Withdraw this revision"), True)]
    call = one.act == EMERGENCY and one.attended is None
    if call:
        choices = [("attend", _("Write down what was arranged"), False)]
    may = seat.may(REVISE) if one.act != EMERGENCY else seat.may(APPROVE_ENTRY) or seat.may(CONFIRM)
    return seat.page(
        "site_act.html",
        "/office/sites",
        status=wrong.status if wrong else 200,
        wrong=words.refusal(wrong),
        id=one.id,
        title=title_words(one, seat),
        paper_title=_("Emergency report (PDF)") if one.act == EMERGENCY else _("Revision order (PDF)"),
        recorded=one.recorded,
        address=found["site"]["address"] if found else "",
        site=one.site,
        standing=standing_words(one, seat),
        tone=tone_of(one),
        rows=_rows(one, names, seat),
        photos=photos,
        spoken=with_held(seat, spoken_beside(one.body, _)),
        warn=_("Who approved the entry is not known to have held the power to on that day.")
        if one.approver_known is False else "",
        devices=[(each["text"], due_words(each["due"], _)) for each in one.body.get("devices", ())],
        choices=choices,
        allowed=may,
        power=words.power_words(APPROVE_ENTRY if call else REVISE, seat),
        reasons=seat.form.get("reasons", ""),
        calls_not=one.id if call else "",
        todo=calling.todo_words(one, names.get(one.by, one.by), _) if call else "",
    )  # fmt: skip


def _photos(seat: Seat, one: SiteAct, site: dict[str, Any] | None) -> list[Any]:
    with seat.city.db.read() as tx:
        own, _added = queries.photos_of(tx, seat.city, one.id, list(one.body["photos"]))
    return words.photo_views(own, {}, seat._, site=site, pack=pack_of(seat.city))


def _rows(one: SiteAct, names: dict[str, str], seat: Seat) -> list[tuple[str, str]]:
    _, body = seat._, one.body

    def moment(at: str | None) -> str:
        return moment_words(parse_wall(at), _) if at else ""

    signed = body.get("signed") or body.get("inspector")
    if one.act == EMERGENCY:
        return [
            (_("Found"), moment(body["found_at"])),
            (_("What was found"), body["condition"]),
            (_("Threatened"), ", ".join(threat_words(what, _) for what in body["threatens"])),
            (_("Entry approved") if body["approval"] else _("Entry not approved"),
             approval_words(body["approval"], _, body["no_approval"])),
            (_("Entered"), moment(body["entered_at"]) or _("not entered")),
            (_("What was done, or must be done at once"), body["actions"] or _("nothing written")),
            (_("Inspector"), f"{signed['name']}, {signed['title']}"),
            *words.signed_rows(body, signed, seat),
            *_attended(one, names, seat),
        ]
    return [
        (_("Conditions found"), seat.day(body["found_on"])),
        (_("Abnormal conditions"), body["conditions"]),
        (_("Why the plan is not enough"), body["inadequate"]),
        (_("Permit"), body["permit_number"] or _("none")),
        (_("Ordered"), f"{seat.day(one.ordered_on)}, {names.get(one.ordered_by or '', one.ordered_by or '')}"
         if one.ordered_on else _("not ordered")),
        *([(_("Reasons"), one.reasons)] if one.reasons else []),
        (_("On the site"), met_words(body, _)),
        (_("Inspector"), f"{signed['name']}, {signed['title']}"),
        *words.signed_rows(body, signed, seat),
    ]


def _attended(one: SiteAct, names: dict[str, str], seat: Seat) -> list[tuple[str, str]]:
    """Who of the office saw to the emergency, and what was arranged."""
    if one.attended is None:
        return []
    who = names.get(one.attended["by"], one.attended["by"])
    return [(seat._("Seen to in the office"), f"{seat.moment(one.attended['at'])}, {who}\n{one.attended['said']}")]


def decide(seat: Seat) -> Response:
    """POST: an emergency was seen to; a recommended revision is ordered or declined, an ordered one withdrawn."""
    ident, act = seat.path("id"), seat.path("act")
    do = {
        "attend": site_acts.attend_emergency,
        "issue": site_acts.issue_revision,
        "decline": site_acts.decline_revision,
        "withdraw": site_acts.withdraw_revision,
    }.get(act)
    if do is None:
        raise Problem("not-found", "there is no such decision")
    try:
        do(seat.city, seat.who, ident, seat.form.get("reasons", ""))
    except Problem as problem:
        if problem.code in ("reasons-missing", "already-decided"):
            return show(seat, wrong=problem)
        raise
    return seat.go(f"/office/site-acts/{ident}?done={'attended' if act == 'attend' else 'settled'}")


def paper(seat: Seat) -> Response:
    """The emergency report, or the revision order, as PDF."""
    city = seat.city
    one = site_acts.one_site_act(city, seat.path("id"))
    found = queries.site_page(city, one.site)
    pack = pack_of(city, one.pack)
    given: dict[str, Any] = {"reference": one.reference, "site": found["site"] if found else {},
                             "created": parse_wall(one.body["reported_at"])}
    if one.act == EMERGENCY:
        data = emergency_pdf(one.body, pack, **given, language=seat.language)
    else:
        names = person_names(city)
        data = revision_pdf(one.body, pack, status=one.status, reasons=one.reasons,
                            ordered_on=one.ordered_on.isoformat() if one.ordered_on else None,
                            ordered_by=names.get(one.ordered_by or "", one.ordered_by or ""), **given)
    headers = {"Content-Disposition": f'inline; filename="{one.reference}.pdf"'}
    return guard(Response(data, media_type="application/pdf", headers=headers))

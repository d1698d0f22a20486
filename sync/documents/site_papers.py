"""Two papers of a site beside the stop-work order: the emergency report, and the order that revises a plan.

The ordinance gives the emergency report no form and no day. What it must show is what an emergency entry and its bill
rest on: the condition, what is likely to be damaged or reached, who approved the entry and when, what was done. Text
and vectors only, so that both can be made on the tablet.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sync.documents.both import Both, both_of
from sync.documents.language import N_, Translate, date_words, moment_words, parse_date, parse_wall, translator
from sync.documents.office import contact_line, office_of, review_words
from sync.documents.order_texts import remark, written_in
from sync.documents.order_words import cite, due_words, met_words, party_lines
from sync.documents.placard import signature_lines
from sync.documents.spoken import spoken_lines

EMERGENCY_ACT, REVISION_DUTY = "enter_land_emergency", "order_revision"


def threat_words(what: str, _: Translate) -> str:
    """What is threatened, in words."""
    return {
        "adjacent property": _("adjacent property"),
        "surface water": _("surface water"),
        "public way": _("public street or way"),
        "storm sewer": _("storm sewer"),
    }.get(what, what)


def approval_words(approval: Mapping[str, Any] | None, _: Translate, why_not: str | None = None) -> str:
    """Who approved an entry, how and when; why nobody did."""
    if approval is None:
        return _("Not approved: {why}").format(why=why_not or _("no reason recorded"))
    who = ", ".join(part for part in (approval["name"], approval["role"]) if part)
    how = {"phone": _("{who}, by phone, {moment}"), "in person": _("{who}, in person, {moment}"),
           "own power": _("{who}, under a power of their own, {moment}")}[approval["how"]]  # fmt: skip
    return how.format(who=who, moment=moment_words(parse_wall(approval["at"]), _))


def emergency_pdf(
    body: Mapping[str, Any], pack: Any, *, reference: str, site: Mapping[str, Any], created: datetime,
    language: str = "en", photos: Sequence[Mapping[str, Any]] = (),
) -> bytes:
    """The emergency report, letter paper. `body` is that of the fact."""
    _ = translator(language)
    paper = _begun(pack, reference, _("Emergency report {number}").format(number=reference), created, language, _)
    only = Both((language,))
    _head(paper, pack, only, N_("Emergency report"), reference, site)
    paper.box(_("What was found"), body["condition"], size=12)
    grounds = [what for what in ("adjacent property", "surface water") if what in body["threatens"]]
    others = [what for what in ("public way", "storm sewer") if what in body["threatens"]]
    rows = [
        (_("Found"), moment_words(parse_wall(body["found_at"]), _)),
        (_("Likely to be damaged or reached"),
         ", ".join(threat_words(w, _) for w in grounds) or _("neither adjacent property nor surface water")),
        *([(_("To be protected too"), ", ".join(threat_words(w, _) for w in others))] if others else []),
        (_("Entry approved") if body["approval"] else _("Entry not approved"),
         approval_words(body["approval"], _, body["no_approval"])),
        (_("Entered"), moment_words(parse_wall(body["entered_at"]), _) if body["entered_at"] else _("not entered")),
        (_("What was done, or must be done at once"), body["actions"] or _("nothing written")),
        (_("Photos"), str(len(photos) or len(body["photos"]))),
        *spoken_lines(body, _),
        (_("Reported"), moment_words(parse_wall(body["reported_at"]), _)),
        (_("Inspector"), _signer(body["signed"], _)),
    ]
    paper.pairs(rows, label=62)
    paper.heading(_("What this rests on"))
    paper.paragraph(_("Where conditions are likely to result in sediment damaging adjacent property or reaching "
                      "surface water, the building inspector may enter the land and take emergency actions. No "
                      "stop-work order is needed first. Clause {cite}").format(
                          cite=cite(pack, pack.acts[EMERGENCY_ACT].clause)))
    if not grounds:
        paper.paragraph(_("A street or a storm sewer is protected by an entry, and is never its ground."), style="B")
    paper.paragraph(_("The costs of the work are billed to the permittee or the landowner."))
    _parties(paper, site, only)
    signature_lines(paper, (_("Signature of the inspector"), _("Approved (signature)")))
    return paper.finished()


def revision_pdf(
    body: Mapping[str, Any], pack: Any, *, reference: str, site: Mapping[str, Any], created: datetime,
    status: str, ordered_on: str | None, ordered_by: str, reasons: str = "",
) -> bytes:
    """The order that revises a plan, letter paper, in the languages of the pack as it is handed to the contractor. Only
    while `status` is "ordered" does it command anything; a recommendation says NOT VALID on each page."""
    both = both_of(pack)
    _ = translator(both.leading)
    valid = status == "ordered"
    paper = _begun(pack, reference, _("Revision order {number}").format(number=reference), created, both.leading, _,
                   invalid=not valid, each=both.said)
    titles = {"ordered": N_("Order to revise the erosion control plan"),
              "declined": N_("NOT VALID: declined by the office"), "withdrawn": N_("NOT VALID: withdrawn")}
    title = titles.get(status, N_("NOT VALID: a recommendation to the office"))
    _head(paper, pack, both, title, reference, site)
    if reasons:
        paper.paragraph(f"{both(N_('Reasons'))}: {reasons}", style="B")
    # It stands with each text that somebody typed.
    typed = " ".join(remark(body, translator(one)) for one in both.languages if one != written_in(body, pack))
    paper.box(both(N_("Abnormal conditions")), body["conditions"], small=typed)
    paper.box(both(N_("Why the plan in place is not enough")), body["inadequate"], small=typed)
    devices = [(str(at), one["text"], both.value(lambda _, due=one["due"]: due_words(due, _)))
               for at, one in enumerate(body["devices"], 1)]
    paper.table((both(N_("No.")), both(N_("Install")), both(N_("By"))), devices, (0.1, 0.52, 0.38),
                title=both(N_("What must be installed, and by when")))
    if typed:
        paper.paragraph(typed, 9)

    def ordered(_: Translate) -> str:
        when = date_words(parse_date(ordered_on), _) if ordered_on else _("not ordered")
        return _("{date} by {name}").format(date=when, name=ordered_by) if valid else when

    paper.pairs([
        (both(N_("Conditions found")), both.value(lambda _: date_words(parse_date(body["found_on"]), _))),
        (both(N_("Permit")), body["permit_number"] or both(N_("No permit found"))),
        (both(N_("Ordered")), both.value(ordered)),
        (both(N_("Met on the site")), both.value(lambda _: met_words(body, _))),
        (both(N_("Inspector")), _signer(body["inspector"], _)),
    ], label=62, size=10)  # fmt: skip
    if valid:
        signature_lines(paper, (both(N_("Signature of the inspector")), both(N_("Received by"))))
    paper.heading(both(N_("What this rests on")), keep=34)
    for text in both.each(lambda _, _language: _(N_(
            "This is no stop-work order: the work may go on. Where the devices are not installed by their day, "
            "conditions of the permit are not met. Clause {cite}")).format(
                cite=cite(pack, pack.duties[REVISION_DUTY].clause))):
        paper.paragraph(text, 10, after=0.8, line=1.25)
    paper.heading(both(N_("If you disagree")))
    for text in both.each(lambda _, language: review_words(office_of(pack, language), _)):
        paper.paragraph(text, 10, after=0.8, line=1.25)
    _parties(paper, site, both)
    return paper.finished()


def _begun(pack: Any, reference: str, title: str, created: datetime, language: str, _: Translate,
           invalid: bool = False, each: Sequence[Translate] = ()) -> Any:
    from sync.documents.paper import Paper

    city = office_of(pack, language)["name"]
    foot = _("{number} · {city} · ordinance pack {pack}").format(number=reference, city=city, pack=pack.ref)
    paper = Paper(title=title, running=title, foot=foot, created=created, language=language, _=_, demo=pack.demo,
                  invalid=invalid, each=each)
    paper.add_page()
    return paper


def _head(paper: Any, pack: Any, both: Both, title: str, reference: str, site: Mapping[str, Any]) -> None:
    """Whose paper it is, what it is and of which site; ``title`` in each language, the leading one largest."""
    from sync.documents.paper import LOUD

    city = office_of(pack, both.leading)
    paper.set_y(paper.get_y() + 1)
    paper.paragraph(city["name"], 13, style="B", after=0.2, family=LOUD)
    paper.paragraph(contact_line(city), 9.5, after=3)
    for place, said in enumerate(both.each(lambda _, _language: _(title))):
        paper.paragraph(said, 15 if place else 22, style="B", family=LOUD, after=0.4)
    paper.paragraph(reference, 16, style="B", family=LOUD, after=1.6)
    paper.paragraph(site.get("address") or "", 14, style="B", family=LOUD, after=0.4)
    paper.paragraph(f"{both(N_('Parcel'))}: {site.get('parcel') or both(N_('unknown'))}", 11)


def _signer(signed: Mapping[str, Any], _: Translate) -> str:
    return _("{name}, {title}, credential {credential}").format(
        name=signed["name"], title=signed["title"], credential=signed.get("credential_no") or _("none recorded"))


def _parties(paper: Any, site: Mapping[str, Any], both: Both) -> None:
    paper.heading(both(N_("Persons")))
    paper.pairs(party_lines(site, both), label=62 if len(both.languages) > 1 else 46)

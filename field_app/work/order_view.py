"""What an order being written says, and what it still lacks: the draft as its screen shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from field_app.work import order_said, permit_ground, second_orders, voice_beside
from field_app.work.new_site import ROLE
from field_app.work.order_findings import available
from field_app.work.order_record import order_body
from field_app.work.permit_ground import NO_PERMIT
from field_app.work.progress import on_paper, stage_words
from field_app.work.sites import due_line, due_problem, is_past, site_doc
from field_app.work.views import (
    Choice,
    CorrectionView,
    GroundView,
    MetView,
    OrderDraftView,
    OrderFindingView,
    OrderMissing,
)
from field_app.work.words import N_, SEVERITY, said
from sync.documents.order_texts import in_language
from sync.ordinance.parcels import parcels
from sync.records.problems import Problem

if TYPE_CHECKING:
    from field_app.work.desk import Desk

PARTY = {**ROLE, "other": N_("Other, or not known")}
"""What a person who was met is to the site: nobody is kept from going on by not knowing it."""


def order_doc(desk: Desk, order: str) -> dict[str, Any]:
    """The stored order or affixing. Raises Problem "draft-unknown"."""
    doc = desk.store.table("order_drafts").get(order)
    if doc is None:
        raise Problem("draft-unknown", where=order)
    return doc


def free_numbers(desk: Desk) -> list[dict[str, Any]]:
    """The leased numbers of this tablet's present code that no order ever had, the lowest first."""
    if desk.outbox.view().copied:
        return []  # another tablet has the same numbers and may have used any of them
    mark = f"-{desk.tablet()['tablet_code']}-"
    free = [n for n in desk.store.table("lease").all() if not n.get("used") and mark in n["number"]]
    if free:
        # A number that came down on somebody's order is not free, whatever this tablet remembers; nor is one that
        # stands on a pre-printed placard.
        known = {doc["number"] for table in ("orders", "blanks") for doc in desk.store.table(table).all()}
        free = [n for n in free if n["number"] not in known]
    return sorted(free, key=lambda n: n["counter"])


def missing(desk: Desk, doc: dict[str, Any]) -> tuple[OrderMissing, ...]:
    """What the order still lacks before it can be printed."""
    _ = desk.words
    found = []
    if not doc["grounds"]:
        found.append(OrderMissing(_("Choose at least one ground."), "grounds"))
    if lacking := permit_ground.lacks(desk, doc):
        found.append(OrderMissing(lacking, "grounds"))
    # Work without a permit is a ground by itself; the others rest on what an inspection found.
    if not doc["findings"] and doc["grounds"] != [NO_PERMIT]:
        found.append(OrderMissing(_("Choose at least one finding of a signed inspection."), "findings"))
    if not doc["observed"].strip():
        found.append(OrderMissing(_("Say what you saw."), "observed"))
    if not doc["must_stop"].strip():
        found.append(OrderMissing(_("Say what must stop."), "must_stop"))
    if not doc["corrections"]:
        found.append(OrderMissing(_("Say what must be corrected."), "corrections"))
    for number, correction in enumerate(doc["corrections"], start=1):
        if not correction["due"]:
            found.append(OrderMissing(_("Correction {number} has no due date.").format(number=number), "corrections"))
        elif doc["stage"] != "up" and not at_once(correction["due"]) and is_past(desk, correction["due"]):
            past = _("Correction {number} was due before now: set a later date and time.").format(number=number)
            found.append(OrderMissing(past, "corrections"))
    if not doc["met"] and not doc["nobody_present"]:
        found.append(OrderMissing(_("Say whom you met, or that nobody was present."), "met"))
    return tuple(found)


def unsaid(desk: Desk, doc: dict[str, Any]) -> tuple[str, ...]:
    """Who got a copy without a word of what they are to the site. It may stay open: the office can still say it."""
    _ = desk.words
    return tuple(_("Say what {name} is to the site: until then the copy counts as no service.").format(name=one["name"])
                 for one in doc["met"] if one["served"] and not one.get("party"))


def law_said(desk: Desk, pack: Any) -> str:
    """That the ordinance's own text stands in another language than the tablet's, "" where it does not."""
    _, first = desk.words, pack.languages[0]
    if first == desk.language:
        return ""
    return _("The sentence below each ground is the ordinance's own text, {in_language}.").format(
        in_language=in_language(first, _))


def correction_views(desk: Desk, corrections: list[dict[str, Any]], doc: dict[str, Any] | None = None
                     ) -> tuple[CorrectionView, ...]:
    """`doc`: the order that is being written, where its corrections can be given in other languages."""
    return tuple(
        CorrectionView(
            index,
            c["text"],
            c["due"]["on"] if c["due"] else "",
            c["due"]["at"] if c["due"] and not at_once(c["due"]) else "",
            due_line(desk, c["due"]),
            at_once(c["due"]),
            due_problem(desk, c["due"]),
            order_said.of_correction(desk, doc, c) if doc else (),
        )
        for index, c in enumerate(corrections)
    )


def view(desk: Desk, order: str) -> OrderDraftView:
    doc = order_doc(desk, order)
    if doc["kind"] != "order":
        raise Problem("draft-unknown", "this is not an order being written", where=order)
    _ = desk.words
    pack = desk.pack(doc["pack"])
    chosen = {(f["fact"], f["finding"]) for f in doc["findings"]}
    findings = available(desk, doc["site"])
    suggested = {g for f in findings if (f.fact, f.finding) in chosen for g in f.grounds}
    may_post, lacking, open_still = desk.may("post"), missing(desk, doc), unsaid(desk, doc)
    place = site_doc(desk, doc["site"])
    lots = parcels(place.get("parcel") or "")
    return OrderDraftView(
        id=order,
        number=doc["number"],
        stage=doc["stage"],
        site=doc["site"],
        site_name=place["name"],
        address=doc["address"],
        parcel=doc["parcel"] or _("unknown"),
        permit=doc["permit_number"] or _("No permit found"),
        grounds=tuple(
            GroundView(
                letter=g.letter,
                title=g.titles.get(desk.law_language, g.title),
                clause=pack.cite(g.clause),
                text=pack.clauses[g.clause].text,
                chosen=g.letter in doc["grounds"],
                suggested=g.letter in suggested,
            )
            for g in pack.grounds.values()
            if g.confirmed
        ),
        findings=tuple(
            OrderFindingView(
                fact=f.fact,
                finding=f.finding,
                title=f"{f.title} — {f.subject}" if f.subject else f.title,
                severity_words=said(SEVERITY, f.severity, _),
                grounds=tuple(f.grounds),
                chosen=(f.fact, f.finding) in chosen,
            )
            for f in findings
        ),
        observed=doc["observed"],
        must_stop=doc["must_stop"],
        may_continue=doc["may_continue"],
        corrections=correction_views(desk, doc["corrections"], doc),
        met=tuple(MetView(i, m["name"], m["role"], m["served"], party := m.get("party", ""),
                          _(PARTY[party]) if party else "") for i, m in enumerate(doc["met"])),
        parcels=tuple(Choice(one, one) for one in lots) if len(lots) > 1 else (),
        parcels_chosen=parcels(doc["parcel"]),
        parties=tuple(Choice(value, _(words)) for value, words in PARTY.items()),
        nobody_present=doc["nobody_present"],
        missing=lacking,
        may_post=may_post,
        why_not=""
        if may_post
        else _("You do not hold the power to post an order today. You can recommend it to the office."),
        numbers_left=len(free_numbers(desk)),
        blank=bool(doc.get("blank")),
        beside=second_orders.lines(desk, doc),
        permit_covers=permit_ground.covers(desk, doc),
        outside=doc.get("outside") or "",
        ready=order_said.ready(desk),
        ready_chosen={field: order_said.chosen(doc, field) for field in order_said.READY},
        others=order_said.texts(desk, doc),
        final=on_paper(doc),
        both=bool(order_said.others(desk, doc)),
        lacking=order_said.lacking(desk, order_body(desk, doc, posted_on=None, posted_at=None), doc["pack"]),
        saved=_("Saved on this tablet; {stage}").format(
            stage=_("complete, no placard made yet")
            if doc["stage"] == "draft" and not lacking and not open_still else stage_words(desk, doc["stage"])),
        posted=desk.moment_words(doc["up"]["wall"]) if doc["up"] else "",
        step=at["at"] if (at := desk.session().get("step") or {}).get("order") == order else "",
        unsaid=open_still,
        law_said=law_said(desk, pack),
        voice_notes=voice_beside.views(desk, doc),
    )


def at_once(due: dict[str, Any] | None) -> bool:
    return bool(due and due.get("at_once"))

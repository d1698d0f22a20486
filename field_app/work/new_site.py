"""A site found with no permit, or on no list: written down, asked about, and the answer ready to be read out.

A report is kept with every tap and signed as one record, `site_reported`. From then on the site is on this tablet like
any other: it can be inspected and stopped at once, and what is signed there names the report, so that the office takes
them in whatever comes first.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from field_app.capture.numbers import as_read
from field_app.work import finding_sites, voice_beside
from field_app.work.finding_sites import metres_to
from field_app.work.report_photos import evidence, far_reason, lacks_reason, photos_signed, signed_beside, with_files
from field_app.work.reports import edit_open
from field_app.work.site_list import distance_words
from field_app.work.views.common import Choice
from field_app.work.views.report import (
    AreaView,
    NearbyView,
    QuestionView,
    ReportMissing,
    ReportPartyView,
    ReportView,
)
from field_app.work.words import N_, SITE_CLASS, UNITS, said
from sync.documents.language import distance_words as away
from sync.ordinance.asking import UNKNOWN, AnswerUnreadable, Question, need_of, questions
from sync.ordinance.need import Need, say_need
from sync.records.bodies import PARTY_ROLES
from sync.records.problems import Problem
from sync.records.times import At

if TYPE_CHECKING:
    from field_app.work.desk import Desk

Doc = dict[str, Any]
TEXTS = ("name", "address", "parcel", "observed")
LONGEST = {"observed": 4_000}
NEAR_M = 150
ROLE = {
    "permittee": N_("Permittee"),
    "landowner": N_("Landowner"),
    "land_user": N_("Land user"),
    "contractor": N_("Contractor"),
    "other": N_("Somebody else"),
}
NOT_ASKED = N_("the tablet was not asked where it is")
GROUND_A = "a"


def report_doc(desk: Desk, report: str) -> Doc:
    """The stored report. Problem "draft-unknown"."""
    doc = desk.store.table("reports").get(report)
    if doc is None or "act" in doc:
        raise Problem("draft-unknown", "there is no such report on this tablet", where=report)
    return doc


def unfinished(desk: Desk, site: str | None = None) -> list[Doc]:
    """The reports that this person has not finished, of one site or all."""
    user = desk.session().get("user")
    return [doc for doc in desk.store.table("reports").all()
            if doc["stage"] == "open" and doc["user"] == user and site in (None, doc["site"]) and "act" not in doc]


async def begin(desk: Desk, site: str | None) -> ReportView:
    """A new report; an unfinished one of this person (about the same site) is gone on with. Problem "no-authority"."""
    from field_app.work.sites import site_doc

    if not desk.may("inspect"):
        raise Problem("no-authority", "you do not hold the power to inspect today", where="report")
    known = site_doc(desk, site) if site else None
    begun = next((doc for doc in unfinished(desk, site) if doc["new"] == (known is None)), None)
    if begun is None:
        ident = desk.new_id()
        begun = {
            "v": 1, "id": ident, "site": site or ident, "new": known is None, "user": desk.user(), "stage": "open",
            "began": desk.wall(), "name": (known or {}).get("name", ""), "address": (known or {}).get("address", ""),
            "parcel": (known or {}).get("parcel") or "", "site_class": (known or {}).get("site_class") or "other",
            "parties": [], "observed": "", "answers": {"in_city": "yes"}, "photos": [], "position": None,
            "no_position": NOT_ASKED, "pack": desk.pack().ref, "fact": desk.new_id(),
        }
        async with desk.store.change() as tx:
            tx.put("reports", ident, begun)
    return view(desk, begun["id"])


async def edit(desk: Desk, report: str, change: Callable[[Doc], Doc]) -> ReportView:
    """One durable edit of an unfinished report of this person. Problem "order-not-open"."""
    await edit_open(desk, report, lambda doc: "act" not in doc, change)
    return view(desk, report)


async def set_text(desk: Desk, report: str, field: str, text: str) -> ReportView:
    """`field` name | address | parcel | observed | site_class."""
    if field == "site_class":
        if text not in SITE_CLASS:
            raise Problem("choice-unknown", "there is no such kind of site", where=field)
    elif field not in TEXTS:
        raise Problem("item-unknown", f"a report has no field {field!r}", where=field)
    if len(text) > LONGEST.get(field, 300):
        raise Problem("text-too-long", f"at most {LONGEST.get(field, 300)} characters fit here", where=field)
    return await edit(desk, report, lambda doc: {**doc, field: text})


async def set_party(desk: Desk, report: str, index: int, role: str, name: str, phone: str) -> ReportView:
    """`index` = how many there are adds one; an empty name takes it away."""
    if role not in PARTY_ROLES:
        raise Problem("choice-unknown", "there is no such role", where="role")
    if max(len(name), len(phone)) > 200:
        raise Problem("text-too-long", "at most 200 characters fit here", where="parties")

    def change(doc: Doc) -> Doc:
        old = doc["parties"]
        if not 0 <= index <= len(old) or index >= 20:
            raise Problem("item-unknown", f"there is no entry {index + 1}", where="parties")
        new = [{"role": role, "name": name, "address": "", "phone": phone}] if name.strip() else []
        return {**doc, "parties": [*old[:index], *new, *old[index + 1 :]]}

    return await edit(desk, report, change)


async def answer(desk: Desk, report: str, question: str, value: str) -> ReportView:
    """A choice or a number as typed; "" takes it back. A second tap on the same choice takes it back too."""

    def change(doc: Doc) -> Doc:
        pack = desk.pack(doc["pack"])
        asked = {one.id: one for one in questions(pack, doc["answers"])}
        one = asked.get(question)
        if one is None or one.kind == "areas":
            raise Problem("item-unknown", f"there is no question {question!r}", where=question)
        if one.kind == "choice" and value not in (*one.choices, UNKNOWN, ""):
            raise Problem("choice-unknown", "there is no such answer", where=question)
        kept = {key: given for key, given in doc["answers"].items() if key != question}
        again = one.kind == "choice" and doc["answers"].get(question) == value
        return {**doc, "answers": kept if again or value == "" else {**kept, question: value[:20]}}

    return await edit(desk, report, change)


async def set_area(desk: Desk, report: str, index: int, area: str, slope: str) -> ReportView:
    """One part of the disturbed land; `index` = how many there are adds one, both empty takes it away."""

    def change(doc: Doc) -> Doc:
        old = doc["answers"].get("areas") or []
        if not 0 <= index <= len(old) or index >= 20:
            raise Problem("item-unknown", f"there is no area {index + 1}", where="areas")
        new = [{"area_sq_ft": area[:20], "slope_percent": slope[:20]}] if area.strip() or slope.strip() else []
        rows = [*old[:index], *new, *old[index + 1 :]]
        kept = {key: given for key, given in doc["answers"].items() if key != "areas"}
        return {**doc, "answers": {**kept, "areas": rows} if rows else kept}

    return await edit(desk, report, change)


async def take_position(desk: Desk, report: str) -> ReportView:
    """Ask the tablet where it is: the position of the site, or the reason why there is none."""
    from field_app.work.photo_keeping import located

    placed = await located(desk, {"source": "camera", "position": None, "no_position": NOT_ASKED})
    return await edit(
        desk, report, lambda doc: {**doc, "position": placed["position"], "no_position": placed["no_position"]}
    )


async def discard(desk: Desk, report: str) -> None:
    """Throw an unfinished report away."""
    await edit(desk, report, lambda doc: {**doc, "stage": "abandoned"})


# --- what it says -----------------------------------------------------------------------------------------------------
def need(desk: Desk, doc: Doc) -> tuple[Need, dict[str, str]]:
    """The permit need as far as the answers can be read, and by question (or "area 1", "slope 1") what cannot be."""
    pack, answers, wrong = desk.pack(doc["pack"]), as_read(doc["answers"]), {}
    while True:
        try:
            return need_of(pack, answers), wrong
        except AnswerUnreadable as error:
            wrong[error.where] = error.why
            kind, _space, place = error.where.partition(" ")
            if place.isdigit():
                key = "area_sq_ft" if kind == "area" else "slope_percent"
                rows = [dict(row) for row in answers["areas"]]
                rows[int(place) - 1][key] = ""
                answers["areas"] = rows
            else:
                answers.pop(error.where, None)


def _unread(desk: Desk, doc: Doc, wrong: dict[str, str]) -> tuple[set[str], set[str]]:
    """The questions with a number that is ``wrong`` (as `need` says it): of those that are asked, and of those that are
    asked no more. What nobody is asked holds nothing up and is not signed; it is there when the question comes back."""
    unread = {"areas" if where.partition(" ")[2] else where for where in wrong}
    asked = {one.id for one in questions(desk.pack(doc["pack"]), doc["answers"])} if unread else set()
    return unread & asked, unread - asked


def missing(desk: Desk, doc: Doc, wrong: dict[str, str]) -> tuple[ReportMissing, ...]:
    """What the report still lacks before it can be signed; ``wrong`` as `need` says it."""
    _ = desk.words
    found = []
    if doc["new"] and not doc["address"].strip():
        found.append(ReportMissing(_("Say where it is: an address, or what it lies beside."), "where"))
    if doc["new"] and doc["position"] is None and doc["no_position"] == NOT_ASKED:
        found.append(ReportMissing(_("Ask the tablet for the position."), "where"))
    if not doc["observed"].strip():
        found.append(ReportMissing(_("Say what you see."), "what"))
    if lacks_reason(doc):
        found.append(ReportMissing(_("Say why photos were taken far from the site."), "what"))
    if _unread(desk, doc, wrong)[0]:
        found.append(ReportMissing(_("A number among the answers cannot be read."), "need"))
    return tuple(found)


def view(desk: Desk, report: str) -> ReportView:
    from field_app.work.photo_records import far_view, photo_view

    _, doc = desk.words, report_doc(desk, report)
    pack = desk.pack(doc["pack"])
    made, wrong = need(desk, doc)
    lacking = missing(desk, doc, wrong)
    position = doc["position"]
    ground = pack.grounds.get(GROUND_A)
    follows = made.result == "required" and ground is not None and ground.confirmed
    place = {"lat_udeg": position["lat_udeg"], "lon_udeg": position["lon_udeg"]} if position else {}
    if not doc["new"]:
        place = desk.store.table("sites").get(doc["site"]) or place
    return ReportView(
        id=report,
        site=doc["site"],
        new=doc["new"],
        stage=doc["stage"],
        title=_("A site on no list") if doc["new"] else _("Is a permit needed?"),
        name=doc["name"],
        address=doc["address"],
        parcel=doc["parcel"],
        site_class=doc["site_class"],
        classes=tuple(Choice(value, _(words)) for value, words in SITE_CLASS.items()),
        parties=tuple(ReportPartyView(at, one["role"], said(ROLE, one["role"], _), one["name"], one["phone"])
                      for at, one in enumerate(doc["parties"])),
        roles=tuple(Choice(value, _(words)) for value, words in ROLE.items()),
        observed=doc["observed"],
        position=_("position known to {distance}").format(
            distance=away(position["accuracy_cm"] / 100, _))
        if position else _(doc["no_position"]),
        has_position=position is not None,
        nearby=_nearby(desk, doc),
        photos=tuple(photo_view(desk, photo, place) for photo in doc["photos"]),
        far=far_view(desk, doc["photos"], far_reason(doc)),
        can_put_back=bool(doc.get("off")) and doc["stage"] == "open",
        voice_notes=voice_beside.views(desk, doc),
        statement=statement(desk, doc),
        questions=tuple(_question(desk, doc, one, wrong) for one in questions(pack, doc["answers"])),
        result=made.result,
        answer=say_need(made, desk.law_language),
        ground=_("Ground ({letter}) {clause}: {title}").format(
            letter=GROUND_A, clause=pack.cite(ground.clause), title=ground.titles.get(desk.law_language, ground.title))
        if follows and ground else "",
        missing=lacking,
        may_save=not lacking and doc["stage"] == "open" and desk.may("inspect"),
        may_post=desk.may("post"),
        saved=_("Kept on this tablet") if doc["stage"] == "open" else _("Signed. It goes to the office by itself."),
    )


def _question(desk: Desk, doc: Doc, one: Question, wrong: dict[str, str]) -> QuestionView:
    _, language = desk.words, desk.law_language
    rows = doc["answers"].get("areas") or [] if one.kind == "areas" else []
    choices = (*one.choices, UNKNOWN) if one.kind == "choice" else ()
    not_read = _("This number cannot be read.")
    return QuestionView(
        id=one.id,
        kind=one.kind,
        text=one.text(language),
        clause=desk.pack(doc["pack"]).cite(one.clause) if one.clause else "",
        unit=said(UNITS, one.unit, _) if one.unit else "",
        choices=tuple(Choice(choice, one.choice_text(choice, language)) for choice in choices),
        value="" if one.kind == "areas" else doc["answers"].get(one.id, ""),
        areas=tuple(
            AreaView(at, row["area_sq_ft"], row["slope_percent"],
                     not_read if {f"area {at + 1}", f"slope {at + 1}"} & wrong.keys() else None)
            for at, row in enumerate(rows)),
        problem=not_read if one.id in wrong else None,
    )


def _nearby(desk: Desk, doc: Doc) -> tuple[NearbyView, ...]:
    """Known sites close by or with the same address or parcel: perhaps it is one of them."""
    if not doc["new"] or doc["stage"] != "open":
        return ()
    index = finding_sites.of(desk)
    position = doc["position"]
    address, parcel = finding_sites.folded(doc["address"]).strip(), doc["parcel"].strip()
    found = []
    for known in index.shown():
        metres = metres_to(_Point(position), known.doc) if position else None  # type: ignore[arg-type]
        same = (address and finding_sites.folded(known.doc["address"]).strip() == address) or (
            parcel and known.doc.get("parcel") == parcel)
        if same or (metres is not None and metres <= NEAR_M):
            found.append((not same, metres if metres is not None else 0.0, known.doc["id"], known, metres))
    return tuple(NearbyView(known.doc["id"], known.doc["name"], known.doc["address"], distance_words(desk, metres))
                 for _same, _away, _id, known, metres in sorted(found, key=lambda row: row[:3])[:5])


class _Point:
    """A position as `metres_to` reads it."""

    def __init__(self, position: Doc) -> None:
        self.lat_udeg, self.lon_udeg = position["lat_udeg"], position["lon_udeg"]


# --- signing ----------------------------------------------------------------------------------------------------------
def statement(desk: Desk, doc: Doc) -> str:
    """What is signed, in the tablet's language."""
    from field_app.work.sealing import signer

    _ = desk.words
    said = _("I, {name}, report what I found at {address}.").format(
        name=signer(desk)["name"], address=doc["address"].strip() or doc["name"].strip())
    return with_files(desk, said, doc)


async def save(desk: Desk, report: str) -> ReportView:
    """Sign the report; the site is on the tablet from then on. Problem "report-incomplete", "no-authority"."""
    from field_app.work import marking
    from field_app.work.sealing import seal, signer

    if not desk.may("inspect"):
        raise Problem("no-authority", "you do not hold the power to inspect today", where=report)
    at = desk.at()
    layers = await marking.keep_layers(desk, report_doc(desk, report)["photos"])
    async with desk.store.change() as tx:
        doc = tx.get("reports", report)
        if doc is None or doc["stage"] != "open" or doc["user"] != desk.user():
            raise Problem("order-not-open", "this report is signed or another person's", where=report)
        made, wrong = need(desk, doc)
        lacking = missing(desk, doc, wrong)
        if lacking:
            raise Problem("report-incomplete", lacking[0].sentence, where=lacking[0].step)
        if not {one.sha256 for one in marking.drawn_over(doc["photos"])} <= layers:
            raise Problem("order-not-open", "this report changed meanwhile; look at it again", where=report)
        body = _body(desk, doc, at, made, wrong)
        body |= {"photos": photos_signed(doc), "signed": {**signer(desk), "statement": statement(desk, doc)},
                 **signed_beside(desk, doc)}
        seal(desk, tx, "site_reported", body, fact=doc["fact"], pack=doc["pack"], at=at, evidence=evidence(doc))
        tx.put("sites", doc["site"], _site(desk, doc, body, tx.get("sites", doc["site"])))
        tx.put("reports", report, {**doc, "stage": "done"})
    return view(desk, report)


def _body(desk: Desk, doc: Doc, at: At, made: Need, wrong: dict[str, str]) -> Doc:
    clauses = made.triggers if made.result == "required" else (
        made.unknown if made.result == "undetermined" else tuple(filter(None, (made.exception,))))
    left_out = _unread(desk, doc, wrong)[1]
    answers = {key: value for key, value in as_read(doc["answers"]).items()
               if key not in left_out and value not in ("", UNKNOWN)}
    return {
        "site": doc["site"], "new": doc["new"], "name": doc["name"].strip() or doc["address"].strip(),
        "address": doc["address"].strip(), "parcel": doc["parcel"].strip(), "site_class": doc["site_class"],
        "position": doc["position"], "no_position": None if doc["position"] else doc["no_position"],
        "parties": doc["parties"], "observed": doc["observed"].strip(), "answers": answers,
        "need": {"result": made.result, "clauses": list(clauses)}, "photos": [],
        "reported_on": at.wall.date().isoformat(), "reported_at": at.wall.isoformat(timespec="seconds"),
    }


def _site(desk: Desk, doc: Doc, body: Doc, known: Doc | None) -> Doc:
    """The site as this tablet keeps it until the office's own document comes down."""
    told = {"fact": doc["fact"], "by": doc["user"], "on": body["reported_on"]}
    asked = {**told, **body["need"]}
    if known is not None:
        return {**known, "need": asked}
    position = body["position"] or {}
    parties = {one["role"]: {"name": one["name"], "address": one["address"], "phone": one["phone"]}
               for one in body["parties"]}
    return {
        "id": doc["site"], "name": body["name"], "address": body["address"], "parcel": body["parcel"],
        "lat_udeg": position.get("lat_udeg"), "lon_udeg": position.get("lon_udeg"), "site_class": body["site_class"],
        **{role: parties.get(role) for role in finding_sites.PARTIES}, "end_of_work_day": None,
        "inspectors": [doc["user"]],
        "contacts": [{"role": one["role"], "name": one["name"], "phone": one["phone"]} for one in body["parties"]
                     if one["role"] not in finding_sites.PARTIES],
        "reported": {**told, "state": "reported"}, "need": asked,
    }


def report_needed(desk: Desk, body: Doc) -> list[str]:
    """The reports of a site found on this tablet: whatever is signed there names them, so that it waits for them."""
    site = body.get("site")
    if not site:
        return []
    found = finding_sites.of(desk).of_site("facts", site)
    return [row["id"] for row in found if row["kind"] == "site_reported" and desk.fact(row).body["new"]]

"""What is done on a site beside inspecting and stopping it: an emergency reported, a revision of the plan ordered.

Each is kept with every tap and signed as one record with the PIN. An emergency needs no order, only its record: what
was found, what is threatened, who approved the entry or why nobody did. A revision is ordered by a person with the
power to revise; anybody else recommends it to the office.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, Any

from field_app.capture.approval import Approval
from field_app.capture.draft import checked_due
from field_app.work import approving, pins, rain, report_photos, voice_beside
from field_app.work.handing_out import HandedOut, hand_out
from field_app.work.photo_records import far_view, photo_view
from field_app.work.progress import is_safe
from field_app.work.report_photos import far_reason, lacks_reason, photos_signed, signed_beside, with_files
from field_app.work.reports import edit_open
from field_app.work.sealing import seal, signer
from field_app.work.sites import current_permit, due_line, due_problem, grouped, is_past, site_doc
from field_app.work.views.common import Choice
from field_app.work.views.order import CorrectionView, MetView
from field_app.work.views.site_act import SiteActRow, SiteActView
from field_app.work.words import THREATENED, said
from sync.documents.site_papers import approval_words, emergency_pdf, revision_pdf
from sync.ordinance.acts import decide
from sync.ordinance.events import Event
from sync.ordinance.matter import GROUNDS_FOR_ENTRY, fold
from sync.records.numbers import paper_reference
from sync.records.problems import Problem
from sync.records.times import At

if TYPE_CHECKING:
    from field_app.work.desk import Desk

Doc = dict[str, Any]
EMERGENCY, REVISION = "emergency", "revision"
ACTS = (EMERGENCY, REVISION)
TEXTS = {EMERGENCY: ("condition", "actions", "no_approval", "late_why"), REVISION: ("conditions", "inadequate")}
KINDS = {"emergency_reported": EMERGENCY, "revision_ordered": REVISION, "revision_recommended": REVISION}
LONGEST = 4_000


def act_doc(desk: Desk, ident: str) -> Doc:
    """The stored draft. Problem "draft-unknown"."""
    doc = desk.store.table("reports").get(ident)
    if doc is None or doc.get("act") not in ACTS:
        raise Problem("draft-unknown", "there is no such report on this tablet", where=ident)
    return doc


async def begin(desk: Desk, site: str, act: str) -> SiteActView:
    """A new one; this person's unfinished one on the site is gone on with. Problem "no-authority"."""
    if act not in ACTS:
        raise Problem("choice-unknown", f"{act!r} is nothing that is written down here", where="act")
    if not desk.may("inspect"):
        raise Problem("no-authority", "you do not hold the power to inspect today", where="report")
    site_doc(desk, site)
    user = desk.user()
    begun = next((doc["id"] for doc in desk.store.table("reports").all()
                  if (doc.get("act"), doc["site"], doc["user"], doc["stage"]) == (act, site, user, "open")), None)
    if begun is None:
        begun = desk.new_id()
        permit = current_permit(desk, grouped(desk, "permits").get(site, []), desk.today())
        doc = {
            "v": 1, "id": begun, "act": act, "new": False, "site": site, "address": site_doc(desk, site)["address"],
            "user": user, "stage": "open", "began": desk.wall(), "pack": desk.pack().ref, "fact": desk.new_id(),
            "photos": [], "permit": permit["id"] if permit else None,
            "permit_number": permit["number"] if permit else None,
            "condition": "", "threatens": [], "approval": {}, "no_approval": "", "entered": "", "actions": "",
            "conditions": "", "inadequate": "", "devices": [], "met": [], "nobody_present": False,
        }
        async with desk.store.change() as tx:
            tx.put("reports", begun, doc)
    return view(desk, begun)


async def edit(desk: Desk, ident: str, change: Callable[[Doc], Doc]) -> SiteActView:
    """One durable edit of an unfinished one of this person. Problem "order-not-open"."""
    await edit_open(desk, ident, lambda doc: doc.get("act") in ACTS, change)
    return view(desk, ident)


def _text(text: str, where: str, longest: int = LONGEST) -> str:
    if not isinstance(text, str) or len(text) > longest:
        raise Problem("text-too-long", f"at most {longest} characters fit here", where=where)
    return text


async def set_text(desk: Desk, ident: str, field: str, text: str) -> SiteActView:
    if field not in TEXTS[act_doc(desk, ident)["act"]]:
        raise Problem("item-unknown", f"this report has no field {field!r}", where=field)
    kept = _text(text, field)
    return await edit(desk, ident, lambda doc: {**doc, field: kept})


async def set_threat(desk: Desk, ident: str, what: str) -> SiteActView:
    """Says that it is threatened, or takes that back."""
    if what not in THREATENED:
        raise Problem("choice-unknown", "there is no such thing to be threatened", where="threatens")
    return await edit(desk, ident, lambda doc: {**doc, "threatens": [
        one for one in THREATENED if (one in doc["threatens"]) != (one == what)]})


async def set_approval(desk: Desk, ident: str, fields: dict[str, str]) -> SiteActView:
    kept = approving.filled(desk, fields)
    return await edit(desk, ident, lambda doc: {**doc, "approval": {**doc["approval"], **kept}})


async def set_entered(desk: Desk, ident: str, entered: bool) -> SiteActView:
    """Somebody entered at this moment, or did not after all. Problem "entry-not-open"."""
    if entered and (lacking := entry_lacks(desk, act_doc(desk, ident))):
        raise Problem("entry-not-open", lacking, where="entered")
    at = desk.wall() if entered else ""
    return await edit(desk, ident, lambda doc: {**doc, "entered": at})


async def set_entered_at(desk: Desk, ident: str, on: str, at: str) -> SiteActView:
    """Somebody entered at another time than that of the tap. Problem "due-malformed"."""
    day, hour = checked_due(on, at)
    wall = datetime.fromisoformat(f"{day}T{hour}:00").replace(tzinfo=desk.now().tzinfo).isoformat(timespec="seconds")
    return await edit(desk, ident, lambda doc: {**doc, "entered": wall if doc["entered"] else ""})


async def set_device(desk: Desk, ident: str, index: int, text: str, on: str, at: str) -> SiteActView:
    """What must be installed and by when; one past the end adds, an empty text removes."""
    due = None
    if on or at:
        day, hour = checked_due(on, at)
        due = {"on": day, "at": hour}
    kept = _text(text, "devices")
    new = [{"text": kept, "due": due}] if kept.strip() else []
    return await edit(desk, ident, lambda doc: {**doc, "devices": _replaced(doc["devices"], index, new)})


async def set_met(desk: Desk, ident: str, index: int, name: str, role: str, served: bool) -> SiteActView:
    new = [{"name": _text(name, "met", 200), "role": _text(role, "met", 200), "served": bool(served)}]
    return await edit(desk, ident, lambda doc: {
        **doc, "met": _replaced(doc["met"], index, new if name.strip() else []),
        "nobody_present": doc["nobody_present"] and not name.strip()})


async def set_nobody(desk: Desk, ident: str, nobody: bool) -> SiteActView:
    return await edit(desk, ident, lambda doc: {
        **doc, "nobody_present": bool(nobody), "met": [] if nobody else doc["met"]})


def _replaced(entries: list[Any], index: int, new: list[Any]) -> list[Any]:
    if not 0 <= index <= len(entries) or index >= 50:
        raise Problem("item-unknown", f"there is no entry {index + 1}")
    return [*entries[:index], *new, *entries[index + 1 :]]


async def discard(desk: Desk, ident: str) -> None:
    """Throw an unfinished one away."""
    await edit(desk, ident, lambda doc: {**doc, "stage": "abandoned"})


# --- what it says -----------------------------------------------------------------------------------------------------
def missing(desk: Desk, doc: Doc) -> tuple[str, ...]:
    """What it still lacks before it can be signed, in words."""
    _, found = desk.words, []
    if lacks_reason(doc):
        found.append(_("Say why photos were taken far from the site."))
    if doc["act"] == EMERGENCY:
        approved = Approval(**doc["approval"]).whole
        if not doc["condition"].strip():
            found.append(_("Say what you found."))
        if not doc["threatens"]:
            found.append(_("Say what is likely to be damaged or reached."))
        if not approved and not doc["no_approval"].strip():
            found.append(_("Say who approved the entry, how and when, or why nobody did."))
        if doc["entered"] and not approved:
            found.append(_("Nobody enters in an emergency without an approval."))
        if Approval(**doc["approval"]).is_after(desk.wall()):
            found.append(_("The approval is in the future: correct its day and time."))
        elif doc["entered"][:16] > desk.wall()[:16]:
            found.append(_("The entry is in the future: correct its day and time."))
        elif too_late(doc) and not doc.get("late_why", "").strip():
            found.append(_("The entry was before its approval: say why, or correct the time."))
        if doc["entered"] and not set(doc["threatens"]) & set(GROUNDS_FOR_ENTRY):
            found.append(_("A street or a storm sewer alone is no ground to enter."))
        return tuple(found)
    if not doc["conditions"].strip():
        found.append(_("Say what is abnormal: the rain, or what else."))
    if not doc["inadequate"].strip():
        found.append(_("Say why the plan in place is not enough."))
    if not doc["devices"]:
        found.append(_("Say what must be installed."))
    for number, device in enumerate(doc["devices"], start=1):
        if not device["due"]:
            found.append(_("Device {number} has no day.").format(number=number))
        elif is_past(desk, device["due"]):
            found.append(_("Device {number} was due before now: set a later date and time.").format(number=number))
    if not doc["met"] and not doc["nobody_present"]:
        found.append(_("Say whom you met, or that nobody was present."))
    return tuple(found)


def too_late(doc: Doc) -> bool:
    """Whether somebody entered before it was approved."""
    return bool(doc["entered"]) and Approval(**doc["approval"]).is_after(doc["entered"])


def entry_lacks(desk: Desk, doc: Doc) -> str:
    """What stands in the way of entering on this emergency, in words; "" when the land may be entered."""
    _ = desk.words
    if not set(doc["threatens"]) & set(GROUNDS_FOR_ENTRY):
        return _("It takes a threat to adjacent property or to surface water: say so under “What was found”.")
    if not Approval(**doc["approval"]).whole:
        return _("It takes an approval: say how, who and when.")
    return "" if entry_open(desk, doc) else _("The ordinance does not open the land for it.")


def entry_open(desk: Desk, doc: Doc) -> bool:
    """Whether the law lets somebody enter on this emergency."""
    pack = desk.pack(doc["pack"])
    approval = Approval(**doc["approval"])
    threat = next((what for what in GROUNDS_FOR_ENTRY if what in doc["threatens"]), "")
    found = Event("emergency_found", desk.today(), data={
        "approved_by": approval.name if approval.whole else "", "threatens": threat or "public way"})
    return decide(fold(pack, [found], desk.today()), "enter_land_emergency").open


def view(desk: Desk, ident: str) -> SiteActView:
    _, doc = desk.words, act_doc(desk, ident)
    emergency = doc["act"] == EMERGENCY
    place = site_doc(desk, doc["site"])
    orders = not emergency and desk.may("revise")
    approval = Approval(**doc["approval"])
    done = doc["stage"] == "done"
    kept = _("Kept on this tablet") if not done else (
        _("Signed, and safe on the server.") if is_safe(desk, desk.store.table("facts").get(doc["fact"]))
        else _("Signed. It goes to the office by itself."))
    wire = approval.to_wire(doc["began"], desk.zone or "")
    return SiteActView(
        id=ident, act=doc["act"], stage=doc["stage"], site=doc["site"], site_name=place["name"],
        address=place["address"], title=title(desk, doc["act"]), says=_says(desk, doc["act"], orders), saved=kept,
        missing=missing(desk, doc), statement=statement(desk, doc), pin_wait=pins.seconds_left(desk),
        photos=tuple(photo_view(desk, photo, place) for photo in doc["photos"]),
        far=far_view(desk, doc["photos"], far_reason(doc)), can_put_back=bool(doc.get("off")) and not done,
        reference=reference(doc) if done else "", voice_notes=voice_beside.views(desk, doc),
        rains=() if emergency or done else rain.of_late(desk, doc["site"]),
        condition=doc["condition"],
        threats=tuple(Choice(what, said(THREATENED, what, _)) for what in THREATENED) if emergency else (),
        threatened=tuple(doc["threatens"]), found=desk.moment_words(doc["began"]),
        approval=approving.view(desk, approval) if emergency else None,
        approved=approval_words(wire, _) if wire else "", no_approval=doc["no_approval"],
        entered=desk.moment_words(doc["entered"]) if doc["entered"] else "", entered_wall=doc["entered"],
        entry_lacks=entry_lacks(desk, doc) if emergency else "", actions=doc["actions"], orders=orders,
        too_late=emergency and too_late(doc), late_why=doc.get("late_why", ""),
        conditions=doc["conditions"], inadequate=doc["inadequate"], office=approving.office_on(desk, doc.get("fact")),
        devices=tuple(CorrectionView(at, one["text"], one["due"]["on"] if one["due"] else "",
                                     one["due"]["at"] if one["due"] else "", due_line(desk, one["due"]),
                                     problem=due_problem(desk, one["due"]))
                      for at, one in enumerate(doc["devices"])),
        met=tuple(MetView(at, one["name"], one["role"], one["served"]) for at, one in enumerate(doc["met"])),
        nobody_present=doc["nobody_present"],
    )  # fmt: skip


def title(desk: Desk, act: str) -> str:
    return desk.words("Emergency report") if act == EMERGENCY else desk.words("Revision of the plan")


def _says(desk: Desk, act: str, orders: bool) -> str:
    _ = desk.words
    if act == EMERGENCY:
        return _("Sediment is likely to damage adjacent property or to reach surface water. It needs no stop-work "
                 "order, only this record.")
    if orders:
        return _("The plan in place is not enough because of abnormal conditions. You order more devices, each with "
                 "its day. The work may go on.")
    return _("You do not hold the power to order a revision today. You can recommend it to the office.")


def reference(doc: Doc) -> str:
    """What the paper is called by, the same as in the office."""
    return paper_reference(doc["act"], doc["began"], doc["fact"])


def rows_of(desk: Desk, site: str) -> tuple[SiteActRow, ...]:
    """Those of the site: that came down, and that were signed here and have not come back yet; the newest first."""
    _, found = desk.words, {}
    here = {doc["fact"]: doc["id"] for doc in desk.store.table("reports").all()
            if doc.get("act") in ACTS and doc["site"] == site and doc["stage"] == "done"}
    words = {"recorded": _("recorded"), "recommended": _("recommended to the office"), "ordered": _("ordered"),
             "declined": _("declined by the office"), "withdrawn": _("withdrawn by the office")}
    for row in desk.store.table("facts").all():
        if row["kind"] in KINDS and (body := desk.fact(row).body)["site"] == site:
            status = {"revision_ordered": "ordered", "revision_recommended": "recommended"}.get(row["kind"], "recorded")
            found[row["id"]] = (body, KINDS[row["kind"]], status, "")
    for doc in desk.store.table("site_acts").all():
        if doc["site"] == site:
            found[doc["id"]] = (doc["body"], doc["act"], doc["status"], approving.office_words(desk, doc))
    newest = sorted(found.items(), key=lambda pair: (pair[1][0]["found_on"], pair[0]), reverse=True)
    return tuple(
        SiteActRow(
            here.get(fact, ""), act, f"{title(desk, act)} {paper_reference(act, body['found_on'], fact)}",
            "; ".join(part for part in (desk.date_words(body["found_on"]), words.get(status, status), reasons) if part),
            _demanded(desk, body) if status == "ordered" else ())
        for fact, (body, act, status, reasons) in newest
    )


def _demanded(desk: Desk, body: Doc) -> tuple[str, ...]:
    """What a revision demands and by when."""
    return tuple("; ".join(part for part in (device["text"], due_line(desk, device["due"])) if part)
                 for device in body["devices"])


def statement(desk: Desk, doc: Doc) -> str:
    """What is signed, in the tablet's language."""
    _ = desk.words
    said = (_("I, {name}, found this and report it.") if doc["act"] == EMERGENCY
            else _("I, {name}, order this revision of the plan.") if desk.may("revise")
            else _("I, {name}, recommend that this revision be ordered.")).format(name=desk.person().get("name", ""))
    return with_files(desk, said, doc)


# --- signing ----------------------------------------------------------------------------------------------------------
async def sign(desk: Desk, ident: str, pin: str) -> SiteActView:
    """Sign it. Problem "report-incomplete", "no-authority"."""
    from field_app.work import marking

    doc = act_doc(desk, ident)
    if doc["stage"] != "open" or doc["user"] != desk.user():
        raise Problem("order-not-open", "this report is signed or another person's", where=ident)
    if not desk.may("inspect"):
        raise Problem("no-authority", "you do not hold the power to inspect today", where=ident)
    lacking = missing(desk, doc)
    if lacking:
        raise Problem("report-incomplete", lacking[0])
    await pins.verify(desk, pin)
    at = desk.at()
    kind = "emergency_reported" if doc["act"] == EMERGENCY else (
        "revision_ordered" if desk.may("revise") else "revision_recommended")
    await marking.keep_layers(desk, doc["photos"])
    async with desk.store.change() as tx:
        if tx.get("reports", ident) != doc:
            raise Problem("order-not-open", "this report changed meanwhile; look at it again", where=ident)
        seal(desk, tx, kind, _body(desk, doc, kind, at), fact=doc["fact"], pack=doc["pack"], at=at,
             evidence=report_photos.evidence(doc))
        tx.put("reports", ident, {**doc, "stage": "done", "signed_as": kind})
    return view(desk, ident)


def _body(desk: Desk, doc: Doc, kind: str, at: At) -> Doc:
    wall = at.wall.isoformat(timespec="seconds")
    common = {"site": doc["site"], "found_on": doc["began"][:10], "reported_on": wall[:10], "reported_at": wall,
              "photos": photos_signed(doc), **signed_beside(desk, doc)}
    signed = {**signer(desk), "statement": statement(desk, doc)}
    if kind == "emergency_reported":
        approval = Approval(**doc["approval"]).to_wire(doc["began"], desk.zone or "")
        return {
            **common, "condition": doc["condition"].strip(), "threatens": doc["threatens"], "found_at": doc["began"],
            "approval": approval, "no_approval": None if approval else doc["no_approval"].strip(),
            "entered_at": doc["entered"] or None, "actions": _actions(desk, doc), "signed": signed,
        }
    ordered = kind == "revision_ordered"
    return {
        **common, "permit": doc["permit"], "permit_number": doc["permit_number"],
        "conditions": doc["conditions"].strip(), "inadequate": doc["inadequate"].strip(), "devices": doc["devices"],
        "met": doc["met"], "nobody_present": doc["nobody_present"], "inspector": signed,
        "written_in": desk.language,
        "ordered_on": wall[:10] if ordered else None, "ordered_at": wall if ordered else None,
    }


def _actions(desk: Desk, doc: Doc) -> str:
    """What was done; and why somebody entered before it was approved, so that every paper says so."""
    why = doc.get("late_why", "").strip() if too_late(doc) else ""
    _ = desk.words
    late = _("Entered before the approval: {reason}").format(reason=why) if why else ""
    return "\n".join(part for part in (doc["actions"].strip(), late) if part)


async def save_paper(desk: Desk, ident: str) -> HandedOut:
    """Hand the paper of a signed one to the device. Problem "placard-missing" before that."""
    doc = act_doc(desk, ident)
    row = desk.store.table("facts").get(doc["fact"])
    if doc["stage"] != "done" or row is None:
        raise Problem("placard-missing", "sign it first", where=ident)
    fact = desk.fact(row)
    pack = desk.pack(doc["pack"])
    given = {"reference": reference(doc), "site": site_doc(desk, doc["site"]), "created": desk.now()}
    if doc["act"] == EMERGENCY:
        data = await asyncio.to_thread(emergency_pdf, fact.body, pack, **given, language=desk.law_language)
    else:
        known = desk.store.table("site_acts").get(doc["fact"]) or {}
        status = known.get("status") or ("ordered" if fact.kind == "revision_ordered" else "recommended")
        data = await asyncio.to_thread(
            revision_pdf, fact.body, pack, status=status, reasons=known.get("reasons") or "",
            ordered_on=known.get("ordered_on") or fact.body["ordered_on"],
            ordered_by=desk.name_of(known.get("ordered_by") or fact.user), **given)
    return await hand_out(desk, f"{reference(doc)}.pdf", data)

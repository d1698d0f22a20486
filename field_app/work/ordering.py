"""Writing a stop-work order. Its number is bound to it in the change that begins it, and never goes back.

A printed placard says what the order says: any edit after printing throws the placard away. Only grounds that the city
confirmed are offered, and an order can be posted only by a person who holds the power to post on that day; anybody
else recommends it to the office under the same number.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from field_app.capture.draft import checked_due
from field_app.store.sealed import ENDED
from field_app.work import order_said, permit_ground, second_orders
from field_app.work.desk import SESSION
from field_app.work.order_findings import available, finding_of
from field_app.work.order_view import at_once, free_numbers, order_doc, view
from field_app.work.orders_known import permit_in_force
from field_app.work.permit_ground import NO_PERMIT
from field_app.work.sites import current_permit, grouped, site_doc
from field_app.work.views import OrderDraftView
from sync.ordinance.parcels import parcels
from sync.records.bodies import PARTY_ROLES
from sync.records.problems import Problem

if TYPE_CHECKING:
    from field_app.work.desk import Desk

LONGEST_TEXT = 4_000
MOST_MET = 50  # one record takes no more


async def begin(desk: Desk, site: str, fact: str | None, how: str = "", reason: str = "") -> OrderDraftView:
    user = desk.user()
    place = site_doc(desk, site)
    beside = None if _unfinished(desk, site, user) else second_orders.choice(desk, site, how, reason)
    permit = current_permit(desk, grouped(desk, "permits").get(site, []), desk.today())
    _ = desk.words
    order = desk.new_id()
    doc = {
        "v": 1,
        "id": order,
        "kind": "order",
        "stage": "draft",
        "user": user,
        "site": site,
        "address": place["address"],
        "parcel": place.get("parcel") or "",
        "permit": permit["id"] if permit else None,
        "permit_number": permit["number"] if permit else None,
        "pack": desk.pack().ref,
        "began": desk.wall(),
        "grounds": [],
        "findings": [],
        "observed": "",
        "must_stop": _("All land disturbing and construction work on this site."),
        # The placard itself always says that making safe and correcting go on; this is for more.
        "may_continue": "",
        "corrections": [],
        "met": [],
        "nobody_present": False,
        "placard": None,
        "up": None,
        "fact": desk.new_id(),
        "reason": "",
        "beside": beside,
        "outside": "",
        "written_in": desk.language,
        "said": {},
    }
    chosen = [f for f in available(desk, site) if fact is not None and f.fact == fact and f.grounds]
    for finding in chosen:
        doc = _with_finding(desk, doc, finding.fact, finding.finding, True)
    confirmed = {letter for letter, ground in desk.pack().grounds.items() if ground.confirmed}
    doc["grounds"] = sorted({g for f in chosen if f.severity in ("critical", "major") for g in f.grounds} & confirmed)
    unpermitted = without_permit(desk, place, permit)
    if unpermitted and NO_PERMIT in confirmed:
        doc["grounds"] = sorted({NO_PERMIT, *doc["grounds"]})
        doc["observed"] = doc["observed"] or unpermitted
        doc["corrections"] = doc["corrections"] or [{"text": _(
            "Apply for the erosion control permit, and do no land disturbing work until it is issued."
        ), "due": None, "of": None}]
    async with desk.store.change() as tx:
        # Looked for inside the change, so that two quick taps write one order under one number.
        begun = _unfinished(desk, site, user)
        if begun:
            tx.put("meta", SESSION, {**desk.session(), "draft": begun})
        else:
            free = free_numbers(desk)
            if not free:
                raise Problem("tablet-copied" if desk.outbox.view().copied else "lease-empty")
            number = free[0]
            tx.put("lease", number["number"], {**number, "used": order})
            tx.put("order_drafts", order, {**doc, "number": number["number"], "token": number["token"]})
            tx.put("meta", SESSION, {**desk.session(), "draft": order})
    return view(desk, begun or order)


def must_ask_first(desk: Desk, site: str) -> bool:
    """Whether an order stands on the site or is recommended, and this person has not begun another one yet."""
    return bool(second_orders.there(desk, site)) and not _unfinished(desk, site, desk.user())


def without_permit(desk: Desk, place: dict[str, Any], permit: dict[str, Any] | None) -> str:
    """What an order says of work that needs a permit and has none in force: as it was answered on the site, "" when it
    was not asked, or not so answered."""
    need = place.get("need") or {}
    if need.get("result") != "required" or (permit and permit_in_force(desk, permit["id"], desk.today())):
        return ""
    from field_app.work.need_words import required_words

    return f"{required_words(desk, need)} {desk.words('No permit is in force for this site.')}"


def _unfinished(desk: Desk, site: str, user: str) -> str | None:
    """The order on this site that the person has not finished."""
    for doc in desk.store.table("order_drafts").all():
        if (doc["kind"], doc["site"], doc["user"]) == ("order", site, user) and doc["stage"] not in ENDED:
            return doc["id"]
    return None


def open_order(desk: Desk, doc: dict[str, Any] | None) -> dict[str, Any]:
    """The order while its text may still be changed. Raises Problem "placard-up" or "order-not-open"."""
    if doc is None:
        raise Problem("draft-unknown")
    if doc["stage"] == "up":
        raise Problem("placard-up", where=doc["number"])
    if doc["kind"] != "order" or doc["stage"] in ENDED or doc["user"] != desk.user():
        raise Problem("order-not-open", where=doc["number"])
    return doc


async def _edit(desk: Desk, order: str, change: Callable[[dict[str, Any]], dict[str, Any]]) -> OrderDraftView:
    """Apply one edit to the order as it is stored now, in one change.

    What was printed no longer says what the order says, so it is thrown away; an edit that changes nothing keeps it.
    """
    async with desk.store.change() as tx:
        before = open_order(desk, tx.get("order_drafts", order))
        after = change(before)
        if after != before:
            tx.put("order_drafts", order, {**after, "stage": "draft", "placard": None})
    return view(desk, order)


async def edit_beside(desk: Desk, order: str, change: Callable[[dict[str, Any]], dict[str, Any]],
                      beside: Callable[[Any], None] | None = None) -> None:
    """An edit of what no placard says: a printed one stays, and it may come until the order is signed. `beside`: what
    is written down elsewhere in the same change, where something changed. Raises Problem "draft-unknown",
    "order-not-open"."""
    async with desk.store.change() as tx:
        before = tx.get("order_drafts", order)
        if before is None:
            raise Problem("draft-unknown")
        if before["kind"] != "order" or before["stage"] in ENDED or before["user"] != desk.user():
            raise Problem("order-not-open", where=before["number"])
        after = change(before)
        if after != before:
            tx.put("order_drafts", order, after)
            if beside is not None:
                beside(tx)


async def go_to(desk: Desk, order: str, step: str) -> None:
    """Keep the step at which its writer is: beside the order, because nothing that it says has changed."""
    async with desk.store.change() as tx:
        tx.put("meta", SESSION, {**(tx.get("meta", SESSION) or {}), "step": {"order": order, "at": step}})


def _text(text: str, where: str, longest: int = LONGEST_TEXT) -> str:
    if not isinstance(text, str) or len(text) > longest:
        raise Problem("text-too-long", f"at most {longest} characters fit here", where=where)
    return text


async def set_grounds(desk: Desk, order: str, letters: list[str]) -> OrderDraftView:
    def change(doc: dict[str, Any]) -> dict[str, Any]:
        grounds = desk.pack(doc["pack"]).grounds
        for letter in letters:
            if letter not in grounds:
                raise Problem("choice-unknown", f"there is no ground ({letter})", where="grounds")
            if not grounds[letter].confirmed:
                raise Problem("clause-not-confirmed", f"ground ({letter}) is not confirmed", where="grounds")
        return {**doc, "grounds": sorted(set(letters))}

    return await _edit(desk, order, change)


async def set_finding(desk: Desk, order: str, fact: str, finding: str, chosen: bool) -> OrderDraftView:
    return await _edit(desk, order, lambda doc: _with_finding(desk, doc, fact, finding, chosen))


def _with_finding(desk: Desk, doc: dict[str, Any], fact: str, finding: str, chosen: bool) -> dict[str, Any]:
    """The order with a finding put in (its correction and, while nothing was typed, its text too) or taken out."""
    of = [fact, finding]
    if any([f["fact"], f["finding"]] == of for f in doc["findings"]) == chosen:
        return doc
    found = finding_of(desk, doc["site"], fact, finding)
    if found is None and chosen:
        raise Problem("choice-unknown", "this finding is not open on this site", where=finding)
    before = [finding_of(desk, doc["site"], f["fact"], f["finding"]) for f in doc["findings"]]
    findings = [f for f in doc["findings"] if [f["fact"], f["finding"]] != of]
    corrections = [c for c in doc["corrections"] if c.get("of") != of]
    if chosen and found is not None:
        findings.append({"fact": fact, "finding": finding})
        if found.correction:
            corrections.append({"text": found.correction, "due": found.due, "of": of})
    after = [finding_of(desk, doc["site"], f["fact"], f["finding"]) for f in findings]
    untouched = doc["observed"] == _observed(before)
    observed = _observed(after) if untouched else doc["observed"]
    return {**doc, "findings": findings, "corrections": corrections, "observed": observed}


def _observed(findings: list[Any]) -> str:
    return "\n".join(f.line() for f in findings if f)[:LONGEST_TEXT]


async def set_text(desk: Desk, order: str, field: str, text: str, language: str = "") -> OrderDraftView:
    """`language`: the same in another language of the paper; "" for the text itself."""
    if field not in order_said.FIELDS:
        raise Problem("item-unknown", f"an order has no field {field!r}", where=field)
    kept = _text(text, field, permit_ground.LONGEST if field == "outside" else LONGEST_TEXT)
    return await _edit(desk, order, lambda doc: order_said.with_text(desk, doc, field, language, kept) if language
                       else {**doc, field: kept})


def _replaced(entries: list[Any], index: int, new: list[Any], where: str) -> list[Any]:
    """The list with entry `index` replaced; one past the end adds. Raises Problem "item-unknown"."""
    if not 0 <= index <= len(entries):
        raise Problem("item-unknown", f"there is no entry {index + 1}", where=where)
    return [*entries[:index], *new, *entries[index + 1 :]]


async def set_correction(desk: Desk, order: str, index: int, text: str, due_on: str, due_at: str) -> OrderDraftView:
    due = None
    if due_on or due_at:
        on, at = checked_due(due_on, due_at)
        due = {"on": on, "at": at}
    kept = _text(text, "corrections")

    def change(doc: dict[str, Any]) -> dict[str, Any]:
        old = doc["corrections"][index] if 0 <= index < len(doc["corrections"]) else {"of": None}
        # The screen gives back what it shows, and of "at once" no time is shown.
        same = at_once(old.get("due")) and due_at == "" and due_on == old["due"]["on"]
        new = [{**old, "text": kept, "due": old["due"] if same else due}] if kept.strip() else []
        return {**doc, "corrections": _replaced(doc["corrections"], index, new, "corrections")}

    return await _edit(desk, order, change)


async def set_correction_in(desk: Desk, order: str, index: int, language: str, text: str) -> OrderDraftView:
    kept = _text(text, "corrections")
    return await _edit(desk, order, lambda doc: order_said.with_correction(desk, doc, index, language, kept))


async def set_ready(desk: Desk, order: str, field: str, key: str, wanted: bool) -> OrderDraftView:
    return await _edit(desk, order, lambda doc: order_said.with_ready(desk, doc, field, key, wanted))


async def set_parcel(desk: Desk, order: str, parcel: str, wanted: bool) -> OrderDraftView:
    """Takes one of the site's parcels in or out: the order binds those that it names. One of them stays."""
    known = parcels(site_doc(desk, order_doc(desk, order)["site"]).get("parcel") or "")
    if parcel not in known:
        raise Problem("choice-unknown", "there is no such parcel on this site", where="parcel")

    def change(doc: dict[str, Any]) -> dict[str, Any]:
        now = {*parcels(doc["parcel"]), parcel} if wanted else {*parcels(doc["parcel"])} - {parcel}
        return {**doc, "parcel": ", ".join(one for one in known if one in now) or doc["parcel"]}

    return await _edit(desk, order, change)


async def set_met(desk: Desk, order: str, index: int, name: str, role: str, served: bool) -> OrderDraftView:
    person = {"name": _text(name, "met"), "role": _text(role, "met"), "served": bool(served)}

    def change(doc: dict[str, Any]) -> dict[str, Any]:
        known = {"party": before["party"]} if (before := (doc["met"][index:] or [{}])[0]).get("party") else {}
        met = _replaced(doc["met"], index, [{**person, **known}] if name.strip() else [], "met")
        if len(met) > MOST_MET:
            raise Problem("too-many-people", f"at most {MOST_MET} people fit on one order", where="met")
        return {**doc, "met": met, "nobody_present": doc["nobody_present"] and not met}

    return await _edit(desk, order, change)


async def set_met_party(desk: Desk, order: str, index: int, party: str) -> OrderDraftView:
    """What a person met is to the site. Of those who get a copy, all but "other" are served by it."""
    if party not in PARTY_ROLES:
        raise Problem("choice-unknown", "there is no such role", where="party")

    def change(doc: dict[str, Any]) -> dict[str, Any]:
        if not 0 <= index < len(doc["met"]):
            raise Problem("item-unknown", f"there is no entry {index + 1}", where="met")
        return {**doc, "met": _replaced(doc["met"], index, [{**doc["met"][index], "party": party}], "met")}

    return await _edit(desk, order, change)


async def set_nobody_present(desk: Desk, order: str, nobody: bool) -> OrderDraftView:
    return await _edit(
        desk, order, lambda doc: {**doc, "nobody_present": bool(nobody), "met": [] if nobody else doc["met"]}
    )


async def abandon(desk: Desk, order: str, reason: str) -> None:
    from field_app.work import blanks

    if not reason.strip():
        raise Problem("reasons-missing", "say why the order is given up", where="reason")
    kept = _text(reason, "reason")
    async with desk.store.change() as tx:
        doc = open_order(desk, tx.get("order_drafts", order))
        tx.put("order_drafts", order, {**doc, "stage": "abandoned", "reason": kept})
        blanks.abandoned(desk, tx, doc, kept)
        close_session(tx, order)


def close_session(tx: Any, draft: str) -> None:
    """The draft is finished: the app opens on the sites next time."""
    session = tx.get("meta", SESSION) or {}
    if session.get("draft") == draft:
        tx.put("meta", SESSION, {**session, "draft": None})

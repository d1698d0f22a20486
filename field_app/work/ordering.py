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
from field_app.work import permit_ground, second_orders
from field_app.work.desk import SESSION
from field_app.work.order_findings import available, finding_of
from field_app.work.orders_known import permit_in_force
from field_app.work.permit_ground import NO_PERMIT
from field_app.work.progress import stage_words
from field_app.work.sites import current_permit, due_line, due_problem, grouped, is_past, site_doc
from field_app.work.views import (
    CorrectionView,
    GroundView,
    MetView,
    OrderDraftView,
    OrderFindingView,
    OrderMissing,
)
from field_app.work.words import SEVERITY, said
from sync.records.problems import Problem

if TYPE_CHECKING:
    from field_app.work.desk import Desk

TEXTS = ("observed", "must_stop", "may_continue", "outside")
LONGEST_TEXT = 4_000


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
    """Whether an order stands on the site, and this person has not begun another one yet."""
    return bool(second_orders.standing(desk, site)) and not _unfinished(desk, site, desk.user())


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


async def set_text(desk: Desk, order: str, field: str, text: str) -> OrderDraftView:
    if field not in TEXTS:
        raise Problem("item-unknown", f"an order has no field {field!r}", where=field)
    kept = _text(text, field, permit_ground.LONGEST if field == "outside" else LONGEST_TEXT)
    return await _edit(desk, order, lambda doc: {**doc, field: kept})


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
        same = _at_once(old.get("due")) and due_at == "" and due_on == old["due"]["on"]
        new = [{**old, "text": kept, "due": old["due"] if same else due}] if kept.strip() else []
        return {**doc, "corrections": _replaced(doc["corrections"], index, new, "corrections")}

    return await _edit(desk, order, change)


def _at_once(due: dict[str, Any] | None) -> bool:
    return bool(due and due.get("at_once"))


async def set_met(desk: Desk, order: str, index: int, name: str, role: str, served: bool) -> OrderDraftView:
    person = {"name": _text(name, "met"), "role": _text(role, "met"), "served": bool(served)}

    def change(doc: dict[str, Any]) -> dict[str, Any]:
        met = _replaced(doc["met"], index, [person] if name.strip() else [], "met")
        return {**doc, "met": met, "nobody_present": doc["nobody_present"] and not met}

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
        found.append(OrderMissing(_("Say what you observed."), "observed"))
    if not doc["must_stop"].strip():
        found.append(OrderMissing(_("Say what must stop."), "must_stop"))
    if not doc["corrections"]:
        found.append(OrderMissing(_("Say what must be corrected."), "corrections"))
    for number, correction in enumerate(doc["corrections"], start=1):
        if not correction["due"]:
            found.append(OrderMissing(_("Correction {number} has no due date.").format(number=number), "corrections"))
        elif doc["stage"] != "up" and not _at_once(correction["due"]) and is_past(desk, correction["due"]):
            past = _("Correction {number} was due before now: set a later date and time.").format(number=number)
            found.append(OrderMissing(past, "corrections"))
    if not doc["met"] and not doc["nobody_present"]:
        found.append(OrderMissing(_("Say whom you met, or that nobody was present."), "met"))
    return tuple(found)


def correction_views(desk: Desk, corrections: list[dict[str, Any]]) -> tuple[CorrectionView, ...]:
    return tuple(
        CorrectionView(
            index,
            c["text"],
            c["due"]["on"] if c["due"] else "",
            c["due"]["at"] if c["due"] and not _at_once(c["due"]) else "",
            due_line(desk, c["due"]),
            _at_once(c["due"]),
            due_problem(desk, c["due"]),
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
    may_post, lacking = desk.may("post"), missing(desk, doc)
    place = site_doc(desk, doc["site"])
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
        corrections=correction_views(desk, doc["corrections"]),
        met=tuple(MetView(i, m["name"], m["role"], m["served"]) for i, m in enumerate(doc["met"])),
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
        saved=_("Saved on this tablet; {stage}").format(
            stage=_("complete, no placard made yet") if doc["stage"] == "draft" and not lacking else
            stage_words(desk, doc["stage"])),
        posted=desk.moment_words(doc["up"]["wall"]) if doc["up"] else "",
    )

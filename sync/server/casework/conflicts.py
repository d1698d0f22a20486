"""The open conflicts: what does not fit together, which clock runs meanwhile, and who may decide what about it.

A conflict is never stored. It is seen anew in the records each time, and it is gone once an act of a named person (or
a record that arrives) has settled it; so it cannot differ by the order in which the records came.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from itertools import combinations
from typing import Any

from sqlalchemy import select

from sync.ordinance.parcels import apart, within
from sync.records.facts import parse
from sync.records.macs import fingerprint
from sync.records.times import parse_wall
from sync.server.casework import clocks, judging, numbering, site_acts
from sync.server.casework.blanks import is_void
from sync.server.casework.city import City
from sync.server.casework.corrections import undecided
from sync.server.casework.early import early_acts
from sync.server.casework.inspections import fact_of
from sync.server.casework.matters import acts_about, affixings_of, folded_permit, permits_of, standing_about
from sync.server.casework.orders import STANDING
from sync.server.casework.people import ADMINISTER, CONFIRM, INSPECT, ISSUE, RATIFY, RELEASE, REVISE, REVOKE, VOID
from sync.server.casework.telling import first_day
from sync.server.db.acts import acts
from sync.server.db.engine import Tx, find
from sync.server.db.schema import facts, orders, permits, sites, strays


@dataclass(frozen=True, slots=True)
class Choice:
    """One decision: ``act`` (a name that ``settling.settle`` knows), the power it takes, the subject it is done to,
    and ``other``, the second subject where there is one."""

    act: str
    power: str
    subject: str
    other: str = ""


@dataclass(frozen=True, slots=True)
class Conflict:
    """``kind`` is one of KINDS; ``facts`` the records to read; ``about`` what a person calls it by."""

    kind: str
    subject: str
    about: str
    facts: tuple[str, ...]
    choices: tuple[Choice, ...]
    detail: dict[str, Any] = field(default_factory=dict)


KINDS = (
    "number_taken", "two_orders", "put_up_twice", "late", "clock_doubt", "wrong_parcel", "permit_other", "new_owner",
    "release_before_revocation", "before_its_order", "repost_after_end", "up_not_issued", "void_number_up",
    "two_revisions", "unauthorised_posting", "unauthorised_record", "withdrawn_tablet", "fork", "copied_tablet",
    "unproven", "unplaced", "waiting_act", "record_clock", "two_corrections",
)


def open_conflicts(city: City) -> list[Conflict]:
    """Every conflict that a person has still to settle, by kind and then by what it is about. One consistent look."""
    with city.db.read() as tx:
        return conflicts_now(tx, city)


def conflicts_now(tx: Tx, city: City) -> list[Conflict]:
    """The same, as a transaction sees them."""
    found = [*_of_orders(tx, city), *_of_revisions(tx, city), *_of_records(tx, city), *_of_versions(tx, city),
                 *_of_clocks(tx, city), *_of_corrections(tx, city)]
    return sorted(found, key=lambda one: (KINDS.index(one.kind), one.about, one.subject))


# --- orders -------------------------------------------------------------------------------------------------------
def _of_orders(tx: Tx, city: City) -> list[Conflict]:
    rows = list(tx.execute(select(orders).where(orders.c.city_id == city.id).order_by(orders.c.number, orders.c.id)))
    found = []
    for number in dict.fromkeys(row.number for row in rows if row.status == "quarantined"):
        undecided = numbering.undecided(tx, city, number)
        if undecided:
            found.append(Conflict("number_taken", number, number, tuple(undecided), (
                Choice("keep_number", VOID, number), *(Choice("void", VOID, ident) for ident in undecided))))
    found += _pairs(tx, city, rows)
    for row in rows:
        if row.status in STANDING:
            found += _standing(tx, city, row)
        elif row.status in ("released", "voided"):
            found += _ended(tx, city, row)
        if row.status in (*STANDING, "released"):
            found += _before_it(tx, city, row)
    return found


def _pairs(tx: Tx, city: City, rows: list[Any]) -> list[Conflict]:
    by_site: dict[str, list[Any]] = {}
    for row in rows:
        if row.status in STANDING:
            by_site.setdefault(row.site, []).append(row)
    found = []
    for site_rows in by_site.values():
        for one, two in combinations(sorted(site_rows, key=lambda row: row.id), 2):
            if any(act.step == f"keep_both:{two.id}" for act in acts_about(tx, city, one.id)):
                continue
            if one.number == two.number:
                continue  # kept beside one another under one number: that was the decision
            if apart(one.doc["body"]["parcel"], two.doc["body"]["parcel"], _parcel_of(tx, city, one.site)):
                continue  # different lots of one development: each binds its own
            choices = [Choice("keep_both", VOID, one.id, two.id), Choice("supersede", VOID, one.id, two.id),
                       Choice("supersede", VOID, two.id, one.id)]
            choices += [Choice("count_as_repost", VOID, late.id, kept.id) for late, kept in ((one, two), (two, one))
                        if late.status != "issued"]
            found.append(Conflict("two_orders", one.id, one.doc["body"]["address"], (one.id, two.id), tuple(choices),
                                  {"numbers": [one.number, two.number], "why": _why(one, two),
                                   "posted": [row.posted_on and row.posted_on.isoformat() for row in (one, two)]}))
    return found


def _parcel_of(tx: Tx, city: City, site: str) -> str:
    return tx.execute(select(sites.c.doc).where(sites.c.city_id == city.id, sites.c.id == site)).scalar_one()["parcel"]


def _why(one: Any, two: Any) -> list[list[str]]:
    """Number and reason of the order that was written knowing of the other one."""
    said = [(row, row.doc["body"].get("beside") or {}, other) for row, other in ((one, two), (two, one))]
    return [[row.number, beside["reason"]] for row, beside, other in said if other.id in beside.get("orders", ())]


def _noted(tx: Tx, city: City, order_id: str, what: str, about: str = "") -> bool:
    return any(act.step == f"noted:{what}:{about}"[:160] for act in acts_about(tx, city, order_id))


def _standing(tx: Tx, city: City, row: Any) -> list[Conflict]:
    found, body = [], row.doc["body"]
    end = Choice("void", VOID, row.id)
    if row.doc["late"]:
        found.append(Conflict("late", row.id, row.number, (row.id,), (
            Choice("service_confirmed", CONFIRM, row.id), end), {"posted_on": row.doc["posted_on"]}))
    doubt = clocks_of(tx, city, row)
    if doubt is not None and not _noted(tx, city, row.id, "clock"):
        found.append(Conflict("clock_doubt", row.id, row.number, (row.id,), (
            Choice("note_clock", CONFIRM, row.id), end), doubt))
    if is_void(tx, city, row.number) and not _noted(tx, city, row.id, "void_number"):
        found.append(Conflict("void_number_up", row.id, row.number, (row.id,), (
            Choice("note_void_number", CONFIRM, row.id), end), {"posted_on": row.doc["posted_on"]}))
    found += _put_up_twice(tx, city, row)
    parcel = _parcel_of(tx, city, row.site)
    if not within(body["parcel"], parcel) and not _noted(tx, city, row.id, "parcel"):
        found.append(Conflict("wrong_parcel", row.id, row.number, (row.id,), (
            end, Choice("note_parcel", CONFIRM, row.id)),
            {"order_says": body["parcel"], "office_says": parcel}))
    sold = row.doc.get("sold")
    if sold and not sold["served"] and row.posted_on is not None and not _noted(tx, city, row.id, "owner", sold["on"]):
        found.append(Conflict("new_owner", row.id, row.number, (row.id,), (
            Choice("new_owner_served", INSPECT, row.id, sold["on"]), Choice("note_owner", CONFIRM, row.id, sold["on"])),
            {"sold_on": sold["on"]}))
    now = _permit_now(tx, city, row)
    if now is not None and not _noted(tx, city, row.id, "permit", now["mark"]):
        choices = [Choice("note_permit", CONFIRM, row.id, now["mark"]), end]
        if now["change"] == "revoked":
            choices.insert(1, Choice("take_back", REVOKE, now["permit"]))
        if now["change"] == "granted":
            choices.insert(1, Choice("release", RELEASE, row.id))
        found.append(Conflict("permit_other", row.id, row.number, (row.id,), tuple(choices), now))
    return found


def _put_up_twice(tx: Tx, city: City, row: Any) -> list[Conflict]:
    """Two tablets put up an order that the office issued, each without hearing of the other, each with dates of its own
    on its placard. One that comes later still opens the question anew."""
    ups = affixings_of(tx, city, row.id)
    about = fingerprint(" ".join(up.fact for up in ups).encode())[:16]
    if len(ups) < 2 or _noted(tx, city, row.id, "put_up_twice", about):
        return []
    return [Conflict("put_up_twice", row.id, row.number, tuple(up.fact for up in ups), (
        Choice("note_put_up_twice", CONFIRM, row.id, about),
        *(Choice("count_posting", CONFIRM, row.id, up.fact) for up in ups[1:])),
        {"days": {up.fact: up.posted_on.isoformat() for up in ups}})]


def clocks_of(tx: Tx, city: City, row: Any) -> dict[str, Any] | None:
    """Why the day on which the order was posted is in doubt; None when it is not. Nothing is corrected by this: the
    day on the placard is the day of the clocks until a person says otherwise.

    ``why``: "to come" (posted after it arrived), "other day" or "wrong clock" (by the tablet's clock as the server last
    saw it; ``off_s`` seconds slow, negative for fast). A day before anybody held a power is set aside for that.
    """
    if row.posted_on is None or row.doc.get("ratified"):
        return None
    fact, received_at = fact_of(tx, city, row.id), row.received_at
    if fact.kind != "order_posted":
        ups = affixings_of(tx, city, row.id)
        if not ups:
            return None
        fact = fact_of(tx, city, ups[0].fact)
        received_at = find(tx, facts, city_id=city.id, id=fact.id).received_at
    moment = parse_wall(fact.body["posted_at"], "posted_at")
    found = clocks.doubt_at(moment, fact.at, received_at, city.zone, row.posted_on)
    if found is None:
        return None
    return {"posted_on": fact.body["posted_on"], "off_s": found.off_s, "why": found.why, "record": fact.id}


def _permit_now(tx: Tx, city: City, row: Any) -> dict[str, Any] | None:
    """How the permit differs from what the order says of it: granted since, in force though the order says none, not in
    force when the order was posted, or ended, revoked, extended or given other conditions since."""
    named, granted = row.doc["body"]["permit"], row.doc.get("granted")
    if row.posted_on is None:
        return None
    if granted:
        return {**granted, "change": "granted", "mark": f"granted:{granted['on']}"}
    if not named:
        return _permit_then(tx, city, row)
    permit_row = tx.execute(select(permits).where(permits.c.city_id == city.id, permits.c.id == named)).first()
    permit = folded_permit(tx, city, permit_row, city.pack(tx)) if permit_row is not None else None
    if permit is None:
        return {"permit": named, "number": row.doc["body"]["permit_number"], "change": "unknown", "on": "",
                "mark": "unknown"}

    def told(change: str, on: date) -> dict[str, Any]:
        return {"permit": named, "number": permit_row.number, "change": change, "on": on.isoformat(),
                "mark": f"{change}:{on}"}

    if permit.revoked_on is not None:
        under = [act.doc["order"] for act in standing_about(tx, city, named) if act.act == "revoke"]
        # Revoked under this very order is what the order was for.
        return None if row.id in under else told("revoked", permit.revoked_on)
    if not permit.in_force(row.posted_on):
        return told("not in force", permit.last_valid_day)
    if permit.last_valid_day < city.today():
        return told("ended", permit.last_valid_day)
    said = {"extend": "extended", "authorization": "counted anew", "conditions": "other conditions"}
    since = [act for act in standing_about(tx, city, named)
             if act.act in said and act.on_day >= row.posted_on]
    if since:
        return told(said[since[-1].act], since[-1].on_day)
    return None


def _permit_then(tx: Tx, city: City, row: Any) -> dict[str, Any] | None:
    """The permit that was in force when an order was posted that says there is none. An order that says which work the
    permit does not cover knew of it."""
    if row.doc["body"].get("outside"):
        return None
    for one in permits_of(tx, city, row.site):
        permit = folded_permit(tx, city, one, city.pack(tx))
        if permit is not None and permit.in_force(row.posted_on):
            return {"permit": one.id, "number": one.number, "change": "in force", "on": permit.issued_on.isoformat(),
                    "mark": f"in force:{one.id}"}
    return None


def _ended(tx: Tx, city: City, row: Any) -> list[Conflict]:
    found = []
    released = row.doc.get("released")
    if released and not _noted(tx, city, row.id, "revocation"):
        for act in tx.execute(select(acts).where(acts.c.city_id == city.id, acts.c.act == "revoke")):
            standing = act.step in {one.step for one in standing_about(tx, city, act.about)}
            if standing and act.doc["order"] == row.id and date.fromisoformat(released["on"]) <= act.on_day:
                found.append(Conflict("release_before_revocation", row.id, row.number, (row.id,), (
                    Choice("take_back", REVOKE, act.about), Choice("note_revocation", CONFIRM, row.id)),
                    {"released_on": released["on"], "revoked_on": act.on_day.isoformat()}))
    declined = row.doc["declined"]
    ends = [(told["on"], told["at"]) for told in (released, row.doc.get("void"), row.doc.get("reversed")) if told]
    ends += [(declined["at"][:10], declined["at"])] if declined else []
    # Issued in the office, ended, and put up by a tablet that had not heard of it: that placard hangs too.
    ups = {(up.posted_on.isoformat(), up.posted_at) for up in affixings_of(tx, city, row.id)}
    ups |= {(up["on"], up["at"]) for up in row.doc.get("reposted", ())}
    again = [on for on, at in sorted(ups, key=str) if ends and _is_later(on, at, *min(ends))]
    if again and not _noted(tx, city, row.id, "repost_after_end", again[-1]):
        found.append(Conflict("repost_after_end", row.id, row.number, (row.id,), (
            Choice("note_repost_after_end", CONFIRM, row.id, again[-1]),),
            {"ended_on": min(ends)[0], "up_on": again[-1]}))
    return found


def _is_later(on: str, at: str | None, than_on: str, than_at: str) -> bool:
    """By the days; on one and the same day by the times of day, where both are told."""
    if on != than_on or not at or than_at[:10] != than_on:
        return on > than_on
    return parse_wall(at, "at") > parse_wall(than_at, "at")


def _before_it(tx: Tx, city: City, row: Any) -> list[Conflict]:
    """A tablet brought a release, or that the placard was put up again, of a day on which there was no order yet."""
    first = first_day(row.doc) or ""
    early, about = early_acts(tx, city, row)
    if not early or _noted(tx, city, row.id, "early", about):
        return []
    return [Conflict("before_its_order", row.id, row.number, (row.id,), (
        *(Choice("take_back_release", RELEASE, row.id, act.step) for act in early if act.act == "release"),
        Choice("note_early", CONFIRM, row.id, about)),
        {"first": first, "done": [[act.act, act.on_day.isoformat()] for act in early],
         "ended": row.status == "released"})]


def _of_revisions(tx: Tx, city: City) -> list[Conflict]:
    """Two people ordered a revision of one site's plan without knowing of each other."""
    by_site: dict[str, list[site_acts.SiteAct]] = {}
    for one in site_acts.all_of(tx, city):
        if one.status == "ordered":
            by_site.setdefault(one.site, []).append(one)
    found = []
    for standing in by_site.values():
        for one, two in combinations(sorted(standing, key=lambda act: act.id), 2):
            if not site_acts.kept_beside(tx, city, one.id, two.id):
                found.append(Conflict("two_revisions", one.id, one.reference, (one.id, two.id), (
                    Choice("keep_revisions", REVISE, one.id, two.id), Choice("withdraw_revision", REVISE, one.id),
                    Choice("withdraw_revision", REVISE, two.id)), {"numbers": [one.reference, two.reference]}))
    return found


# --- records ------------------------------------------------------------------------------------------------------
def _of_records(tx: Tx, city: City) -> list[Conflict]:
    found = []
    for row in tx.execute(select(facts).where(
            facts.c.city_id == city.id, facts.c.state.in_(("quarantined", "waiting"))).order_by(facts.c.id)):
        if row.reason == "left-out":
            continue
        about = parse(row.text).body.get("number") or row.tablet_code
        detail = {"kind": row.kind, "reason": row.reason, "detail": row.detail or ""}
        out = Choice("leave_out", VOID, row.id)
        again = Choice("try_again", ADMINISTER, row.id)
        if row.state == "waiting":
            # What was done in the field about an order that is not here: it is worked in by itself when that comes.
            if row.reason == "order-not-issued":
                found.append(_not_issued(tx, city, row, out))
            elif row.kind in ("order_released", "order_voided", "placard_reposted", "order_affixed"):
                found.append(Conflict("waiting_act", row.id, about, (row.id,), (out,), detail))
            continue
        if row.reason == "no-authority":
            kind = "unauthorised_posting" if row.kind == "order_posted" else "unauthorised_record"
            first = Choice("ratify", RATIFY, row.id) if row.kind == "order_posted" else again
            wrong = (Choice("accept_day", CONFIRM, row.id),) if judging.has_impossible_day(tx, city, row) else ()
            found.append(Conflict(kind, row.id, about, (row.id,), (*wrong, first, out), detail))
        elif row.reason == "tablet-revoked":
            found.append(Conflict("withdrawn_tablet", row.id, about, (row.id,), (
                Choice("accept", CONFIRM, row.id), out), detail))
        else:
            found.append(Conflict("unplaced", row.id, about, (row.id,), (again, out), detail))
    return found


def _not_issued(tx: Tx, city: City, row: Any, out: Choice) -> Conflict:
    """A placard hangs of an order that is not issued: records were set back, or a tablet knew no refusal."""
    body = parse(row.text).body
    order = tx.execute(select(orders.c.status).where(
        orders.c.city_id == city.id, orders.c.id == body["order"])).scalar_one()
    first = (Choice("issue", ISSUE, body["order"]),) if order == "recommended" else ()
    return Conflict("up_not_issued", row.id, body["number"], (row.id,), (*first, out),
                    {"up_on": body["posted_on"], "refused": order == "refused"})


def _of_clocks(tx: Tx, city: City) -> list[Conflict]:
    return [Conflict("record_clock", row.fact, row.tablet_code, (row.fact,),
                     (Choice("note_record_clock", CONFIRM, row.fact),),
                     {"kind": row.kind, "day": row.day.isoformat(), "off_s": row.off_s, "why": row.why})
            for row in clocks.open_marks(tx, city)]


def _of_corrections(tx: Tx, city: City) -> list[Conflict]:
    """Copies of one tablet corrected one inspection, neither knowing of the other."""
    return [Conflict("two_corrections", rows[0].root, find(tx, sites, city_id=city.id, id=rows[0].site).name,
                     tuple(row.id for row in rows),
                     tuple(Choice("count_correction", VOID, row.root, row.id) for row in rows),
                     {"day": rows[0].inspected_on.isoformat(), "codes": {row.id: row.tablet_code for row in rows},
                      "findings": {row.id: row.findings for row in rows}}) for rows in undecided(tx, city)]


def _of_versions(tx: Tx, city: City) -> list[Conflict]:
    found = []
    settled = {(act.about, act.step.partition(":")[2]) for act in tx.execute(select(acts).where(
        acts.c.city_id == city.id, acts.c.act == "leave_apart"))}
    for row in tx.execute(select(strays).where(strays.c.city_id == city.id)
                          .order_by(strays.c.fact, strays.c.sha256)):
        if (row.fact, row.sha256) in settled:
            continue
        fact = parse(row.text)
        about = fact.body.get("number") or row.tablet_code
        detail = {"kind": row.kind, "reason": row.reason, "detail": row.detail, "sha256": row.sha256}
        out = Choice("leave_apart", VOID, row.fact, row.sha256)
        if row.reason == "fact-forked":
            now = tx.execute(select(facts.c.sha256).where(
                facts.c.city_id == city.id, facts.c.id == row.fact)).scalar_one_or_none()
            versions = sorted({row.sha256} | ({now} if now else set()))
            choices = tuple(Choice("take_version", VOID, row.fact, sha) for sha in versions)
            found.append(Conflict("fork", row.fact, about, (row.fact,), choices, detail))
        elif row.reason == "fact-counter-taken":
            found.append(Conflict("copied_tablet", row.fact, about, (row.fact,), (
                Choice("take_beside", VOID, row.fact), out), detail))
        else:
            found.append(Conflict("unproven", row.fact, about, (row.fact,), (out,), detail))
    return found



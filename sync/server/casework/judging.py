"""What a person decides about a record that could not be placed: it counts, it does not, or it is tried again.

Both versions of a fork and both records of a copied tablet stay readable, whatever is decided; nothing is ever
overwritten because something else came later. Each function is one transaction with one entry in the audit record.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import delete, func, insert, select, update

from sync.records.facts import Fact, parse
from sync.records.macs import fingerprint, verify
from sync.records.problems import Problem
from sync.server.casework import numbering
from sync.server.casework.audit import record
from sync.server.casework.blanks import take_out_number_void
from sync.server.casework.city import City
from sync.server.casework.copies import earlier_codes
from sync.server.casework.corrections import COUNT_CORRECTION, ends_of
from sync.server.casework.enrolment import credential_of
from sync.server.casework.finds import KINDS as FINDS
from sync.server.casework.finds import real_site, take_out_find
from sync.server.casework.found_places import fold_places_of
from sync.server.casework.inspections import refold_inspections, take_out_inspection
from sync.server.casework.people import ADMINISTER, CONFIRM, RATIFY, VOID, holds, needs_reasons, require
from sync.server.casework.site_acts import KINDS as SITE_ACTS
from sync.server.casework.site_acts import take_out_site_act
from sync.server.casework.smaller_copies import take_out_smaller_copy
from sync.server.db.acts import acts
from sync.server.db.engine import Tx, find, find_all, insert_if_absent
from sync.server.db.schema import affixings, attachments, fact_evidence, facts, inspections, orders, strays, tablets
from sync.server.db.tablets import clock_marks

ORDER_KINDS = ("order_posted", "order_recommended")


def judged(tx: Tx, city: City, fact: str, *decisions: str) -> bool:
    """Whether one of these decisions was taken about the record."""
    return tx.execute(select(acts.c.act).where(
        acts.c.city_id == city.id, acts.c.about == fact, acts.c.act.in_(decisions))).first() is not None


def ratify_order(city: City, actor: str, fact: str, reasons: str) -> None:
    """The building inspector ratifies an order that was posted without the power to: it counts as posted anew today.

    Raises Problem "no-authority", "reasons-missing", "not-found", "act-not-open", "already-decided".
    """

    def work(tx: Tx) -> None:
        require(tx, city, actor, RATIFY, city.today())
        row = _stored(tx, city, fact)
        if (row.kind, row.state, row.reason) != ("order_posted", "quarantined", "no-authority"):
            raise Problem("act-not-open", "only an order that was posted without the power to post can be ratified")
        _judge(tx, city, actor, fact, "ratify", "ratify", reasons)
        record(tx, city, actor, "order_ratified", f"order:{fact}", number=parse(row.text).body["number"],
               reasons=reasons.strip())
        _again(tx, city, fact)

    city.db.write(work)


def accept_record(city: City, actor: str, fact: str, reasons: str) -> None:
    """A record from a withdrawn tablet counts after all, under its own dates. Needs the power to confirm orders."""

    def work(tx: Tx) -> None:
        require(tx, city, actor, CONFIRM, city.today())
        row = _stored(tx, city, fact)
        if (row.state, row.reason) != ("quarantined", "tablet-revoked"):
            raise Problem("act-not-open", "only a record from a withdrawn tablet can be accepted like this")
        _judge(tx, city, actor, fact, "accept", "accept", reasons)
        record(tx, city, actor, "record_accepted", f"fact:{fact}", kind=row.kind, reasons=reasons.strip())
        _again(tx, city, fact)

    city.db.write(work)


def has_impossible_day(tx: Tx, city: City, row: Any) -> bool:
    """Whether a wrong clock alone is why the power is missing: the record's day cannot be right (its clock is in doubt,
    or the day is before that of its tablet), and its person held the power on the day on which it arrived."""
    from sync.server.casework.applying import acted_on, needed_power

    fact = parse(row.text)
    if fact.kind == "order_posted":  # which is ratified
        return False
    mark = find(tx, clock_marks, city_id=city.id, fact=fact.id)
    if mark is None or mark.why not in ("other day", "to come"):  # a clock a little off moves no day
        codes = (fact.tablet, *earlier_codes(tx, city, fact.tablet))  # a copy that got a code is no newer tablet
        since = tx.execute(select(func.min(tablets.c.enrolled_at)).where(
            tablets.c.city_id == city.id, tablets.c.code.in_(codes))).scalar_one_or_none()
        if since is None or acted_on(fact) >= since.astimezone(city.zone).date():
            return False
    return holds(tx, city, fact.user, needed_power(fact), row.received_at.astimezone(city.zone).date())


def accept_day(city: City, actor: str, fact: str, reasons: str) -> None:
    """A record of a clock that was wrong counts after all, under the day that it names. Needs the power to confirm.

    Raises Problem "no-authority", "reasons-missing", "not-found", "act-not-open", "already-decided".
    """

    def work(tx: Tx) -> None:
        require(tx, city, actor, CONFIRM, city.today())
        row = _stored(tx, city, fact)
        if (row.state, row.reason) != ("quarantined", "no-authority") or not has_impossible_day(tx, city, row):
            raise Problem("act-not-open", "only a record whose clock was wrong can be accepted like this")
        _judge(tx, city, actor, fact, "accept_day", "accept_day", reasons)
        record(tx, city, actor, "record_accepted", f"fact:{fact}", kind=row.kind, reasons=reasons.strip())
        _again(tx, city, fact)

    city.db.write(work)


def leave_out(city: City, actor: str, fact: str, reasons: str, sha256: str | None = None) -> None:
    """The record does not count, for good; it stays readable. ``sha256`` names a version that was kept apart.

    Needs the power to void. Raises Problem "act-not-open" when the record counts already.
    """

    def work(tx: Tx) -> None:
        require(tx, city, actor, VOID, city.today())
        if sha256 is not None:
            apart = _apart(tx, city, fact, sha256)
            kind = apart.kind
            _judge(tx, city, actor, fact, "leave_apart", f"leave_apart:{sha256}", reasons)
            numbering.refold_number(tx, city, parse(apart.text))
        else:
            row = _stored(tx, city, fact)
            kind = row.kind
            if row.state == "applied":
                raise Problem("act-not-open", "this record counts already; void or replace what it made")
            _judge(tx, city, actor, fact, "leave_out", "leave_out", reasons)
            tx.execute(update(facts).where(facts.c.city_id == city.id, facts.c.id == fact).values(
                state="quarantined", reason="left-out", detail=reasons.strip(), waits_for=None))
        record(tx, city, actor, "record_left_out", f"fact:{fact}", kind=kind, reasons=reasons.strip(),
               **({"sha256": sha256} if sha256 else {}))

    city.db.write(work)


def try_again(city: City, actor: str, fact: str, reasons: str) -> None:
    """Decides anew about a record that was set aside, after what it lacked was put in place. Needs to administer."""

    def work(tx: Tx) -> None:
        require(tx, city, actor, ADMINISTER, city.today())
        row = _stored(tx, city, fact)
        if row.state == "applied" or row.reason == "left-out":
            raise Problem("already-decided", "there is nothing left to decide about this record")
        needs_reasons(reasons)
        record(tx, city, actor, "record_tried_again", f"fact:{fact}", kind=row.kind, reasons=reasons.strip())
        _again(tx, city, fact)

    city.db.write(work)


def take_version(city: City, actor: str, fact: str, sha256: str, reasons: str) -> None:
    """Of two records with one id, the version ``sha256`` counts; the other is kept apart. Choosing the one that counts
    already only settles it. Needs the power to void.

    Raises Problem "fact-mac-mismatch" for a version that nobody here signed, "act-not-open" when the two are not the
    same kind of record, or orders under different numbers.
    """

    def work(tx: Tx) -> None:
        require(tx, city, actor, VOID, city.today())
        now = _stored(tx, city, fact)
        forks = list(tx.execute(select(strays).where(
            strays.c.city_id == city.id, strays.c.fact == fact, strays.c.reason == "fact-forked")
            .order_by(strays.c.sha256)))
        if sha256 not in {now.sha256, *(one.sha256 for one in forks)}:
            raise Problem("not-found", "there is no such version of this record", where=sha256)
        for one in (now, *forks):
            if one.sha256 != sha256:
                _judge(tx, city, actor, fact, "leave_apart", f"leave_apart:{one.sha256}", reasons)
        record(tx, city, actor, "record_version_chosen", f"fact:{fact}", kind=now.kind, sha256=sha256,
               reasons=reasons.strip())
        if now.sha256 != sha256:
            _swap(tx, city, now, next(one for one in forks if one.sha256 == sha256))

    city.db.write(work)


def count_correction(city: City, actor: str, root: str, fact: str, reasons: str) -> None:
    """Of several corrections of the inspection ``root``, made without knowing of each other, that of the record
    ``fact`` stands. Needs the power to void.

    Raises Problem "no-authority", "reasons-missing", "not-found" where it is none of those, "already-decided".
    """

    def work(tx: Tx) -> None:
        require(tx, city, actor, VOID, city.today())
        needs_reasons(reasons)
        chain = find_all(tx, inspections, city_id=city.id, root=root)
        ends = [row.id for row in ends_of(tx, city, chain)] if chain else []
        if fact not in ends:
            raise Problem("not-found", "it is no correction that waits for a decision", where=fact)
        if len(ends) == 1:
            raise Problem("already-decided", "that is the correction that stands already", where=fact)
        instead = sorted(set(ends) - {fact})
        about = fingerprint(" ".join(sorted(ends)).encode())[:16]
        if not insert_if_absent(tx, acts, {
            "city_id": city.id, "about": root, "step": f"{COUNT_CORRECTION}:{about}", "act": COUNT_CORRECTION,
            "person": actor, "at": city.now(), "on_day": city.today(), "reasons": reasons.strip(), "fact": None,
            "doc": {"fact": fact, "instead": instead},
        }):
            raise Problem("already-decided", "this was decided about the corrections before", where=root)
        record(tx, city, actor, "correction_chosen", f"fact:{fact}", root=root, instead=instead,
               reasons=reasons.strip())
        refold_inspections(tx, city, root)
        fold_places_of(tx, city, chain)

    city.db.write(work)


def take_beside(city: City, actor: str, fact: str, reasons: str) -> None:
    """A second record under one place of a tablet's count is genuine too: the tablet was copied. It is taken in as of a
    second line of that tablet ("T07/2"). Needs the power to void. Raises Problem "fact-mac-mismatch"."""

    def work(tx: Tx) -> None:
        require(tx, city, actor, VOID, city.today())
        apart = tx.execute(select(strays).where(
            strays.c.city_id == city.id, strays.c.fact == fact, strays.c.reason == "fact-counter-taken")).first()
        if apart is None:
            raise Problem("not-found", "there is no such record of a copied tablet", where=fact)
        copied = parse(apart.text)
        _proven(city, copied, apart)
        _judge(tx, city, actor, fact, "take_beside", "take_beside", reasons)
        line = 2
        while not insert_if_absent(tx, facts, {
            "city_id": city.id, "id": fact, "sha256": apart.sha256, "text": apart.text, "kind": apart.kind,
            "tablet_code": f"{copied.tablet}/{line}", "counter": copied.counter, "person": apart.person,
            "mac": apart.mac, "credential": apart.credential, "pushed_by": apart.pushed_by,
            "received_at": apart.received_at, "state": "waiting", "reason": None, "detail": None, "waits_for": None,
            "applied_at": None,
        }):
            line += 1
        _name_evidence(tx, city, copied)
        tx.execute(delete(strays).where(strays.c.city_id == city.id, strays.c.fact == fact,
                                        strays.c.sha256 == apart.sha256))
        record(tx, city, actor, "record_taken_beside", f"fact:{fact}", kind=apart.kind, reasons=reasons.strip(),
               tablet=f"{copied.tablet}/{line}")
        _again(tx, city, fact)

    city.db.write(work)


# --- the parts ----------------------------------------------------------------------------------------------------
def _stored(tx: Tx, city: City, fact: str) -> Any:
    row = tx.execute(select(facts).where(facts.c.city_id == city.id, facts.c.id == fact)).first()
    if row is None:
        raise Problem("not-found", "there is no such record", where=fact)
    return row


def _apart(tx: Tx, city: City, fact: str, sha256: str) -> Any:
    row = tx.execute(select(strays).where(
        strays.c.city_id == city.id, strays.c.fact == fact, strays.c.sha256 == sha256)).first()
    if row is None:
        raise Problem("not-found", "there is no such record", where=fact)
    return row


def _judge(tx: Tx, city: City, actor: str, fact: str, act: str, step: str, reasons: str) -> None:
    needs_reasons(reasons)
    if not insert_if_absent(tx, acts, {
        "city_id": city.id, "about": fact, "step": step, "act": act, "person": actor, "at": city.now(),
        "on_day": city.today(), "reasons": reasons.strip(), "fact": None, "doc": {},
    }):
        raise Problem("already-decided", "this was decided about the record before")


def _again(tx: Tx, city: City, fact: str) -> None:
    from sync.server.casework.applying import work_in

    work_in(tx, city, fact)


def _proven(city: City, fact: Fact, row: Any) -> None:
    ident, key = credential_of(city, fact.tablet, fact.user)
    if row.credential != ident or not verify(key, row.text.encode(), row.mac):
        raise Problem("fact-mac-mismatch",
                      f"this version was not signed with that person's key on tablet {fact.tablet}")


def _name_evidence(tx: Tx, city: City, fact: Fact) -> None:
    tx.execute(delete(fact_evidence).where(fact_evidence.c.city_id == city.id, fact_evidence.c.fact == fact.id))
    for file in fact.evidence:
        tx.execute(insert(fact_evidence).values(city_id=city.id, fact=fact.id, sha256=file.sha256, kind=file.kind))


def _swap(tx: Tx, city: City, now: Any, other: Any) -> None:
    """The version kept apart takes the place of the one that counted, which is kept apart instead."""
    before, fact = parse(now.text), parse(other.text)
    _proven(city, fact, other)
    if (before.kind, before.revises, before.tablet) != (fact.kind, fact.revises, fact.tablet) or (
            fact.kind in ORDER_KINDS and before.body["number"] != fact.body["number"]):
        raise Problem("act-not-open", "the two versions are different records; void or replace what the first one made")
    where = (facts.c.city_id == city.id, facts.c.id == now.id)
    counted = now.state == "applied"
    tx.execute(delete(strays).where(strays.c.city_id == city.id, strays.c.fact == now.id,
                                    strays.c.sha256 == other.sha256))
    tx.execute(insert(strays).values(
        city_id=city.id, fact=now.id, sha256=now.sha256, text=now.text, kind=now.kind, tablet_code=now.tablet_code,
        person=now.person, mac=now.mac, credential=now.credential, pushed_by=now.pushed_by,
        received_at=now.received_at, reason="fact-forked", detail="another version of this record counts"))
    if counted:
        _take_out(tx, city, before)
    kept_order = counted and fact.kind in ORDER_KINDS
    tx.execute(update(facts).where(*where).values(
        sha256=other.sha256, text=other.text, person=other.person, mac=other.mac,
        credential=other.credential, pushed_by=other.pushed_by, received_at=other.received_at,
        state="applied" if kept_order else "waiting", reason=None, detail=None, waits_for=None))
    _name_evidence(tx, city, fact)
    if kept_order:
        from sync.server.casework.orders import refold

        tx.execute(update(orders).where(orders.c.city_id == city.id, orders.c.id == now.id).values(
            site=real_site(tx, city, fact.body["site"])))
        refold(tx, city, now.id)
    else:
        _again(tx, city, now.id)


def _take_out(tx: Tx, city: City, fact: Fact) -> None:
    """Undoes what an applied record made, so that its other version can be worked in. An order stays."""
    from sync.server.casework.orders import refold

    if fact.kind == "inspection_signed":
        take_out_inspection(tx, city, fact.id)
    elif fact.kind == "photo_added":
        tx.execute(delete(attachments).where(attachments.c.city_id == city.id, attachments.c.fact == fact.id))
    elif fact.kind == "smaller_copy_added":
        take_out_smaller_copy(tx, city, fact.id)
    elif fact.kind in FINDS:
        take_out_find(tx, city, fact)
    elif fact.kind in SITE_ACTS:
        take_out_site_act(tx, city, fact)
    elif fact.kind == "number_voided":
        take_out_number_void(tx, city, fact)
    elif fact.kind not in (*ORDER_KINDS, "person_removed"):  # of which only the audit record tells
        tx.execute(delete(affixings).where(affixings.c.city_id == city.id, affixings.c.fact == fact.id))
        tx.execute(delete(acts).where(acts.c.city_id == city.id, acts.c.fact == fact.id))
        refold(tx, city, fact.body["order"])

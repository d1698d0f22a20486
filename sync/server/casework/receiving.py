"""Takes facts from tablets: keeps the exact bytes, decides, and answers with a receipt that can be asked for again.

Four answers. Applied, waiting and quarantined are stored and receipted; refused is for bytes that are not a fact,
of which only a line is kept. The same fact twice gives the same receipt; nothing here is check-then-insert.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import select

from sync.records.evidence_files import fits
from sync.records.facts import Fact, parse
from sync.records.macs import fingerprint, verify
from sync.records.problems import CATALOGUE, Problem
from sync.records.protocol import MAX_FACT_BYTES
from sync.records.receipts import Receipt, open_receipt, seal
from sync.server.casework import clocks, numbering
from sync.server.casework.applying import New, likely_state, work_in
from sync.server.casework.audit import record
from sync.server.casework.city import City
from sync.server.casework.copies import earlier_codes
from sync.server.casework.enrolment import Tablet, credential_of
from sync.server.casework.evidence import on_disk
from sync.server.casework.lives import hear_of_register, register_of
from sync.server.casework.senders import former, sent_by
from sync.server.casework.standings import publish_credential
from sync.server.db.engine import Tx, add, find, find_all, insert_if_absent
from sync.server.db.memory import Memory, gentle, remembered
from sync.server.db.quick import one_by_one
from sync.server.db.schema import credentials, evidence, fact_evidence, facts, orders, refusals, strays


@dataclass(frozen=True, slots=True)
class Item:
    """A fact as a tablet sends it: its exact text, the MAC over it, the credential under which that was made.
    ``former``: sealed receipts that it had in lives of the server that are lost."""

    text: str
    mac: str
    credential: str
    former: tuple[Any, ...] = ()


def receive_facts(city: City, tablet: Tablet, items: Sequence[Item]) -> list[dict[str, Any]]:
    """Takes a batch in one transaction and answers each item: a sealed receipt, or {"refused": {code, detail}}.
    Beside the receipt of a fact that was here before stands ``already_held``.

    A withdrawn tablet may still push; what it sends is quarantined. One bad item never keeps another from being
    taken.
    """

    return city.db.write(taking(city, tablet, items))


def taking(city: City, tablet: Tablet, items: Sequence[Item]) -> Callable[[Tx], list[dict[str, Any]]]:
    """The same as an act for `Database.write_all`."""

    @gentle
    def work(tx: Tx) -> list[dict[str, Any]]:
        epoch, memory = city.epoch_in(tx), remembered(tx)
        return one_by_one(
            tx, items, lambda item: _take(tx, city, tablet, item, epoch, memory),
            lambda item: _refuse(tx, city, tablet, item, "fact-malformed", "the database cannot keep what it says"))

    return work


def receipts_for(city: City, tablet: Tablet, ids: Iterable[str]) -> list[dict[str, Any]]:
    """The receipts of facts that this tablet wrote or handed over, also under a code that it had before, in that order;
    {"unknown": id} for others."""
    with city.db.read() as tx:
        epoch = city.row(tx).epoch
        own = {tablet.id, *former(tx, city, tablet.id)}
        codes = {tablet.code, *earlier_codes(tx, city, tablet.code)}
        found = []
        for ident in ids:
            row = _kept(tx, city, ident)
            if row is not None and row.pushed_by not in own and row.tablet_code not in codes:
                row = None
            if row is not None:
                found.append(_receipt(tx, city, tablet, row, epoch))
                continue
            apart = [row for row in find_all(tx, strays, city_id=city.id, fact=ident) if row.pushed_by in own]
            stray = min(apart, key=lambda one: (one.received_at, one.sha256), default=None)
            found.append({"unknown": ident} if stray is None else _stray_receipt(tx, city, tablet, stray, epoch))
        return found


def _take(tx: Tx, city: City, tablet: Tablet, item: Item, epoch: str, memory: Memory) -> dict[str, Any]:
    try:
        data = item.text.encode()
        (item.mac + item.credential).encode()
        if len(data) > MAX_FACT_BYTES:
            raise Problem("wire-too-large", f"a record has at most {MAX_FACT_BYTES} bytes, this one {len(data)}")
        fact = parse(data)
    except UnicodeEncodeError:
        return _refuse(tx, city, tablet, item, "wire-malformed", "the text cannot be written as UTF-8")
    except Problem as problem:
        detail = problem.detail + (f" (at {problem.where})" if problem.where else "")
        return _refuse(tx, city, tablet, item, problem.code, detail)
    sha = fingerprint(data)
    doubt = _doubt(tx, city, fact, item, data, memory)
    if doubt is None:  # nearly always it is new: stored first, and looked for only when it was not
        now, state = city.now(), likely_state(fact)
        if insert_if_absent(tx, facts, {
            "city_id": city.id, "id": fact.id, "sha256": sha, "text": item.text, "kind": fact.kind,
            "tablet_code": fact.tablet, "counter": fact.counter, "person": fact.user, "mac": item.mac,
            "credential": item.credential, "pushed_by": tablet.id, "received_at": now, "state": state,
            "reason": None, "detail": None, "waits_for": None, "applied_at": now if state == "applied" else None,
        }):
            clocks.mark(tx, city, fact, now)
            if item.former:
                _hear_of_registers(tx, city, tablet, fact, sha, item.former, epoch)
            for file in fact.evidence:
                add(tx, fact_evidence,
                    {"city_id": city.id, "fact": fact.id, "sha256": file.sha256, "kind": file.kind})
            new = New(fact.id, fact.kind, fact.user, sha, tablet.id, now, state)
            stands = _Stands(fact.id, sha, fact.kind, *work_in(tx, city, fact.id, fact, memory, new), now, tablet.id)
            return _receipt(tx, city, tablet, stands, epoch, {file.sha256: file.kind for file in fact.evidence})
    kept = _kept(tx, city, fact.id)
    if kept is None:
        if doubt is None:
            doubt = Problem("fact-counter-taken", f"tablet {fact.tablet} counted another record as {fact.counter}")
        return _set_aside(tx, city, tablet, item, fact, sha, doubt, epoch)
    if kept.sha256 != sha:
        doubt = Problem("fact-forked", f"the record {fact.id} is here with other content")
        return _set_aside(tx, city, tablet, item, fact, sha, doubt, epoch)
    if kept.reason in (None, "apply-failed") and kept.state != "applied":
        work_in(tx, city, fact.id, fact, memory)
        kept = _kept(tx, city, fact.id)
    return {**_receipt(tx, city, tablet, kept, epoch), "already_held": True}


def _hear_of_registers(tx: Tx, city: City, tablet: Tablet, fact: Fact, sha: str, former: Iterable[Any],
                       epoch: str) -> None:
    """What an order was registered as in lives that are lost, as far as receipts of ours say so."""
    for sealed in former:
        try:
            receipt = open_receipt(sealed, tablet.receipt_key)
        except Problem:
            continue
        if receipt.register and (receipt.fact, receipt.sha256) == (fact.id, sha) and receipt.epoch != epoch:
            hear_of_register(tx, city, receipt.register, fact.id)


def _kept(tx: Tx, city: City, ident: str) -> Any | None:
    return find(tx, facts, city_id=city.id, id=ident)


def _doubt(tx: Tx, city: City, fact: Fact, item: Item, data: bytes, memory: Memory) -> Problem | None:
    """Why the fact cannot be trusted to come from whom it says, None when it can."""
    if fact.city != city.id:
        return Problem("city-other", f"it names the city {fact.city}")
    ident, key = memory.once(("credential", fact.tablet, fact.user),
                             lambda: credential_of(city, fact.tablet, fact.user))
    if item.credential != ident or not verify(key, data, item.mac):
        return Problem("fact-mac-mismatch", f"it was not signed with that person's key on tablet {fact.tablet}")
    if ("given out", ident) not in memory:
        row = find(tx, credentials, city_id=city.id, id=ident)
        if row is None:
            _recognise(tx, city, fact, ident)
        else:
            memory[("ended", fact.tablet, fact.user)] = row.revoked_at is not None
        memory[("given out", ident)] = True
    return None


def _recognise(tx: Tx, city: City, fact: Fact, credential: str) -> None:
    """The signature proves that we gave this credential out; a restored server may have forgotten that it did."""
    if insert_if_absent(tx, credentials, {"city_id": city.id, "id": credential, "tablet_code": fact.tablet,
                                          "person": fact.user, "created_at": city.now(), "revoked_at": None}):
        publish_credential(tx, city, credential)
        record(tx, city, "server", "credential_recognised", f"tablet:{fact.tablet}", person=fact.user)


def _set_aside(tx: Tx, city: City, tablet: Tablet, item: Item, fact: Fact, sha: str, doubt: Problem,
               epoch: str) -> dict[str, Any]:
    """Keeps apart what cannot be trusted; the first reason stands when it is sent again."""
    if insert_if_absent(tx, strays, {
        "city_id": city.id, "fact": fact.id, "sha256": sha, "text": item.text, "kind": fact.kind,
        "tablet_code": fact.tablet, "person": fact.user, "mac": item.mac[:64], "credential": item.credential[:64],
        "pushed_by": tablet.id, "received_at": city.now(), "reason": doubt.code, "detail": doubt.detail,
    }):
        record(tx, city, "server", "fact_quarantined", f"fact:{fact.id}", kind=fact.kind, reason=doubt.code,
               detail=doubt.detail, sha256=sha, tablet=tablet.code)
        if doubt.code == "fact-counter-taken":
            numbering.refold_number(tx, city, fact)  # its placard may hang beside another under the same number
    row = find(tx, strays, city_id=city.id, fact=fact.id, sha256=sha)
    return _stray_receipt(tx, city, tablet, row, epoch)


def _refuse(tx: Tx, city: City, tablet: Tablet, item: Item, code: str, detail: str) -> dict[str, Any]:
    """Keeps a line for the office, one for the same bytes from the same tablet however often they come."""
    ident = fingerprint(f"{tablet.id}\0{item.text}".encode("utf-8", "surrogatepass"))
    insert_if_absent(tx, refusals, {"city_id": city.id, "id": ident, "tablet": tablet.code, "at": city.now(),
                                    "code": code, "detail": detail[:500]})
    return {"refused": {"code": code, "detail": detail[:500]}}


def _held(tx: Tx, city: City, tablet: Tablet, pushed_by: str, files: Mapping[str, str]) -> dict[str, bool]:
    """Whether each of the files (their kinds by SHA-256) is held, and is what the record takes it for."""
    # The disk is asked too: a receipt must not vouch for a file that a restored folder lacks.
    rows = ((sha, find(tx, evidence, city_id=city.id, sha256=sha)) for sha in sorted(files))
    return {sha: row is not None and fits(files[sha], row.media) and on_disk(city, sha, row.size)
            and sent_by(tx, city, sha, row.tablet, (tablet.id, pushed_by)) for sha, row in rows}


@dataclass(frozen=True, slots=True)
class _Stands:
    """How a new fact stands, as its row would say."""

    id: str
    sha256: str
    kind: str
    state: str
    reason: str | None
    received_at: datetime
    pushed_by: str


def _receipt(tx: Tx, city: City, tablet: Tablet, row: Any, epoch: str,
             files: Mapping[str, str] | None = None) -> dict[str, str]:
    """``files``: those that the fact names, with their kinds, where that is known."""
    if files is None:
        files = {file.sha256: file.kind for file in find_all(tx, fact_evidence, city_id=city.id, fact=row.id)}
    register = None
    if row.state == "applied" and row.kind in ("order_posted", "order_recommended"):
        register = register_of(city, tx.execute(
            select(orders.c.register_no, orders.c.register_life, orders.c.registered_at).where(
                orders.c.city_id == city.id, orders.c.id == row.id)).one())
    held = _held(tx, city, tablet, row.pushed_by, files)
    return seal(Receipt(
        fact=row.id, sha256=row.sha256, answer=row.state, reason=row.reason, evidence=held,
        epoch=epoch, at=row.received_at.isoformat(timespec="milliseconds"), register=register,
    ), tablet.receipt_key)


def _stray_receipt(tx: Tx, city: City, tablet: Tablet, row: Any, epoch: str) -> dict[str, str]:
    held = _held(tx, city, tablet, row.pushed_by, {file.sha256: file.kind for file in parse(row.text).evidence})
    return seal(Receipt(
        fact=row.fact, sha256=row.sha256, answer="quarantined", reason=row.reason, evidence=held,
        epoch=epoch, at=row.received_at.isoformat(timespec="milliseconds"), register=None,
    ), tablet.receipt_key)


def reason_in_words(code: str | None) -> str:
    """What a reason code means to a person."""
    kind = CATALOGUE.get(code or "")
    return kind.title if kind else (code or "")

"""Signing: a fact frozen as exact bytes, fingerprinted under the person's credential, queued with its files.

Everything happens inside the caller's one store change: the tablet's counter, the fact, the evidence rows and what the
caller writes beside them are there together or not at all. A counter is never used twice, because it is read and
written in that change.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from field_app.store.outbox import queue
from sync.records.facts import Evidence, Fact, freeze
from sync.records.macs import sign
from sync.records.times import At

if TYPE_CHECKING:
    from field_app.work.desk import Desk

LINE = "signed_line"


def next_counter(tx: Any, tablet: str) -> int:
    """The tablet's next fact counter, taken: it counts from 1 without gaps, per tablet code."""
    doc = tx.get("meta", f"counter:{tablet}") or {"n": 0}
    tx.put("meta", f"counter:{tablet}", {"n": doc["n"] + 1})
    return doc["n"] + 1


def next_place(tx: Any) -> int:
    """The next place in the line of all that was signed on this tablet, taken, from 1: the count of a code begins anew
    when the tablet gets another one, this does not. It stays here."""
    doc = tx.get("meta", LINE) or {"n": 0}
    tx.put("meta", LINE, {"n": doc["n"] + 1})
    return doc["n"] + 1


def in_line(doc: dict[str, Any]) -> tuple[int, int]:
    """By what the documents of signed records (table "facts") are sorted into the order in which they were signed.
    Those of an app that kept no place are older than those that have one."""
    return doc.get("place", 0), doc["counter"]


def seal(
    desk: Desk,
    tx: Any,
    kind: str,
    body: dict[str, Any],
    *,
    fact: str,
    pack: str,
    evidence: Iterable[Evidence] = (),
    needs: Iterable[str] = (),
    at: At | None = None,
    revises: str | None = None,
) -> dict[str, Any]:
    """Freeze, sign and queue a fact under the id `fact`, in the open change; gives its outbox document. What is signed
    on a site that was found here names the report of it.

    Raises Problem "fact-malformed" when the body would not be read back; then the change must not be finished.
    """
    from field_app.work.new_site import report_needed

    tablet = desk.tablet()
    credential = desk.credential()
    made = Fact(
        city=tablet["city"],
        id=fact,
        kind=kind,
        tablet=tablet["tablet_code"],
        counter=next_counter(tx, tablet["tablet_code"]),
        user=desk.user(),
        at=at or desk.at(),
        pack=pack,
        revises=revises,
        needs=tuple(dict.fromkeys((*needs, *report_needed(desk, body)))),
        evidence=tuple(evidence),
        body=body,
    )
    frozen = freeze(made)
    mac = sign(bytes.fromhex(credential["key"]), frozen)
    return queue(tx, frozen, mac=mac, credential=credential["id"], place=next_place(tx))


def signer(desk: Desk) -> dict[str, str]:
    """Who signs, as papers name them."""
    person = desk.person()
    return {"name": person["name"], "title": person["title"], "credential_no": person.get("credential_no") or ""}

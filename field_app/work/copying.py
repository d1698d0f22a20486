"""A tablet that was copied, or set back to an earlier copy of itself, asks for a code of its own, by itself.

Its secret for that is durable before it asks, so a lost answer, a kill or a second start lead to the same code. What
was signed under the old code goes out as it is. An order that is still being written gets a new number, and a placard
that was printed for it is thrown away: the other tablet may have put up one with that number. A placard that is up
keeps its number for good.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from field_app.store.outbox import remember_enrolment, remember_sign_in
from sync.client import enrolment
from sync.client.enrolment import SignIn
from sync.records.problems import Problem

if TYPE_CHECKING:
    from field_app.work.desk import Desk

RECODING, RECODED = "recoding", "recoded"
AGAIN_MS = 20_000
UNWRITTEN = ("draft", "printed")

log = logging.getLogger(__name__)


def attend(desk: Desk) -> None:
    """After each call of the driver: a copy that has the server's ear asks for its code, one task at a time."""
    if not desk.outbox.view().copied or (desk.recoding is not None and not desk.recoding.done()):
        return
    link, now = desk.link(), desk.hardware.clock.monotonic_ms()
    if link is None or not link.up or now < desk.recode_not_before:
        return
    desk.recode_not_before = now + AGAIN_MS
    desk.recoding = asyncio.get_running_loop().create_task(_recode(desk))


async def settled(desk: Desk) -> None:
    """Waits until no code is being asked for; from within that task it is no wait."""
    task = desk.recoding
    if task is not None and task is not asyncio.current_task():
        await asyncio.gather(task, return_exceptions=True)


async def _pause(milliseconds: int) -> None:
    await asyncio.sleep(milliseconds / 1000)


async def _recode(desk: Desk) -> None:
    from field_app.work import syncing

    try:
        await recode(desk)
    except Problem as problem:
        log.warning("no code of its own yet: %s", problem)
        return
    if desk.sync_wanted:
        await syncing.stop(desk)
        syncing.start(desk)
    desk.changed()


async def recode(desk: Desk) -> None:
    """Ask for a code of its own and become it. Raises Problem as `enrolment.recode` does; then nothing has changed."""
    was = desk.tablet()["tablet_code"]
    kept = desk.store.table("secrets").get(RECODING)
    if kept is None or kept["code"] != was:
        kept = {"code": was, "secret": desk.hardware.ids.random_bytes(32).hex()}
        async with desk.store.change() as tx:
            tx.put("secrets", RECODING, kept)
    people = [SignIn(doc["person"], doc["id"], doc["key"]) for doc in desk.store.table("credentials").all()]
    where = desk.target()
    found, signed_in = await enrolment.recode(
        desk.hardware.transport(where.server), where, kept["secret"], people, _pause
    )
    async with desk.store.change() as tx:
        if (tx.get("secrets", "tablet") or {}).get("tablet_code") != was:
            return  # a person enrolled it anew meanwhile
        remember_enrolment(tx, found, kept["secret"])
        for doc in desk.store.table("credentials").all():
            tx.delete("credentials", doc["person"])
        for one in signed_in:
            remember_sign_in(tx, one)
        renumbered = renumber(desk, tx, found.numbers)
        tx.put("meta", RECODED, {"was": was, "now": found.tablet_code, "orders": renumbered,
                                 "boot": desk.hardware.clock.boot})  # fmt: skip
        tx.delete("secrets", RECODING)


def renumber(desk: Desk, tx: Any, numbers: Iterable[dict[str, Any]]) -> list[str]:
    """Gives every order that is not up yet a number of the new code, in the open change; their ids."""
    free = iter(sorted(numbers, key=lambda number: number["counter"]))
    orders = [doc for doc in desk.store.table("order_drafts").all()
              if doc["kind"] == "order" and doc["stage"] in UNWRITTEN]  # fmt: skip
    for doc in orders:
        if doc.get("blank"):
            # Its number stands on a paper that is in this inspector's hand: there is no second one.
            tx.put("order_drafts", doc["id"], {**doc, "fact": desk.new_id()})
    orders = [doc for doc in orders if not doc.get("blank")]
    return [_renumber(desk, tx, doc, number) for doc, number in zip(orders, free, strict=False)]


async def catch_up(desk: Desk) -> None:
    """Somebody unlocked the tablet: orders that they have not put up yet, and that bear numbers of a code the tablet no
    longer has, get new ones, as `renumber` did for those who were at work then."""
    from field_app.work.order_view import free_numbers

    code = (desk.store.table("secrets").get("tablet") or {}).get("tablet_code")
    stale = [doc for doc in desk.store.table("order_drafts").all()
             if doc["kind"] == "order" and doc["stage"] in UNWRITTEN and code and f"-{code}-" not in doc["number"]
             and not doc.get("blank")]
    free = free_numbers(desk) if stale else []
    if free:
        async with desk.store.change() as tx:
            for doc, number in zip(stale, free, strict=False):
                _renumber(desk, tx, doc, number)


def _renumber(desk: Desk, tx: Any, doc: dict[str, Any], number: dict[str, Any]) -> str:
    """The order under a fresh number, and as a record of its own: its twin on the other tablet has the id it had."""
    fresh = {**doc, "number": number["number"], "token": number["token"], "stage": "draft", "placard": None,
             "printed": False, "fact": desk.new_id()}  # fmt: skip
    tx.put("order_drafts", doc["id"], fresh)
    tx.put("lease", number["number"], {**(tx.get("lease", number["number"]) or number), "used": doc["id"]})
    return doc["id"]

"""The PIN: it opens the person's key on this tablet, and wrong ones cost time.

A wrong PIN never costs data: nothing is wiped, however often. It is counted before it is tried, durably, so neither
killing the app nor setting the tablet's clock shortens the wait; a clock set back while the app was closed, or one
whose battery was dead, only starts the wait again. On a disk with no room for the count it is kept in memory, and each
try takes `SLOW_S`: a full tablet must open, or nobody could ever send from it or make room on it. A PIN from before
records were encrypted still counts, once: it makes the person's key.
"""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import Awaitable, Callable
from datetime import datetime
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from field_app.store.problems import StoreFull
from field_app.work.words import N_
from sync.records.problems import Problem

if TYPE_CHECKING:
    from field_app.work.desk import Desk

SHORTEST, LONGEST = 6, 12
FREE_TRIES = 3
LONGEST_WAIT = 300
SLOW_S = 5.0
_NO_TRIES = {"wrong": 0, "last_wrong": None}


def pin_doc(desk: Desk, user: str) -> dict[str, Any] | None:
    """How often the person's PIN was wrong in a row, and when last; None for a person without a PIN."""
    if user in desk.tries:
        return desk.tries[user]
    entry = desk.store.keys.entry(user)
    if entry is not None:
        return entry["tries"] or _NO_TRIES
    return desk.store.table("secrets").get(f"pin:{user}")


def wait_after(wrong: int) -> int:
    """Seconds to wait after that many wrong PINs in a row: none for the first three, then 5, 10, 20 ... 300."""
    return 0 if wrong < FREE_TRIES else min(LONGEST_WAIT, 5 * 2 ** min(wrong - FREE_TRIES, 10))


def seconds_left(desk: Desk, user: str | None = None) -> int:
    """Seconds until the person's PIN may be tried again; 0 = now."""
    doc = pin_doc(desk, user or desk.user())
    if not doc or not doc["last_wrong"]:
        return 0
    clock, wait = desk.hardware.clock, wait_after(doc["wrong"])
    if doc.get("boot") == clock.boot:
        # The wall clock may be set to and fro meanwhile; this one goes on by itself.
        gone = (clock.monotonic_ms() - doc["mono_ms"]) / 1000
    else:
        gone = (clock.now() - datetime.fromisoformat(doc["last_wrong"])).total_seconds()
        if not 0 <= gone:  # the clock was set back, or its battery was dead: the wait begins with this run of the app
            gone = (clock.monotonic_ms() - desk.began_ms) / 1000
    return min(wait, max(0, -int(gone - wait)))


def weakness(pin: str) -> str:
    """Why a PIN is among the first that anybody would try, as a sentence; "" for one that is not."""
    if not (pin.isascii() and pin.isdigit() and SHORTEST <= len(pin) <= LONGEST):
        return N_("A PIN has 6 to 12 digits.")
    if any(len(pin) % n == 0 and pin == pin[:n] * (len(pin) // n) for n in range(1, len(pin) // 2 + 1)):
        return N_("That PIN only repeats itself. Choose digits without a pattern.")
    steps = {(int(two) - int(one)) % 10 for one, two in pairwise(pin)} - {0}
    if len(steps) == 1 and steps <= {1, 9}:
        return N_("That PIN only counts up or down. Choose digits without a pattern.")
    if len(set(pin)) < 3:
        return N_("That PIN has too few different digits. Choose at least three.")
    return ""


def check_shape(pin: str) -> None:
    """Raises Problem "pin-weak" with the reason: too short, not digits, repeated, counted, hardly any other digit."""
    if said := weakness(pin):
        raise Problem("pin-weak", said)


async def put_pin(desk: Desk, user: str, pin: str) -> None:
    """Set the person's PIN, the first one or another; the shape must have been checked."""
    keys = desk.store.keys
    if keys.entry(user) is not None:
        await keys.change_pin(user, pin, desk.pin_rounds)
        return
    await keys.add(user, desk.name_of(user), pin, desk.pin_rounds)
    await desk.store.adopt(lambda table, doc: doc.get("user") == user)
    if desk.store.table("secrets").get(f"pin:{user}") is not None:
        async with desk.store.change() as tx:
            tx.delete("secrets", f"pin:{user}")


async def key_for(desk: Desk, pin: str, user: str) -> bytes | None:
    """The person's key; None where a PIN from before is right that has made none yet. Wrong ones are counted.

    Raises Problem "pin-missing", "pin-wait" (too soon) or "pin-wrong".
    """
    doc = pin_doc(desk, user)
    if doc is None:
        raise Problem("pin-missing")

    async def try_it() -> bytes | None:
        if desk.store.keys.entry(user) is not None:
            return await desk.store.keys.fits(user, pin)
        made = await desk.hardware.crypto.pin_verifier(pin, bytes.fromhex(doc["salt"]), doc["rounds"])
        return b"" if hmac.compare_digest(made.hex(), doc["verifier"]) else None

    return await counted(desk, user, try_it) or None


async def counted(desk: Desk, user: str, try_it: Callable[[], Awaitable[bytes | None]]) -> bytes:
    """What ``try_it`` gives for the right PIN; None from it is a wrong one, which is counted and makes the next wait.

    Raises Problem "pin-wait" (too soon) or "pin-wrong".
    """
    left = seconds_left(desk, user)
    if left:
        raise Problem("pin-wait", f"wait {left} seconds, then try again")
    clock, wrong = desk.hardware.clock, (pin_doc(desk, user) or _NO_TRIES)["wrong"] + 1
    when = {"last_wrong": clock.now().isoformat(), "boot": clock.boot, "mono_ms": clock.monotonic_ms()}
    if not await _note(desk, user, {"wrong": wrong, **when}):
        await _slowly()
    found = await try_it()
    if found is None:
        desk.lock()
        wait = wait_after(wrong)
        raise Problem("pin-wrong", f"the PIN is not right; wait {wait} seconds" if wait else "the PIN is not right")
    await _note(desk, user, None)
    return found


async def _slowly() -> None:
    await asyncio.sleep(SLOW_S)


async def _note(desk: Desk, user: str, tries: dict[str, Any] | None) -> bool:
    """Writes the count down; False when there is no room for it: then it holds as long as the app runs."""
    try:
        if desk.store.keys.entry(user) is not None:
            await desk.store.keys.note_tries(user, tries)
        else:
            async with desk.store.change() as tx:
                doc = tx.get("secrets", f"pin:{user}") or {}
                tx.put("secrets", f"pin:{user}", {**doc, **(tries or _NO_TRIES)})
    except StoreFull:
        desk.tries[user] = tries or _NO_TRIES
        return False
    desk.tries.pop(user, None)
    return True


async def verify(desk: Desk, pin: str, user: str | None = None) -> None:
    """The PIN of the person at work, once more. Raises as `key_for` does; otherwise the person is unlocked."""
    user = user or desk.user()
    if await key_for(desk, pin, user) is None:
        await put_pin(desk, user, pin)
    desk.unlock(user)

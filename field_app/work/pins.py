"""The PIN: a verifier per person on this tablet, and delays after wrong ones.

A wrong PIN costs time and never data: nothing is wiped, however often. The count of wrong ones is durable, so killing
the app does not shorten the wait, nor does setting the tablet's clock; a clock set back while the app was closed, or
one whose battery was dead, only starts the wait again.
"""

from __future__ import annotations

import hmac
from datetime import datetime
from typing import TYPE_CHECKING, Any

from sync.records.problems import Problem

if TYPE_CHECKING:
    from field_app.work.desk import Desk

SHORTEST, LONGEST = 6, 12
FREE_TRIES = 3
LONGEST_WAIT = 300


def pin_doc(desk: Desk, user: str) -> dict[str, Any] | None:
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


def check_shape(pin: str) -> None:
    """Raises Problem "pin-weak": too short, too long, not digits, or all the same digit."""
    if not (pin.isascii() and pin.isdigit() and SHORTEST <= len(pin) <= LONGEST) or len(set(pin)) == 1:
        raise Problem("pin-weak", f"a PIN has {SHORTEST} to {LONGEST} digits, not all the same")


async def put_pin(desk: Desk, user: str, pin: str) -> None:
    """Set the person's PIN; the shape must have been checked."""
    salt = desk.hardware.ids.random_bytes(16)
    verifier = await _verifier(desk, pin, salt, desk.pin_rounds)
    async with desk.store.change() as tx:
        tx.put(
            "secrets",
            f"pin:{user}",
            {"salt": salt.hex(), "rounds": desk.pin_rounds, "verifier": verifier, "wrong": 0, "last_wrong": None},
        )


async def _verifier(desk: Desk, pin: str, salt: bytes, rounds: int) -> str:
    made = await desk.hardware.crypto.pin_verifier(pin, salt, rounds)
    return made.hex() if isinstance(made, bytes) else made


async def verify(desk: Desk, pin: str, user: str | None = None) -> None:
    """Raises Problem "pin-missing", "pin-wait" (too soon) or "pin-wrong"; otherwise the person is unlocked."""
    user = user or desk.user()
    doc = pin_doc(desk, user)
    if doc is None:
        raise Problem("pin-missing")
    left = seconds_left(desk, user)
    if left:
        raise Problem("pin-wait", f"wait {left} seconds, then try again")
    given = await _verifier(desk, pin, bytes.fromhex(doc["salt"]), doc["rounds"])
    right = hmac.compare_digest(given, doc["verifier"])
    if not right or doc["wrong"]:
        async with desk.store.change() as tx:
            now = tx.get("secrets", f"pin:{user}") or doc
            wrong = 0 if right else now["wrong"] + 1
            clock = desk.hardware.clock
            stamp = None if right else clock.now().isoformat()
            when = {"last_wrong": stamp, "boot": clock.boot, "mono_ms": clock.monotonic_ms()}
            tx.put("secrets", f"pin:{user}", {**now, "wrong": wrong, **when})
    if not right:
        desk.lock()
        wait = wait_after(wrong)
        raise Problem("pin-wrong", f"the PIN is not right; wait {wait} seconds" if wait else "the PIN is not right")
    desk.unlock(user)

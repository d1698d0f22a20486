"""A forgotten PIN: the person chooses another one, the office opens the person's key for this tablet, nothing is lost.

What is asked goes out from a locked tablet, so what that needs lies open in the key ring: the server's address, the
tablet's id and a proof that is good for asking alone. The answer is sealed to a key that only the new PIN opens; so a
copy of the disk, even with the answer, opens nothing without it. What was begun here and not sent survives a kill.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any

from field_app.store.ciphers import Forged
from field_app.store.keyring import data_of, open_box, text
from field_app.work import pins
from field_app.work.views.session import ForgottenView
from sync.client import enrolment
from sync.client.calls import Target
from sync.records.macs import derive
from sync.records.problems import Problem
from sync.records.proofs import recovery_proof
from sync.records.recovery import (
    ANSWER,
    ANSWER_FILE,
    ANSWERED,
    QUESTION_FILE,
    ask_id,
    read_file,
    spoken_code,
    write_file,
)

if TYPE_CHECKING:
    from field_app.work.desk import Desk

log = logging.getLogger(__name__)
SEEN = frozenset({"secrets", "meta", "recovery_keys", "packs"})
_ABOUT = b"siltwatch forgotten pin"


def phone_of(desk: Desk) -> str:
    """The office's telephone number, as the city's pack has it; "" where it has none."""
    try:
        return desk.pack().office.get("phone", {}).get("en", "")
    except Problem:
        return ""


# --- what is kept for it while the tablet is open -----------------------------------------------------------------
def office_doc(desk: Desk) -> dict[str, Any] | None:
    """What a locked tablet must know to ask; None before it is enrolled."""
    tablet = desk.store.table("secrets").get("tablet")
    if tablet is None:
        return None
    server = (desk.store.table("meta").get("server") or {}).get("url") or desk.server
    proof = recovery_proof(bytes.fromhex(tablet["receipt_key"]))
    return {"server": server.rstrip("/"), "tablet": tablet["tablet_id"], "code": tablet["tablet_code"], "proof": proof,
            "phone": phone_of(desk)}


async def keep_up(desk: Desk) -> None:
    """Takes over what the office said last: where it is, and the public half of its key pair."""
    keys = desk.store.keys
    if keys is None or desk.store.locked:
        return
    known, public = office_doc(desk), (desk.store.table("recovery_keys").get("city") or {}).get("public")
    if known is not None and keys.doc.get("office") != known:
        await keys.write(lambda doc: doc.update(office=known))
    if public and keys.doc.get("city") != public:
        try:
            await keys.trust(bytes.fromhex(public))
        except (Forged, ValueError):
            log.error("the city's key for forgotten PINs is none")


def keep_up_soon(desk: Desk) -> None:
    """The same after a change of the store, one at a time."""
    try:
        desk.keeping_up = asyncio.get_running_loop().create_task(_keep_up_after(desk, desk.keeping_up))
    except RuntimeError:  # no loop: a store that is filled by hand
        return


async def _keep_up_after(desk: Desk, before: Any) -> None:
    if before is not None:
        await asyncio.gather(before, return_exceptions=True)
    try:
        await keep_up(desk)
    except Problem as problem:
        log.warning("the keys were not brought up to date: %s", problem)


# --- asking -------------------------------------------------------------------------------------------------------
def _asked(desk: Desk, person: str) -> dict[str, Any] | None:
    return (desk.store.keys.entry(person) or {}).get("ask")


def view(desk: Desk, person: str) -> ForgottenView:
    """Where the person's question stands."""
    entry, office = desk.store.keys.entry(person), desk.store.keys.doc.get("office")
    name, phone = entry["name"] if entry else person, (office or {}).get("phone") or ""
    if not entry or not entry.get("recovery") or not office:
        return ForgottenView(person, name, "impossible", "", phone)
    asked = entry.get("ask")
    if asked is None:
        return ForgottenView(person, name, "choose", "", phone)
    code = spoken_code(office["tablet"], person, asked["box"], asked["public"])
    return ForgottenView(person, name, asked["state"] if asked.get("id") else "unsent", code, phone)


async def ask(desk: Desk, person: str, pin: str, again: str) -> ForgottenView:
    """Choose another PIN and ask the office. Problem "pin-weak", "pin-differs", "recovery-none"; "offline" and the like
    when it could not be sent yet: `look` sends it."""
    keys = desk.store.keys
    pins.check_shape(pin)
    if pin != again:
        raise Problem("pin-differs")
    if view(desk, person).state == "impossible":
        raise Problem("recovery-none")
    box = keys.entry(person)["recovery"]
    private, public = await keys.ciphers.new_pair()
    salt = desk.hardware.ids.random_bytes(16)
    sealed = await (await _cipher(desk, pin, salt, desk.pin_rounds)).seal(private, _ABOUT)
    made = {"id": None, "state": "waiting", "public": public.hex(), "private": text(sealed), "salt": text(salt),
            "rounds": desk.pin_rounds, "answer": None, "box": box["box"], "for": box["for"]}  # fmt: skip
    await keys.write(lambda doc: doc["people"][person].update(ask=made))
    return await look(desk, person)


async def _cipher(desk: Desk, pin: str, salt: bytes, rounds: int) -> Any:
    stretched = await desk.hardware.crypto.pin_verifier(pin, salt, rounds)
    return await desk.store.keys.ciphers.cipher(derive(stretched, "siltwatch", "forgotten"))


async def look(desk: Desk, person: str) -> ForgottenView:
    """Send the question where it was not sent yet, and look for the answer. Problem "offline" and the like, or the
    server's own."""
    keys, asked = desk.store.keys, _asked(desk, person)
    if asked is None or asked["state"] != "waiting":
        return view(desk, person)
    office = keys.doc["office"]
    transport, where = desk.hardware.transport(office["server"]), Target(office["server"])
    if not asked.get("id"):
        request = enrolment.recovery_request(
            office["tablet"], office["proof"], person, asked["for"], asked["box"], asked["public"])
        ident = await enrolment.ask(transport, where, request, enrolment.read_recovery_id, _pause)
        await _note(desk, person, asked, id=ident)
        asked = _asked(desk, person) or asked
    request = enrolment.recovery_look_request(office["tablet"], office["proof"], asked["id"])
    found = await enrolment.ask(transport, where, request, enrolment.read_recovery, _pause)
    if found.state != asked["state"]:
        await _note(desk, person, asked, state=found.state, answer=found.box)
    return view(desk, person)


async def save_question(desk: Desk, person: str) -> str | None:
    """The question as a file for the office, where no network reaches it; its name, None when that was cancelled.
    Problem "recovery-unknown" before anything was asked."""
    asked, office = _asked(desk, person), desk.store.keys.doc.get("office")
    if asked is None or office is None:
        raise Problem("recovery-unknown")
    data = write_file(QUESTION_FILE, {
        "tablet": office["tablet"], "proof": office["proof"], "person": person, "key": asked["for"],
        "box": asked["box"], "public": asked["public"]})  # fmt: skip
    name = f"siltwatch-pin-{office['code']}.json"
    return name if await desk.hardware.save_file(name, data, "application/json") else None


async def take_answer(desk: Desk, person: str, data: bytes) -> ForgottenView:
    """The office's answer from a file; it opens with the chosen PIN alone. Problem "recovery-file" for any other file,
    "recovery-unknown"."""
    asked, office = _asked(desk, person), desk.store.keys.doc.get("office")
    if asked is None or office is None:
        raise Problem("recovery-unknown")
    said = read_file(ANSWER_FILE, ANSWERED, data)
    mine = said["id"] == ask_id(office["tablet"], person, asked["public"])
    if not mine or not (said["state"] == "declined" or (said["state"] == "answered" and said["box"])):
        raise Problem("recovery-file")
    await _note(desk, person, asked, id=said["id"], state=said["state"], answer=said["box"] or None)
    return view(desk, person)


async def _note(desk: Desk, person: str, asked: dict[str, Any], **more: Any) -> None:
    """Notes it, unless another question was begun meanwhile."""

    def change(doc: dict[str, Any]) -> None:
        now = doc["people"][person].get("ask")
        if now is not None and now["public"] == asked["public"]:
            now.update(more)

    await desk.store.keys.write(change)


async def _pause(milliseconds: int) -> None:
    await asyncio.sleep(milliseconds / 1000)


async def give_up(desk: Desk, person: str) -> ForgottenView:
    """The person remembers the PIN after all, or wants to ask anew."""
    await desk.store.keys.write(lambda doc: doc["people"][person].update(ask=None))
    return view(desk, person)


async def finish(desk: Desk, person: str, pin: str) -> None:
    """The office has answered: the PIN that was chosen opens everything from now on. Problem "pin-wrong", "pin-wait",
    "recovery-unknown" (no answer is here), "recovery-malformed"."""
    from field_app.work import unlocking

    keys, asked = desk.store.keys, _asked(desk, person)
    if asked is None or not asked.get("answer"):
        raise Problem("recovery-unknown")
    first = desk.store.locked

    async def opened() -> bytes | None:
        cipher = await _cipher(desk, pin, data_of(asked["salt"]), asked["rounds"])
        try:
            return await cipher.open(data_of(asked["private"]), _ABOUT)
        except Forged:
            return None

    private = await pins.counted(desk, person, opened)
    try:
        key = await open_box(keys.ciphers, private, bytes.fromhex(asked["public"]), data_of(asked["answer"]), ANSWER)
    except (Forged, ValueError):
        raise Problem("recovery-malformed", "the answer of the office does not open", where="answer") from None
    await desk.store.unlock(person, key)
    await keys.change_pin(person, pin, desk.pin_rounds)
    await unlocking.enter(desk, person, key, pin, first=first)

"""Enrolment, sign-in, PIN, and where the app opens.

The tablet's secret is durable before the code is sent for the first time, and stays with that code until the answer
is durable: a lost reply, a kill in between and a second tap all lead to the same enrolment.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from field_app.store.outbox import remember_enrolment, remember_sign_in
from field_app.store.sealed import ENDED
from field_app.work import copying, pins, preferences, syncing, unlocking
from field_app.work.clearing import clear
from field_app.work.desk import SESSION
from field_app.work.tidying import tidy
from field_app.work.views import AnotherTabView, EnrolView, KnownPerson, PinView, SignInView, StartView
from sync.client import enrolment
from sync.documents.language import translator
from sync.records.problems import Problem

if TYPE_CHECKING:
    from field_app.work.desk import Desk


def another_tab_view(language: str) -> AnotherTabView:
    _ = translator(language)
    return AnotherTabView(
        _("Siltwatch is open in another tab"),
        _("Go to the other tab, or take over here. Nothing is lost: every answer is already saved."),
        _("Take over here"),
    )


async def take_link(desk: Desk) -> None:
    """The codes of the link that the app was opened with, or that was opened while it runs."""
    desk.enrol_code = await desk.hardware.take_enrol_code() or desk.enrol_code
    if desk.hardware.take_signin_code is not None:
        desk.signin_code = await desk.hardware.take_signin_code() or desk.signin_code


async def start(desk: Desk) -> StartView:
    await take_link(desk)
    if not desk.store.locked:
        await desk.outbox.prepare()
        await tidy(desk)
        await clear(desk)
    return opening(desk)


def opening(desk: Desk) -> StartView:
    """The screen that the stored state calls for."""
    store = desk.store
    if store.locked:
        return StartView("locked", None, None)
    if store.table("secrets").get("tablet") is None:
        return StartView("enrol", None, None)
    if desk.outbox.view().withdrawn:
        return StartView("withdrawn", None, None)
    user = desk.session().get("user")
    credential = store.table("credentials").get(user) if user else None
    if credential is None or desk.is_ended(credential):
        return StartView("sign_in", None, None)
    if unlocking.is_locked(desk):
        return StartView("locked", None, None)
    if pins.pin_doc(desk, user) is None:
        return StartView("set_pin", None, None)
    draft = desk.session().get("draft")
    if draft and store.table("drafts").get(draft):
        return StartView("inspection", draft, None)
    doc = store.table("order_drafts").get(draft) if draft else None
    if doc and doc["stage"] not in ENDED:
        return StartView("order" if doc["stage"] == "draft" else "placard", draft, None)
    return StartView("sites", None, None)


def has_open_draft(desk: Desk) -> bool:
    if desk.store.locked:
        return True  # who knows
    open_orders = (d for d in desk.store.table("order_drafts").all() if d["stage"] not in ENDED)
    open_reports = (d for d in desk.store.table("reports").all() if d["stage"] == "open")
    return len(desk.store.table("drafts")) > 0 or any(open_orders) or any(open_reports)


async def close_draft(desk: Desk) -> None:
    """The inspector left the draft's screen: the app opens on the sites next time. A placard of the office that must
    not go up any more is left for good: nothing of it would ever be signed."""
    from field_app.work import placards

    if draft := desk.session().get("draft"):
        async with desk.store.change() as tx:
            doc = tx.get("order_drafts", draft)
            if (doc and doc["kind"] == "affix" and doc["stage"] in ("draft", "printed")
                    and placards.must_not_hang(desk, doc)):
                tx.put("order_drafts", draft, {**doc, "stage": "abandoned"})
            tx.put("meta", SESSION, {**desk.session(), "draft": None})


def enrol_view(desk: Desk) -> EnrolView:
    _ = desk.words
    steps = (
        _("Ask the office for an enrollment code; it is good for one tablet."),
        _("Scan or type the code here while the tablet has a connection."),
        _("From then on the tablet works without a connection."),
    )
    return EnrolView(desk.server, desk.enrol_code, steps)


async def _pause(milliseconds: int) -> None:
    await asyncio.sleep(milliseconds / 1000)


async def enrol(desk: Desk, code: str) -> SignInView:
    code = "".join(code.split())
    if not code:
        raise Problem("code-unknown", "type the code that the office gave you")
    kept = desk.store.table("secrets").get("enrolling")
    if kept is None or kept["code"] != code:
        kept = {"code": code, "secret": desk.hardware.ids.random_bytes(32).hex()}
        async with desk.store.change() as tx:
            tx.put("secrets", "enrolling", kept)
    found = await enrolment.enrol(
        desk.hardware.transport(desk.server.rstrip("/")), desk.server, code, kept["secret"], _pause
    )
    async with desk.store.change() as tx:
        before = tx.get("secrets", "tablet")
        if before is not None and before["tablet_id"] != found.tablet_id:
            # Credentials are those of (tablet, user): as another tablet everybody signs in once more. Signed
            # items carry their own fingerprint and stay in the outbox.
            for doc in desk.store.table("credentials").all():
                tx.delete("credentials", doc["person"])
            tx.put("meta", SESSION, {"user": None, "draft": None})
            copying.renumber(desk, tx, found.numbers)
        remember_enrolment(tx, found, kept["secret"])
        tx.put("meta", "server", {"url": desk.server.rstrip("/")})
        if found.recovery_key:
            tx.put("recovery_keys", "city", {"id": "city", "public": found.recovery_key})
        tx.delete("secrets", "enrolling")
    desk.enrol_code = ""
    if desk.hardware.enrol_code_used is not None:
        desk.hardware.enrol_code_used()
    if desk.sync_wanted:
        # A driver that ran for an earlier enrollment would go on under the old token.
        await syncing.stop(desk)
        syncing.start(desk)
    return sign_in_view(desk)


def sign_in_view(desk: Desk) -> SignInView:
    tablet = desk.tablet()
    people = []
    for doc in desk.store.table("credentials").all():
        person = desk.store.table("people").get(doc["person"])
        if person and not desk.is_ended(doc):
            has_pin = pins.pin_doc(desk, person["id"]) is not None
            people.append(KnownPerson(person["id"], person["name"], person["title"], has_pin))
    people.sort(key=lambda person: person.name)
    return SignInView(tablet["city_name"], tablet["tablet_code"], tuple(people), desk.signin_code)


async def sign_in(desk: Desk, code: str) -> PinView | None:
    code = "".join(code.split())
    if not code:
        raise Problem("code-unknown", "type the personal code that the office gave you")
    where = desk.target()
    try:
        found = await enrolment.sign_in(desk.hardware.transport(where.server), where, code, _pause)
    except Problem as refusal:
        if refusal.code in ("code-unknown", "code-used") and code == desk.signin_code:
            _forget_link(desk)  # it leads nowhere any more
        raise
    if not isinstance(found.person, dict):
        raise Problem("wrong-server", "the answer does not say who signed in", where="person")
    async with desk.store.change() as tx:
        remember_sign_in(tx, found)
        if tx.get("people", found.person_id) is None:
            tx.put("people", found.person_id, found.person)
        tx.put("meta", SESSION, {"user": found.person_id, "draft": None})
    _forget_link(desk)
    desk.lock()
    if desk.store.keys.person != found.person_id:
        await desk.store.lock_person()
    if pins.pin_doc(desk, found.person_id) is None:
        await preferences.adopt(desk, found.person_id)
    return _pin_wanted(desk, found.person_id)


def _forget_link(desk: Desk) -> None:
    desk.signin_code = ""
    if desk.hardware.signin_code_used is not None:
        desk.hardware.signin_code_used()


async def switch_person(desk: Desk, person: str) -> PinView | None:
    await unlocking.switch(desk, person)
    return _pin_wanted(desk, person)


def _pin_wanted(desk: Desk, person: str) -> PinView | None:
    return pin_view(desk) if pins.pin_doc(desk, person) is None else None


def pin_view(desk: Desk) -> PinView:
    _ = desk.words
    explanation = _(
        "The PIN unlocks this tablet and signs your inspections and orders. What you begin is encrypted under it: a "
        "longer one protects better. Wrong PINs make it wait; they never erase anything."
    )
    return PinView(desk.person()["name"], pins.SHORTEST, pins.LONGEST, explanation)


async def set_pin(desk: Desk, pin: str, again: str, *, old: str | None) -> None:
    user = desk.user()
    pins.check_shape(pin)
    if pin != again:
        raise Problem("pin-differs")
    if pins.pin_doc(desk, user) is not None:
        if old is None:
            raise Problem("pin-needed", "give your present PIN to change it")
        await pins.verify(desk, old, user)
    await pins.put_pin(desk, user, pin)

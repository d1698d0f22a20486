"""Who is at work on a shared tablet: unlocking with a PIN, without any network, and leaving.

Whoever unlocks finds what they have begun, and nothing of what others have. What is signed is everybody's to send: it
goes on its way under the name of who signed it, whoever is at work. After a start nothing can be read, and nothing is
sent, before somebody has given a PIN: the keys lie nowhere else.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Awaitable, Mapping
from typing import TYPE_CHECKING, Any

from field_app.store import frames
from field_app.store.problems import StoreFull
from field_app.store.sealed import PRIVATE
from field_app.work import copying, forgotten, pins, placard_photos, preferences
from field_app.work.clearing import clear
from field_app.work.tidying import tidy
from field_app.work.views.session import LockedPerson, LockView
from sync.records.problems import Problem

if TYPE_CHECKING:
    from field_app.work.desk import Desk

log = logging.getLogger(__name__)

_HASH = re.compile('"([0-9a-f]{64})"')
_KEPT = ("site", "pack", "stage", "number", "user", "kind")


def about(table: str, doc: Mapping[str, Any]) -> dict[str, Any]:
    """What stays readable on the tablet of a document that is sealed under a person's key, so that nothing it needs is
    cleared away: its site, ordinance, stage, order number, person, and the fingerprints of its files."""
    said = {name: doc[name] for name in _KEPT if doc.get(name) is not None}
    return {**said, "files": sorted(set(_HASH.findall(frames.dumps(doc))))}


def view(desk: Desk) -> LockView:
    """The screen of a locked tablet."""
    people = [
        LockedPerson(person, entry["name"], pins.seconds_left(desk, person), bool(entry.get("ask")))
        for person, entry in desk.store.keys.doc["people"].items()
    ]
    if not desk.store.locked:
        known = {one.id for one in people}
        older = [doc["person"] for doc in desk.store.table("credentials").all()
                 if doc["person"] not in known and pins.pin_doc(desk, doc["person"]) is not None]
        people += [LockedPerson(one, desk.name_of(one), pins.seconds_left(desk, one), False) for one in older]
    last = desk.session().get("user") or desk.store.keys.doc.get("last")
    people.sort(key=lambda one: one.name)
    chosen = last if any(one.id == last for one in people) else (people[0].id if len(people) == 1 else None)
    return LockView(tuple(people), chosen, others=not desk.store.locked)


def protection(desk: Desk) -> tuple[str, ...]:
    """What is encrypted here and what is not, and what a short PIN does not resist; a sentence each."""
    _, keys = desk.words, desk.store.keys
    if keys.doc["tablet"].get("key"):
        return (_("Nobody has set a PIN yet: until then whoever has this tablet can read what is on it."),)
    said = [
        _("Records and photos on this tablet are encrypted. What you have begun opens with your PIN alone; what is "
          "signed, and what came from the office, with the PIN of anybody who works here."),
        _("A short PIN keeps out whoever finds the tablet. It does not stop an expert who copies its storage and tries "
          "all PINs elsewhere, where no waits hold them up: ten digits or more hold out far longer than six."),
        _("Not encrypted: the names of the people who unlock it, and files that you save from the app."),
    ]
    mine = keys.entry(keys.person or "") or {}
    said.append(_("If you forget your PIN, the office can open what you have begun.") if mine.get("recovery") else
                _("If you forget your PIN, nobody can open what you have begun: the office has no key for that yet."))
    return tuple(said)


def is_locked(desk: Desk) -> bool:
    """Whether nobody can work before a PIN was given."""
    user, keys = desk.session().get("user"), desk.store.keys
    if desk.store.locked:
        return True
    return bool(user) and keys.person != user and pins.pin_doc(desk, user) is not None


def is_another(desk: Desk, person: str) -> bool:
    """Whether somebody else was at work here last."""
    return desk.store.keys.doc.get("last") not in (None, person)


def is_anothers(desk: Desk, draft: str) -> bool:
    """Whether another person has begun what stands under this id, so that it is not to be shown now."""
    user = desk.session().get("user")
    for table in PRIVATE:
        doc = desk.store.table(table).get(draft)
        if doc is not None:
            return doc.get("user") != user
        if any(one["id"] == draft for one in desk.store.hidden(table)):
            return True
    return False


async def unlock(desk: Desk, person: str, pin: str) -> None:
    """The person goes to work. Raises Problem "pin-wrong", "pin-wait", "pin-missing", and as opening the store does."""
    first = desk.store.locked
    key = await pins.key_for(desk, pin, person)
    await enter(desk, person, key, pin, first=first)


async def enter(desk: Desk, person: str, key: bytes | None, pin: str, *, first: bool) -> None:
    """The person whose key is open goes to work. ``first`` since the app began."""
    keys = desk.store.keys
    try:
        if key is not None:
            await desk.store.unlock(person, key)
            await desk.store.adopt(lambda table, doc: doc.get("user") == person)
        await desk.outbox.prepare()
        if desk.session().get("user") != person:
            desk.photos_open = ""
            async with desk.store.change() as tx:
                tx.put("meta", "session", {"user": person, "draft": None})
    except BaseException:  # a key that is open must not stay so under another person's session
        if key is not None and not desk.store.locked:
            await desk.store.lock_person()
        raise
    if key is None:  # a PIN from before there were keys
        await pins.put_pin(desk, person, pin)
    desk.unlock(person)
    if keys.doc.get("last") != person:
        await _if_there_is_room(keys.write(lambda doc: doc.update(last=person)))
    await _if_there_is_room(placard_photos.seal_after_unlocking(desk))
    await _if_there_is_room(preferences.adopt(desk, person))
    await _if_there_is_room(forgotten.keep_up(desk))
    await _if_there_is_room(copying.catch_up(desk))
    if first:
        await _if_there_is_room(tidy(desk))
        await _if_there_is_room(clear(desk))


async def _if_there_is_room(upkeep: Awaitable[Any]) -> None:
    """What comes with unlocking but must not keep a person out: on a full disk it waits for the next time."""
    try:
        await upkeep
    except StoreFull as problem:
        log.warning("left for when there is room: %s", problem)


def seal_older_files(desk: Desk) -> None:
    """Begins, once in a run of the app, to encrypt the evidence files that were kept before there were keys."""
    if desk.older_files is None and desk.store.keys is not None:
        desk.older_files = asyncio.get_running_loop().create_task(_seal_older_files(desk))


async def _seal_older_files(desk: Desk) -> None:
    try:
        await desk.box.seal_old()
        await (await desk.files()).seal_old()
    except Problem as problem:  # no room for the new beside the old: at the next start
        log.warning("older evidence files are not encrypted yet: %s", problem)


async def leave(desk: Desk) -> None:
    """The person at work leaves the tablet; what they have begun is locked away, what is signed goes on its way."""
    desk.lock()
    if not desk.store.locked:
        await desk.store.lock_person()
    desk.changed()


async def switch(desk: Desk, person: str) -> None:
    """Another person takes the tablet, and is asked for the PIN next. Raises Problem "not-signed-in",
    "credential-ended"."""
    if desk.store.table("credentials").get(person) is None:
        raise Problem("not-signed-in", "this person has not signed in on this tablet", where=person)
    desk.credential(person)
    if desk.store.keys.person != person:
        await desk.store.lock_person()
    async with desk.store.change() as tx:
        tx.put("meta", "session", {"user": person, "draft": None})
    desk.lock()

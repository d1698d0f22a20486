"""Who may unlock this tablet, and removing a person from it: the key is destroyed, and with it what only it opens.

Somebody of whom nothing is here alone can be removed by whoever is at work. Where something would be lost, or is signed
and not yet safe at the office, it takes a person who administers, who types the name and says why. What is signed goes
to the office all the same: it lies under the tablet's key. Who removed whom stays written down here, and is a record
that goes to the office. The last person cannot be removed: the tablet's key would lie open.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from field_app.store.sealed import ENDED
from field_app.work import blanks, pins
from field_app.work import typed as typed_words
from field_app.work.preferences import own_key
from field_app.work.progress import is_safe
from field_app.work.sealing import seal, signer
from field_app.work.sites import in_the_citys_language
from field_app.work.views.tablet import PeopleHereView, PersonHere
from field_app.work.words import signed_items
from sync.records.problems import Problem

if TYPE_CHECKING:
    from field_app.work.desk import Desk

POWER = "administer"
REMOVED = "people_removed"
LONGEST = 500


def view(desk: Desk) -> PeopleHereView:
    """The screen."""
    _ = desk.words
    people = sorted((_row(desk, person) for person in desk.store.keys.doc["people"]), key=lambda one: one.name)
    before = [
        _("{date}: {name} was removed by {by}. {what}").format(
            date=desk.moment_words(one["at"]), name=one["name"], by=one["by_name"], what=_lost_words(desk, one)).strip()
        for one in reversed(_removed(desk))
    ]
    titles = any(one.title for one in people) and not in_the_citys_language(desk)
    return PeopleHereView(tuple(people), tuple(before), pins.seconds_left(desk),
                          _("Job titles are shown as the city wrote them.") if titles else "")


def _removed(desk: Desk) -> list[dict[str, Any]]:
    return list((desk.store.table("meta").get(REMOVED) or {}).get("items") or ())


def _lost_words(desk: Desk, one: dict[str, Any]) -> str:
    _ = desk.words
    if not one["begun"] and not one["unsent"]:
        return _("Nothing of theirs was only here.")
    return _("Destroyed unsigned: {begun}. Signed and still to be sent then: {unsent}. Reasons: {reasons}").format(
        begun=one["begun"], unsent=one["unsent"], reasons=one["reasons"])


def _row(desk: Desk, person: str) -> PersonHere:
    _ = desk.words
    unsent, begun = _unsent(desk, person), _begun(desk, person)
    said = []
    if unsent:
        said.append(_("Signed and not yet safe at the office: {what}.").format(what=signed_items(unsent, _)))
    if begun:
        said.append(_("Begun and not signed: {count}.").format(count=begun))
    if hanging := [one["number"] for one in _open_orders(desk.store.under(_key(desk, person)))
                   if one.get("stage") in ("printed", "up")]:
        said.append(_("Placard that may hang without a signed order: {numbers}.").format(numbers=", ".join(hanging)))
    known = desk.store.table("people").get(person) or {}
    return PersonHere(
        id=person, name=desk.store.keys.doc["people"][person]["name"], title=known.get("title") or "",
        mine=person == desk.store.keys.person,
        words=" ".join(said) or _("All that this person signed is safe at the office, and nothing is begun."),
        unsent=unsent, begun=begun, refused=_refused(desk, bool(unsent or begun)), loses=bool(unsent or begun),
    )  # fmt: skip


def _refused(desk: Desk, loses: bool) -> str:
    _ = desk.words
    if len(desk.store.keys.doc["people"]) < 2:
        return _("The last person cannot be removed: whoever has the tablet could read it then.")
    if loses and not desk.may(POWER):
        return _("Only a person who administers can remove somebody who has work here.")
    if not loses and not desk.may("inspect"):
        return _("You do not hold the power to inspect today.")
    return ""


def _unsent(desk: Desk, person: str) -> int:
    return sum(1 for doc in desk.store.table("facts").all() if doc.get("user") == person and not is_safe(desk, doc))


def _begun(desk: Desk, person: str) -> int:
    return len(desk.store.under(_key(desk, person)))


def _open_orders(under: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Of what is begun, the orders that bear a number of their own."""
    return [one for one in under if one.get("kind") == "order" and one.get("number") and one.get("stage") not in ENDED]


def _void_number(desk: Desk, tx: Any, number: str, name: str, reasons: str) -> None:
    """The number of an order that is destroyed: its placard may hang, so the office and its readers are told that it
    is of no order."""
    on_paper = desk.store.table("blanks").get(number)
    token = (tx.get("lease", number) or on_paper or {}).get("token")
    if token:
        _ = desk.words
        why = _("The order was begun by {name}, who was removed from the tablet before it was signed. {reasons}")
        blanks.void(desk, tx, number, token, why.format(name=name, reasons=reasons), blank=on_paper is not None)


def _key(desk: Desk, person: str) -> int:
    return int(desk.store.keys.doc["people"][person]["id"])


async def remove(desk: Desk, person: str, pin: str, typed: str = "", reasons: str = "") -> None:
    """Destroys the person's key on this tablet, and what only it opens. The PIN is that of the person at work.

    Problem "person-unknown", "no-authority", "person-last", "name-differs", "reasons-missing", "pin-wrong", "pin-wait".
    """
    keys, me = desk.store.keys, desk.user()
    if person not in keys.doc["people"]:
        raise Problem("person-unknown", "this person does not unlock this tablet", where=person)
    row = _row(desk, person)
    if len(keys.doc["people"]) < 2:
        raise Problem("person-last")
    if row.refused:
        raise Problem("no-authority", "somebody who has work here is removed by a person who administers")
    if row.loses and _plain(typed) != _plain(row.name):
        raise Problem("name-differs", where="name")
    if row.loses and not reasons.strip():
        raise Problem("reasons-missing", where="reasons")
    if len(reasons) > LONGEST:
        raise Problem("text-too-long", f"at most {LONGEST} characters fit here", where="reasons")
    await pins.verify(desk, pin)
    now = desk.wall()
    said = {"person": person, "name": row.name, "reasons": reasons.strip(), "unsent": row.unsent, "begun": row.begun}
    key = _key(desk, person)
    async with desk.store.change() as tx:
        # What is begun goes first: killed in between, the person is still asked for a PIN, and can be removed again.
        under = desk.store.under(key)
        seal(desk, tx, "person_removed", {**said, "removed_on": now[:10], "removed_at": now, "signed": signer(desk)},
             fact=desk.new_id(), pack=desk.pack().ref)
        for one in _open_orders(under):
            _void_number(desk, tx, one["number"], row.name, reasons.strip())
        tx.bury(key)
        files = {sha for one in under for sha in one.get("files", ())} - _named_elsewhere(desk, key)
        for sha in files:
            tx.delete("evidence", sha)
        tx.delete("credentials", person)
        tx.delete("settings", own_key(person))
        tx.delete("settings", typed_words.place(person))
        trace = {**said, "by": me, "by_name": desk.name_of(me), "at": now}
        tx.put("meta", REMOVED, {"items": [*_removed(desk), trace]})
        if person == me:
            tx.put("meta", "session", {"user": None, "draft": None})
    await keys.forget(person)
    for sha in files:
        await desk.box.delete(sha)
    await desk.store.compact()  # the sealed forms themselves go from the medium as well
    if person == me:
        desk.lock()
    desk.changed()


def _named_elsewhere(desk: Desk, key: int) -> set[str]:
    """The files that a record, or what others have begun, names."""
    kept = {doc["sha256"] for doc in desk.store.table("evidence").all() if doc.get("facts")}
    others = (one["id"] for one in desk.store.keys.doc["people"].values() if one["id"] != key)
    return kept | {sha for other in others for one in desk.store.under(other) for sha in one.get("files", ())}


def _plain(name: str) -> str:
    return " ".join(name.split()).casefold()

"""How the app speaks and looks: language, theme, size of text. Each person's own, and the tablet's before sign-in.

What was chosen last is the tablet's, so that the first screens speak and look as they did; a person who chose something
finds it again whoever had the tablet meanwhile. It lies in `settings`, which is read before anybody has signed in, and
what is the tablet's in the key ring too, which is read before anybody has unlocked it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sync.documents.language import LANGUAGES
from sync.records.problems import Problem

if TYPE_CHECKING:
    from field_app.work.desk import Desk

LOOKS = ("normal", "sun", "dark")
TEXTS = ("standard", "large", "larger", "largest")
CHOICES: dict[str, tuple[str, ...]] = {"language": tuple(LANGUAGES), "look": LOOKS, "text": TEXTS}
DEFAULTS = {"language": "en", "look": "normal", "text": "standard"}


def own_key(user: str) -> str:
    """The id in `settings` of what this person chose."""
    return f"of {user}"


def chosen(desk: Desk, name: str) -> str:
    """ "language", "look" or "text" as it holds now. What nobody knows (a newer version wrote it) does not count."""
    settings, user = desk.store.table("settings"), desk.session().get("user")
    own: dict[str, Any] = (settings.get(own_key(user)) if user else None) or {}
    tablets = (settings.get(name) or {}).get("value") or _asleep(desk).get(name)
    return next((value for value in (own.get(name), tablets) if value in CHOICES[name]), DEFAULTS[name])


def _asleep(desk: Desk) -> dict[str, Any]:
    keys = desk.store.keys
    return (keys.doc.get("looks") or {}) if keys is not None else {}


async def choose(desk: Desk, name: str, value: str) -> None:
    """Choose for the person signed in, and for the tablet until another choice. Problem "choice-unknown"."""
    if value not in CHOICES[name]:
        raise Problem("choice-unknown", f"{value!r} is not a {name} of the app", where=name)
    if desk.store.keys is not None:
        await desk.store.keys.write(lambda doc: doc.update(looks={**(doc.get("looks") or {}), name: value}))
    if desk.store.locked:
        return
    user = desk.session().get("user")
    async with desk.store.change() as tx:
        tx.put("settings", name, {"value": value})
        if user:
            tx.put("settings", own_key(user), {**(tx.get("settings", own_key(user)) or {}), name: value})

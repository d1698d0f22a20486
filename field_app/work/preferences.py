"""How the app speaks and looks: language, theme, size of text. Each person's own; the tablet's while nobody is at work.

The tablet's is what whoever was last at work has, so that it is locked and opened in one language. A person at work
has what that person chose and nothing of another's: to begin with what was chosen when the tablet was set up, and on
the screens just before. It lies in `settings`, and what is the tablet's in the key ring too, which is read before
anybody has unlocked it.
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


def _at_work(desk: Desk) -> str | None:
    """Who is at work; None while the tablet is locked or nobody has signed in."""
    if desk.store.locked:
        return None
    user, keys = desk.session().get("user"), desk.store.keys
    locked = keys is not None and keys.person != user and keys.entry(user or "") is not None
    return None if locked else user


def chosen(desk: Desk, name: str) -> str:
    """ "language", "look" or "text" as it holds now. What nobody knows (a newer version wrote it) does not count."""
    settings, user = desk.store.table("settings"), _at_work(desk)
    if user:
        said = (settings.get(own_key(user)) or {}).get(name)
    else:
        said = (settings.get(name) or {}).get("value") or _asleep(desk).get(name)
    return said if said in CHOICES[name] else DEFAULTS[name]


def _asleep(desk: Desk) -> dict[str, Any]:
    keys = desk.store.keys
    return (keys.doc.get("looks") or {}) if keys is not None else {}


async def choose(desk: Desk, name: str, value: str) -> None:
    """Choose for the person at work, and for the tablet until another choice; while nobody is at work, for who comes
    next. Problem "choice-unknown"."""
    if value not in CHOICES[name]:
        raise Problem("choice-unknown", f"{value!r} is not a {name} of the app", where=name)
    if desk.store.keys is not None:
        await desk.store.keys.write(lambda doc: doc.update(looks={**(doc.get("looks") or {}), name: value}))
    user = _at_work(desk)
    if user is None:
        desk.chosen_ahead[name] = value
    if desk.store.locked:
        return
    async with desk.store.change() as tx:
        before = tx.get("settings", name) or {}
        first = {"first": value} if len(desk.store.table("credentials")) == 0 else {}
        tx.put("settings", name, {**before, "value": value, **first})
        if user:
            tx.put("settings", own_key(user), {**(tx.get("settings", own_key(user)) or {}), name: value})


async def adopt(desk: Desk, user: str) -> None:
    """The person begins to work: what was chosen on the screens before is theirs, and on the first day here what the
    tablet was set up with."""
    ahead, desk.chosen_ahead = desk.chosen_ahead, {}
    kept = {name: desk.store.table("settings").get(name) or {} for name in (*CHOICES, own_key(user))}
    own = kept[own_key(user)]
    wanted = {**(own or {name: kept[name]["first"] for name in CHOICES if kept[name].get("first")}), **ahead}
    looks = {name: value for name, value in {**DEFAULTS, **wanted}.items() if value in CHOICES.get(name, ())}
    after = {own_key(user): wanted, **{name: {**kept[name], "value": value} for name, value in looks.items()}}
    changed = {name: doc for name, doc in after.items() if doc != kept[name]}
    if changed:
        async with desk.store.change() as tx:
            for name, doc in changed.items():
                tx.put("settings", name, doc)
    keys = desk.store.keys
    if keys is not None and _asleep(desk) != looks:
        await keys.write(lambda doc: doc.update(looks=looks))

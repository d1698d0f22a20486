"""Taking back the last tap, whatever it was, without touching what came after it elsewhere.

Works on the stored form of the draft: what a tap changed is kept beside the draft as a short list, so that also an app
that was killed can take it back. Every field, and in the maps every key, that the tap changed goes back to what it was
before; what another tap has changed since is left alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

MAPS = ("entries", "photos", "last_time")
# Where the inspector is looking is no part of what was said.
NEVER = ("at", "undo")
Changed = list[list[Any]]


def changed(before: Mapping[str, Any], after: Mapping[str, Any]) -> Changed:
    """What a tap changed: [field, key or None, was it there, what it was, what it is], JSON data."""
    found: Changed = []
    for name in sorted(before.keys() | after.keys()):
        old, new = before.get(name), after.get(name)
        if old == new or name in NEVER:
            continue
        if name not in MAPS:
            found.append([name, None, name in before, old, new])
            continue
        old, new = old or {}, new or {}
        for key in sorted(old.keys() | new.keys()):
            if old.get(key) != new.get(key):
                found.append([name, key, key in old, old.get(key), new.get(key)])
    return found


def undone(now: Mapping[str, Any], what: Changed) -> dict[str, Any]:
    """`now` with what was changed set back, as far as nothing else has changed it since."""
    back = dict(now)
    for name, key, was_there, old, new in what:
        if key is None:
            if now.get(name) == new:
                back[name] = old
            continue
        inside = dict(back.get(name) or {})
        if inside.get(key) != new:
            continue
        if was_there:
            inside[key] = old
        else:
            inside.pop(key, None)
        back[name] = inside
    return back

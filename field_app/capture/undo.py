"""Taking back the last tap, whatever it was, without touching what came after it elsewhere.

Works on the stored form of the draft: what a tap changed is kept beside the draft as a short list, so that also an app
that was killed can take it back. Every field that the tap changed goes back to what it was before, in the maps and in
the answer to one item as well; what was typed or tapped elsewhere since is left alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from field_app.capture.draft import Entry
from field_app.capture.stored import entry_doc

MAPS = ("photos", "last_time", "voice_notes")
# Where the inspector is looking is no part of what was said.
NEVER = ("at", "undo")
UNSAID = entry_doc(Entry())
Changed = list[list[Any]]


def changed(before: Mapping[str, Any], after: Mapping[str, Any]) -> Changed:
    """What a tap changed: [path, was it there, what it was, what it is], JSON data; a path is one to three names."""
    found: Changed = []
    for name in sorted(before.keys() | after.keys()):
        old, new = before.get(name), after.get(name)
        if name in NEVER or old == new:
            continue
        if name not in MAPS and name != "entries":
            found.append([[name], name in before, old, new])
            continue
        old, new = old or {}, new or {}
        for key in sorted(old.keys() | new.keys()):
            if name == "entries":
                found += _answer_changed(key, old, new)
            elif old.get(key) != new.get(key):
                found.append([[name, key], key in old, old.get(key), new.get(key)])
    return found


def _answer_changed(key: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> Changed:
    was, is_now = old.get(key, UNSAID), new.get(key, UNSAID)
    found = [[["entries", key, one], True, was[one], is_now[one]] for one in UNSAID if was[one] != is_now[one]]
    # An entry that the tap began goes again when nothing is left of it.
    return [*found, [["entries", key], False, None, None]] if key not in old and key in new else found


def undone(now: Mapping[str, Any], what: Changed) -> dict[str, Any]:
    """`now` with what was changed set back, as far as nothing else has changed it since."""
    back = dict(now)
    for path, was_there, old, new in what:
        name = path[0]
        if len(path) == 1:
            if now.get(name) == new:
                back[name] = old
            continue
        inside = dict(back.get(name) or {})
        key = path[1]
        if len(path) == 3:
            entry = inside.get(key, UNSAID)
            if entry[path[2]] == new:
                inside[key] = {**entry, path[2]: old}
        elif name == "entries":
            if inside.get(key) == UNSAID:
                del inside[key]
        elif inside.get(key) == new:
            inside.pop(key, None)
            if was_there:
                inside[key] = old
        back[name] = inside
    return back

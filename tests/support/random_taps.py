"""Walks over the real screens: what can be tapped or typed into now, and one step of it."""

from __future__ import annotations

from typing import Any

from tests.support.flet_harness import SIZES
from tests.support.tablet_window import Window

TEXTS = ("", "Mud.", "12.5", "-3", "9" * 40, "ñandú \"quoted\" <b>", "x" * 700, "0", "\n\n", "1e5")


def parts(w: Window, event: str, elsewhere: tuple[str, ...]) -> list[Any]:
    """What can be tapped ("on_click") or typed into ("on_change") now, by its own or its mark's identifier; without
    what leads ``elsewhere``."""
    found, mark = [], ""
    for control in w.screen.controls():
        mark = getattr(control, "identifier", None) or mark
        if getattr(control, event, None) and not getattr(control, "disabled", False) and not mark.startswith(elsewhere):
            found.append(control)
    return found


async def act(w: Window, kind: str, number: int, elsewhere: tuple[str, ...]) -> None:
    """A "tap", "type", "turn" or "language"; ``number`` chooses among what stands there."""
    if kind == "tap" and (there := parts(w, "on_click", elsewhere)):
        await w.screen.fire(there[number % len(there)], "click")
    elif kind == "type" and (there := [one for one in parts(w, "on_change", elsewhere)
                                       if type(one).__name__ == "TextField"]):
        words = TEXTS[number // 7 % len(TEXTS)]
        await w.screen.fire(there[number % len(there)], "change", words, value=words)
    elif kind == "turn":
        await w.resize(*SIZES[number % len(SIZES)])
    elif kind == "language":
        await w.work.set_language(("en", "es")[number % 2])
        w.shell.dress()

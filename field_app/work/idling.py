"""After how long without a tap the tablet locks itself: a setting of the tablet, a quarter of an hour to begin with.

Nothing is lost by it: every answer is on the disk before its tap is answered, what was typed and not taken yet is
sealed for who typed it (`field_app/work/typed.py`), and who unlocks finds the same screen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from field_app.work.views import Choice
from field_app.work.views.tablet import IdleView
from sync.records.problems import Problem

if TYPE_CHECKING:
    from field_app.work.desk import Desk

SETTING = "idle_lock"
MINUTES = (5, 15, 60, 0)  # 0: never
STANDARD = 15


def minutes(desk: Desk) -> int:
    """How many minutes; 0 for never."""
    chosen = (desk.store.table("settings").get(SETTING) or {}).get("value")
    return chosen if chosen in MINUTES and not isinstance(chosen, bool) else STANDARD


def limit_ms(desk: Desk) -> int | None:
    """How long nobody may touch the tablet before it locks; None where it does not, or where nobody is at work with a
    PIN that could open it again."""
    keys = desk.store.keys
    if desk.store.locked or keys is None or keys.own is None or not minutes(desk):
        return None
    return minutes(desk) * 60_000


def view(desk: Desk) -> IdleView:
    _ = desk.words
    choices = tuple(Choice(str(n), _("After {n} minutes").format(n=n) if n else _("Never")) for n in MINUTES)
    return IdleView(choices, str(minutes(desk)), _(
        "When nobody touches the tablet for so long, it asks for the PIN again and shows the same screen. "
        "Nothing that was begun is lost."))


async def choose(desk: Desk, wanted: int) -> None:
    """Problem "choice-unknown"."""
    if wanted not in MINUTES:
        raise Problem("choice-unknown", f"{wanted} minutes are not offered", where="idle")
    async with desk.store.change() as tx:
        tx.put("settings", SETTING, {"value": wanted})

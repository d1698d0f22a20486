"""Room on the tablet: a warning while there is still time, and no new photo where the text might not fit any more.

Below `LOW` it is said; below `LEAST` nothing that is large is taken on (photos, recordings, files of the office), so
that answers, signatures and orders go on to the end. What the system does not tell stops nothing.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from field_app.work.views.tablet import RoomView, WarningView
from sync.documents.language import size_words
from sync.records.problems import Problem

if TYPE_CHECKING:
    from field_app.work.desk import Desk

LOW = 500_000_000
LEAST = 100_000_000
NOTED = "unkept_read"


def level(desk: Desk) -> str:
    """ "", "low" or "full", by what was seen last."""
    free = desk.room.free
    return "" if free is None or free >= LOW else "low" if free >= LEAST else "full"


async def look(desk: Desk) -> None:
    """Look how much is left; the screens hear of it."""
    storage = desk.hardware.storage
    if storage is None:
        return
    before, desk.room = desk.room, await storage.look()
    if desk.room != before:
        desk.changed()


def look_soon(desk: Desk) -> None:
    """Look beside what is going on: something large was kept, and nobody waits for this."""
    if desk.hardware.storage is not None and (desk.room_task is None or desk.room_task.done()):
        desk.room_task = asyncio.get_running_loop().create_task(look(desk))


async def ask_to_keep(desk: Desk) -> None:
    """Ask the system to promise that it clears nothing of ours by itself. Some ask the person in turn."""
    storage = desk.hardware.storage
    if storage is not None:
        await storage.ask_to_keep()
        await look(desk)


def check(desk: Desk) -> None:
    """Before something large is kept. Raises Problem "storage-low" when there is too little room for it."""
    if level(desk) == "full":
        raise Problem("storage-low", "less than 100 MB are left on this tablet")


async def note_unkept(desk: Desk) -> None:
    """The person has read that the system made no promise; it stays in the settings."""
    async with desk.store.change() as tx:
        tx.put("settings", NOTED, {"value": True})


def view(desk: Desk) -> RoomView:
    """What the settings say about it, and what may still be kept."""
    _, state = desk.words, desk.room
    words = _("How much room is left is not told here.")
    if state.free is not None:
        words = _("{size} are left for this app.").format(size=size_words(state.free))
    if state.used is not None:
        words += " " + _("It takes {size} now.").format(size=size_words(state.used))
    return RoomView(
        level=level(desk),
        words=words,
        photos=level(desk) != "full",
        refusal=_("Less than 100 MB are left on this tablet: no new photos and recordings. Text goes on.")
        if level(desk) == "full" else "",
        kept=state.kept,
        kept_words={True: _("The browser promised to keep what is stored here."),
                    False: _("The browser made no promise to keep what is stored here: when the tablet runs full, or "
                             "after weeks without use, it may clear everything that was not sent."),
                    None: _("Kept in the app's own folder.") if desk.hardware.kind == "native" else ""}[state.kept],
    )


def warnings(desk: Desk) -> list[WarningView]:
    """What stands below the status bar about it."""
    _, found = desk.words, []
    here = level(desk)
    if here == "full":
        found.append(WarningView("storage", "bad", view(desk).refusal, _(
            "Send what waits. Then remove files and apps that are not needed, or let plans take less: see Settings.")))
    elif here == "low":
        found.append(WarningView("storage", "warn", _("{size} are left on this tablet.").format(
            size=size_words(desk.room.free)),
            _("Below 100 MB no photos can be taken. Send what waits, then make room.")))
    if desk.room.kept is False and desk.store.table("settings").get(NOTED) is None:
        found.append(WarningView("unkept", "warn", view(desk).kept_words, _(
            "Put the app on the home screen, and send every day: see Settings.")))
    return found



"""The sync driver, wired to this tablet: it runs while the app does, wakes on every signed item, tells the screens.

When the server last answered is kept ("contact"), with the difference of the two clocks, so that a fact can say how
far the tablet's clock was to be trusted. Nothing here decides what is sent: that is the engine's.
"""

from __future__ import annotations

import asyncio
from datetime import datetime
from typing import TYPE_CHECKING

from sync.client.driver import Driver
from sync.client.engine import Engine

if TYPE_CHECKING:
    from field_app.work.desk import Desk

CONTACT_EVERY_MS = 60_000


def start(desk: Desk) -> None:
    """Start the driver when the tablet is enrolled; `enrol` starts it otherwise."""
    desk.sync_wanted = True
    if desk.sync_task is not None and not desk.sync_task.done():
        return
    if desk.store.table("secrets").get("tablet") is None:
        return
    tablet = desk.tablet()
    where = desk.target()

    def jitter() -> float:
        return int.from_bytes(desk.hardware.ids.random_bytes(4), "big") / 2**32

    engine = Engine(bytes.fromhex(tablet["receipt_key"]), tablet["city"], jitter)
    desk.driver = Driver(
        engine, desk.outbox, desk.hardware.transport(where.server), where, desk.hardware.clock, lambda: _told(desk)
    )
    if desk.hardware.visibility is not None:
        # True also when the network came back: both are worth a try at once.
        desk.stop_watching = desk.hardware.visibility.listen(desk.driver.set_visible)
    desk.sync_task = asyncio.get_running_loop().create_task(desk.driver.run())


async def stop(desk: Desk) -> None:
    desk.sync_wanted = False
    if desk.stop_watching is not None:
        desk.stop_watching()
        desk.stop_watching = None
    driver, task = desk.driver, desk.sync_task
    desk.driver = desk.sync_task = None
    if driver is not None:
        await driver.stop()
    if task is not None:
        await asyncio.gather(task, return_exceptions=True)
    if desk.contact_task is not None:
        await asyncio.gather(desk.contact_task, return_exceptions=True)
        desk.contact_task = None


def wake(desk: Desk, why: str = "person") -> None:
    if desk.driver is not None:
        desk.driver.wake(why)


def _told(desk: Desk) -> None:
    """The driver did something: note the contact now and then, tell the screens."""
    link = desk.link()
    if link is not None and link.up and link.last_contact is not None:
        due = desk.contact_noted is None or link.last_contact - desk.contact_noted >= CONTACT_EVERY_MS
        if due and (desk.contact_task is None or desk.contact_task.done()):
            desk.contact_noted = link.last_contact
            desk.contact_task = asyncio.get_running_loop().create_task(_note_contact(desk))
    desk.changed()


async def _note_contact(desk: Desk) -> None:
    link = desk.link()
    if link is None:
        return
    offset = None
    if link.server_time and link.server_time_at is not None:
        passed = desk.hardware.clock.monotonic_ms() - link.server_time_at
        try:
            server = datetime.fromisoformat(link.server_time)
            offset = round((server - desk.hardware.clock.now()).total_seconds() * 1000) + passed
        except (ValueError, TypeError):
            offset = None
    async with desk.store.change() as tx:
        tx.put("meta", "contact", {"at": desk.hardware.clock.now().isoformat(), "offset_ms": offset})

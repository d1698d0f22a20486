"""The sync driver, wired to this tablet: it runs while the app does, wakes on every signed item, tells the screens.

One worker: starting twice is starting once, a start while the former run still ends waits for it, and a run that breaks
is begun again. When the server last answered is kept ("contact"), with the difference of the two clocks, so that a fact
can say how far the tablet's clock was to be trusted. Nothing here decides what is sent: that is the engine's.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any

from field_app.work import clocks, copying
from field_app.work.darkroom import Darkroom
from field_app.work.log_lines import events
from field_app.work.views import Choice
from field_app.work.views.tablet import TriesView
from sync.client.driver import Driver
from sync.client.engine import Engine
from sync.client.policy import Policy
from sync.records.problems import Problem

if TYPE_CHECKING:
    from field_app.work.desk import Desk

CONTACT_EVERY_MS = 60_000
BEGIN_AGAIN_S = 3.0
WIFI_ONLY = "photos_wifi"
TRIES = "tries"

log = logging.getLogger(__name__)


def start(desk: Desk) -> None:
    """Start the driver when the tablet is enrolled; `enrol` starts it otherwise."""
    desk.sync_wanted = True
    if desk.sync_task is not None and not desk.sync_task.done():
        return
    if desk.store.table("secrets").get("tablet") is None:
        return
    if desk.darkroom is None:
        desk.darkroom = Darkroom(desk)
    desk.darkroom.start()
    desk.driver = driver = _driver(desk)
    apply_network(desk)
    stops = []
    if desk.hardware.visibility is not None:
        # True also when the network came back: both are worth a try at once.
        stops.append(desk.hardware.visibility.listen(driver.set_visible))
    if desk.hardware.network is not None:
        stops.append(desk.hardware.network.listen(lambda state: _network_changed(desk, state)))
    desk.stop_watching = lambda: [stop() for stop in stops] and None
    ending, desk.sync_ending = desk.sync_ending, None
    desk.sync_task = asyncio.get_running_loop().create_task(_run(desk, driver, ending))


def _driver(desk: Desk) -> Driver:
    tablet, where = desk.tablet(), desk.target()

    def jitter() -> float:
        return int.from_bytes(desk.hardware.ids.random_bytes(4), "big") / 2**32

    engine = Engine(bytes.fromhex(tablet["receipt_key"]), tablet["city"], jitter, Policy(tries=tries(desk)))
    return Driver(
        engine, desk.outbox, desk.hardware.transport(where.server), where, desk.hardware.clock, lambda: _told(desk)
    )


def tries(desk: Desk) -> int:
    """After how many failed tries an item is set aside: this tablet's setting, else the city's limit, else five."""
    own = (desk.store.table("settings").get(TRIES) or {}).get("value")
    city = (desk.tablet().get("limits") or {}).get("tries")
    return next((n for n in (own, city) if isinstance(n, int) and not isinstance(n, bool) and n > 0), Policy.tries)


TRIES_CHOICES = (3, 5, 10, 20)


def tries_view(desk: Desk) -> TriesView:
    """The choices, 0 for what the office says."""
    _ = desk.words
    own = (desk.store.table("settings").get(TRIES) or {}).get("value") or 0
    choices = (Choice("0", _("As the office says")), *(Choice(str(n), str(n)) for n in TRIES_CHOICES))
    words = _("After {n} failed tries an item is set aside: the others go on, and it is tried again every 15 minutes.")
    return TriesView(choices, str(own), words.format(n=tries(desk)))


async def set_tries(desk: Desk, wanted: int) -> None:
    """After so many failed tries an item is set aside; 0: as the office says. Problem "choice-unknown"."""
    if wanted not in (0, *TRIES_CHOICES):
        raise Problem("choice-unknown", f"{wanted} tries are not offered", where="tries")
    async with desk.store.change() as tx:
        tx.put("settings", TRIES, {"value": wanted})
    if desk.driver is not None:
        desk.driver.set_tries(tries(desk))


async def _run(desk: Desk, driver: Driver, ending: asyncio.Task[Any] | None) -> None:
    if ending is not None:
        await asyncio.wait([ending])
    while desk.driver is driver:  # else it was stopped before it began
        try:
            await driver.run()
            return
        except Exception:  # records must go out whatever broke once
            log.exception("the sync driver broke and is begun again")
            await asyncio.sleep(BEGIN_AGAIN_S)


async def stop(desk: Desk) -> None:
    """Stop the driver and wait until it let go of the store."""
    desk.sync_wanted = False
    locating = desk.locating.stop()
    developing = desk.darkroom.stop() if desk.darkroom is not None else None
    if desk.stop_watching is not None:
        desk.stop_watching()
        desk.stop_watching = None
    driver, task = desk.driver, desk.sync_task
    desk.driver = desk.sync_task = None
    if task is not None:
        desk.sync_ending = task
        await driver.stop()
        await asyncio.gather(task, return_exceptions=True)
        if desk.sync_ending is task:
            desk.sync_ending = None
    if locating is not None:
        await asyncio.gather(locating, return_exceptions=True)
    if developing is not None:
        await asyncio.gather(developing, return_exceptions=True)
    if desk.contact_task is not None:
        await asyncio.gather(desk.contact_task, return_exceptions=True)
        desk.contact_task = None
    await copying.settled(desk)


def wake(desk: Desk, why: str = "person") -> None:
    if desk.driver is not None:
        desk.driver.wake(why)


# --- networks that cost money ---


def metered(desk: Desk) -> bool | None:
    """What the platform says of the present network; None where it does not tell."""
    network = desk.hardware.network
    return network.state().metered if network is not None else None


def wifi_only(desk: Desk) -> bool | None:
    """The person's choice "photos only on Wi-Fi"; None as long as nobody chose."""
    return (desk.store.table("settings").get(WIFI_ONLY) or {}).get("value")


def photos_wait(desk: Desk) -> bool:
    """Whether originals wait now. Where the platform tells nothing, only the person's own switch makes them wait."""
    chosen, costs = wifi_only(desk), metered(desk)
    if chosen is False:
        return False
    return costs if costs is not None else bool(chosen)


async def set_wifi_only(desk: Desk, wanted: bool) -> None:
    async with desk.store.change() as tx:
        tx.put("settings", WIFI_ONLY, {"value": wanted})
    apply_network(desk)


def apply_network(desk: Desk) -> None:
    """Tell the driver whether originals wait."""
    if desk.driver is not None:
        desk.driver.set_metered(photos_wait(desk))


def send_photos_anyway(desk: Desk) -> None:
    """The photos that wait for Wi-Fi go now, this once."""
    if desk.driver is not None:
        desk.driver.send_originals_anyway()


def _network_changed(desk: Desk, state: Any) -> None:
    apply_network(desk)
    if state.online is not False:
        wake(desk, "network")
    desk.changed()


def _told(desk: Desk) -> None:
    """The driver did something: note the contact now and then, tell the screens."""
    link = desk.link()
    if link is not None and link.code != desk.link_said:
        desk.link_said = link.code
        events.info("link %s", link.code or "up")
    if link is not None and link.up and link.last_contact is not None:
        due = desk.contact_noted is None or link.last_contact - desk.contact_noted >= CONTACT_EVERY_MS
        if due and (desk.contact_task is None or desk.contact_task.done()):
            desk.contact_noted = link.last_contact
            desk.contact_task = asyncio.get_running_loop().create_task(_note_contact(desk))
    copying.attend(desk)
    desk.changed()


async def _note_contact(desk: Desk) -> None:
    link = desk.link()
    if link is None:
        return
    doc = clocks.contact_doc(desk, link.server_time, link.server_time_at)
    async with desk.store.change() as tx:
        tx.put("meta", clocks.CONTACT, doc)

"""The tablet itself: what its clock, its numbers and the office say about it.

One part of `Work`; what holds for all of them stands in `field_app/work/app.py`.
"""

from __future__ import annotations

from datetime import date

from field_app.work import diagnosing, enrolling, idling, installing, people_here, room, syncing, this_tablet
from field_app.work.desk import Desk
from field_app.work.views import StartView
from field_app.work.views.tablet import (
    DiagnosisView,
    IdleView,
    InstallView,
    PeopleHereView,
    RoomView,
    TriesView,
    WarningView,
    WithdrawnView,
)
from sync.documents.language import clock_words


class TabletFace:
    """The tablet itself: what its clock, its numbers and the office say about it."""

    _desk: Desk

    def warnings(self) -> tuple[WarningView, ...]:
        """What the person must know about this tablet, the most serious first. None of it stops work."""
        return this_tablet.warnings(self._desk)

    def day(self) -> date:
        """The day that this tablet shows: nothing falls due before it, and nothing happened after it."""
        return self._desk.today()

    def time_words(self) -> str:
        """The time of day that this tablet shows now."""
        return clock_words(self._desk.now(), self._desk.words)

    def withdrawn(self) -> WithdrawnView | None:
        """The screen of a tablet that the office has withdrawn; None while it is in use."""
        return this_tablet.withdrawn(self._desk)

    def tries(self) -> TriesView:
        """After how many failed tries an item is set aside."""
        return syncing.tries_view(self._desk)

    async def set_tries(self, wanted: int) -> TriesView:
        """One of the choices; 0: as the office says. Holds from the next failure on."""
        await syncing.set_tries(self._desk, wanted)
        return syncing.tries_view(self._desk)

    def idle(self) -> IdleView:
        """After how long without a tap the tablet locks itself."""
        return idling.view(self._desk)

    def idle_limit_ms(self) -> int | None:
        """The same in milliseconds; None while it does not."""
        return idling.limit_ms(self._desk)

    async def set_idle(self, minutes: int) -> IdleView:
        """One of the choices; 0 for never."""
        await idling.choose(self._desk, minutes)
        return idling.view(self._desk)

    def people_here(self) -> PeopleHereView:
        """Who may unlock this tablet, and who was removed from it."""
        return people_here.view(self._desk)

    async def remove_person(self, person: str, pin: str, *, name: str = "", reasons: str = "") -> StartView:
        """Destroy the person's key on this tablet. Where something is lost by it, `name` and `reasons` are asked for.
        Problem "no-authority", "person-last", "name-differs", "reasons-missing", "pin-wrong", "pin-wait"."""
        await people_here.remove(self._desk, person, pin, name, reasons)
        return enrolling.opening(self._desk)

    def room(self) -> RoomView:
        """How much room is left, and whether photos may still be taken."""
        return room.view(self._desk)

    def check_room(self) -> None:
        """Before something large is made. Problem "storage-low"."""
        room.check(self._desk)

    async def look_at_storage(self) -> None:
        """Look how much room is left now; the screens hear of it."""
        await room.look(self._desk)

    async def ask_to_keep_storage(self) -> RoomView:
        """Ask the system to promise that it clears nothing of ours by itself."""
        await room.ask_to_keep(self._desk)
        return room.view(self._desk)

    async def note_read(self, kind: str) -> None:
        """A line that is said once was read: "unkept" or "install"."""
        await {"unkept": room.note_unkept, "install": installing.note_read}[kind](self._desk)

    def install_hint(self) -> InstallView | None:
        """How the web app gets on the home screen; None where there is nothing to install or it is done."""
        return installing.view(self._desk)

    async def look_at_install(self) -> None:
        """Ask the device whether the app is on the home screen."""
        await installing.look(self._desk)

    async def install(self) -> None:
        """Let the browser ask the person to put the app on the home screen."""
        await installing.install(self._desk)

    def diagnosis(self) -> DiagnosisView:
        """The report about this tablet, to be read before it is sent. No names, no evidence."""
        return diagnosing.view(self._desk)

    async def send_diagnosis(self, text: str) -> None:
        """Send the report that was read to the office. Problem "offline" and what the server says."""
        await diagnosing.send(self._desk, text)

    async def save_diagnosis(self, text: str) -> str | None:
        """Save the report that was read to a file; its name, None when it was cancelled."""
        return await diagnosing.save(self._desk, text)

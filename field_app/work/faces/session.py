"""Start, status, sync, enrolment, sign-in and the settings: what is asked whatever screen is open.

One part of `Work`; what holds for all of them stands in `field_app/work/app.py`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from field_app.work import (
    code_reading,
    enrolling,
    exporting,
    fetching,
    forgotten,
    outbox,
    pins,
    preferences,
    settings,
    syncing,
    typed,
    unlocking,
)
from field_app.work.desk import Desk
from field_app.work.views import (
    EnrolView,
    ExportView,
    ForgottenView,
    LockView,
    LookView,
    OutboxView,
    PinView,
    ProblemView,
    ReceiptsTakenView,
    SettingsView,
    SignInView,
    StartView,
    StatusView,
)


class SessionFace:
    """Start, status, sync, enrolment, sign-in and the settings: what is asked whatever screen is open."""

    _desk: Desk

    # --- session ---

    async def start(self) -> StartView:
        """Call after building: clears away what the server has had for long, and says which screen to open."""
        return await enrolling.start(self._desk)

    def listen(self, changed: Callable[[], None]) -> Callable[[], None]:
        """`changed` is called (on the loop) after anything a screen may show changed, by a tap, the server
        or the driver. Returns the function that ends it."""
        return self._desk.listen(changed)

    def problem_view(self, error: BaseException) -> ProblemView:
        """Any error as something to show. An unknown error keeps its type name in `code`."""
        return self._desk.problem_view(error)

    def start_sync(self) -> None:
        """Start the sync driver as a task on the running loop (again: does nothing)."""
        if self.readable():  # else it is asked again when somebody has unlocked the tablet
            syncing.start(self._desk)
            fetching.start(self._desk)
            unlocking.seal_older_files(self._desk)

    async def stop_sync(self) -> None:
        """Stop the driver and wait until it let go of the store."""
        fetched = fetching.stop(self._desk)
        await syncing.stop(self._desk)
        await fetched
        if self._desk.older_files is not None:
            self._desk.older_files.cancel()
            await asyncio.gather(self._desk.older_files, return_exceptions=True)
            self._desk.older_files = None

    def send_now(self) -> None:
        """Wake the driver: the screen became visible, the network is back, or "send now" was tapped."""
        syncing.wake(self._desk)

    def status(self) -> StatusView:
        """The status bar."""
        return outbox.status(self._desk)

    def has_open_draft(self) -> bool:
        """True while an inspection or order is unfinished: the service worker must not swap versions then."""
        return enrolling.has_open_draft(self._desk)

    # --- enrolment and sign-in ---

    async def take_link(self) -> None:
        """A link of the office was opened while the app runs: its code stands in `enrol_view` or `sign_in_view` now."""
        await enrolling.take_link(self._desk)

    def enrol_view(self) -> EnrolView:
        """The enrolment screen."""
        return enrolling.enrol_view(self._desk)

    async def enrol(self, code: str) -> SignInView:
        """Redeem an enrolment code (typed in any case, spaces and dashes ignored). Safe to repeat after a
        lost reply: the tablet's secret is durable before the first request. Problem "code-...",
        "offline", "network-login" or "wrong-server"."""
        return await enrolling.enrol(self._desk, code)

    def sign_in_view(self) -> SignInView:
        """Who signed in here before, and room for a new personal code. Problem "not-enrolled"."""
        return enrolling.sign_in_view(self._desk)

    async def scan_enrol_code(self, picture: bytes) -> str:
        """The enrolment code that the office shows, read from a picture. Problem "code-not-seen", "code-not-asked"."""
        return await code_reading.office_code(self._desk, picture, code_reading.ENROL)

    async def scan_personal_code(self, picture: bytes) -> str:
        """The personal code that the office shows, likewise."""
        return await code_reading.office_code(self._desk, picture, code_reading.SIGN_IN)

    async def sign_in(self, code: str) -> PinView | None:
        """First sign-in of a person here, by the one-time personal code. Gives the PIN screen, or None when
        the person already has a PIN on this tablet. Needs the network once."""
        return await enrolling.sign_in(self._desk, code)

    async def switch_person(self, person: str) -> PinView | None:
        """Somebody who signed in here before takes the tablet; works offline. None: the PIN is asked for next."""
        return await enrolling.switch_person(self._desk, person)

    def pin_view(self) -> PinView:
        """The screen on which the person signed in sets a PIN."""
        return enrolling.pin_view(self._desk)

    def lock_view(self) -> LockView:
        """Who may unlock the tablet."""
        return unlocking.view(self._desk)

    def protection(self) -> tuple[str, ...]:
        """What is encrypted on this tablet and what is not, a sentence each."""
        return unlocking.protection(self._desk)

    def readable(self) -> bool:
        """Whether anything of the tablet can be read: somebody has unlocked it since the app began."""
        return not self._desk.store.locked

    def where(self) -> StartView:
        """The screen that the stored state calls for, as `start` said at the beginning."""
        return enrolling.opening(self._desk)

    def is_anothers(self, draft: str) -> bool:
        """Whether another person has begun that inspection, order or report."""
        return unlocking.is_anothers(self._desk, draft)

    async def unlock(self, person: str, pin: str) -> StartView:
        """A person goes to work, without any network. Problem "pin-wrong", "pin-wait"."""
        fresh = unlocking.is_another(self._desk, person)
        await unlocking.unlock(self._desk, person, pin)
        return replace(enrolling.opening(self._desk), fresh=fresh, typed=await typed.take(self._desk))

    def forgotten_view(self, person: str) -> ForgottenView:
        """Where the question of a person who forgot the PIN stands."""
        return forgotten.view(self._desk, person)

    async def ask_for_pin(self, person: str, pin: str, again: str) -> ForgottenView:
        """Choose another PIN and ask the office for help. Problem "pin-weak", "pin-differs", "recovery-none", or why it
        was not sent yet."""
        return await forgotten.ask(self._desk, person, pin, again)

    async def look_for_pin(self, person: str) -> ForgottenView:
        """Send what was not sent, and look for the office's answer."""
        return await forgotten.look(self._desk, person)

    async def save_pin_question(self, person: str) -> str | None:
        """The question as a file for the office; its name, None when that was cancelled."""
        return await forgotten.save_question(self._desk, person)

    async def take_pin_answer(self, person: str, data: bytes) -> ForgottenView:
        """The office's answer from a file. Problem "recovery-file"."""
        return await forgotten.take_answer(self._desk, person, data)

    async def give_up_asking(self, person: str) -> ForgottenView:
        """Take the question back, or begin anew."""
        return await forgotten.give_up(self._desk, person)

    async def finish_forgotten(self, person: str, pin: str) -> StartView:
        """The office has answered: the PIN chosen before opens the tablet. Problem "pin-wrong", "pin-wait"."""
        fresh = unlocking.is_another(self._desk, person)
        await forgotten.finish(self._desk, person, pin)
        return replace(enrolling.opening(self._desk), fresh=fresh, typed=await typed.take(self._desk))

    async def keep_typed(self, words: dict[str, Any]) -> None:
        """What was typed and no button had taken yet, until this person unlocks the tablet: `StartView.typed`."""
        await typed.keep(self._desk, words)

    async def leave(self) -> None:
        """The person at work leaves the tablet: what they have begun is locked away, what is signed goes on its way."""
        await unlocking.leave(self._desk)

    async def confirm_pin(self, pin: str) -> None:
        """It is still the person at work. Problem "pin-wrong", "pin-wait"."""
        await pins.verify(self._desk, pin)

    async def check_new_pin(self, pin: str) -> None:
        """Before it is typed a second time. Problem "pin-weak", with the reason."""
        pins.check_shape(pin)

    async def set_pin(self, pin: str, again: str, *, old: str | None = None) -> None:
        """Set the signed-in person's PIN; a change needs the `old` one. Problem "pin-weak", "pin-differs",
        "pin-wrong", "pin-wait"."""
        await enrolling.set_pin(self._desk, pin, again, old=old)

    # --- outbox, settings ---

    def outbox(self, limit: int = outbox.WINDOW) -> OutboxView:
        """Where everything signed here is: a window of `limit` items, what needs a look first, then the newest."""
        return outbox.view(self._desk, limit)

    async def set_photos_wifi_only(self, wanted: bool) -> OutboxView:
        """Whether photos wait for a network that costs nothing. Records and previews never wait."""
        await syncing.set_wifi_only(self._desk, wanted)
        return outbox.view(self._desk)

    async def export(self, everything: bool = False) -> ExportView | None:
        """Save what is not safe yet (or everything still here) to a file for the office. None: it was cancelled.
        Problem "store-full"."""
        return await exporting.export(self._desk, everything)

    async def take_receipts(self, data: bytes) -> ReceiptsTakenView:
        """Take in the office's file of receipts. Problem "receipts-malformed", "receipts-other-tablet",
        "receipts-other-epoch"."""
        return await exporting.take_receipts(self._desk, data)

    def send_photos_now(self) -> None:
        """The photos that wait for Wi-Fi go now all the same, this once."""
        syncing.send_photos_anyway(self._desk)

    async def send_again(self, fact: str) -> OutboxView:
        """Send a parked item and its files again."""
        return await outbox.send_again(self._desk, fact)

    def settings(self) -> SettingsView:
        """Person, and what a support call asks for."""
        return settings.view(self._desk)

    def look(self) -> LookView:
        """How the app speaks and looks for the person signed in; before sign-in as it was left."""
        return settings.look(self._desk)

    async def set_language(self, language: str) -> LookView:
        """ "en" or "es"."""
        return await self.set_look(language=language)

    async def set_look(self, *, language: str = "", look: str = "", text: str = "") -> LookView:
        """Change one or more of them, for the person signed in. Problem "choice-unknown"."""
        for name, value in (("language", language), ("look", look), ("text", text)):
            if value:
                await preferences.choose(self._desk, name, value)
        return settings.look(self._desk)

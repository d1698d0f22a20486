"""`Work`: everything the inspector does on the tablet, in one object that the screens call.

Reading methods are plain calls on memory and give a view-model of `views.py`. Writing methods are
coroutines: when one returns, what it did is durable (one store change each) and the view-model it gives
shows the stored state. A refusal is a `Problem`; `problem_view()` puts it in words. Nothing here waits for
the network except `enrol`, `sign_in` and `send_now`. Only this package calls the store, the evidence box
and the sync client.
"""

from __future__ import annotations

from collections.abc import Callable

from field_app.work import (
    affixing,
    ending,
    enrolling,
    inspecting,
    ordering,
    outbox,
    photographing,
    placards,
    settings,
    signing,
    sites,
    syncing,
)
from field_app.work.desk import PIN_ROUNDS, Desk
from field_app.work.views import (
    AnotherTabView,
    EnrolView,
    InspectionView,
    OrderDraftView,
    OrderRow,
    OutboxView,
    PhotoCaptureView,
    PinView,
    PlacardView,
    ProblemView,
    ReviewView,
    SettingsView,
    SignedView,
    SignInView,
    SitesView,
    SiteView,
    StartView,
    StatusView,
)


def another_tab_view(language: str = "en") -> AnotherTabView:
    """The screen for `StoreBusy`, when there is no Work yet."""
    return enrolling.another_tab_view(language)


class Work:
    """One tablet's work. Build it once per session, on an open store and evidence box."""

    def __init__(
        self, store, box, hardware, *, server: str, language: str | None = None, pin_rounds: int = PIN_ROUNDS
    ) -> None:
        """`server` is the address of the central server ("http://127.0.0.1:8000"); it is only a default for a
        tablet not enrolled yet: an enrolled tablet keeps its own. `language` overrides the stored choice.
        `pin_rounds`: cost of a new PIN's verifier; only tests lower it."""
        self._desk = Desk(store, box, hardware, server=server, language=language, pin_rounds=pin_rounds)

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
        syncing.start(self._desk)

    async def stop_sync(self) -> None:
        """Stop the driver and wait until it let go of the store."""
        await syncing.stop(self._desk)

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

    async def sign_in(self, code: str) -> PinView | None:
        """First sign-in of a person here, by the one-time personal code. Gives the PIN screen, or None when
        the person already has a PIN on this tablet. Needs the network once."""
        return await enrolling.sign_in(self._desk, code)

    async def switch_person(self, person: str) -> PinView | None:
        """Somebody who signed in here before takes the tablet; works offline. None: go on to the sites."""
        return await enrolling.switch_person(self._desk, person)

    def pin_view(self) -> PinView:
        """The screen on which the person signed in sets a PIN."""
        return enrolling.pin_view(self._desk)

    async def set_pin(self, pin: str, again: str, *, old: str | None = None) -> None:
        """Set the signed-in person's PIN; a change needs the `old` one. Problem "pin-weak", "pin-differs",
        "pin-wrong", "pin-wait"."""
        await enrolling.set_pin(self._desk, pin, again, old=old)

    # --- sites ---

    def sites(self, query: str = "") -> SitesView:
        """All words of `query` must be found in name, address, parcel, permit or order number; accents and
        case do not matter. Sites with a draft, an order or critical findings come first."""
        return sites.sites(self._desk, query)

    def site(self, site: str) -> SiteView:
        """One site with all that is known of it. Problem "subject-unknown"."""
        return sites.site(self._desk, site)

    # --- inspection ---

    async def begin_inspection(
        self, site: str, type: str = "weekly", entry: str = "permit condition"
    ) -> InspectionView:
        """Begin, or go on with, this person's unfinished inspection of the site."""
        return await inspecting.begin(self._desk, site, type, entry)

    def inspection(self, draft: str) -> InspectionView:
        """The inspection being made. Problem "draft-unknown" when it was signed or thrown away."""
        return inspecting.view(self._desk, draft)

    async def set_details(self, draft: str, **fields: str) -> InspectionView:
        """Any of type, entry, rain, rain_source (values of `DetailsView`)."""
        return await inspecting.set_details(self._desk, draft, fields)

    async def go_to(self, draft: str, section: str, key: str = "") -> InspectionView:
        """Remember where the inspector is, so that a killed app opens there."""
        return await inspecting.go_to(self._desk, draft, section, key)

    async def add_topic(self, draft: str, topic: str) -> InspectionView:
        """Add a checklist of `more_topics` (control devices, dewatering)."""
        return await inspecting.add_topic(self._desk, draft, topic)

    async def answer(self, draft: str, key: str, part: str, value: str | list[str]) -> InspectionView:
        """One field of one item. `value` is what was tapped or typed; "" or [] takes it back."""
        return await inspecting.answer(self._desk, draft, key, part, value)

    async def answer_special(self, draft: str, key: str, value: str) -> InspectionView:
        """ "not_observed" or "na" for the whole item; "" takes it back."""
        return await inspecting.answer_special(self._desk, draft, key, value)

    async def answer_rest(self, draft: str, card: str, value: str) -> InspectionView:
        """Every item of one card (`CardView.key`) that has no answer yet: "not_observed" or "na"."""
        return await inspecting.answer_rest(self._desk, draft, card, value)

    async def note(self, draft: str, key: str, text: str) -> InspectionView:
        """The inspector's own words about an item."""
        return await inspecting.note(self._desk, draft, key, text)

    async def set_severity(self, draft: str, key: str, severity: str, reason: str = "") -> InspectionView:
        """Raise freely; lower only with a reason (Problem "reasons-missing"). "" returns to the
        computed."""
        return await inspecting.set_severity(self._desk, draft, key, severity, reason)

    async def set_correction(self, draft: str, key: str, text: str) -> InspectionView:
        """What must be done; empty text goes back to the pack's proposal."""
        return await inspecting.set_correction(self._desk, draft, key, text)

    async def set_due(self, draft: str, key: str, on: str, at: str = "") -> InspectionView:
        """ISO date and "HH:MM" ("" = none). Both "" returns to the default of the pack's due rule."""
        return await inspecting.set_due(self._desk, draft, key, on, at)

    async def set_corrected(self, draft: str, key: str, corrected: bool) -> InspectionView:
        """Corrected on site, before leaving."""
        return await inspecting.set_corrected(self._desk, draft, key, corrected)

    async def set_no_photo(self, draft: str, key: str, reason: str) -> InspectionView:
        """Why no photo could be taken, where one is wanted. It is part of what is signed; "" takes it back."""
        return await inspecting.set_no_photo(self._desk, draft, key, reason)

    async def close_draft(self) -> None:
        """The inspector leaves a draft's screen for the sites: a restarted app then opens on the sites. The
        draft itself stays."""
        await enrolling.close_draft(self._desk)

    async def discard_draft(self, draft: str) -> None:
        """Throw an unsigned inspection away. Its photos stay in the evidence box until they are cleaned up."""
        await inspecting.discard(self._desk, draft)

    # --- photos ---

    def photo_capture(self, draft: str, key: str = "") -> PhotoCaptureView:
        """For an item of an inspection, or with key "" for the inspection itself."""
        return photographing.capture_view(self._desk, draft, key)

    async def add_photo(
        self, draft: str, key: str, data: bytes, *, source: str, view: str = "other", name: str | None = None
    ) -> PhotoCaptureView:
        """Keep a picture (source "camera" | "system camera" | "gallery"): hashed and durable before
        anything else looks at it. Asks the position port itself. Problem "photo-..." when it is no picture
        or too large."""
        return await photographing.add_photo(self._desk, draft, key, data, source=source, view=view, name=name)

    async def remove_photo(self, draft: str, key: str, sha256: str) -> PhotoCaptureView:
        """Take a photo off the item before signing. The original stays in the evidence box."""
        return await photographing.remove_photo(self._desk, draft, key, sha256)

    async def add_order_photo(
        self,
        number: str,
        data: bytes,
        *,
        source: str,
        view: str = "wide",
        name: str | None = None,
        pin: str | None = None,
    ) -> PlacardView | None:
        """A photo of the placard that is up, signed as a fact of its own, whoever put it up. Gives the placard when
        it was printed here. The PIN that signed the posting holds for 15 minutes; after that it is asked for again
        (Problem "pin-needed")."""
        return await photographing.add_order_photo(
            self._desk, number, data, source=source, view=view, name=name, pin=pin
        )

    async def thumbnail(self, sha256: str, longest: int = 320) -> bytes | None:
        """A small JPEG of a photo, made once and kept; None when the original is not here."""
        return await photographing.thumbnail(self._desk, sha256, longest)

    # --- signing ---

    def review(self, draft: str) -> ReviewView:
        """What would be signed now, with all that still misses."""
        return signing.review(self._desk, draft)

    async def sign_inspection(self, draft: str, pin: str) -> SignedView:
        """Freeze, sign and queue the inspection in one change. Problem "pin-wrong" (with the wait),
        "pin-wait", "inspection-incomplete"."""
        return await signing.sign_inspection(self._desk, draft, pin)

    def signed(self, fact: str) -> SignedView:
        """A signed inspection and what may follow from it. Problem "draft-unknown"."""
        return signing.signed(self._desk, fact)

    # --- orders ---

    async def begin_order(self, site: str, fact: str | None = None) -> OrderDraftView:
        """Write a stop-work order. Binds the next leased number to it in the same change. `fact`: the
        inspection whose findings are chosen first. An unfinished order of this person on the site is gone
        on with. Problem "lease-empty"."""
        return await ordering.begin(self._desk, site, fact)

    def order(self, order: str) -> OrderDraftView:
        """The order being written. Problem "draft-unknown"."""
        return ordering.view(self._desk, order)

    async def set_grounds(self, order: str, letters: list[str]) -> OrderDraftView:
        """The letters of the grounds, all of them. Problem "clause-not-confirmed", "choice-unknown"."""
        return await ordering.set_grounds(self._desk, order, letters)

    async def set_order_finding(self, order: str, fact: str, finding: str, chosen: bool) -> OrderDraftView:
        """Choosing a finding also adds its correction; leaving it out takes that correction away."""
        return await ordering.set_finding(self._desk, order, fact, finding, chosen)

    async def set_order_text(self, order: str, field: str, text: str) -> OrderDraftView:
        """`field` observed | must_stop | may_continue."""
        return await ordering.set_text(self._desk, order, field, text)

    async def set_order_correction(
        self, order: str, index: int, text: str, due_on: str = "", due_at: str = ""
    ) -> OrderDraftView:
        """`index` = len(corrections) adds one; empty text removes it."""
        return await ordering.set_correction(self._desk, order, index, text, due_on, due_at)

    async def set_met(self, order: str, index: int, name: str, role: str, served: bool) -> OrderDraftView:
        """A person met on the site; `index` = len(met) adds one; empty name removes. Clears "nobody
        present"."""
        return await ordering.set_met(self._desk, order, index, name, role, served)

    async def set_nobody_present(self, order: str, nobody: bool) -> OrderDraftView:
        """Nobody was met on the site; takes away whoever was written down."""
        return await ordering.set_nobody_present(self._desk, order, nobody)

    async def abandon_order(self, order: str, reason: str) -> None:
        """Give an unposted order up. Its number stays used for ever."""
        await ordering.abandon(self._desk, order, reason)

    async def make_placard(self, order: str) -> PlacardView:
        """Print the placard for today under the bound number and keep the PDF as evidence. For a
        recommendation it says NOT VALID. Problem "order-incomplete"."""
        return await placards.make(self._desk, order)

    def placard(self, order: str) -> PlacardView:
        """Of an order draft, a posted order or an affixing (its id)."""
        return placards.view(self._desk, order)

    async def placard_pdf(self, order: str) -> bytes:
        """The PDF as it was printed last. Problem "placard-missing"."""
        return await placards.pdf(self._desk, order)

    async def save_placard(self, order: str) -> str:
        """Hand the PDF to the device (download or share sheet); gives the file name."""
        return await placards.save(self._desk, order)

    async def placard_is_up(self, order: str) -> PlacardView:
        """The tap: this moment is posted_at, durable at once. Problem "reprint-needed" when printed for
        another day, "no-authority" when the person may not post. Works for an order draft and for an affixing."""
        return await placards.is_up(self._desk, order)

    async def placard_not_up(self, order: str) -> PlacardView:
        """Take the tap back, before it is signed."""
        return await placards.not_up(self._desk, order)

    async def post_order(self, order: str, pin: str) -> PlacardView:
        """Sign the posting after the tap: fact, placard and counter in one change."""
        return await placards.post(self._desk, order, pin)

    async def recommend_order(self, order: str, pin: str) -> PlacardView:
        """Sign a recommendation to the office, where the order may be issued under the same number."""
        return await placards.recommend(self._desk, order, pin)

    async def begin_affixing(self, number: str) -> PlacardView:
        """Put up an order issued in the office; prints its placard for today."""
        return await affixing.begin(self._desk, number)

    async def set_affix_place(self, affixing_id: str, place: str) -> PlacardView:
        """Where on the site it is up ("main gate")."""
        return await affixing.set_place(self._desk, affixing_id, place)

    async def affix_order(self, affixing_id: str, pin: str) -> PlacardView:
        """Sign the affixing after the tap "the placard is up"."""
        return await affixing.sign(self._desk, affixing_id, pin)

    async def release_order(self, fact: str, reasons: str, pin: str, *, part: str = "") -> OrderRow:
        """Release an order (the id of its fact), or only the `part` named. Problem "no-authority", "order-not-open"."""
        return await ending.release(self._desk, fact, reasons, pin, part)

    async def repost_placard(self, fact: str, place: str, why: str, pin: str) -> OrderRow:
        """The same placard is up again: no clock moves."""
        return await ending.repost(self._desk, fact, place, why, pin)

    async def void_order(self, fact: str, reasons: str, pin: str, *, replaced_by: str | None = None) -> OrderRow:
        """Void an order, for a replacing one where its id is given."""
        return await ending.void(self._desk, fact, reasons, pin, replaced_by)

    # --- outbox, settings ---

    def outbox(self) -> OutboxView:
        """Every signed item and its files, the newest first."""
        return outbox.view(self._desk)

    async def send_again(self, fact: str) -> OutboxView:
        """Send a parked item and its files again."""
        return await outbox.send_again(self._desk, fact)

    def settings(self) -> SettingsView:
        """Language, person, and what a support call asks for."""
        return settings.view(self._desk)

    async def set_language(self, language: str) -> SettingsView:
        """ "en" or "es", for this tablet."""
        return await settings.set_language(self._desk, language)

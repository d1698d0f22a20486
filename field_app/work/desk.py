"""What every use case has at hand: store, evidence box, hardware, words, the pack, who is signed in, the time.

Nothing is cached that the store could contradict: the last screen of an inspection with the very documents it was
made of, and parsed packs (a pack's files never change under one
fingerprint) and signed facts (their bytes never change). All times come from the injected clock,
in the zone of the city's pack.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from field_app.hardware.ports import InstallState, StorageState
from field_app.store.outbox import StoreOutbox
from field_app.work import clocks, forgotten
from field_app.work.locating import Locating
from field_app.work.speaking import Speaking
from sync.client.calls import Target
from sync.ordinance.pack import Pack, PackError, load_pack
from sync.records.down import may
from sync.records.facts import Fact, parse
from sync.records.problems import Problem
from sync.records.times import At

TABLET, SESSION = "tablet", "session"
PIN_ROUNDS = 600_000
UNLOCKED_MS = 15 * 60 * 1000

log = logging.getLogger(__name__)
# By the SHA-256 of its texts: an ordinance never changes, so each is read once per process.
_READ: dict[str, Pack | None] = {}


def _read_pack(doc: dict[str, Any]) -> Pack | None:
    """The pack of this document; None, with a line in the log, for one that this version of the app cannot read."""
    try:
        return load_pack(doc["files"])
    except PackError as error:
        log.error("the ordinance %s %s cannot be read here: %s", doc["id"], doc["version"], error)
        return None


class Desk(Speaking):
    """Built once per `Work`; see `Work` for the arguments."""

    def __init__(
        self, store: Any, box: Any, hardware: Any, *, server: str, language: str | None, pin_rounds: int = PIN_ROUNDS
    ) -> None:
        self.store = store
        self.box = box
        self.hardware = hardware
        self.server = server
        self.driver: Any = None
        self.sync_task: Any = None
        self.sync_wanted = False
        self.sync_ending: Any = None
        self.darkroom: Any = None  # makes previews while the driver runs
        self.left_undone: set[str] = set()  # photos, by SHA-256, whose previews failed unexpectedly since the start
        self.exporting: tuple[int, int] | None = None  # how much of the file that is being made is done
        self.tally: tuple[Any, Any] | None = None  # the counts of the outbox and what they were made of
        self.contact_task: Any = None
        self.stop_watching: Callable[[], None] | None = None
        self.contact_noted: int | None = None
        self.outbox = StoreOutbox(store, box)
        self.pin_rounds = pin_rounds
        self.tries: dict[str, dict[str, Any]] = {}  # wrong PINs that there was no room to write down; see `pins`
        self.enrol_code = self.signin_code = ""  # of the link that the app was opened with
        self._forced_language = language
        self._speaking, self._spoken = 0, {}  # see `speaking`
        self._packs = _READ
        self.shown: tuple[tuple[Any, ...], Any] | None = None  # the last inspection view and what it was made of
        self.judged: tuple[Any, dict[str, Any]] = (None, {})  # its items as judged, each with what it was judged by
        self.items: dict[str, Any] = {}  # and as shown
        self._facts: dict[str, Fact] = {}
        self._listeners: dict[object, Callable[[], None]] = {}
        self._unlocked: tuple[str, int] | None = None
        self.gps: tuple[datetime, int] | None = None  # the time that came with the last position, and ours beside it
        self.chosen_ahead: dict[str, str] = {}  # language and look, chosen before anybody went to work
        self.locating = Locating(self)
        self.shooting = False  # a burst runs: what can wait waits
        self.began_ms = hardware.clock.monotonic_ms()
        self.older_files: Any = None  # the task that encrypts evidence files from before there were keys
        self.keeping_up: Any = None  # the task that takes over what the office says for forgotten PINs
        self.recoding: Any = None  # the task that asks for a code of its own for a copied tablet
        self.recode_not_before = 0
        self._facts_known = len(store.table("facts"))
        self._files: Any = None
        self.fetcher: Any = None
        self.site_index: Any = None  # see field_app/work/finding_sites.py
        self.order_index: Any = None  # see field_app/work/order_index.py
        self.fetch_task: Any = None
        self.photos_open = ""  # the placard whose photos are being taken and drawn on now; see placard_photos.py
        self.room = StorageState()  # what was seen last; see field_app/work/room.py
        self.room_task: Any = None
        self.link_said = ""  # the state of the connection that was last written to the log
        self.install: InstallState | None = None
        self.map_asked: Any = None  # for which sites, and on which day; see field_app/work/map_tiles.py
        self.stop_fetching: Callable[[], None] | None = None
        store.watch(self._written)
        if store.keys is not None:
            from field_app.work.unlocking import about

            store.describe(about)
            box.use(store.keys)
            store.before_change(self._release)

    # --- listeners ---

    def listen(self, changed: Callable[[], None]) -> Callable[[], None]:
        mark = object()
        self._listeners[mark] = changed
        return lambda: self._listeners.pop(mark, None) and None

    def changed(self) -> None:
        """Tell the screens. A listener that fails is logged: what was saved is saved, and the others must hear."""
        for listener in list(self._listeners.values()):
            try:
                listener()
            except Exception:
                log.exception("a listener failed")

    async def _release(self, writes: list[tuple[str, str, Any]]) -> None:
        """Before a change: the files that come into the outbox with it become everybody's to send, the last moment at
        which the one who signed is sure to be at work."""
        files = self.store.table("evidence")
        written = {name: doc for table, name, doc in writes if table == "evidence" and doc is not None}
        signed = {name for name, doc in written.items() if doc.get("facts")}
        previews = {name for name, doc in written.items() if (files.get(doc.get("of") or "") or {}).get("facts")}
        fresh = {name for name in signed if not (files.get(name) or {}).get("facts")}
        if fresh:
            previews |= {doc["sha256"] for doc in files.all() if doc.get("of") in fresh}
        try:
            await self.box.release(signed | previews)
        except Problem:
            if self.store.keys.own is not None:
                raise
            log.exception("a file of the outbox is still another person's")

    def _written(self, tables: frozenset[str]) -> None:
        """After each store change: a new fact wakes the driver, and the screens hear of everything.

        The driver's own notes about facts must not wake it, or a failing item would be tried without a pause.
        """
        if self.store.keys is not None and not tables.isdisjoint(forgotten.SEEN):
            forgotten.keep_up_soon(self)
        if "facts" in tables:
            before, self._facts_known = self._facts_known, len(self.store.table("facts"))
            if self._facts_known > before and self.driver is not None:
                self.driver.wake("item")
        self.changed()

    # --- the driver, as the screens see it ---

    def link(self) -> Any:
        """The state of the connection (`sync.client.link.LinkStatus`), None while no driver runs."""
        return self.driver.status.link if self.driver is not None else None

    def sending(self) -> dict[str, int]:
        """Bytes gone out by fact id or SHA-256, of what is on its way now."""
        return self.driver.status.sending if self.driver is not None else {}

    # --- files that came down ---

    async def files(self) -> Any:
        """The box of files that can be fetched again (`field_app.photos.fetched`), opened when first asked for."""
        if self._files is None:
            self._files = await self.hardware.open_files()
            if self.store.keys is not None:
                self._files.use(self.store.keys)
        return self._files

    def wake_fetcher(self) -> None:
        """Something else is wanted of the files that come down."""
        if self.fetcher is not None:
            self.fetcher.wake()

    # --- time and ids ---

    @property
    def zone(self) -> str:
        try:
            return str(self.pack().zone)
        except Problem:
            return ""

    def local(self, moment: datetime) -> datetime:
        return moment.astimezone(ZoneInfo(self.zone)) if self.zone else moment

    def now(self) -> datetime:
        """The injected clock, in the city's zone; aware."""
        if "now" in self._spoken:
            return self._spoken["now"]
        return self._said_once("now", self.local(self.hardware.clock.now()))

    def today(self) -> date:
        return self.now().date()

    def wall(self) -> str:
        return self.now().isoformat(timespec="seconds")

    def at(self) -> At:
        """One reading of all clocks, for a fact or a photo."""
        return clocks.reading(self)

    def new_id(self) -> str:
        return self.hardware.ids.random_bytes(16).hex()

    # --- who and what ---

    def tablet(self) -> dict[str, Any]:
        """The enrolment. Raises Problem "not-enrolled"."""
        doc = self.store.table("secrets").get(TABLET)
        if doc is None:
            raise Problem("not-enrolled")
        return doc

    def target(self) -> Target:
        """Where this tablet calls and as whom. Raises Problem "not-enrolled"."""
        server = (self.store.table("meta").get("server") or {}).get("url") or self.server
        witness = (self.store.table("meta").get("sync") or {}).get("witness", "")
        return Target(server.rstrip("/"), self.tablet()["device_token"], witness)

    def session(self) -> dict[str, Any]:
        return self.store.table("meta").get(SESSION) or {}

    def user(self) -> str:
        """The id of the person signed in, who may work. Raises Problem "store-locked", "not-signed-in", "pin-needed",
        "tablet-revoked"."""
        if self.store.locked:
            raise Problem("store-locked")
        self.in_use()
        user = self.session().get("user")
        if not user:
            raise Problem("not-signed-in")
        keys = self.store.keys
        if keys is not None and keys.person != user and keys.entry(user) is not None:
            raise Problem("pin-needed")
        return user

    def in_use(self) -> None:
        """Raises Problem "tablet-revoked" once the tablet knows that the office has withdrawn it."""
        if self.outbox.view().withdrawn:
            raise Problem("tablet-revoked", "the office has withdrawn this tablet: nothing more can be recorded on it")

    def person(self, user: str | None = None) -> dict[str, Any]:
        """The person's document. Raises Problem "not-signed-in"."""
        user = user or self.user()
        doc = self.store.table("people").get(user)
        if doc is None:
            raise Problem("not-signed-in")
        return doc

    def name_of(self, user: str | None) -> str:
        """The person's name, where this tablet knows the person; else the id as it came."""
        doc = self.store.table("people").get(user) if user else None
        return doc["name"] if doc else (user or "")

    def credential(self, user: str | None = None) -> dict[str, Any]:
        """The (tablet, user) credential: {person, id, key (hex)}. Raises Problem "not-signed-in"."""
        doc = self.store.table("credentials").get(user or self.user())
        if doc is None:
            raise Problem("not-signed-in")
        if self.is_ended(doc):
            raise Problem("credential-ended")
        return doc

    def is_ended(self, credential: dict[str, Any]) -> bool:
        """Whether the office ended this person's sign-in on this tablet: nothing more is signed under it."""
        return (self.store.table("standings").get(credential["id"]) or {}).get("state") == "revoked"

    def may(self, power: str, on: date | None = None) -> bool:
        """Whether the person signed in holds the power on that day (today)."""
        day = on or self.today()
        # A clock that is known to stand too far back may name a day on which nobody held a power: the day that it must
        # be at least counts too. What the record says is the clock's; the office decides about that.
        behind = timedelta(milliseconds=clocks.set_back_ms(self) or 0)
        days = {day, (self.now() + behind).date()} if behind and day == self.today() else {day}
        try:
            return any(may(self.person(), power, one.isoformat()) for one in days)
        except Problem:
            return False

    def pack(self, ref: str | None = None) -> Pack:
        """The pack in force here, or the one an earlier draft was begun under. Raises Problem "pack-missing"."""
        if (said := f"pack {ref}") in self._spoken:
            return self._spoken[said]
        docs = self.store.table("packs").all()
        for doc in docs:
            if doc["sha256"] not in self._packs:
                self._packs[doc["sha256"]] = _read_pack(doc)
        read = [(doc, pack) for doc in docs if (pack := self._packs[doc["sha256"]]) is not None]
        if ref is not None and (named := [pack for _, pack in read if pack.ref == ref]):
            return self._said_once(said, named[0])
        if not read:
            raise Problem("pack-missing")
        # The one in force stands under its plain name; under "name@version" those that earlier work was begun with.
        now = [pack for doc, pack in read if "@" not in doc.doc_id] or [pack for _, pack in read]
        return self._said_once(
            said, max(now, key=lambda pack: [int(n) if n.isdigit() else 0 for n in pack.version.split(".")]))

    def fact(self, row: dict[str, Any]) -> Fact:
        """The signed fact of an outbox document, read once: its text never changes."""
        found = self._facts.get(row["id"])
        if found is None:
            found = self._facts[row["id"]] = parse(row["text"])
        return found

    # --- the PIN holds for a while ---

    def unlock(self, user: str) -> None:
        self._unlocked = (user, self.hardware.clock.monotonic_ms())

    def lock(self) -> None:
        self._unlocked = None

    def is_unlocked(self) -> bool:
        """Whether the person signed in gave the PIN in the last quarter of an hour, in this run of the app."""
        by, at = self._unlocked or (None, 0)
        return by is not None and by == self.session().get("user") and (
            0 <= self.hardware.clock.monotonic_ms() - at < UNLOCKED_MS)

"""A small real city for tests of casework, api and sync engine: two sites, four people, a tablet that can sign.

Everything is made through casework itself. ``memory_city`` keeps it in memory (fast), ``folder_city`` on disk. While
``made_by`` somebody, that one makes both (see `tests.support.postgresql`).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from sync.records.facts import Evidence, Fact, freeze
from sync.records.macs import sign
from sync.records.receipts import Receipt, open_receipt
from sync.records.times import At, parse_wall
from sync.server.blobs.memory import MemoryBlobs
from sync.server.casework import founding, people
from sync.server.casework.city import City
from sync.server.casework.enrolment import (
    Enrolled,
    create_enrolment_code,
    create_personal_code,
    enrol_tablet,
    sign_in,
)
from sync.server.casework.receiving import Item, receive_facts
from sync.server.clock import Clock
from sync.server.db.engine import Database, Tx, open_database
from sync.server.db.migrate import migrate
from sync.server.opening import make_city
from sync.where import pack_files
from tests.support.clock import StoppedClock

START = date(2026, 1, 1)
PUBLIC_URL = "https://siltwatch.example"
PEOPLE = {
    # id: (name, title, credential, powers)
    "ada": ("Ada Lindqvist", "Erosion Control Inspector", "SC-1001", ("inspect", "post")),
    "ben": ("Ben Okafor", "Inspector Trainee", "SC-1002", ("inspect",)),
    "carol": ("Carol Brandt", "Building Inspector", "BI-0007",
              ("inspect", "post", "confirm_or_decline", "issue", "administer")),
    "dora": ("Dora Nguyen", "Clerk-Treasurer", None, ("bill",)),
}


_MAKERS: list[Any] = []


@contextmanager
def made_by(maker: Any) -> Iterator[None]:
    """Until the block ends, the ``maker``'s ``city`` and ``folder_city`` make the cities of tests."""
    _MAKERS.append(maker)
    try:
        yield
    finally:
        _MAKERS.remove(maker)


def seeded(seed: int) -> Callable[[int], bytes]:
    """A source of bytes that gives the same ones in every run."""
    return random.Random(seed).randbytes


@lru_cache(maxsize=4)
def _furnished(seed: int) -> tuple[bytes, Database]:
    """A furnished city in memory to copy from: making the tables takes longer than many a test."""
    source = seeded(seed)
    secret = source(32)
    database = open_database(None)
    migrate(database)
    city = City("demo", "Demo City", ZoneInfo("America/Chicago"), secret, database, MemoryBlobs(), StoppedClock(),
                PUBLIC_URL, source)
    founding.found_city(city, pack_files("demo"))
    furnish(city)
    return secret, database


def _open(model: Database) -> Database:
    """A database in memory that knows each statement which ``model`` has compiled: else every test would compile all
    of its own. (SQLAlchemy keeps what was compiled by dialect, in the engine; neither knows of connections.)"""
    database = open_database(None)
    database.engine.dialect = database.engine.pool._dialect = model.engine.dialect
    database.engine._compiled_cache = model.engine._compiled_cache
    return database


def memory_city(clock: Clock, *, seed: int = 1, public_url: str = PUBLIC_URL, over: City | None = None,
                like: City | None = None) -> City:
    """A city in memory, furnished; cities of one seed begin alike and go their own ways.

    ``over``: an earlier one that is done with; its database is written over, which is quicker still than a new one.
    ``like``: begins as that one stands, and gives out the random bytes that that one would.
    """
    if _MAKERS:
        return _MAKERS[-1].city(clock, seed=seed, public_url=public_url, over=over, like=like)
    secret, made = (like.secret, like.db) if like else _furnished(seed)
    source = random.Random(seed + 1_000)
    if like:
        source.setstate(like.random_bytes.__self__.getstate())  # type: ignore[attr-defined]
    database = over.db if over else _open(made)
    there, here = made.engine.raw_connection(), database.engine.raw_connection()
    there.driver_connection.backup(here.driver_connection)
    there.close()
    here.close()
    return City("demo", "Demo City", ZoneInfo("America/Chicago"), secret, database, MemoryBlobs(), clock, public_url,
                source.randbytes)


def folder_city(folder: Path, clock: Clock, *, public_url: str = PUBLIC_URL) -> City:
    """A city in a data folder, furnished."""
    if _MAKERS:
        return _MAKERS[-1].folder_city(folder, clock, public_url=public_url)
    city = make_city(folder, clock, public_url, ident="demo", name="Demo City", zone="America/Chicago",
                     pack_files=pack_files("demo"))
    furnish(city)
    return city


def furnish(city: City) -> None:
    """Two sites (one with a permit in force and two inlets, one without any permit) and the people above."""

    def work(tx: Tx) -> None:
        for ident, (name, title, credential, held) in PEOPLE.items():
            people.keep_person(tx, city, ident, name=name, title=title, credential_no=credential, valid_from=START,
                               valid_until=None, grants=[(power, START, None) for power in held])
        for number in (1, 2):
            founding.keep_site(tx, city, {
                "id": f"site-0{number}", "name": f"Lot {number}", "address": f"{number}00 Mill Street",
                "parcel": f"251-0{number}", "lat_udeg": 43_073_100, "lon_udeg": -89_401_200 - number,
                "site_class": "house", "permittee": None, "landowner": None, "land_user": None,
                "end_of_work_day": None,
            })
        founding.keep_permit(tx, city, {
            "id": "permit-01", "site": "site-01", "number": "EC-2026-014", "state": "in_force",
            "issued_on": "2026-06-01", "last_valid_day": "2026-11-28",
            "conditions": [{"id": "c1", "text": "Keep the stone exit 50 feet long.", "clause": "D"}],
        })
        for number in (1, 2):
            founding.keep_place(tx, city, "inlet", {
                "id": f"inlet-0{number}", "site": "site-01", "label": f"CB-{number}", "place": "Mill Street",
                "lat_udeg": 43_073_200, "lon_udeg": -89_401_300, "planned_barrier": "filter fabric",
                "retired": False,
            })

    city.db.write(work)


@dataclass(slots=True)
class FieldTablet:
    """An enrolled tablet that signs facts as its people do; counts its facts by itself."""

    city: City
    enrolled: Enrolled
    credentials: dict[str, tuple[str, bytes]] = field(default_factory=dict)
    counter: int = 0
    source: random.Random = field(default_factory=lambda: random.Random(7))

    @property
    def tablet(self):
        return self.enrolled.tablet

    def sign_in(self, person: str) -> None:
        """With a fresh personal code."""
        found = sign_in(self.city, self.tablet, create_personal_code(self.city, "keeper", person))
        self.credentials[person] = (found.credential_id, found.credential_key)

    def fact(self, kind: str, body: dict[str, Any], *, user: str = "ada", wall: str = "2026-08-27T14:03:22-05:00",
             **changes: Any) -> Fact:
        """The next fact of this tablet; ``evidence`` as (sha256, kind) pairs is put into shape."""
        self.counter += 1
        evidence = tuple(
            one if isinstance(one, Evidence) else Evidence(one[0], one[1], 1000, "image/jpeg")
            for one in changes.pop("evidence", ())
        )
        values = {
            "city": "demo", "id": self.source.randbytes(16).hex(), "kind": kind, "tablet": self.tablet.code,
            "counter": self.counter, "user": user, "at": At(parse_wall(wall, "wall"), "America/Chicago", 1, "b", 0),
            "pack": "demo@2026.1", "body": body, "evidence": evidence, **changes,
        }
        return Fact(**values)

    def item(self, fact: Fact) -> Item:
        """The fact, frozen and signed by its user."""
        ident, key = self.credentials[fact.user]
        data = freeze(fact)
        return Item(data.decode(), sign(key, data), ident)

    def push(self, *facts: Fact) -> list[Receipt]:
        """Sends the facts in one batch and opens the receipts."""
        answers = receive_facts(self.city, self.tablet, [self.item(fact) for fact in facts])
        return [open_receipt(answer, self.tablet.receipt_key) for answer in answers]


def same_tablet(tablet: FieldTablet, city: City) -> FieldTablet:
    """The tablet as it stands, in a ``city`` that began like its own."""
    source = random.Random()
    source.setstate(tablet.source.getstate())
    return FieldTablet(city, tablet.enrolled, dict(tablet.credentials), tablet.counter, source)


def field_tablet(city: City, *persons: str, seed: int = 7) -> FieldTablet:
    """A freshly enrolled tablet with these people signed in."""
    source = random.Random(seed)
    enrolled = enrol_tablet(city, create_enrolment_code(city, "keeper"), source.randbytes(32).hex())
    tablet = FieldTablet(city, enrolled, source=source)
    for person in persons or ("ada",):
        tablet.sign_in(person)
    return tablet


def inspection_body(**changes: Any) -> dict[str, Any]:
    """A short inspection of site-01 without findings."""
    return {
        "site": "site-01", "permit": "permit-01", "type": "weekly", "began": "2026-08-27T13:40:00-05:00",
        "ended": "2026-08-27T14:03:00-05:00", "inspected_on": "2026-08-27", "basis_of_entry": "consent",
        "weather": None, "answers": [], "findings": [], "outcome": "compliant", "photos": [],
        "signed": {"name": "Ada Lindqvist", "title": "Erosion Control Inspector", "credential_no": "SC-1001",
                   "statement": "I saw this myself."},
        **changes,
    }


def finding(ident: str, **changes: Any) -> dict[str, Any]:
    """An open finding of soil on the road."""
    return {
        "id": ident, "item": "TRK-06", "subject": None, "severity": "major", "computed": "major", "inputs": {},
        "severity_reason": None, "clause": "D2", "grounds": ["b"], "note": "soil on the road",
        "correction": "Sweep the road.", "due": {"on": "2026-08-27", "at": "17:00"}, "photos": [], "status": "open",
        **changes,
    }


def order_body(tablet: FieldTablet, index: int = 0, **changes: Any) -> dict[str, Any]:
    """An order for site-01 under the tablet's leased number ``index``, posted Thu 2026-08-27."""
    leased = tablet.enrolled.lease[index]
    return {
        "number": leased.number, "token": leased.token, "site": "site-01", "address": "100 Mill Street",
        "parcel": "251-01", "permit": "permit-01", "permit_number": "EC-2026-014", "grounds": ["b"],
        "findings": [], "observed": "Soil on Mill Street.", "must_stop": "All grading.",
        "may_continue": "Work that stops the soil.",
        "corrections": [{"text": "Sweep the road.", "due": {"on": "2026-08-27", "at": "17:00"}}], "met": [],
        "nobody_present": True, "posted_on": "2026-08-27", "posted_at": "2026-08-27T14:00:00-05:00",
        "printed_on": "2026-08-27", "placard": None,
        "inspector": {"name": "Ada Lindqvist", "title": "Erosion Control Inspector", "credential_no": "SC-1001"},
        **changes,
    }


def recommended_body(tablet: FieldTablet, index: int = 0, **changes: Any) -> dict[str, Any]:
    """The same order, recommended and not posted."""
    return order_body(tablet, index, **{"posted_on": None, "posted_at": None, **changes})

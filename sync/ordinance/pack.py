"""One city's law as data: clauses, grounds, limits, clocks, calendars, checklists. ``load_pack`` reads it.

``load_pack(files)`` takes TOML texts by file name (``sync.where.pack_files("demo")`` reads the shipped ones) and
returns a ``Pack``, or raises ``PackError`` naming file and key. A pack is never changed after it was read.

    pack.id, pack.version, pack.ref     "demo", "2026.1", "demo@2026.1"
    pack.clauses["E3"].cite             display citation; .title(language), .text, .status, .printable
    pack.grounds["b"]                   Ground: .letter .clause (slug) .title (English) .titles .confirmed (bool)
    pack.checklists["tracking"].items   see ``items.Item``
    pack.end_of_work_day, pack.zone     "17:00", "America/Chicago"
    pack.office["phone"]["en"]          what papers print of the city's office; empty when the pack says nothing
    pack.calendar                       see ``calendar.Calendar``
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date

from .acts import Act, read_acts
from .calendar import Calendar, read_calendar
from .clocks import Clock, read_clocks
from .devices import Device, read_devices
from .duties import DutyRule, read_duties
from .items import TOPICS, Checklist, DueRule, Item, Timing, read_checklist, read_dues
from .money import read_cut_off
from .need import NeedRules, read_need
from .plans import PermitRules, read_permits
from .powers import Powers, read_powers
from .rounds import RoundRules, read_rounds
from .schema import PackError, Section
from .words import SPOKEN

__all__ = ["Clause", "Confirmation", "Ground", "Pack", "PackError", "Readings", "load_pack"]

FILES = ("pack.toml", "clauses.toml", "clocks.toml", "limits.toml", "calendars.toml", "need.toml", "acts.toml",
         "powers.toml", "permits.toml", "devices.toml", *(f"checklist-{topic}.toml" for topic in TOPICS))
STATUSES = ("given", "inferred", "confirmed")


@dataclass(frozen=True, slots=True)
class Confirmation:
    """Who stands for a clause that the city's text did not give, and since when."""

    by: str
    on: date


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause with its citation. ``status`` is given, inferred or confirmed; dates in force are inclusive."""

    slug: str
    cite: str
    titles: dict[str, str]
    text: str
    status: str
    confirmed: Confirmation | None
    in_force_from: date
    in_force_until: date | None

    @property
    def printable(self) -> bool:
        """An inferred clause never prints on a paper until the city confirmed it."""
        return self.status != "inferred"

    def title(self, language: str = "en") -> str:
        return self.titles[language]

    def in_force(self, day: date) -> bool:
        return self.in_force_from <= day and (self.in_force_until is None or day <= self.in_force_until)


@dataclass(frozen=True, slots=True)
class Ground:
    """A ground on which a stop-work order may be posted; ``clause`` is the slug of its clause."""

    letter: str
    clause: str
    title: str
    titles: dict[str, str]
    confirmed: bool


@dataclass(frozen=True, slots=True)
class Readings:
    """How this city reads what the text leaves open (the defaults are the cautious ones)."""

    clock_start: str
    revocation: str
    after_stay: str
    after_sale: str = "fresh"


@dataclass(frozen=True, slots=True)
class Pack:
    id: str
    version: str
    city: dict[str, str]
    office: dict[str, dict[str, str]]
    demo: bool
    zone: str
    languages: tuple[str, ...]
    end_of_work_day: str
    readings: Readings
    clauses: dict[str, Clause]
    grounds: dict[str, Ground]
    clocks: dict[str, Clock]
    need: NeedRules
    permits: PermitRules
    devices: dict[str, Device]
    acts: dict[str, Act]
    duties: dict[str, DutyRule]
    powers: Powers
    calendar: Calendar
    dues: dict[str, DueRule]
    checklists: dict[str, Checklist]
    late_registration_days: int
    far_photo_m: int
    roll_cut_off: tuple[int, int]
    rounds: RoundRules | None
    _items: dict[str, Item] = field(repr=False, compare=False)

    @property
    def ref(self) -> str:
        return f"{self.id}@{self.version}"

    def cite(self, slug: str) -> str:
        return self.clauses[slug].cite

    def city_name(self, language: str = "en") -> str:
        return self.city[language]

    def item(self, item_id: str) -> Item:
        """The checklist item of that id, whatever its topic. KeyError when there is none."""
        return self._items[item_id]

    def with_closures(self, days: frozenset[date]) -> Pack:
        """The same pack with further days on which the office is shut."""
        return replace(self, calendar=self.calendar.with_closures(days)) if days else self

    def under_calendar_of(self, newer: Pack) -> Pack:
        """This law, its days counted by the tables of ``newer``: an edited calendar reaches every clock that runs."""
        calendar = self.calendar.corrected_by(newer.calendar)
        return self if calendar is self.calendar else replace(self, calendar=calendar)

    def unconfirmed(self) -> tuple[Clause, ...]:
        """The clauses that may not be printed yet."""
        return tuple(clause for clause in self.clauses.values() if not clause.printable)


_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}", re.ASCII)
_VERSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,29}", re.ASCII)


def load_pack(files: Mapping[str, str]) -> Pack:
    """Reads a whole pack from its texts by file name. PackError names the file and the key that is wrong."""
    for name in files:
        if name not in FILES:
            raise PackError(name, "", "is not a file of a pack")
    head = Section.of_file(files, "pack.toml")
    languages = head.texts("languages")
    if not languages or languages[0] != "en":
        raise head.fail("languages", "must begin with en")
    for language in languages:
        if language not in SPOKEN:
            raise head.fail("languages", f"{language!r} is not spoken here; there are: {', '.join(SPOKEN)}")
    pack_id, version = head.text("id"), head.text("version")
    # Every fact of a tablet carries "id@version"; a name that a fact may not hold would refuse them all.
    if not _NAME.fullmatch(pack_id):
        raise head.fail("id", f"must be up to 40 small letters, digits, - and _, not {pack_id!r}")
    if not _VERSION.fullmatch(version):
        raise head.fail("version", f"must be up to 30 letters, digits, . - and _, not {version!r}")
    law = Section.of_file(files, "clauses.toml")
    clauses = _clauses(law, languages)
    grounds = _grounds(law, clauses, languages)
    law.done()
    clocks = read_clocks(Section.of_file(files, "clocks.toml"), clauses, languages)
    calendar = read_calendar(Section.of_file(files, "calendars.toml"), f"{pack_id}@{version}", languages)
    limits = Section.of_file(files, "limits.toml")
    dues = read_dues(limits, languages)
    devices = read_devices(Section.of_file(files, "devices.toml"), clauses, languages)
    powers = read_powers(Section.of_file(files, "powers.toml"), languages)
    adverse = Section.of_file(files, "acts.toml")
    acts = read_acts(adverse, clauses, clocks, tuple(powers.labels), languages)
    duties = read_duties(adverse, clauses, clocks, languages)
    adverse.done()
    end_of_work_day = head.clock_time("end_of_work_day")
    timing = Timing(calendar, end_of_work_day, dues, limits.whole("repeat_window_days", least=1),
                    limits.flag("hours_leave_out_sundays_and_holidays"))
    checklists = {topic: read_checklist(Section.of_file(files, f"checklist-{topic}.toml"), topic, clauses, grounds,
                                        tuple(devices), timing, languages) for topic in TOPICS}
    items: dict[str, Item] = {}
    for topic, checklist in checklists.items():
        for item in checklist.items:
            if item.id in items:
                raise PackError(f"checklist-{topic}.toml", f"item[{item.id}]", "this id is on two lists")
            items[item.id] = item
    pack = Pack(
        id=pack_id, version=version, city=head.said("city", languages),
        office=_office(head.section("office", None), languages), demo=head.flag("demo"),
        zone=head.text("zone"), languages=languages, end_of_work_day=end_of_work_day,
        readings=_readings(head.section("readings")), clauses=clauses, grounds=grounds, clocks=clocks,
        need=read_need(Section.of_file(files, "need.toml"), clauses, languages),
        permits=read_permits(Section.of_file(files, "permits.toml"), clauses, languages), devices=devices,
        acts=acts, duties=duties, powers=powers, calendar=calendar, dues=dues, checklists=checklists,
        late_registration_days=limits.whole("late_registration_days", least=1),
        far_photo_m=limits.whole("far_photo_m", least=1),
        roll_cut_off=read_cut_off(limits), rounds=read_rounds(limits.section("rounds", None), clauses), _items=items)
    head.done()
    limits.done()
    return pack


def _office(section: Section | None, languages: tuple[str, ...]) -> dict[str, dict[str, str]]:
    """Who speaks on a paper: department, address, phone, review (how to ask for one), removal_warning. All optional."""
    if section is None:
        return {}
    names = [name for name in ("department", "address", "phone", "review", "removal_warning") if section.has(name)]
    found = {name: section.said(name, languages) for name in names}
    section.done()
    return found


def _clauses(section: Section, languages: tuple[str, ...]) -> dict[str, Clause]:
    found: dict[str, Clause] = {}
    for inner in section.sections("clause"):
        slug = inner.text("slug")
        if slug in found:
            raise inner.fail("slug", f"{slug} is used twice")
        status = inner.choice("status", STATUSES)
        confirmation = inner.section("confirmed", None)
        confirmed = None
        if confirmation is not None:
            confirmed = Confirmation(confirmation.text("by"), confirmation.day("on"))
            confirmation.done()
        if (status == "confirmed") != (confirmed is not None):
            raise inner.fail("confirmed", "who confirmed it and when goes with the status confirmed, and only with it")
        first, last = inner.day("in_force_from"), inner.day("in_force_until", None)
        if last is not None and last < first:
            raise inner.fail("in_force_until", "lies before in_force_from")
        found[slug] = Clause(slug, inner.text("cite"), inner.said("title", languages), inner.text("text"), status,
                             confirmed, first, last)
        inner.done()
    return found


def _grounds(section: Section, clauses: dict[str, Clause], languages: tuple[str, ...]) -> dict[str, Ground]:
    found: dict[str, Ground] = {}
    for inner in section.sections("ground"):
        letter, slug = inner.text("letter"), inner.text("clause")
        if letter in found:
            raise inner.fail("letter", f"{letter} is used twice")
        if slug not in clauses:
            raise inner.fail("clause", f"{slug!r} is not a clause of this pack")
        titles = inner.said("title", languages)
        found[letter] = Ground(letter, slug, titles["en"], titles, clauses[slug].printable)
        inner.done()
    return found


def _readings(section: Section) -> Readings:
    found = Readings(
        section.choice("clock_start", ("clause", "later")), section.choice("revocation", ("narrow", "broad")),
        section.choice("after_stay", ("fresh", "remaining")),
        section.choice("after_sale", ("fresh", "runs on"), "fresh"))
    section.done()
    return found

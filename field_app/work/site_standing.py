"""How a site stands today: its permit, what is open on it, its orders, and which inspections it is owed.

Computed for one site at a time and kept in the index until something of that site (or the day, or the ordinance)
changes. What is owed and why is the law's own reckoning (`sync.ordinance.rounds`); here it is only fed.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from field_app.work.finding_sites import NOWHERE, Doc, Known, SiteIndex, of
from field_app.work.sealing import in_line
from sync.ordinance.rounds import OpenCorrection, Owed, Rain, Schedule, SiteRecord, Visit, rain_calls, rounds_due
from sync.records.bodies import found_on
from sync.records.problems import Problem

if TYPE_CHECKING:
    from field_app.work.desk import Desk

AT_ONCE = 400
"""So many sites are reckoned in one go; more are left to `catch_up`, so that no screen waits for them."""


@dataclass(frozen=True, slots=True)
class Standing:
    """``made_for``: day and pack. ``permit`` the one that counts, None for none; ``open`` the open findings; ``first``
    the day and moment of what is owed first (``Owed.moment``), "" for nothing."""

    made_for: tuple[date, str]
    permit: Doc | None
    permit_ok: bool
    open: tuple[Doc, ...]
    owed: tuple[Owed, ...]
    first: str = ""

    @property
    def critical(self) -> int:
        return sum(1 for one in self.open if one["severity"] == "critical")


@dataclass(frozen=True, slots=True)
class RainRead:
    """A reading that counts. `began` and `ended` naive, on the wall of the city; `site` the one it belongs to, or
    `NOWHERE` for the whole city; `mine`: signed on this tablet; `office`: the office noted it for the site."""

    id: str
    inches: str
    began: datetime
    ended: datetime
    gauge: str
    site: str
    mine: bool
    office: bool


def made_for(desk: Desk) -> tuple[date, str]:
    """What a standing made now is good for."""
    try:
        return desk.today(), desk.pack().ref
    except Problem:
        return desk.today(), ""


def standing(desk: Desk, index: SiteIndex, known: Known, now: tuple[date, str] | None = None) -> Standing:
    """The site's standing, made now or kept."""
    now = now or made_for(desk)
    if known.standing is None or known.standing.made_for != now:
        known.standing = _made(desk, index, known.doc, now)
    return known.standing


def _unreckoned(desk: Desk, index: SiteIndex) -> list[Known]:
    now = made_for(desk)
    return [known for known in index.shown() if known.standing is None or known.standing.made_for != now]


def settled(desk: Desk, index: SiteIndex) -> bool:
    """Whether every site has been reckoned today. A few that have not are reckoned on the spot; many are left to
    `catch_up`."""
    now = made_for(desk)
    if index.reckoned == (index.version, now):
        return True
    todo = _unreckoned(desk, index)
    if len(todo) > AT_ONCE:
        return False
    for known in todo:
        standing(desk, index, known, now)
    index.reckoned = (index.version, now)
    return True


async def catch_up(desk: Desk) -> None:
    """Reckons all sites, a few at a time, so that the screens go on meanwhile."""
    while True:
        index, now = of(desk), made_for(desk)
        todo = _unreckoned(desk, index)[:AT_ONCE]
        if not todo:
            return
        for known in todo:
            standing(desk, index, known, now)
        await asyncio.sleep(0)


def _made(desk: Desk, index: SiteIndex, doc: Doc, now: tuple[date, str]) -> Standing:
    site, today = doc["id"], now[0]
    permit, running = _permit(index, site, today)
    found = open_findings(desk, index, site)
    owed: tuple[Owed, ...] = ()
    if now[1] and (running or found):
        owed = rounds_due(desk.pack(), _record(desk, index, doc, permit if running else None, found), today)
    return Standing(now, permit, running, tuple(found), owed, owed[0].moment if owed else "")


def _permit(index: SiteIndex, site: str, today: date) -> tuple[Doc | None, bool]:
    """The permit that counts, and whether it is in force that day."""
    permits, iso = index.of_site("permits", site), today.isoformat()
    in_force = [one for one in permits if runs(one, iso)]
    return _latest(in_force or permits), bool(in_force)


def _record(desk: Desk, index: SiteIndex, doc: Doc, permit: Doc | None, found: list[Doc]) -> SiteRecord:
    """`permit`: one that is in force; without it neither visits nor rain call for anything."""
    return SiteRecord(
        permit=(_day(permit, "issued_on"), _day(permit, "last_valid_day")) if permit else None,
        visits=_visits(desk, index, doc["id"]) if permit else (),
        rains=_rains(desk, index, doc) if permit else (),
        corrections=tuple(correction_of(one) for one in found),
        schedule=_schedule(doc.get("schedule")), end_of_work_day=doc.get("end_of_work_day"),
    )


async def called_for(desk: Desk, rain: Rain, site: str) -> int:
    """How many sites (of all where `site` is `NOWHERE`) are owed an inspection because of this rain, a few sites at a
    time, so that the screens go on meanwhile. The rain is written down already."""
    index, (today, pack), found = of(desk), made_for(desk), 0
    if not pack:
        return 0
    docs = [known.doc for known in ([index.sites[site]] if site else index.shown())]
    for at, doc in enumerate(docs, start=1):
        permit, running = _permit(index, doc["id"], today)
        if running:
            found += rain_calls(desk.pack(), _record(desk, index, doc, permit, []), rain, today)
        if at % AT_ONCE == 0:
            await asyncio.sleep(0)
            index = of(desk)
    return found


def state_of(here: Standing, now: datetime) -> str:
    """overdue | today | coming of what is owed first, "" for nothing. As `Owed.state`, for many sites at a time."""
    return state_at(here.first, now.strftime("%Y-%m-%dT%H:%M"))


def state_at(first: str, now: str) -> str:
    if not first:
        return ""
    if first < now:
        return "overdue"
    return "today" if first[:10] <= now[:10] else "coming"


def current_permit(desk: Desk, permits: list[Doc], on: date) -> Doc | None:
    """The permit that counts for the site on that day: one in force, else the one issued last, else any."""
    return _latest([one for one in permits if runs(one, on.isoformat())] or permits)


def runs(permit: Doc, on: str) -> bool:
    """Whether the permit is in force on that day (ISO), as far as this tablet knows."""
    first, last = permit.get("issued_on") or "", permit.get("last_valid_day") or "9999"
    return permit["state"] == "in_force" and first <= on <= last


def _latest(permits: list[Doc]) -> Doc | None:
    if len(permits) < 2:
        return permits[0] if permits else None
    return max(permits, key=lambda one: (one.get("issued_on") or "", one["number"]))


def _day(doc: Doc | None, name: str) -> date | None:
    text = (doc or {}).get(name)
    return date.fromisoformat(text) if text else None


def inspections_here(desk: Desk, index: SiteIndex, site: str) -> list[tuple[Doc, dict[str, Any]]]:
    """(outbox document, body) of the inspections of the site that were signed on this tablet and that no later one
    corrects, oldest first."""
    rows = sorted((one for one in index.of_site("facts", site) if one["kind"] == "inspection_signed"), key=in_line)
    corrected = {desk.fact(row).revises for row in rows}
    corrected |= {gone for one in index.of_site("inspections", site) for gone in one.get("instead", ())}
    return [(row, desk.fact(row).body) for row in rows if row["id"] not in corrected]


def open_findings(desk: Desk, index: SiteIndex, site: str) -> list[Doc]:
    """What is open on the site: what came down, and what was signed here since, less what that closed."""
    came = {doc["id"]: doc for doc in index.of_site("findings", site)}
    found: dict[str, Doc] = {}
    for _row, body in inspections_here(desk, index, site):
        for closed in body.get("closes", ()):
            found.pop(closed, None)
            came.pop(closed, None)
        for one in body["findings"]:
            if one["status"] == "open" and came.get(one["id"], {}).get("status", "open") == "open":
                found[one["id"]] = {**one, "found_on": found_on(one, body)}
    for doc in came.values():
        if doc["id"] not in found and doc.get("status", "open") == "open":
            found[doc["id"]] = doc
    return list(found.values())


def correction_of(finding: Doc) -> OpenCorrection:
    due = finding.get("due")
    return OpenCorrection(finding["item"], date.fromisoformat(finding["found_on"]),
                          date.fromisoformat(due["on"]) if due else None, due["at"] if due else None,
                          bool(due and due.get("at_once")), found_at=(finding.get("found_at") or "")[11:16] or None)


def _visits(desk: Desk, index: SiteIndex, site: str) -> tuple[Visit, ...]:
    found = {}
    for row in index.of_site("inspections", site):
        found[row["id"]] = Visit(date.fromisoformat(row["inspected_on"]), row["type"], _wall(desk, row.get("ended")))
    for row, body in inspections_here(desk, index, site):
        found[row["id"]] = Visit(date.fromisoformat(body["inspected_on"]), body["type"], _wall(desk, body["ended"]))
    return tuple(found.values())


def _wall(desk: Desk, text: str | None) -> datetime | None:
    """A wall time as the city's clock shows it, naive."""
    if not text:
        return None
    moment = datetime.fromisoformat(text)
    return desk.local(moment).replace(tzinfo=None) if moment.tzinfo else moment


def rain_read(desk: Desk, index: SiteIndex, site: str, doc: Doc | None = None) -> list[RainRead]:
    """Every reading that counts for the site `doc`: its own, those of the whole city, those that the office noted. With
    no `doc`: those that belong to `site` itself, which may be `NOWHERE`."""
    found: dict[str, RainRead] = {}
    for place in (site, NOWHERE) if doc else (site,):
        for one in index.of_site("rains", place):
            _read(desk, found, one["id"], one["inches"], (one["began"], one["ended"]), one.get("gauge", ""), place)
    for place in (site, NOWHERE) if doc else (site,):
        for row in index.of_site("facts", place):
            if row["kind"] == "rain_recorded" and row["sync"].get("answer") != "quarantined":
                fact = desk.fact(row)
                body = fact.body
                _read(desk, found, row["id"], body["inches"], (body["from"], body["to"]), body["gauge"], place, True)
                found.pop(fact.revises or "", None)
    for at, one in enumerate((doc or {}).get("rains") or ()):
        when = (one["began"], one["ended"])
        _read(desk, found, f"office {site} {at}", one["inches"], when, one.get("gauge", ""), site)
    return list(found.values())


def _read(desk: Desk, found: dict[str, RainRead], ident: str, inches: str, when: tuple[str, str], gauge: str, site: str,
          mine: bool = False) -> None:
    began, ended = _wall(desk, when[0]), _wall(desk, when[1])
    if began is not None and ended is not None:
        found[ident] = RainRead(ident, inches, began, ended, gauge, site, mine, ident.startswith("office "))


def _rains(desk: Desk, index: SiteIndex, doc: Doc) -> tuple[Rain, ...]:
    read = rain_read(desk, index, doc["id"], doc)
    return tuple(Rain(Decimal(one.inches), one.began, one.ended, one.gauge) for one in read)


def _schedule(raw: Doc | None) -> Schedule:
    if not raw:
        return Schedule()
    rain = raw.get("rain_in")
    return Schedule(raw.get("every_days"), raw.get("weekday"), Decimal(rain) if rain else None,
                    raw.get("rain_within_hours"))

"""Rain that an inspector reads from a gauge: written down with no network, told to the office, and reckoned at once.

A reading is signed like every record and never edited; a better one names the one it takes the place of. What is typed
before it is signed is kept with every keystroke, each person's own, like every draft.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from itertools import pairwise
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from field_app.capture.numbers import typed_number
from field_app.work import finding_sites
from field_app.work.finding_sites import NOWHERE, SiteIndex
from field_app.work.sealing import seal
from field_app.work.site_standing import RainRead, called_for, rain_read
from field_app.work.views.inspection import RainOffer
from field_app.work.words import with_clause
from sync.documents.language import clock_words, counted, date_words
from sync.ordinance.rounds import Rain
from sync.records.bodies import MOST_RAIN_IN
from sync.records.problems import Problem

if TYPE_CHECKING:
    from field_app.work.desk import Desk

SHOWN = 10
LONGEST = 400
MOST_OFFERED = 3
CLOCKS_APART = timedelta(minutes=5)
FORM = ("inches", "gauge", "corrects", "from_on", "from_at", "to_on", "to_at")


@dataclass(frozen=True, slots=True)
class RainRow:
    """A reading that counts. `words` say it all; `mine`: signed on this tablet for this place, so it can be corrected
    here."""

    id: str
    words: str
    mine: bool
    inches: str
    gauge: str


@dataclass(frozen=True, slots=True)
class RainView:
    """The form as it was left, or its beginning, and what was written down before. `corrects`: the reading that this
    one takes the place of, "" for none. `place` names the site, or the whole city when `site` is
    "". `rule` says what is enough rain for an inspection. Dates ISO, times "HH:MM". `alike`: the reading of the same
    gauge and hours that is there already, and that the form does not take the place of."""

    site: str
    place: str
    rule: str
    from_on: str
    from_at: str
    to_on: str
    to_at: str
    inches: str
    gauge: str
    corrects: str
    rows: tuple[RainRow, ...]
    may_record: bool
    alike: RainRow | None = None


def readings(desk: Desk, index: SiteIndex, site: str) -> list[RainRow]:
    """What counts as rain for the site, also what was read for the whole city or noted by the office; for `NOWHERE`
    what was read for the whole city. The newest first."""
    return [_row(desk, one, site) for one in _read_for(desk, index, site)[:SHOWN]]


def _read_for(desk: Desk, index: SiteIndex, site: str) -> list[RainRead]:
    known = index.sites.get(site)
    return sorted(rain_read(desk, index, site, known.doc if known else None), key=_newest, reverse=True)


def _row(desk: Desk, one: RainRead, site: str) -> RainRow:
    return RainRow(one.id, said(desk, one, _whose(desk, one) if site else ""), one.mine and one.site == site,
                   one.inches, one.gauge)


def of_late(desk: Desk, site: str, count: int = 3) -> tuple[str, ...]:
    """The newest readings that count as rain for the site, in words."""
    return tuple(row.words for row in readings(desk, finding_sites.of(desk), site)[:count])


def last_anywhere(desk: Desk, index: SiteIndex) -> str:
    """The rain that ended last of all that was written down, with its site or how many it was noted for; "" for
    none."""
    def make() -> str:
        found = rain_read(desk, index, NOWHERE)
        read_at = index.sites_with("rains", "facts")
        for known in index.shown():
            if known.doc.get("rains") or known.doc["id"] in read_at:
                found += (one for one in rain_read(desk, index, known.doc["id"], known.doc) if one.site)
        if not found:
            return ""
        last = max(found, key=_newest)
        _, same = desk.words, {one.site for one in found if _reading(one) == _reading(last)}
        whose = _("whole city")
        if last.site:
            name = index.sites[last.site].doc["name"]
            whose = name if len(same) == 1 else counted(len(same), "1 site", "{count} sites", _)
        return said(desk, last, whose)

    return index.keep("last rain", (desk.language, desk.zone), make)


def offers(desk: Desk, draft: Mapping[str, Any]) -> tuple[RainOffer, ...]:
    """What an inspection (as it is stored) may take over: the rain of the last 24 hours that counts for its site, one
    entry for each gauge, the newest first; the same object until something of it changes. Nothing once rain stands
    there, and nothing for a correction: the hours before the inspection are long past."""
    if draft["rain"].strip() or draft.get("revises"):
        return ()
    index, site, now = finding_sites.of(desk), draft["site"], desk.now().replace(tzinfo=None)
    made_for = (site, desk.language, now.replace(minute=0, second=0, microsecond=0))
    return index.keep("rain offers", made_for, lambda: _offers(desk, index, site, now))


def _offers(desk: Desk, index: SiteIndex, site: str, now: datetime) -> tuple[RainOffer, ...]:
    """Readings of one gauge whose hours do not meet are added up; where they do, each stands for itself. One that began
    more than 24 hours ago says nothing about these hours, so it is not among them."""
    gauges: dict[tuple[str, str, bool], list[RainRead]] = {}
    for one in reversed(_read_for(desk, index, site)):
        if now - timedelta(hours=24) <= one.began and one.ended <= now + CLOCKS_APART:
            gauges.setdefault((finding_sites.folded(one.gauge), one.site, one.office), []).append(one)
    found: list[tuple[RainRead, int]] = []
    for read in gauges.values():
        apart = all(before.ended <= after.began for before, after in pairwise(read))
        if apart and len(read) > 1:
            inches = f"{sum(Decimal(one.inches) for one in read):f}"
            found.append((replace(read[-1], inches=inches, began=read[0].began), len(read)))
        else:
            found += [(one, 1) for one in read]
    found.sort(key=lambda one: _newest(one[0]), reverse=True)
    return tuple(_offer(desk, one, count) for one, count in found[:MOST_OFFERED])


def _offer(desk: Desk, one: RainRead, count: int) -> RainOffer:
    _ = desk.words
    words = said(desk, one, _whose(desk, one))
    if count > 1:
        words = " · ".join((words, counted(count, "1 reading", "{count} readings", _)))
    return RainOffer(one.inches, words, "gauge on site" if one.site and not one.office else "")


def _alike(desk: Desk, read: list[RainRead], form: dict[str, str]) -> RainRead | None:
    """The reading of the same gauge and hours as the form, none when the form takes the place of one or could not be
    written down yet."""
    if form.get("corrects"):
        return None
    try:
        checked_inches(form.get("inches", ""))
        began, ended = (_moment(desk, form[f"{end}_on"], form[f"{end}_at"], end) for end in ("from", "to"))
    except Problem:
        return None
    hours = (began.replace(tzinfo=None), ended.replace(tzinfo=None))
    gauge = finding_sites.folded(form.get("gauge", "")).strip()
    same = (one for one in read
            if (one.began, one.ended) == hours and finding_sites.folded(one.gauge).strip() == gauge)
    return next(same, None)


def _reading(one: RainRead) -> tuple[str, datetime, datetime, str]:
    return one.inches, one.began, one.ended, one.gauge


def _newest(one: RainRead) -> tuple[datetime, str]:
    return one.ended, one.id


def _whose(desk: Desk, one: RainRead) -> str:
    _ = desk.words
    if one.office:
        return _("noted by the office")
    return "" if one.site else _("whole city")


def said(desk: Desk, one: RainRead, whose: str) -> str:
    """How much, when, at which gauge, and `whose` rain it is."""
    _, zone = desk.words, ZoneInfo(desk.zone or "UTC")
    until = clock_words(one.ended, _)
    if one.began.date() != one.ended.date():
        until = desk.moment_words(one.ended.replace(tzinfo=zone))
    words = _("{inches} inches, {date} from {begin} until {end}").format(
        inches=one.inches, date=date_words(one.began.date(), _), begin=clock_words(one.began, _), end=until
    )
    return " · ".join(filter(None, (f"{words} ({one.gauge})" if one.gauge else words, whose)))


def view(desk: Desk, site: str = NOWHERE) -> RainView:
    """The form for a site, or for the whole city. Problem "subject-unknown"."""
    from field_app.work.sites import site_doc

    _ = desk.words
    index = finding_sites.of(desk)
    doc = site_doc(desk, site) if site else None
    now = desk.now()
    began = now - timedelta(hours=6)
    rules = desk.pack().rounds
    own = ((doc or {}).get("schedule") or {}).get("rain_in")
    rule = ""
    if rules is not None or own:
        inches = own or f"{rules.rain_at_least_in.normalize():f}"  # type: ignore[union-attr]
        rule = _("{inches} inches of rain within 24 hours call for an inspection").format(inches=inches)
        if rules is not None:
            rule = with_clause(rule, desk.pack().cite(rules.clause), _)
        if not site:
            rule += ". " + _("A site that has its own limit goes by that one.")
    form = {"from_on": began.date().isoformat(), "from_at": f"{began.hour:02d}:00", "to_on": now.date().isoformat(),
            "to_at": f"{now.hour:02d}:00"} | (desk.store.table("meta").get(_form_key(desk, site)) or {})  # fmt: skip
    read = _read_for(desk, index, site)
    alike = _alike(desk, [one for one in read if one.site == site and not one.office], form)
    return RainView(
        site=site,
        place=doc["name"] if doc else _("The whole city"),
        rule=rule,
        **{name: form.get(name, "") for name in FORM},
        rows=tuple(_row(desk, one, site) for one in read[:SHOWN]),
        may_record=desk.may("inspect"),
        alike=_row(desk, alike, site) if alike is not None else None,
    )


def _form_key(desk: Desk, site: str) -> str:
    return f"rain of {desk.session().get('user') or ''} {site}".rstrip()


async def keep(desk: Desk, site: str, fields: dict[str, str]) -> None:
    """Keep what was typed into the form. Problem "choice-unknown" for a field that it does not have,
    "text-too-long"."""
    unknown = fields.keys() - set(FORM)
    if unknown:
        raise Problem("choice-unknown", f"the rain form has no field {min(unknown)}", where="rain")
    for name, text in fields.items():
        _short(text, name)
    key = _form_key(desk, site)
    async with desk.store.change() as tx:
        tx.put("meta", key, {**(tx.get("meta", key) or {}), **fields})


def _short(text: str, where: str) -> str:
    if len(text) > LONGEST:
        raise Problem("text-too-long", f"at most {LONGEST} characters fit here", where=where)
    return text


def checked_inches(text: str) -> str:
    """The inches as they travel. Problem "rain-malformed" says what is wrong with what was typed."""
    number = typed_number(text)
    if number is None:
        raise Problem("rain-malformed", "type the inches of rain, such as 0.5", where="inches")
    if (found := Decimal(number)) > MOST_RAIN_IN:
        detail = f"more than {MOST_RAIN_IN} inches of rain in 24 hours cannot be right: check the number"
        raise Problem("rain-malformed", detail, where="inches")
    return f"{found:f}"


def _moment(desk: Desk, on: str, at: str, where: str) -> datetime:
    try:
        moment = datetime.combine(date.fromisoformat(on), time.fromisoformat(at))
    except ValueError:
        raise Problem("rain-malformed", "choose the day and the time", where=where) from None
    return moment.replace(tzinfo=ZoneInfo(desk.zone or "UTC"))


async def record(
    desk: Desk, site: str, inches: str, begin: tuple[str, str], end: tuple[str, str], gauge: str, note: str,
    corrects: str | None,
) -> str:
    """Sign a reading; says in words what follows from it. Problem "rain-malformed", "no-authority"."""
    from field_app.work.sites import site_doc

    _ = desk.words
    if site:
        site_doc(desk, site)
    if not desk.may("inspect"):
        raise Problem("no-authority", "you do not hold the power to inspect today", where="rain")
    began, ended = _moment(desk, *begin, "from"), _moment(desk, *end, "to")
    if ended < began:
        raise Problem("rain-malformed", "the rain cannot end before it began", where="to")
    if ended > desk.now() + CLOCKS_APART:
        raise Problem("rain-malformed", "the rain cannot end in the future", where="to")
    body: dict[str, Any] = {
        "site": site or None, "gauge": _short(gauge.strip(), "gauge"), "inches": checked_inches(inches),
        "from": began.isoformat(timespec="seconds"), "to": ended.isoformat(timespec="seconds"),
        "note": _short(note.strip(), "note"),
    }
    async with desk.store.change() as tx:
        seal(desk, tx, "rain_recorded", body, fact=desk.new_id(), pack=desk.pack().ref, revises=corrects)
        tx.put("meta", _form_key(desk, site), {"gauge": body["gauge"]})  # the next one is read from the same gauge
    fell = Rain(Decimal(body["inches"]), began.replace(tzinfo=None), ended.replace(tzinfo=None), body["gauge"])
    due = await called_for(desk, fell, site)
    if not due:
        return _("Written down. It calls for no inspection.")
    return counted(due, "Written down. One inspection is due for it.",
                   "Written down. {count} inspections are due for it.", _)


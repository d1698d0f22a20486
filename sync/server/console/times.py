"""What tablets' clocks said, in plain words: shown beside a record, never instead of its day."""

from __future__ import annotations

from sync.documents.language import Translate, counted, moment_words
from sync.records.facts import parse
from sync.records.times import At
from sync.server.casework import clocks, queries
from sync.server.casework.naming import person_names
from sync.server.console.seat import Seat


def clock_words(off_s: int | None, _: Translate) -> str:
    """How far a tablet's clock was off, in its coarsest fitting unit; "" for less than a minute, or unknown."""
    if off_s is None or abs(off_s) < 60:
        return ""
    how = _("The tablet's clock was {time} slow.") if off_s > 0 else _("The tablet's clock was {time} fast.")
    return how.format(time=span_words(abs(off_s), _))


def clock_rows(at: At, seat: Seat) -> list[tuple[str, str]]:
    """What each clock of the tablet said when the record was signed; none of them corrects another."""
    _ = seat._
    showed = f"{moment_words(at.wall, _)}, UTC{at.wall.isoformat()[-6:]}, {at.zone}"
    rows = [(_("The tablet's clock showed"), showed)]
    if at.offset_ms is not None:
        rows.append((_("At its last contact with the server"), off_words(at.offset_ms, _)))
    if at.gps_offset_ms is not None:
        rows.append((_("By the time of its last position"), off_words(at.gps_offset_ms, _)))
    if at.set_back_ms is not None:
        rows.append((_("Since the last contact"), _("set back by at least {time}").format(
            time=span_words(at.set_back_ms // 1000, _))))
    return rows


def off_words(off_ms: int, _: Translate) -> str:
    """How far a clock was off, "right" below two minutes."""
    seconds = abs(off_ms) // 1000
    if seconds < 120:
        return _("right, to within {time}").format(time=span_words(max(1, seconds), _))
    return (_("{time} slow") if off_ms > 0 else _("{time} fast")).format(time=span_words(seconds, _))


def span_words(seconds: int, _: Translate) -> str:
    """A length of time in its coarsest fitting unit, at least two of it."""
    minutes = seconds // 60
    if minutes < 2:
        return counted(seconds, "1 second", "{count} seconds", _)
    if minutes < 120:
        return _("{n} minutes").format(n=minutes)
    if minutes < 48 * 60:
        return _("{n} hours").format(n=minutes // 60)
    return _("{n} days").format(n=minutes // (24 * 60))


def doubt_rows(seat: Seat, fact: str) -> list[tuple[str, str]]:
    """What each clock said, for a record whose time is in doubt; nothing for any other."""
    with seat.city.db.read() as tx:
        if clocks.remark(tx, seat.city, fact) is None:
            return []
        text = queries.fact_document(tx, seat.city, fact)["text"]
    return clock_rows(parse(text).at, seat)


def is_open(seat: Seat, fact: str) -> bool:
    """Whether the time of the record is in doubt and nobody has looked at it."""
    with seat.city.db.read() as tx:
        found = clocks.remark(tx, seat.city, fact)
    return found is not None and found["noted"] is None


def time_remark(seat: Seat, fact: str) -> str:
    """What there is to say about the time of a record, and who has looked at it; "" when it is not in doubt."""
    _, city = seat._, seat.city
    with city.db.read() as tx:
        found = clocks.remark(tx, city, fact)
    if found is None:
        return ""
    said = {
        "to come": _("It was signed later than it reached the office, by its tablet's clock."),
        "other day": _("By the server's clock it was another day."),
        "wrong clock": _("The tablet's clock was wrong when it was signed."),
    }[found["why"]]
    said = f"{said} {clock_words(found['off_s'], _)}".strip()
    noted = found["noted"]
    if noted is None:
        nobody = _("Nobody has looked at it yet.")
        return f"{said} {nobody}"
    name = person_names(city).get(noted["by"], noted["by"])
    looked = _("{name} looked at it on {when} and let its day stand: {reasons}")
    return f"{said} {looked.format(name=name, when=seat.moment(noted['at']), reasons=noted['reasons'])}"

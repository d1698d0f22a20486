"""The form for what the office says about a site: inspectors, rounds, contractor, contacts, timetable of the works."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from sync.documents.language import counted
from sync.records.problems import Problem
from sync.server.casework import queries
from sync.server.casework.meanwhile import seen_as
from sync.server.casework.naming import person_names
from sync.server.casework.people import DECIDE_APPLICATIONS, INSPECT
from sync.server.casework.site_records import MOST_ROWS, change_site, shown_of
from sync.server.console import words
from sync.server.console.seat import Seat, natural

Doc = dict[str, Any]
EMPTY_ROWS = 3
WEEKDAYS = tuple(range(7))


def may_change(seat: Seat) -> bool:
    return seat.may(DECIDE_APPLICATIONS) or seat.may_administer


def summary(seat: Seat, site: Doc) -> Doc:
    """What the site's page says of it, in words."""
    _ = seat._
    names = person_names(seat.city)
    schedule = site.get("schedule") or {}
    said = []
    if schedule.get("every_days"):
        said.append(counted(schedule["every_days"], "every day", "every {count} days", _))
    if schedule.get("weekday") is not None:
        said.append(_("on {day}").format(day=weekday_words(seat, schedule["weekday"])))
    if schedule.get("rain_in"):
        said.append(_("after {inches} in of rain").format(inches=schedule["rain_in"]))
    if schedule.get("rain_within_hours"):
        said.append(counted(schedule["rain_within_hours"], "within 1 hour", "within {count} hours", _))
    return {
        "inspectors": ", ".join(names.get(one, one) for one in site.get("inspectors") or []) or _("nobody yet"),
        "rounds": ", ".join(said) or _("as the ordinance says"),
        "area": site.get("area") or "",
        "contacts": site.get("contacts") or [],
        "timetable": [
            {"activity": step["activity"], "start": words.wire_day(step.get("start"), _),
             "end": words.wire_day(step.get("end"), _), "done": words.wire_day(step.get("done_on"), _),
             "note": step.get("note", "")}
            for step in site.get("timetable") or []
        ],
    }


def weekday_words(seat: Seat, day: int) -> str:
    _ = seat._
    return (_("Mondays"), _("Tuesdays"), _("Wednesdays"), _("Thursdays"), _("Fridays"), _("Saturdays"),
            _("Sundays"))[day]


def form_page(seat: Seat, *, wrong: Problem | None = None) -> Response:
    """GET: the form as things stand; after a mistake, as it was sent."""
    _, city = seat._, seat.city
    found = queries.site_page(city, seat.path("id"))
    if found is None:
        raise Problem("not-found", "there is no such site")
    if not may_change(seat):
        raise Problem("no-authority", "only who decides applications or administers changes a site")
    site, today = found["site"], city.today()
    fields = seat.form if wrong else fields_of(site) | {"seen": seen_as(shown_of(site))}
    inspectors = [person for person in queries.people_list(city)
                  if INSPECT in words.powers_today(person, today) or f"inspector.{person['id']}" in fields]
    count = max(_step_numbers(fields), default=0)
    return seat.page(
        "site_edit.html", "/office/sites", status=wrong.status if wrong else 200, site=site, f=fields,
        inspectors=inspectors, weekdays=[(str(day), weekday_words(seat, day)) for day in WEEKDAYS],
        steps=range(1, min(count + EMPTY_ROWS, MOST_ROWS) + 1), wrong_where=wrong.where if wrong else "",
        wrong=f"{wrong.detail}." if wrong else "",
    )


def fields_of(site: Doc) -> dict[str, str]:
    """The site's document as the fields of the form."""
    schedule = site.get("schedule") or {}
    fields = {"area": site.get("area") or "", "parcel": site.get("parcel") or "",
              "end_of_work_day": site.get("end_of_work_day") or ""}
    fields |= {f"inspector.{one}": "on" for one in site.get("inspectors") or []}
    fields |= {f"schedule.{name}": "" if schedule.get(name) is None else str(schedule[name])
               for name in ("every_days", "weekday", "rain_in", "rain_within_hours")}
    fields |= {f"{who}.{name}": (site.get(who) or {}).get(name, "") for who in ("landowner", "contractor")
               for name in ("name", "address", "phone")}
    fields["contacts"] = "\n".join(
        "; ".join((one["role"], one["name"], one["phone"])) for one in site.get("contacts") or [])
    for n, step in enumerate(site.get("timetable") or [], 1):
        fields |= {f"step.{n}.id": step["id"], f"step.{n}.activity": step["activity"],
                   f"step.{n}.start": step.get("start") or "", f"step.{n}.end": step.get("end") or "",
                   f"step.{n}.done_on": step.get("done_on") or "", f"step.{n}.note": step.get("note", "")}
    return fields


def _step_numbers(form: dict[str, str]) -> set[int]:
    """Those of the lines of the timetable."""
    return {n for name in form if name.startswith("step.") and (n := natural(name.split(".")[1], 3)) is not None}


def changes_of(form: dict[str, str], new_id: Any) -> Doc:
    """What the form says, shaped as in the site's document. Numbers that are none stay text, to be refused by name."""
    def given(name: str) -> str | None:
        return form.get(name, "").strip() or None

    def number(name: str) -> Any:
        text = given(name)
        found = natural(text or "", 5)
        return text if found is None else found

    contractor, landowner = ({name: form.get(f"{who}.{name}", "").strip() for name in ("name", "address", "phone")}
                             for who in ("contractor", "landowner"))
    contacts = []
    for line in filter(str.strip, form.get("contacts", "").splitlines()):
        parts = [part.strip() for part in line.split(";")]
        role, name, phone = (*parts, "", "")[:3] if len(parts) > 1 else ("", parts[0], "")
        contacts.append({"role": role, "name": name, "phone": phone})
    steps = []
    for n in sorted(_step_numbers(form)):
        step = {part: given(f"step.{n}.{part}") for part in ("id", "activity", "start", "end", "done_on", "note")}
        if any(value for part, value in step.items() if part != "id"):
            steps.append({**step, "id": step["id"] or new_id(), "activity": step["activity"] or "",
                          "note": step["note"] or ""})
    return {
        "area": form.get("area", "").strip(), "parcel": form.get("parcel", "").strip(),
        "end_of_work_day": given("end_of_work_day"),
        "inspectors": sorted(name.removeprefix("inspector.") for name in form if name.startswith("inspector.")),
        "schedule": {"every_days": number("schedule.every_days"), "weekday": number("schedule.weekday"),
                     "rain_in": given("schedule.rain_in"), "rain_within_hours": number("schedule.rain_within_hours")},
        "landowner": landowner if any(landowner.values()) else None,
        "contractor": contractor if any(contractor.values()) else None, "contacts": contacts, "timetable": steps,
    }


def save(seat: Seat) -> Response:
    """POST: change the site; a mistake shows the form again with what was typed."""
    site = seat.path("id")
    try:
        changed = change_site(seat.city, seat.who, site,
                              changes_of(seat.form, lambda: seat.city.random_bytes(6).hex()),
                              seen=seat.form.get("seen", ""))
    except Problem as problem:
        if problem.code != "site-malformed":
            raise
        return form_page(seat, wrong=problem)
    return seat.go(f"/office/sites/{site}?done={'site-changed' if changed else 'site-same'}")

"""Sets up the demo city from assets/demo: places, people, and earlier inspections that came in by the usual door.

Everything is made up and every paper of it says DEMO. Days are counted from the day of setting up; the city was founded
the day before its first inspection, and each inspection came in soon after it ended. There is no password: people get
one-time links.
"""

from __future__ import annotations

import tomllib
from datetime import UTC, date, datetime, time, timedelta
from functools import cache
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from sync.records.facts import Fact, freeze
from sync.records.macs import sign
from sync.records.problems import Problem
from sync.records.times import At
from sync.server.casework import founding, people
from sync.server.casework.city import City, parse_pack
from sync.server.casework.enrolment import create_enrolment_code, create_personal_code, enrol_tablet, seen, sign_in
from sync.server.casework.receiving import Item, receive_facts
from sync.server.clock import Clock
from sync.server.db.engine import Tx
from sync.server.opening import built_beside, holds_city, make_city, open_city
from sync.server.settings import Settings
from sync.where import assets, pack_files

PACK = "demo"
UNDER_WAY = timedelta(minutes=35)  # from the end of an earlier inspection until it reached the server
FIRST_TABLET = 6  # the office's own, which brought the earlier inspections; the first one enrolled is T07


@cache
def _read(name: str) -> dict[str, Any]:
    """A file of the demo, read once however often it is asked; nobody changes what it says."""
    return tomllib.loads((assets() / "demo" / name).read_text(encoding="utf-8"))


class _Earlier:
    """The clock while the demo is set up: it stands where it was put."""

    def __init__(self, at: datetime):
        self.at = at

    def now(self) -> datetime:
        return self.at


def open_demo(data: Path, clock: Clock, public_url: str, *, serving: bool = False) -> tuple[City, bool]:
    """The demo city in ``data``, set up when the folder has none; and whether it was set up just now.

    Raises Problem "folder-in-the-way" when the folder holds another city or anything else.
    """
    fresh = not holds_city(data)
    if fresh:
        _set_up(data, clock, public_url)
    city = open_city(data, clock, public_url, serving=serving)
    if city.id != PACK:
        raise Problem("folder-in-the-way", f"{data} holds the city {city.id}, not the demo", where=str(data))
    return city, fresh


def greeting(city: City, settings: Settings, *, fresh: bool) -> str:
    """What the demo prints once it listens: where the office and the tablet app are, and what to know."""
    from sync.server.casework.queries import people_list
    from sync.server.casework.sessions import create_sign_in_link
    from sync.server.console.signing_in import sign_in_link

    lines = [
        f"Siltwatch demo: {city.name} " + ("was set up" if fresh else "was found again") + f" in {settings.data}.",
        "Everything in it is made up, and every paper says DEMO.",
        "",
        f"Office   {city.public_url}/office/",
        "         There is no password. Each of these links signs one person in, once:",
    ]
    for person in people_list(city):
        link = sign_in_link(city.public_url, create_sign_in_link(city, "keeper", person["id"]))
        lines.append(f"         {person['name']}, {person['title']}:\n           {link}")
    lines += [
        "",
        f"Tablet   {city.public_url}/app/",
        "         To enroll it, the building inspector opens Tablets in the office and makes a code;",
        "         a person's code for signing in on the tablet is made under People.",
        "",
    ]
    if settings.certificate is None:
        lines += [
            "This server speaks plain HTTP and serves this machine only. A tablet elsewhere needs TLS: browsers give",
            "camera, storage and offline use to https addresses alone. Give --certificate and --key (PEM files) with",
            "--host 0.0.0.0 and --public-url https://YOUR-NAME, or put a proxy that speaks TLS in front.",
        ]
    lines.append("Stop with Ctrl+C; the next start finds this data again.")
    return "\n".join(lines)


def _set_up(data: Path, clock: Clock, public_url: str) -> None:
    files = pack_files(PACK)
    pack = parse_pack(files)
    today = clock.now().astimezone(ZoneInfo(pack.zone)).date()
    inspections = sorted(_read("history.toml")["inspection"], key=lambda raw: _ended(raw, today, ZoneInfo(pack.zone)))
    then = _Earlier((_ended(inspections[0], today, ZoneInfo(pack.zone)) - timedelta(days=1)).astimezone(UTC))
    with built_beside(data) as building:
        city = make_city(building, then, public_url, ident=PACK, name=pack.city_name("en"), zone=pack.zone,
                         pack_files=files, first_tablet=FIRST_TABLET)
        city.db.write(lambda tx: _people(tx, city))
        city.db.write(lambda tx: _places(tx, city, today))
        _plans(city, today)
        _history(city, pack, inspections, then, today)
        city.db.close()


def _people(tx: Tx, city: City) -> None:
    for person in _read("people.toml")["person"]:
        people.keep_person(
            tx, city, person["id"], name=person["name"], title=person["title"],
            credential_no=person.get("credential_no"), valid_from=person["from"], valid_until=person.get("until"),
            grants=[(power, person["from"], person.get("until")) for power in person["powers"]],
        )


def _places(tx: Tx, city: City, today: date) -> None:
    for raw in _read("sites.toml")["site"]:
        ident = raw["id"]
        founding.keep_site(tx, city, {
            "id": ident, "name": raw["name"], "address": raw["address"], "parcel": raw["parcel"],
            "lat_udeg": raw["lat_udeg"], "lon_udeg": raw["lon_udeg"], "site_class": raw["site_class"],
            "permittee": raw.get("permittee"), "landowner": raw.get("landowner"), "land_user": raw.get("land_user"),
            "end_of_work_day": raw.get("end_of_work_day"), "area": raw.get("area", ""),
            "contractor": raw.get("contractor"), "contacts": raw.get("contacts", []),
            "inspectors": raw.get("inspectors", []), "schedule": raw.get("schedule"),
            "rains": [_rain(one, today) for one in raw.get("rains", [])],
            "timetable": [_step(one, today) for one in raw.get("timetable", [])],
        })
        for permit in raw.get("permit", []):
            issued = today - timedelta(days=permit["issued_days_ago"]) if "issued_days_ago" in permit else None
            last = today + timedelta(days=permit["valid_days_left"]) if "valid_days_left" in permit else None
            founding.keep_permit(tx, city, {
                "id": permit["id"], "site": ident, "number": permit["number"].format(year=(issued or today).year),
                "state": permit["state"], "issued_on": issued.isoformat() if issued else None,
                "last_valid_day": last.isoformat() if last else None, "conditions": permit.get("conditions", []),
            })
        for inlet in raw.get("inlet", []):
            founding.keep_place(tx, city, "inlet", {"planned_barrier": None, "retired": False, **inlet, "site": ident})
        for device in raw.get("device", []):
            founding.keep_place(tx, city, "device", {**device, "site": ident})


def _plans(city: City, today: date) -> None:
    """An erosion control plan for the sites that name one; a second revision replaces the first."""
    from sync.server.casework.plans import add_plan
    from sync.server.demo_plans import erosion_control_plan

    for raw in _read("sites.toml")["site"]:
        before = None
        for revision in raw.get("plan_revisions", ()):
            incoming = city.blobs.incoming()
            incoming.write(erosion_control_plan(raw, today, revision=revision))
            before = add_plan(
                city, "carol", raw["id"], incoming, title="Erosion control plan", kind="erosion_control_plan",
                version=f"Rev {revision}", permit=raw["permit"][0]["id"], replaces=before,
                name=f"{raw['id']}-erosion-control-plan-{revision}.pdf".lower(),
            )


def _rain(raw: dict[str, Any], today: date) -> dict[str, Any]:
    day = (today - timedelta(days=raw["days_ago"])).isoformat()
    return {"inches": raw["inches"], "began": f"{day}T{raw['from']}", "ended": f"{day}T{raw['to']}",
            "gauge": raw["gauge"]}


def _step(raw: dict[str, Any], today: date) -> dict[str, Any]:
    def day(name: str) -> str | None:
        return (today + timedelta(days=raw[name])).isoformat() if name in raw else None

    return {"id": raw["id"], "activity": raw["activity"], "start": day("start_in"), "end": day("end_in"),
            "done_on": day("done_in"), "note": raw.get("note", "")}


def _ended(raw: dict[str, Any], today: date, zone: ZoneInfo) -> datetime:
    return datetime.combine(today - timedelta(days=raw["days_ago"]), time.fromisoformat(raw["time"]), zone)


def _history(city: City, pack: Any, inspections: list[dict[str, Any]], then: _Earlier, today: date) -> None:
    """The earlier inspections, signed on a tablet of the office and received like any other."""
    code = create_enrolment_code(city, "keeper")
    enrolled = enrol_tablet(city, code, city.random_bytes(32).hex())
    persons = {person["id"]: person for person in _read("people.toml")["person"]}
    signed_in = {person: sign_in(city, enrolled.tablet, create_personal_code(city, "keeper", person))
                 for person in dict.fromkeys(raw["person"] for raw in inspections)}
    for counter, raw in enumerate(inspections, start=1):
        person = raw["person"]
        fact = _inspection(city, pack, raw, persons[person], enrolled.tablet.code, counter, today)
        data = freeze(fact)
        then.at = (_ended(raw, today, city.zone) + UNDER_WAY).astimezone(UTC)
        receive_facts(city, enrolled.tablet, [Item(data.decode(), sign(signed_in[person].credential_key, data),
                                                   signed_in[person].credential_id)])
        seen(city, enrolled.tablet)


def _inspection(city: City, pack: Any, raw: dict[str, Any], person: dict[str, Any], tablet: str, counter: int,
                today: date) -> Fact:
    from sync.ordinance.checklists import judge

    day = today - timedelta(days=raw["days_ago"])
    ended = _ended(raw, today, city.zone)
    began = ended - timedelta(minutes=25)
    answers, findings = [], []
    for failed in raw.get("failed", []):
        item = pack.item(failed["item"])
        found = judge(item, failed["answer"], {"at": ended.replace(tzinfo=None)})
        subject = failed.get("subject")
        answers.append({"item": item.id, "subject": subject, "answer": failed["answer"], "note": failed["note"]})
        findings.append({
            "id": city.random_bytes(16).hex(), "item": item.id, "subject": subject, "severity": found.severity,
            "computed": found.severity, "inputs": found.inputs, "severity_reason": None, "clause": found.clause,
            "grounds": list(found.grounds), "note": failed["note"],
            "correction": item.correction("en", _where(raw["site"], subject)),
            "due": found.due.to_wire() if found.due else None,
            "photos": [], "status": "open",
        })
    wall = ended.isoformat(timespec="seconds")
    return Fact(
        city=city.id, id=city.random_bytes(16).hex(), kind="inspection_signed", tablet=tablet, counter=counter,
        user=person["id"], at=At(ended, city.zone.key, counter, "demo", 0), pack=pack.ref,
        body={
            "site": raw["site"], "permit": _permit_of(raw["site"], raw["days_ago"]), "type": raw["type"],
            "began": began.isoformat(timespec="seconds"), "ended": wall, "inspected_on": day.isoformat(),
            "basis_of_entry": "permit condition", "weather": None, "answers": answers, "findings": findings,
            "outcome": "correction notice" if findings else "compliant", "photos": [],
            "signed": {"name": person["name"], "title": person["title"],
                       "credential_no": person.get("credential_no", ""),
                       "statement": "I made this inspection and the record is true."},
        },
    )


def _where(site: str, subject: dict[str, str] | None) -> str:
    """What the inlet or device is called in a sentence."""
    from sync.ordinance.items import where_words

    here = next(raw for raw in _read("sites.toml")["site"] if raw["id"] == site)
    about = (one for one in here.get(subject["kind"], []) if one["id"] == subject["id"]) if subject else iter(())
    return next((where_words(one["label"], one.get("place", "")) for one in about), "")


def _permit_of(site: str, days_ago: int) -> str | None:
    """The permit that was in force on the site that many days before the day of setting up."""
    for raw in _read("sites.toml")["site"]:
        for permit in raw.get("permit", []) if raw["id"] == site else []:
            if permit["state"] == "in_force" and permit["issued_days_ago"] >= days_ago >= -permit["valid_days_left"]:
                return permit["id"]
    return None

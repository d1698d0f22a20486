"""What comes down to the tablets: sites with all that is known of them, plan documents, people, credentials, packs.

Each is a document with an id and a kind. A field this version does not know is kept in ``extra`` and written back.
"""

from dataclasses import MISSING, dataclass, field, fields
from typing import Any, ClassVar, Self

from sync.records.problems import Problem


@dataclass(frozen=True, slots=True, kw_only=True)
class Down:
    """Base of all: ``from_wire`` reads a document (Problem "wire-malformed" names what is missing)."""

    KIND: ClassVar[str] = ""
    id: str
    extra: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def from_wire(cls, raw: Any) -> Self:
        if not isinstance(raw, dict):
            raise Problem("wire-malformed", f"a {cls.KIND} is an object", where=cls.KIND)
        known = {f.name: f for f in fields(cls) if f.name != "extra"}
        values = {name: raw[name] for name in known if name in raw}
        for name, spec in known.items():
            if name not in values and spec.default is MISSING and spec.default_factory is MISSING:
                raise Problem("wire-malformed", f"a {cls.KIND} needs {name}", where=f"{cls.KIND}.{name}")
        return cls(**values, extra={key: value for key, value in raw.items() if key not in known})

    def to_wire(self) -> dict[str, Any]:
        return {**self.extra, **{f.name: getattr(self, f.name) for f in fields(self) if f.name != "extra"}}


@dataclass(frozen=True, slots=True, kw_only=True)
class Site(Down):
    """Positions in microdegrees; a party is {name, address, phone} or None; end_of_work_day "HH:MM" or None (pack).

    schedule: {every_days, weekday: 0 (Monday) to 6, rain_in: inches as a decimal string, rain_within_hours}, each None
    where the pack's own number holds, or None; rains: what gauges showed lately, {inches, began, ended:
    "YYYY-MM-DDTHH:MM" in the city's zone, gauge}; inspectors: ids of the persons that the site is assigned to;
    contractor: a party; contacts: {role, name, phone}; timetable: the works in order, {id, activity, start, end: days
    planned or None, done_on, note}; area: the city's own word for the part of town, or "".

    reported: of a site that was found in the field {fact, by, on, state: reported | confirmed | duplicate} or None;
    need: the newest answer to "is a permit needed?" {fact, by, on, result, clauses} or None; same_as: the id of the
    site that this one turned out to be: what belonged to it is filed there, and lists show that one only.
    """

    KIND: ClassVar[str] = "site"
    name: str
    address: str
    parcel: str
    lat_udeg: int | None = None
    lon_udeg: int | None = None
    site_class: str = "other"
    permittee: dict[str, Any] | None = None
    landowner: dict[str, Any] | None = None
    land_user: dict[str, Any] | None = None
    end_of_work_day: str | None = None
    area: str = ""
    contractor: dict[str, Any] | None = None
    contacts: list[dict[str, Any]] = field(default_factory=list)
    inspectors: list[str] = field(default_factory=list)
    schedule: dict[str, Any] | None = None
    rains: list[dict[str, Any]] = field(default_factory=list)
    timetable: list[dict[str, Any]] = field(default_factory=list)
    reported: dict[str, Any] | None = None
    need: dict[str, Any] | None = None
    same_as: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Permit(Down):
    """state: applied, in_force, expired, revoked, denied; dates YYYY-MM-DD; conditions: {id, text, clause}.

    authorization_until: last day of the building permit or other authorization, None when there is none; validity: why
    the last valid day is that day, in words by language ({"en": ..., "es": ...}).
    """

    KIND: ClassVar[str] = "permit"
    site: str
    number: str
    state: str
    issued_on: str | None = None
    last_valid_day: str | None = None
    conditions: list[dict[str, Any]] = field(default_factory=list)
    authorization_until: str | None = None
    validity: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Inlet(Down):
    """A storm-drain inlet, inspected one by one; planned_barrier as the plan says, None when it says nothing."""

    KIND: ClassVar[str] = "inlet"
    site: str
    label: str
    place: str = ""
    lat_udeg: int | None = None
    lon_udeg: int | None = None
    planned_barrier: str | None = None
    retired: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Device(Down):
    """A control device at its place; kind is a slug of the pack's catalogue."""

    KIND: ClassVar[str] = "device"
    site: str
    kind: str
    label: str
    place: str = ""
    lat_udeg: int | None = None
    lon_udeg: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding(Down):
    """A finding of an earlier inspection; due {on, at, at_once?} or None; photo the SHA-256 of its best photo.

    thumbnail: {sha256, size, media} of a small copy of that photo, fetched by itself; None while the server has none.
    """

    KIND: ClassVar[str] = "finding"
    site: str
    item: str
    title: str
    severity: str
    found_on: str
    inspection: str
    status: str = "open"
    due: dict[str, Any] | None = None
    photo: str | None = None
    subject: dict[str, str] | None = None
    note: str = ""
    correction: str = ""
    clause: str = ""
    thumbnail: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Inspection(Down):
    """A line of the site's history, the id that of the inspection's fact. Only the newest of a site come down.

    type, outcome and ended (wall time with its offset) are as in the fact; inspector is the person's name, person the
    id; findings and critical are counts. Once corrected, the line goes and that of the correction comes.
    instead: the ids of the records in whose place it stands.
    """

    KIND: ClassVar[str] = "inspection"
    site: str
    inspected_on: str
    type: str
    outcome: str
    person: str
    inspector: str = ""
    findings: int = 0
    critical: int = 0
    ended: str = ""
    instead: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan(Down):
    """A plan document or drawing of a site, or of one permit of it. A replaced plan stays, and stays readable.

    kind: erosion_control_plan, drawing, detail, permit, other; version: what the drawing calls itself ("Rev B");
    sha256, size, media: the file as the office uploaded it; pages: pictures of it in order, which is what a tablet
    shows: {sha256, size, media, width, height}; status: current, replaced, withdrawn; replaced_by: a plan id.
    """

    KIND: ClassVar[str] = "plan"
    site: str
    title: str
    sha256: str
    size: int
    media: str
    kind: str = "other"
    version: str = ""
    permit: str | None = None
    name: str = ""
    status: str = "current"
    added_on: str = ""
    added_by: str = ""
    replaced_by: str | None = None
    pages: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rain(Down):
    """What a gauge showed, written down on some tablet: the id is that of its fact, site None for the whole city,
    inches a decimal string, began and ended wall times with their offset, by the person's id."""

    KIND: ClassVar[str] = "rain"
    inches: str
    began: str
    ended: str
    site: str | None = None
    gauge: str = ""
    note: str = ""
    by: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class MapTiles(Down):
    """Map tiles on the city's own server: path with {z}, {x}, {y} below its address, whose map it is, and the zooms."""

    KIND: ClassVar[str] = "map"
    path: str
    attribution: str
    min_zoom: int
    max_zoom: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Order(Down):
    """A stop-work order as the office knows it; id is that of the fact that made it, body that fact's body.

    status: recommended, none, issued, posted, in_force, stayed, quarantined, released, voided.
    dates: {clock, label, last_day, eligible_from, words}.

    Among what is in ``extra``, each only where it happened: granted {permit, number, on}, a permit since; sold {on,
    served}, the land changed hands and its new owner was served; service [{party, on, name, method}]; worked_on, acts;
    recounted {pack, dates: [{clock, was, last_day, eligible_from}]}, by a corrected calendar.
    """

    KIND: ClassVar[str] = "order"
    number: str
    site: str
    status: str
    grounds: list[str]
    body: dict[str, Any]
    posted_on: str | None = None
    issued_on: str | None = None
    register: str | None = None
    recommended_by: str | None = None
    issued_by: str | None = None
    confirmed: dict[str, Any] | None = None
    declined: dict[str, Any] | None = None
    dates: list[dict[str, Any]] = field(default_factory=list)
    public_url: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteAct(Down):
    """An emergency, or a revision of the plan, on a site; id is the fact that brought it, body that fact's body.

    act: emergency, revision. status: recorded (an emergency), recommended, ordered, declined, withdrawn (a revision).
    ordered_on: the day of a revision that was ordered, in the field or in the office; by: who; reasons: why declined or
    withdrawn. attended: of an emergency to which the office has seen, {by: who, at: when, said: what was arranged}.
    """

    KIND: ClassVar[str] = "site_act"
    site: str
    act: str
    status: str
    by: str
    body: dict[str, Any]
    reference: str = ""
    ordered_on: str | None = None
    ordered_by: str | None = None
    reasons: str = ""
    attended: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Blank(Down):
    """A pre-printed placard of this tablet; it comes down to that tablet alone. id is its number, followed by "@" and
    the tablet's code where the tablet had another code when it was printed.

    state: free, used (an order bears its number), void (reasons say why).
    """

    KIND: ClassVar[str] = "blank"
    number: str
    counter: int
    token: str
    state: str = "free"
    reasons: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Person(Down):
    """powers: {power, from, until or None}, each valid on the days from..until inclusive."""

    KIND: ClassVar[str] = "person"
    name: str
    title: str
    credential_no: str = ""
    powers: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class Credential(Down):
    """How a person's credential on this tablet stands; never its key. It comes down to its own tablet alone.

    state: valid, revoked; at: when that was decided (ISO 8601, UTC).
    """

    KIND: ClassVar[str] = "credential"
    person: str
    state: str
    at: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PackFiles(Down):
    """An ordinance pack: its TOML texts by file name, under one SHA-256."""

    KIND: ClassVar[str] = "pack"
    version: str
    sha256: str
    files: dict[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecoveryKey(Down):
    """The public half of the city's pair for forgotten PINs, 65 bytes in hex; its only id is "city"."""

    KIND: ClassVar[str] = "recovery_key"
    public: str


KINDS: dict[str, type[Down]] = {
    cls.KIND: cls
    for cls in (
        Site, Permit, Inlet, Device, Finding, Inspection, Plan, Rain, MapTiles, Order, SiteAct, Blank, Person,
        Credential, PackFiles, RecoveryKey,
    )
}
TABLES = {
    "site": "sites",
    "permit": "permits",
    "inlet": "inlets",
    "device": "devices",
    "finding": "findings",
    "inspection": "inspections",
    "plan": "plans",
    "rain": "rains",
    "map": "maps",
    "order": "orders",
    "site_act": "site_acts",
    "blank": "blanks",
    "person": "people",
    "credential": "standings",
    "pack": "packs",
    "recovery_key": "recovery_keys",
}


PLAN_KINDS = ("erosion_control_plan", "drawing", "detail", "permit", "other")


def may(person: dict[str, Any], power: str, on: str) -> bool:
    """Whether the person's document grants ``power`` on the day ``on`` (YYYY-MM-DD, inclusive on both ends)."""
    return any(
        grant.get("power") == power
        and str(grant.get("from", "")) <= on
        and (grant.get("until") is None or on <= str(grant["until"]))
        for grant in person.get("powers", [])
    )

"""A city with something in it for the office to look at: inspections with photos, orders in every standing, doubts.

Everything came in by the usual door (`receive_facts`, `hold_bytes`), signed on enrolled tablets.
"""

from __future__ import annotations

import hashlib
import random
from dataclasses import dataclass, field
from io import BytesIO
from typing import Any

from PIL import Image, ImageDraw, ImageFilter

from sync.records.facts import freeze
from sync.server.casework.city import City
from sync.server.casework.enrolment import seen
from sync.server.casework.evidence import hold_bytes
from sync.server.casework.orders import confirm_order, decline_order, issue_recommended_order
from sync.server.casework.receiving import Item, receive_facts
from tests.support.city import FieldTablet, field_tablet, memory_city
from tests.support.clock import StoppedClock
from tests.support.samples import inspection_body, order_body, photo


def picture(seed: int, size: tuple[int, int] = (1024, 768)) -> bytes:
    """A JPEG that looks faintly like a muddy road under a grey sky; another one for each seed."""
    draws = random.Random(seed)
    width, height = size
    horizon = height * draws.randint(30, 45) // 100
    image = Image.new("RGB", size, (176 + draws.randint(-12, 12), 190, 202))
    canvas = ImageDraw.Draw(image)
    canvas.rectangle((0, horizon, width, height), fill=(118 + draws.randint(-14, 14), 108, 92))
    centre = width * draws.randint(35, 65) // 100
    canvas.polygon(
        [(centre - 30, horizon), (centre + 30, horizon), (width * 4 // 5, height), (width // 5, height)],
        fill=(96, 98, 102),
    )
    for _ in range(160):
        y = draws.randint(horizon + 10, height)
        near = (y - horizon) / (height - horizon)
        x = centre + draws.gauss(0, 30 + near * width / 7)
        radius = 3 + near * draws.uniform(4, 26)
        brown = draws.randint(70, 110)
        canvas.ellipse(
            (x - radius * 2, y - radius / 2, x + radius * 2, y + radius / 2), fill=(brown + 30, brown, brown - 30)
        )
    image = image.filter(ImageFilter.GaussianBlur(1.6))
    out = BytesIO()
    image.save(out, "JPEG", quality=85)
    return out.getvalue()


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@dataclass(slots=True)
class Office:
    """The city, its clock, and the ids of what is in it, by name ("posted", "recommended", ...)."""

    city: City
    clock: StoppedClock
    tablet: FieldTablet
    pictures: list[bytes]
    inspection: str = ""
    orders: dict[str, str] = field(default_factory=dict)
    numbers: dict[str, Any] = field(default_factory=dict)


def furnished_office(
    city: City | None = None, clock: StoppedClock | None = None, *, sites=("site-01", "site-02")
) -> Office:
    """One inspection with photos (one still on the tablet) and an order in each standing, as of Wed 2026-09-02."""
    clock = clock or StoppedClock()
    city = city or memory_city(clock)
    tablet = field_tablet(city, "ada", "ben")
    office = Office(city, clock, tablet, [picture(seed) for seed in range(4)])
    clock.set("2026-08-27T14:30:00-05:00")

    shas = [sha(data) for data in office.pictures]
    placed = {
        "position": {
            "lat_udeg": 43_073_051,
            "lon_udeg": -89_401_230,
            "accuracy_cm": 812,
            "fixed_at": "2026-08-27T13:50:59-05:00",
        },
        "no_position": None,
    }
    body = inspection_body() | {"site": sites[0], "permit": "permit-01"}
    body["findings"][0] |= {"photos": shas[:2], "severity": "critical", "severity_reason": "second time this week"}
    body["findings"].append(
        body["findings"][0]
        | {
            "id": "f2",
            "item": "INL-01",
            "subject": {"kind": "inlet", "id": "inlet-02"},
            "severity": "major",
            "computed": "major",
            "severity_reason": None,
            "inputs": {},
            "clause": "D5",
            "note": "The bag lies beside it.",
            "correction": "Put a barrier of filter fabric around the inlet.",
            "photos": [shas[2]],
            "due": {"on": "2026-08-28", "at": "12:00"},
        }
    )
    body["answers"] += [
        {
            "item": "INL-01",
            "subject": {"kind": "inlet", "id": "inlet-01"},
            "answer": {"answer": "not_observed"},
            "note": "A parked truck stands on it.",
        },
        {"item": "INL-01", "subject": {"kind": "inlet", "id": "inlet-02"}, "answer": {"answer": "no"}, "note": ""},
        {"item": "WST-01", "subject": None, "answer": {"answer": "yes"}, "note": ""},
        {
            "item": "c1",
            "subject": {"kind": "condition", "id": "c1"},
            "answer": {"answer": "no"},
            "note": "About 30 feet.",
        },
    ]
    body["photos"] = [
        photo(shas[0], view="wide", **placed),
        photo(shas[1], view="close", **placed),
        photo(shas[2], finding="f2", item="INL-01", **placed),
        photo(shas[3], finding=None, item=None, name="North fence", source="gallery"),
    ]
    inspection = tablet.fact("inspection_signed", body, evidence=[(one, "photo") for one in shas])
    office.inspection = inspection.id
    lease = iter(tablet.enrolled.lease)

    def order(kind: str, user: str, **changes: Any):
        leased = next(lease)
        fact = tablet.fact(
            kind, order_body() | {"site": sites[0], "number": leased.number, "token": leased.token} | changes, user=user
        )
        return fact, leased

    posted, number = order(
        "order_posted",
        "ada",
        grounds=["b", "c"],
        findings=[{"fact": inspection.id, "finding": "f1"}, {"fact": inspection.id, "finding": "f2"}],
        address="100 Mill Street",
        corrections=[
            {"text": "Sweep or shovel Mill Street and haul the soil back.", "due": {"on": "2026-08-27", "at": "17:00"}},
            {"text": "Put a barrier of filter fabric around inlet CB-2.", "due": {"on": "2026-08-28", "at": "12:00"}},
        ],
    )
    placard = tablet.fact(
        "photo_added",
        {
            "about": {"order": number.number},
            "photo": photo(shas[0], item=None, finding=None, name="The placard at the entrance"),
        },
        evidence=[(shas[0], "photo")],
    )
    nothing = {
        "posted_on": None,
        "posted_at": None,
        "permit": None,
        "permit_number": None,
        "grounds": ["a"],
        "site": sites[1],
        "address": "200 Mill Street",
        "parcel": "251-02",
        "met": [],
        "nobody_present": True,
        "inspector": {"name": "Ben Okafor", "title": "Inspector Trainee", "credential_no": "SC-1002"},
        "observed": "The topsoil is stripped on about half an acre. No permit is posted and the office has none.",
        "must_stop": "All clearing and grading on the parcel.",
    }
    made = {
        "posted": (posted, number),
        "recommended": order("order_recommended", "ben", **nothing),
        "issued": order("order_recommended", "ben", **nothing, written_in="en", said={
            "es": {"must_stop": "Todo desmonte y nivelación en la parcela."}}),
        "confirmed": order("order_posted", "ada", address="100 Mill Street"),
        "declined": order("order_posted", "ada", address="100 Mill Street"),
    }
    for name, (fact, leased) in made.items():
        office.orders[name], office.numbers[name] = fact.id, leased
    clock.set("2026-09-02T09:05:00-05:00")
    tablet.push(inspection, *(fact for fact, _ in made.values()), placard)
    for data in office.pictures[:3]:
        hold_bytes(city, tablet.tablet, sha(data), "photo", data)
    office.numbers["leased"] = next(lease)

    # What cannot be placed: an unknown kind, a record with a changed signature, bytes that are no record.
    unknown = tablet.fact("turbidity_measured", {"ntu": "120"})
    forged = tablet.item(
        tablet.fact("inspection_signed", body | {"outcome": "incomplete"}, evidence=[(one, "photo") for one in shas])
    )
    receive_facts(
        city,
        tablet.tablet,
        [
            Item(freeze(unknown).decode(), tablet.item(unknown).mac, tablet.item(unknown).credential),
            Item(forged.text, "0" * 64, forged.credential),
            Item('{"v":1}', "0" * 64, forged.credential),
        ],
    )
    clock.advance(minutes=7)
    confirm_order(city, "carol", office.orders["confirmed"])
    clock.advance(minutes=3)
    decline_order(city, "carol", office.orders["declined"], "The order names the wrong parcel.")
    issue_recommended_order(city, "carol", office.orders["issued"])
    seen(city, tablet.tablet)
    clock.advance(minutes=12)
    return office

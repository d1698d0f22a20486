"""Well-formed records for tests: one inspection with a finding and a photo, one order. Copies, free to change."""

import copy
from datetime import datetime, timedelta, timezone
from typing import Any

from sync.records.facts import Evidence, Fact
from sync.records.times import At

CENTRAL_DAYLIGHT = timezone(timedelta(hours=-5))
PHOTO = "1" * 64
NUMBER = "SW-2026-T07-0012-N"


def at(text: str = "2026-08-27T14:03:22") -> At:
    wall = datetime.fromisoformat(text).replace(tzinfo=CENTRAL_DAYLIGHT)
    return At(wall, "America/Chicago", 12_345, "0f" * 8, None)


def photo(sha256: str = PHOTO, **changes: Any) -> dict[str, Any]:
    return {
        "sha256": sha256,
        "taken": at().to_wire(),
        "source": "camera",
        "position": None,
        "no_position": "no signal from satellites",
        "item": "TRK-06",
        "finding": "f1",
        "view": "wide",
        "name": None,
        **changes,
    }


_INSPECTION = {
    "site": "site-01",
    "permit": "permit-01",
    "type": "weekly",
    "began": "2026-08-27T13:40:00-05:00",
    "ended": "2026-08-27T14:03:00-05:00",
    "inspected_on": "2026-08-27",
    "basis_of_entry": "consent",
    "weather": {"rain_24h_in": "0.50", "source": "gauge on site"},
    "answers": [{"item": "TRK-06", "subject": None, "answer": {"soil": "clumps", "distance_ft": "40"}, "note": ""}],
    "findings": [
        {
            "id": "f1",
            "item": "TRK-06",
            "subject": None,
            "severity": "major",
            "computed": "major",
            "inputs": {"soil": "clumps"},
            "severity_reason": None,
            "clause": "D4",
            "grounds": ["b", "c"],
            "note": "Mud along Mill Street for 40 feet.",
            "correction": "Sweep or shovel the road and haul the soil back.",
            "due": {"on": "2026-08-27", "at": "17:00"},
            "photos": [PHOTO],
            "status": "open",
        }
    ],
    "outcome": "stop-work posted",
    "photos": [photo()],
    "signed": {
        "name": "Ada Lindqvist",
        "title": "Inspector",
        "credential_no": "WI-1001",
        "statement": "I saw what is recorded here and took these photos.",
    },
}

_ORDER = {
    "number": NUMBER,
    "token": "tok-12",
    "site": "site-01",
    "address": "4 Mill Street",
    "parcel": "11-0404",
    "permit": "permit-01",
    "permit_number": "EC-2026-014",
    "grounds": ["b"],
    "findings": [],
    "observed": "Mud on Mill Street for 40 feet, two inlets open.",
    "must_stop": "All grading and hauling.",
    "may_continue": "Street sweeping and inlet protection.",
    "corrections": [{"text": "Sweep the road.", "due": {"on": "2026-08-27", "at": "17:00"}}],
    "met": [{"name": "Sam Ortiz", "role": "foreman", "served": True}],
    "nobody_present": False,
    "posted_on": "2026-08-27",
    "posted_at": "2026-08-27T14:20:00-05:00",
    "printed_on": "2026-08-27",
    "placard": None,
    "inspector": {"name": "Ada Lindqvist", "title": "Inspector", "credential_no": "WI-1001"},
}


def inspection_body() -> dict[str, Any]:
    return copy.deepcopy(_INSPECTION)


def order_body() -> dict[str, Any]:
    return copy.deepcopy(_ORDER)


def sample_fact(**changes: Any) -> Fact:
    return Fact(
        **{
            "city": "demo",
            "id": "a1" * 16,
            "kind": "inspection_signed",
            "tablet": "T07",
            "counter": 1,
            "user": "ada",
            "at": at(),
            "pack": "demo@2026.1",
            "body": inspection_body(),
            "evidence": (Evidence(PHOTO, "photo", 1000, "image/jpeg"),),
            **changes,
        }
    )

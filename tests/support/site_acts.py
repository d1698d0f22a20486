"""Emergencies and revisions as records: bodies for site-01 with everything that is asked for."""

from __future__ import annotations

from typing import Any

SIGNED = {"name": "Ada Lindqvist", "title": "Erosion Control Inspector", "credential_no": "SC-1001"}


def approval(**changes: Any) -> dict[str, Any]:
    """The building inspector approved by phone."""
    return {"how": "phone", "person": "carol", "name": "Carol Brandt", "role": "Building Inspector",
            "at": "2026-08-27T13:20:00-05:00", **changes}


def emergency_body(**changes: Any) -> dict[str, Any]:
    """A basin about to break, approved by phone, entered ten minutes later."""
    return {
        "site": "site-01", "condition": "The basin overflows and its bank is cut through.",
        "threatens": ["surface water", "storm sewer"], "found_on": "2026-08-27",
        "found_at": "2026-08-27T13:05:00-05:00",
        "approval": approval(), "no_approval": None, "entered_at": "2026-08-27T13:30:00-05:00",
        "actions": "Sand bags across the cut; the city's crew is called.", "photos": [], "reported_on": "2026-08-27",
        "reported_at": "2026-08-27T14:00:00-05:00", "signed": SIGNED, **changes,
    }


def revision_body(*, ordered: bool = True, **changes: Any) -> dict[str, Any]:
    """Two more devices after four inches of rain."""
    return {
        "site": "site-01", "permit": "permit-01", "permit_number": "EC-2026-014",
        "conditions": "4.1 inches of rain in 24 hours.", "inadequate": "Water runs around both ends of the silt fence.",
        "devices": [{"text": "A sediment trap at the low corner", "due": {"on": "2026-08-29", "at": "17:00"}},
                    {"text": "Fence ends turned uphill", "due": {"on": "2026-08-28", "at": "12:00"}}],
        "found_on": "2026-08-26", "met": [], "nobody_present": True, "photos": [], "reported_on": "2026-08-27",
        "reported_at": "2026-08-27T14:00:00-05:00", "inspector": SIGNED,
        "ordered_on": "2026-08-27" if ordered else None,
        "ordered_at": "2026-08-27T14:00:00-05:00" if ordered else None, **changes,
    }

"""What an inspector finds in the field: a site that nobody knew, and rain in a gauge, as bodies of facts."""

from typing import Any

NEW = "5" * 32


def report_body(**changes: Any) -> dict[str, Any]:
    """A trench on no list, with a permit needed for road work."""
    return {
        "site": NEW, "new": True, "name": "Ditch at 40 Oak", "address": "40 Oak Street", "parcel": "",
        "site_class": "other",
        "position": {"lat_udeg": 43_000_100, "lon_udeg": -89_000_200, "accuracy_cm": 500,
                     "fixed_at": "2026-08-27T14:00:00-05:00"},
        "no_position": None,
        "parties": [{"role": "contractor", "name": "Digwell", "address": "", "phone": "608 555 0100"},
                    {"role": "other", "name": "Kim", "address": "", "phone": ""}],
        "observed": "A trench 200 feet long.", "answers": {"road_work": "local"},
        "need": {"result": "required", "clauses": ["C3"]}, "photos": [], "reported_on": "2026-08-27",
        "reported_at": "2026-08-27T14:01:00-05:00", **changes,
    }


def rain_body(**changes: Any) -> dict[str, Any]:
    """Rain of one night, for the whole city."""
    return {"site": None, "gauge": "yard", "inches": "0.70", "from": "2026-08-27T01:00:00-05:00",
            "to": "2026-08-27T06:00:00-05:00", "note": "", **changes}

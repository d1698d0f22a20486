"""What a stop-work order says as a record: the same words as its placard, from the draft as it is stored."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from field_app.work import order_said, permit_ground
from field_app.work.sealing import signer

if TYPE_CHECKING:
    from field_app.work.desk import Desk


def order_body(desk: Desk, doc: dict[str, Any], *, posted_on: str | None, posted_at: str | None) -> dict[str, Any]:
    """The body of the order's fact. Both None: a recommendation."""
    from field_app.work.blanks import line_for

    placard, line = doc["placard"], line_for(desk, doc["number"])
    more = {**({"blank": True} if doc.get("blank") else {}), **({"line": line} if line else {}),
            **({"beside": doc["beside"]} if doc.get("beside") else {})}
    if outside := permit_ground.outside(desk, doc):
        more["outside"] = outside
    more |= order_said.record(desk, doc, outside)
    return {
        "number": doc["number"],
        "token": doc["token"],
        "site": doc["site"],
        "address": doc["address"],
        "parcel": doc["parcel"],
        "permit": doc["permit"],
        "permit_number": doc["permit_number"],
        "grounds": doc["grounds"],
        "findings": doc["findings"],
        # The placard, too, says which work the permit does not cover.
        "observed": "\n".join(part for part in (doc["observed"], outside) if part),
        "must_stop": doc["must_stop"],
        "may_continue": doc["may_continue"],
        "corrections": [order_said.correction_record(desk, doc, c) for c in doc["corrections"]],
        "met": doc["met"],
        "nobody_present": doc["nobody_present"],
        "posted_on": posted_on,
        "posted_at": posted_at,
        "printed_on": placard["printed_on"] if placard else desk.today().isoformat(),
        "placard": placard["sha256"] if placard else None,
        "inspector": signer(desk),
        **more,
    }

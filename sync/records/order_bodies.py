"""What a fact about an order says: posted, recommended, put up, put up again, released, voided, or its number given up.

A part of the schema in `sync.records.bodies`, which every fact is checked against.
"""

from typing import Any

from sync.records.body_parts import DUE, SIGNER, SPOKEN
from sync.records.photo_bodies import position
from sync.records.shapes import (
    Check,
    bad,
    by_language,
    day,
    fact_id,
    filled,
    language,
    many,
    maybe,
    number,
    obj,
    one_of,
    sha256,
    text,
    truth,
    wall,
)
from sync.records.times import parse_date, parse_wall

# What somebody is to the site. Of those who got a copy of an order (`met`), "other" counts as no service.
PARTY_ROLES = ("permittee", "landowner", "land_user", "contractor", "other")
_ORDER: dict[str, Check] = {
    "number": number,
    "token": filled,
    "site": filled,
    "address": filled,
    "parcel": text,
    "permit": maybe(filled),
    "permit_number": maybe(filled),
    "grounds": many(filled, 10),
    "findings": many(obj({"fact": fact_id, "finding": filled}), 1_000),
    "observed": filled,
    "must_stop": filled,
    "may_continue": text,
    "corrections": many(obj({"text": filled, "due": maybe(DUE)}, {"said": by_language(filled)}), 200),
    "met": many(obj({"name": filled, "role": text, "served": truth}, {"party": one_of(*PARTY_ROLES)}), 50),
    "nobody_present": truth,
    "printed_on": day,
    "placard": maybe(sha256),
    "inspector": obj(SIGNER),
}
# Which code a tablet had before, sealed by the city when it gave the tablet the code it has now (docs/protocol.md).
LINE = many(obj({"code": filled, "was": filled, "seal": filled}), 20)
# `blank`: what hangs is a pre-printed placard on which the date was written by hand; `printed_on` is that date.
# `beside`: the orders that stood on the site when this one was written, which of them it is to replace (null: none),
# and why it was written all the same. `outside`: the work that the permit in force does not cover, where ground (a) was
# taken.
# `written_in`: the language of the tablet that it was written on; `said`: its inspector's own words in others.
BESIDE = obj({"orders": many(fact_id, 50), "replaces": maybe(fact_id), "reason": filled})
_SAID = obj({}, {"observed": filled, "must_stop": filled, "may_continue": filled})
_ORDER_MORE: dict[str, Check] = {"blank": truth, "line": LINE, "beside": BESIDE, "outside": filled,
                                 "written_in": language, "said": by_language(_SAID), **SPOKEN}
# Where the tablet was when a placard was put up, or why it did not know.
_WHERE: dict[str, Check] = {"position": maybe(position), "no_position": maybe(filled)}
ORDER_POSTED = obj({**_ORDER, "posted_on": day, "posted_at": wall}, {**_ORDER_MORE, **_WHERE})
ORDER_RECOMMENDED = obj({**_ORDER, "posted_on": maybe(day), "posted_at": maybe(wall)}, _ORDER_MORE)
# A leased number that was used up without an order: a pre-printed placard that was spoiled or lost, an order that was
# given up. `instead`: the number of the placard that was taken in its place.
NUMBER_VOIDED = obj(
    {"number": number, "token": filled, "voided_on": day, "reasons": filled, "blank": truth, "signed": obj(SIGNER)},
    {"instead": maybe(number), "line": LINE},
)
ORDER_AFFIXED = obj({"number": number, "order": fact_id, "posted_on": day, "posted_at": wall, "place": text}, _WHERE)
# What ends or renews an order in the field. ``order`` is the fact that made it; a copy of the number goes along so that
# a person can check the paper. The placard's number never changes by any of these.
ORDER_RELEASED = obj(
    {
        "number": number,
        "order": fact_id,
        "scope": one_of("whole", "part"),
        "part": maybe(filled),
        "released_on": day,
        "released_at": wall,
        "reasons": filled,
        "signed": obj(SIGNER),
    }
)
PLACARD_REPOSTED = obj(
    {"number": number, "order": fact_id, "posted_on": day, "posted_at": wall, "place": text, "why": filled}, _WHERE
)
ORDER_VOIDED = obj(
    {
        "number": number,
        "order": fact_id,
        "voided_on": day,
        "reasons": filled,
        "replaced_by": maybe(fact_id),
        "signed": obj(SIGNER),
    }
)

ORDER_BODIES: dict[str, Check] = {
    "order_posted": ORDER_POSTED,
    "order_recommended": ORDER_RECOMMENDED,
    "order_affixed": ORDER_AFFIXED,
    "order_released": ORDER_RELEASED,
    "placard_reposted": PLACARD_REPOSTED,
    "order_voided": ORDER_VOIDED,
    "number_voided": NUMBER_VOIDED,
}


def check_order(kind: str, body: dict[str, Any]) -> None:
    """What the fields of a body of one of these kinds must say together. Raises Problem "fact-malformed"."""
    if kind in ("order_posted", "order_recommended"):
        if not body["grounds"]:
            raise bad("body.grounds", "an order names at least one ground")
        if kind == "order_recommended" and (body["posted_on"] or body["posted_at"]):
            raise bad("body.posted_on", "a recommendation is not posted")
        if kind == "order_posted" and parse_wall(body["posted_at"], "").date() != parse_date(body["posted_on"], ""):
            raise bad("body.posted_on", "posted_on is the local date of posted_at")
    if kind in ("order_affixed", "placard_reposted") and (
        parse_wall(body["posted_at"], "").date() != parse_date(body["posted_on"], "")
    ):
        raise bad("body.posted_on", "posted_on is the local date of posted_at")
    if kind == "order_released":
        if parse_wall(body["released_at"], "").date() != parse_date(body["released_on"], ""):
            raise bad("body.released_on", "released_on is the local date of released_at")
        if (body["scope"] == "part") != (body["part"] is not None):
            raise bad("body.part", "a release of a part says which part, a whole one names none")

"""An order whose photos are still on their tablet."""

from __future__ import annotations

from dataclasses import replace

from sync.records.facts import Fact
from sync.records.macs import fingerprint
from tests.support.city import inspection_body
from tests.support.disputes import Dispute
from tests.support.pictures import picture
from tests.support.samples import photo

SEEN, PLACARD = picture(3_000, 1), picture(3_000, 2)


def shas(*files: bytes) -> list[str]:
    return [fingerprint(data) for data in files]


def an_order_with_photos(world: Dispute) -> tuple[Fact, Fact, Fact]:
    """Of a finding and of its placard, each a record of its own; nine days later the permit may be revoked."""
    seen, up = shas(SEEN, PLACARD)
    inspection = world.one.fact("inspection_signed", inspection_body(photos=[photo(seen)]), evidence=[(seen, "photo")])
    order = replace(world.posted(world.one), needs=(inspection.id,))
    placard = world.one.fact("photo_added", {"about": {"order": order.body["number"]}, "photo": photo(up)},
                             evidence=[(up, "photo")], needs=(order.id,))
    return inspection, order, placard

"""A small city with everything that conflicts need: two tablets, the office, and a look at the state that must come
out the same whatever arrives first. Tablets speak through the real HTTP interface, the office through casework.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from functools import lru_cache, partial
from typing import Any

from sqlalchemy import select
from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.testclient import TestClient

from sync.ordinance.acts import decide
from sync.records.facts import Fact
from sync.records.protocol import CHANGES, FACTS, HEADER_PROTOCOL, RECEIPTS
from sync.records.receipts import Receipt, open_receipt
from sync.records.times import At
from sync.server.api.service import guarded_api
from sync.server.casework import audit
from sync.server.casework.city import City
from sync.server.casework.conflicts import Conflict, open_conflicts
from sync.server.casework.matters import matter_of
from sync.server.casework.office import kept_records
from sync.server.casework.public import public_order
from sync.server.casework.settling import settle
from sync.server.db.engine import Tx, put
from sync.server.db.schema import facts, powers, strays
from tests.support.city import START, FieldTablet, field_tablet, memory_city, order_body, same_tablet
from tests.support.clock import StoppedClock

OFFICE_POWERS = ("release", "void_and_supersede", "ratify", "revoke", "extend", "decide_applications", "certify_peril")
SIGNED = {"name": "Carol Brandt", "title": "Building Inspector", "credential_no": "BI-0007"}
# What a person did and when it was written down is history, and may differ; everything else may not.
HISTORY = ("register", "changes", "base")


@dataclass(slots=True)
class Dispute:
    """``one`` and ``two`` are tablets on which ada, ben and carol are signed in; ``client`` speaks HTTP."""

    city: Any
    clock: StoppedClock
    one: FieldTablet
    two: FieldTablet
    client: TestClient

    # --- tablets --------------------------------------------------------------------------------------------------
    def push(self, tablet: FieldTablet, *made: Fact) -> list[Receipt]:
        """Sends facts by HTTP, as the tablet, and opens the receipts."""
        items = []
        for fact in made:
            item = tablet.item(fact)
            items.append({"fact": item.text, "mac": item.mac, "credential": item.credential})
        response = self.client.post(FACTS, json={"items": items}, headers=self._as(tablet))
        assert response.status_code == 200, response.text
        return [open_receipt(one, tablet.tablet.receipt_key) for one in response.json()["results"]]

    def receipt(self, tablet: FieldTablet, fact: Fact) -> Receipt:
        """The receipt that the tablet gets when it asks again."""
        told = self.client.post(RECEIPTS, json={"facts": [fact.id]}, headers=self._as(tablet)).json()
        return open_receipt(told["results"][0], tablet.tablet.receipt_key)

    def _as(self, tablet: FieldTablet) -> dict[str, str]:
        return {"Authorization": f"Bearer {tablet.enrolled.device_token}"}

    def down(self, tablet: FieldTablet, kind: str) -> dict[str, dict[str, Any]]:
        """What the tablet is told of everything of one kind, by HTTP."""
        return self._told(tablet).get(kind, {})

    def _told(self, tablet: FieldTablet) -> dict[str, dict[str, dict[str, Any]]]:
        """Everything that it is told, by kind and id."""
        told: dict[str, dict[str, dict[str, Any]]] = {}
        for item in self.client.get(CHANGES, params={"limit": 500}, headers=self._as(tablet)).json()["items"]:
            told.setdefault(item["kind"], {})[item["id"]] = item["doc"]
        return told

    def order(self, ident: str) -> dict[str, Any]:
        return self.down(self.one, "order")[ident]

    # --- facts ----------------------------------------------------------------------------------------------------
    def posted(self, tablet: FieldTablet, index: int = 0, *, user: str = "ada", on: str = "2026-08-27",
               at: At | None = None, **changes: Any) -> Fact:
        """An order of site-01 posted on that day under the tablet's leased number ``index``; ``at``: its clocks."""
        body = order_body(tablet, index, **{"posted_on": on, "posted_at": f"{on}T14:00:00-05:00", "printed_on": on,
                                            **changes})
        more = {"at": at} if at else {}
        return tablet.fact("order_posted", body, user=user, wall=f"{on}T14:03:00-05:00", **more)

    def recommended(self, tablet: FieldTablet, index: int = 0, *, user: str = "ben", on: str = "2026-08-27") -> Fact:
        """An order of site-01 recommended to the office."""
        body = order_body(tablet, index, posted_on=None, posted_at=None, printed_on=on)
        return tablet.fact("order_recommended", body, user=user, wall=f"{on}T14:03:00-05:00")

    def affixed(self, tablet: FieldTablet, order: Fact, on: str, *, user: str = "ben") -> Fact:
        """It is put up, as far as this tablet knows for the first time."""
        return tablet.fact("order_affixed", {
            "number": order.body["number"], "order": order.id, "posted_on": on, "posted_at": f"{on}T10:00:00-05:00",
            "place": "gate"}, user=user, wall=f"{on}T10:01:00-05:00", needs=(order.id,))

    def released(self, tablet: FieldTablet, order: Fact, on: str, *, part: str | None = None,
                 user: str = "carol") -> Fact:
        return tablet.fact("order_released", {
            "number": order.body["number"], "order": order.id, "scope": "part" if part else "whole", "part": part,
            "released_on": on, "released_at": f"{on}T11:00:00-05:00", "reasons": "All is put right.",
            "signed": SIGNED}, user=user, wall=f"{on}T11:01:00-05:00", needs=(order.id,))

    def reposted(self, tablet: FieldTablet, order: Fact, on: str, *, user: str = "ada") -> Fact:
        return tablet.fact("placard_reposted", {
            "number": order.body["number"], "order": order.id, "posted_on": on, "posted_at": f"{on}T09:00:00-05:00",
            "place": "gate", "why": "The placard was torn down."}, user=user, wall=f"{on}T09:01:00-05:00",
            needs=(order.id,))

    def voided(self, tablet: FieldTablet, order: Fact, on: str, *, by: Fact | None = None,
               user: str = "carol") -> Fact:
        return tablet.fact("order_voided", {
            "number": order.body["number"], "order": order.id, "voided_on": on, "reasons": "It names the wrong parcel.",
            "replaced_by": by.id if by else None, "signed": SIGNED}, user=user, wall=f"{on}T15:00:00-05:00",
            needs=(order.id,))

    # --- the office -----------------------------------------------------------------------------------------------
    def conflicts(self) -> list[str]:
        return [one.kind for one in open_conflicts(self.city)]

    def conflict(self, kind: str) -> Conflict:
        found = [one for one in open_conflicts(self.city) if one.kind == kind]
        assert found, f"no open conflict {kind}, only {self.conflicts()}"
        return found[0]

    def decide(self, kind: str, act: str, *, subject: str | None = None, other: str | None = None,
               who: str = "carol") -> None:
        """Takes one of the decisions that the conflict offers; a decision that it does not offer fails the test."""
        self.conflict(kind)
        offered = [choice for one in open_conflicts(self.city) if one.kind == kind for choice in one.choices]
        fitting = [one for one in offered if one.act == act and subject in (None, one.subject)
                   and other in (None, one.other)]
        assert fitting, f"{kind} offers {offered}"
        settle(self.city, who, act, fitting[0].subject, fitting[0].other, "Seen on the site.")

    def missing(self, order: Fact, act: str) -> tuple[str, ...]:
        """What the law asks for today before this act under the order."""
        return decide(matter_of(self.city, order.id), act, order.id).missing

    # --- what must be the same ------------------------------------------------------------------------------------
    def state(self) -> dict[str, Any]:
        """All that came down, orders as the public sees them, records and what is still open; the audit chain is
        whole."""
        audit.verify(self.city)
        down = self._told(self.one)
        told = down.get("order", {})

        def plain(docs: dict[str, Any]) -> dict[str, Any]:
            return {ident: {key: value for key, value in doc.items() if key not in HISTORY}
                    for ident, doc in docs.items() if doc}

        with self.city.db.read() as tx:
            kept = {row.id: (row.state, row.reason, row.sha256) for row in tx.execute(select(facts))}
            apart = {(row.fact, row.sha256, row.reason) for row in tx.execute(select(strays))}
        return {
            "orders": plain(told), "told": {kind: plain(docs) for kind, docs in down.items()},
            "public": {doc["number"]: public_order(self.city, doc["number"], doc["body"]["token"]).state
                       for doc in told.values()},
            "facts": kept, "apart": apart, "open": self.conflicts(),
        }

    def readable(self, *made: Fact) -> None:
        """Every original can be read as it was signed, under the number that it was signed with."""
        for fact in made:
            bodies = [one["body"] for one in kept_records(self.city, fact.id)]
            assert fact.body in bodies, f"{fact.kind} {fact.id} is not kept as it was signed"


@lru_cache(maxsize=2)
def _begun(at: str) -> tuple[City, FieldTablet, FieldTablet]:
    """A city whose tablets are enrolled, to copy from: nothing more may be done in it."""
    city = memory_city(StoppedClock(at))

    def work(tx: Tx) -> None:
        for power in OFFICE_POWERS:
            put(tx, powers, {"city_id": city.id, "person": "carol", "power": power, "from_day": START,
                             "until_day": None})

    city.db.write(work)
    people = ("ada", "ben", "carol")
    return city, field_tablet(city, *people, seed=7), field_tablet(city, *people, seed=8)


def dispute(at: str = "2026-08-27T15:00:00-05:00") -> Dispute:
    """A fresh one, the same every time."""
    begun, one, two = _begun(at)
    clock = StoppedClock(at)
    city = memory_city(clock, like=begun)
    app = Starlette(routes=[Mount("/api/v1", guarded_api(city))])
    return Dispute(city, clock, same_tablet(one, city), same_tablet(two, city),
                   TestClient(app, headers={HEADER_PROTOCOL: "1"}))


def both_ways(scenario: Callable[[Dispute, bool], None]) -> Dispute:
    """Runs the scenario with its records arriving in one order and in the other, and compares where it ends."""
    ends = []
    for turned in (False, True):
        world = dispute()
        scenario(world, turned)
        ends.append((world, world.state()))
    assert ends[0][1] == ends[1][1]
    return ends[0][0]


def turn(turned: bool, *steps: Callable[[], object]) -> None:
    """Does the steps in the order given, or the other way round."""
    for step in reversed(steps) if turned else steps:
        step()


def arrive(world: Dispute, turned: bool, *sent: tuple[FieldTablet, Fact]) -> None:
    """Each record in a message of its own, in the order given or the other way round."""
    turn(turned, *(partial(world.push, tablet, fact) for tablet, fact in sent))


def clocks(doc: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The dates on an order's document by their clock."""
    return {one["clock"]: one for one in doc["dates"]}


def day(text: str) -> date:
    return date.fromisoformat(text)

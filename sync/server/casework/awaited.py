"""Photos of an order that are still on a tablet. Its clocks do not wait for them; the acts that go against somebody do.

They are those of the order itself and of the inspections that it rests on, and those of its placard, which follow as
records of their own. For an original that is too large and stays where it is, its smaller copy does. A tablet that is
lost takes its photos with it: then a named person says that they will not come, and nothing waits for those any more.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import select

from sync.records.facts import Fact
from sync.server.casework.city import City
from sync.server.db.acts import acts
from sync.server.db.engine import Tx
from sync.server.db.files import smaller_copies
from sync.server.db.schema import attachments, evidence, fact_evidence

GIVEN_UP = "photos"


def photos_awaited(tx: Tx, city: City, order: Any, fact: Fact) -> list[str]:
    """The SHA-256 of each file that a record of the order (a row of ``orders``, made by ``fact``) names and that is not
    here yet, without those of which a person said that they will not come."""
    added = tx.execute(select(attachments.c.fact).where(
        attachments.c.city_id == city.id, attachments.c.about.in_((order.number, order.id)))).scalars()
    records = {order.id, *fact.needs, *(one["fact"] for one in fact.body["findings"]), *added}
    here = select(evidence.c.sha256).where(evidence.c.city_id == city.id)
    copied = select(smaller_copies.c.original).where(
        smaller_copies.c.city_id == city.id, smaller_copies.c.sha256.in_(here))
    missing = set(tx.execute(select(fact_evidence.c.sha256).where(
        fact_evidence.c.city_id == city.id, fact_evidence.c.fact.in_(sorted(records)),
        fact_evidence.c.sha256.not_in(here), fact_evidence.c.sha256.not_in(copied))).scalars())
    for doc in tx.execute(select(acts.c.doc).where(
            acts.c.city_id == city.id, acts.c.about == order.id, acts.c.act == "noted")).scalars() if missing else ():
        missing -= set(doc.get("files", ()))
    return sorted(missing)

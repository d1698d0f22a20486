"""Reports that tablets sent about themselves: kept as they came, the newest of each tablet, each arrival audited.

A report is for whoever repairs: nothing is decided by it, and what stands in it is the tablet's word. Its size and the
number that is kept are bounded, so that no tablet can fill the disk with them.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import delete, select

from sync.records.problems import Problem
from sync.records.protocol import MAX_DIAGNOSIS_BYTES
from sync.records.wire import decode
from sync.server.casework.audit import record
from sync.server.casework.city import City
from sync.server.casework.enrolment import Tablet
from sync.server.db.diagnoses import diagnoses
from sync.server.db.engine import Tx, add

KEPT = 20
"""So many reports of one tablet are kept; with the next one the oldest goes."""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """One report; ``text`` is JSON as the tablet made and the person read it."""

    id: str
    tablet: str
    at: datetime
    text: str


def take_diagnosis(city: City, tablet: Tablet, text: str) -> datetime:
    """Keeps a report and gives when it came; the same one again changes nothing.

    Raises Problem "wire-too-large" above ``MAX_DIAGNOSIS_BYTES``, "wire-malformed" when it is no JSON object.
    """
    data = text.encode()
    if len(data) > MAX_DIAGNOSIS_BYTES:
        raise Problem("wire-too-large", f"a report has at most {MAX_DIAGNOSIS_BYTES} bytes", where="text")
    if not isinstance(decode(data), dict):
        raise Problem("wire-malformed", "a report is a JSON object", where="text")
    ident = hashlib.sha256(tablet.code.encode() + b"\n" + data).hexdigest()
    table = diagnoses.c

    def work(tx: Tx) -> datetime:
        known = tx.execute(select(table.at).where(table.city_id == city.id, table.id == ident)).first()
        if known is not None:
            return known.at
        now = city.now()
        add(tx, diagnoses, {"city_id": city.id, "id": ident, "tablet_code": tablet.code, "at": now, "text": text})
        mine = (table.city_id == city.id, table.tablet_code == tablet.code)
        rows = tx.execute(select(table.id).where(*mine).order_by(table.at.desc(), table.id)).all()
        old = [row.id for row in rows[KEPT:]]
        if old:
            tx.execute(delete(diagnoses).where(table.city_id == city.id, table.id.in_(old)))
        record(tx, city, "server", "diagnosis_received", f"tablet:{tablet.code}", bytes=len(data),
               sha256=ident)
        return now

    return city.db.write(work)


def diagnoses_of(city: City, code: str) -> list[Diagnosis]:
    """The reports of one tablet, the newest first."""
    table = diagnoses.c
    with city.db.read() as tx:
        rows = tx.execute(
            select(table.id, table.tablet_code, table.at, table.text)
            .where(table.city_id == city.id, table.tablet_code == code)
            .order_by(table.at.desc(), table.id)
        ).all()
    return [Diagnosis(row.id, row.tablet_code, row.at, row.text) for row in rows]

"""Previews: small pictures that a tablet made of its photos and sends first, so that the office sees what is coming.

A preview is never evidence. It lies beside the hash of its original, makes no record whole, and is shown, marked as
what it is, only until the original is here; and only when it comes from a tablet that handed over the record.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sqlalchemy import and_, select

from sync.records.macs import is_fingerprint
from sync.records.problems import Problem
from sync.records.receipts import EvidenceReceipt
from sync.server.casework.city import City
from sync.server.casework.enrolment import Tablet
from sync.server.db.engine import Tx, insert_if_absent
from sync.server.db.files import previews
from sync.server.db.schema import fact_evidence, facts, strays


def check_of(sha256: str, of: str) -> None:
    """Raises Problem "body-malformed" when a preview does not say of which other file it is one."""
    if not is_fingerprint(of) or of == sha256:
        raise Problem("body-malformed", "a preview names the SHA-256 of its original", where="of")


def note_preview(tx: Tx, city: City, tablet: Tablet, sha256: str, of: str, size: int) -> EvidenceReceipt:
    """The preview lies on the disk: notes whose it is. The same one twice gives the same receipt."""
    now = city.now()
    insert_if_absent(tx, previews, {"city_id": city.id, "original": of, "sha256": sha256, "size": size,
                                    "tablet": tablet.id, "received_at": now})
    row = tx.execute(select(previews).where(
        previews.c.city_id == city.id, previews.c.original == of, previews.c.sha256 == sha256)).one()
    return _receipt(tx, city, row)


def held_preview(tx: Tx, city: City, tablet: Tablet, sha256: str) -> EvidenceReceipt | None:
    """The receipt of a preview that this tablet handed over before."""
    row = tx.execute(select(previews).where(
        previews.c.city_id == city.id, previews.c.sha256 == sha256, previews.c.tablet == tablet.id)).first()
    return None if row is None else _receipt(tx, city, row)


def _receipt(tx: Tx, city: City, row: Any) -> EvidenceReceipt:
    at = row.received_at.isoformat(timespec="milliseconds")
    return EvidenceReceipt(row.sha256, row.size, city.row(tx).epoch, at)


def previews_of(tx: Tx, city: City, originals: Iterable[str]) -> dict[str, str]:
    """By the SHA-256 of each original, that of the preview to show: the first that came from a tablet which also
    handed over a record that names the original."""
    wanted = sorted(set(originals))
    if not wanted:
        return {}
    named = (
        select(previews.c.original, previews.c.sha256, previews.c.received_at)
        .join(fact_evidence, and_(fact_evidence.c.city_id == previews.c.city_id,
                                  fact_evidence.c.sha256 == previews.c.original))
        .join(facts, and_(facts.c.city_id == fact_evidence.c.city_id, facts.c.id == fact_evidence.c.fact,
                          facts.c.pushed_by == previews.c.tablet))
        .where(previews.c.city_id == city.id, previews.c.original.in_(wanted))
        .order_by(previews.c.received_at.desc(), previews.c.sha256))
    return {row.original: row.sha256 for row in tx.execute(named)}


def preview_for_office(city: City, original: str) -> str | None:
    """The SHA-256 of the preview of an original that some stored record names; None when there is none."""
    with city.db.read() as tx:
        found = previews_of(tx, city, [original]).get(original)
        if found is None:
            row = tx.execute(
                select(previews.c.sha256)
                .join(strays, and_(strays.c.city_id == previews.c.city_id, strays.c.pushed_by == previews.c.tablet,
                                   strays.c.text.contains(original, autoescape=True)))
                .where(previews.c.city_id == city.id, previews.c.original == original)
                .order_by(previews.c.received_at)).first()
            found = row and row.sha256
    return found if found and city.blobs.has(found) else None

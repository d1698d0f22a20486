"""Small pictures of findings' photos, for tablets: made when a tablet asks for news, never while evidence comes in.

That a finding wants one is noted with the finding; it is made once its photo, or the tablet's own preview of it, is
here. Its SHA-256 then stands in the finding's document, under which tablets fetch it.
"""

from __future__ import annotations

import threading
from typing import Any

from sqlalchemy import and_, bindparam, select, update

from sync.server.casework.city import City
from sync.server.casework.feed import publish
from sync.server.db.engine import Tx, ask, change, find_all, insert_if_absent
from sync.server.db.files import also_sent, previews
from sync.server.db.pulling import thumbnails
from sync.server.db.schema import evidence, facts, findings, tablets
from sync.server.db.tablets import tablet_lines
from sync.server.small_pictures import small_jpeg

EDGE, QUALITY = 320, 72
AT_ONCE = 8
MEDIA = "image/jpeg"
DUE, MADE, NONE = "due", "made", "none"

# A photo makes a picture for a finding only where the tablet of that finding's record sent it (see `senders`).
_former = tablets.alias()
_own = (
    (evidence.c.tablet == facts.c.pushed_by)
    | select(also_sent.c.at).where(also_sent.c.city_id == evidence.c.city_id, also_sent.c.sha256 == evidence.c.sha256,
                                   also_sent.c.tablet == facts.c.pushed_by).exists()
    | select(tablet_lines.c.at).where(
        tablets.c.city_id == evidence.c.city_id, tablets.c.id == evidence.c.tablet,
        tablet_lines.c.city_id == tablets.c.city_id, tablet_lines.c.code == tablets.c.code,
        _former.c.city_id == tablets.c.city_id, _former.c.code == tablet_lines.c.parent,
        _former.c.id == facts.c.pushed_by).exists())
_DUE = (
    select(thumbnails.c.finding, thumbnails.c.photo, evidence.c.sha256, previews.c.sha256.label("preview"))
    .join(findings, and_(findings.c.city_id == thumbnails.c.city_id, findings.c.id == thumbnails.c.finding))
    .join(facts, and_(facts.c.city_id == findings.c.city_id, facts.c.id == findings.c.inspection))
    .outerjoin(evidence, and_(evidence.c.city_id == thumbnails.c.city_id, evidence.c.sha256 == thumbnails.c.photo,
                              _own))
    .outerjoin(previews, and_(previews.c.city_id == thumbnails.c.city_id, previews.c.original == thumbnails.c.photo,
                              previews.c.tablet == facts.c.pushed_by))
    .where(thumbnails.c.city_id == bindparam("city"), thumbnails.c.state == DUE,
           evidence.c.sha256.is_not(None) | previews.c.sha256.is_not(None))
    .order_by(thumbnails.c.photo, thumbnails.c.finding).limit(AT_ONCE))
_busy = threading.Lock()


def thumbnail_of(tx: Tx, city: City, finding: str, photo: str | None) -> dict[str, Any] | None:
    """The small picture of a finding's photo, {sha256, size, media}; None while there is none. Notes that it is due."""
    if photo is None:
        return None
    row: Any = next((one for one in find_all(tx, thumbnails, city_id=city.id, finding=finding, photo=photo)), None)
    if row is None:
        insert_if_absent(tx, thumbnails, {"city_id": city.id, "finding": finding, "photo": photo, "state": DUE,
                                          "sha256": None, "size": None})
        return None
    return {"sha256": row.sha256, "size": row.size, "media": MEDIA} if row.state == MADE else None


def make_due(city: City) -> int:
    """Makes the small pictures that can be made now, a few at a time; says how many findings got one."""
    if not _busy.acquire(blocking=False):  # somebody else is at it
        return 0
    try:
        with city.db.read() as tx:
            rows = ask(tx, _DUE, city=city.id)
        wanted: dict[tuple[str, str], set[str]] = {}
        for row in rows:
            wanted.setdefault((row.photo, row.sha256 or row.preview), set()).add(row.finding)
        return sum(_make(city, photo, source, sorted(of)) for (photo, source), of in wanted.items())
    finally:
        _busy.release()


def _make(city: City, photo: str, source: str, of: list[str]) -> int:
    try:
        small = small_jpeg(city.blobs.read(source), EDGE, QUALITY)
    except KeyError:  # a restored folder lacks it; the tablet brings it again
        return 0
    sha256, size = None, None
    if small is not None:
        incoming = city.blobs.incoming()
        try:
            incoming.write(small)
            sha256, size = incoming.digest(), len(small)
            incoming.keep()
        finally:
            incoming.drop()

    def work(tx: Tx) -> int:
        due = (thumbnails.c.city_id == city.id, thumbnails.c.photo == photo, thumbnails.c.state == DUE,
               thumbnails.c.finding.in_(of))
        done = list(tx.execute(select(thumbnails.c.finding).where(*due)).scalars())
        tx.execute(update(thumbnails).where(*due).values(state=MADE if sha256 else NONE, sha256=sha256, size=size))
        if sha256 is None:
            return 0
        for row in tx.execute(select(findings).where(
                findings.c.city_id == city.id, findings.c.id.in_(done))).all():
            if row.doc.get("photo") == photo:
                doc = {**row.doc, "thumbnail": {"sha256": sha256, "size": size, "media": MEDIA}}
                change(tx, findings, {"city_id": city.id, "id": row.id}, {"doc": doc})
                publish(tx, city, "finding", row.id, doc)
        return len(done)

    return city.db.write(work)

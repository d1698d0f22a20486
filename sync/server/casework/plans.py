"""Plan documents and drawings of sites: added by the office, drawn as pictures once, replaced but never removed.

A plan is a file under its SHA-256 with pictures of its pages, which is what tablets fetch and show. It is looked at,
drawn and on the disk before the record says that it is there. What tablets may read follows from what they see.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import select

from sync.records.down import PLAN_KINDS
from sync.records.problems import Problem
from sync.server import page_pictures
from sync.server.blobs import Incoming
from sync.server.casework.audit import record
from sync.server.casework.city import City
from sync.server.casework.feed import publish
from sync.server.casework.people import ADMINISTER, DECIDE_APPLICATIONS, holds, needs_reasons, require
from sync.server.casework.scope import sees_site
from sync.server.db.engine import Tx, add, change, find, find_all
from sync.server.db.pulling import plan_files, plans, thumbnails
from sync.server.db.schema import findings, permits, sites

MAX_PLAN_BYTES = 50_000_000
LONGEST_TEXT = 200
_MEDIA = ((b"%PDF-", "application/pdf"), (b"\x89PNG\r\n\x1a\n", "image/png"), (b"\xff\xd8\xff", "image/jpeg"))
CURRENT, REPLACED, WITHDRAWN = "current", "replaced", "withdrawn"


@dataclass(frozen=True, slots=True)
class Page:
    """A picture of a page, on the disk: its fingerprint, size in bytes, media type, width and height in pixels."""

    sha256: str
    size: int
    media: str
    width: int
    height: int

    def to_wire(self) -> dict[str, Any]:
        return {"sha256": self.sha256, "size": self.size, "media": self.media, "width": self.width,
                "height": self.height}


def may_keep_plans(tx: Tx, city: City, actor: str) -> bool:
    """Plans belong to the permit: whoever decides applications, or administers, keeps them."""
    today = city.today()
    return holds(tx, city, actor, DECIDE_APPLICATIONS, today) or holds(tx, city, actor, ADMINISTER, today)


def add_plan(city: City, actor: str, site: str, incoming: Incoming, *, title: str, kind: str = "other",
             version: str = "", permit: str | None = None, name: str = "", replaces: str | None = None) -> str:
    """Adds the file that is completely written in ``incoming`` to the site; gives the plan's id.

    The same file under the same title again is the same plan. ``replaces``: the plan that this one takes the place of.
    Raises Problem "plan-missing", "plan-not-shown", "plan-too-large", "body-malformed", "not-found", "no-authority".
    """
    try:
        texts = {"title": title.strip(), "version": version.strip(), "name": Path(name.replace("\\", "/")).name.strip()}
        for field, text in texts.items():
            if len(text) > LONGEST_TEXT:
                raise Problem("body-malformed", f"at most {LONGEST_TEXT} characters", where=field)
        if not texts["title"]:
            raise Problem("body-malformed", "a plan has a title", where="title")
        if kind not in PLAN_KINDS:
            raise Problem("body-malformed", "choose what it is", where="kind")
        if incoming.size == 0:
            raise Problem("plan-missing")
        if incoming.size > MAX_PLAN_BYTES:
            raise Problem("plan-too-large", f"{incoming.size} bytes; at most {MAX_PLAN_BYTES} are taken")
        with city.db.read() as tx:
            _allowed(tx, city, actor, site, permit, replaces)
        with incoming.open() as file:
            media = _media(file.read(16))
        pages = _draw(city, incoming, media)
        sha256, size = incoming.digest(), incoming.size
        incoming.keep()  # durable before the record says that it is there
    finally:
        incoming.drop()

    def work(tx: Tx) -> str:
        _allowed(tx, city, actor, site, permit, replaces)
        for row in find_all(tx, plans, city_id=city.id, site=site):
            if (row.doc["sha256"], row.doc["title"], row.status) == (sha256, texts["title"], CURRENT):
                return row.id
        ident = city.random_bytes(16).hex()
        doc = {"id": ident, "site": site, "permit": permit, "kind": kind, **texts, "sha256": sha256, "size": size,
               "media": media, "pages": [page.to_wire() for page in pages], "status": CURRENT,
               "added_on": city.today().isoformat(), "added_by": actor, "replaced_by": None}
        add(tx, plans, {"city_id": city.id, "id": ident, "site": site, "status": CURRENT, "added_at": city.now(),
                        "doc": doc})
        for number, page in enumerate([Page(sha256, size, media, 0, 0), *pages]):
            add(tx, plan_files, {"city_id": city.id, "plan": ident, "page": number, "sha256": page.sha256,
                                 "size": page.size, "media": page.media})
        publish(tx, city, "plan", ident, doc)
        record(tx, city, actor, "plan_added", f"plan:{ident}", site=site, title=texts["title"], sha256=sha256,
               version=texts["version"])
        if replaces is not None:
            _restate(tx, city, replaces, REPLACED, ident)
            record(tx, city, actor, "plan_replaced", f"plan:{replaces}", site=site, by=ident)
        return ident

    return city.db.write(work)


def withdraw_plan(city: City, actor: str, plan: str, reasons: str) -> None:
    """The plan no longer counts; it stays readable, marked as withdrawn. Raises Problem "already-decided", ..."""

    def work(tx: Tx) -> None:
        row = find(tx, plans, city_id=city.id, id=plan)
        if row is None:
            raise Problem("not-found", "there is no such plan", where=plan)
        _allowed(tx, city, actor, row.site, None, None)
        needs_reasons(reasons)
        if row.status != CURRENT:
            raise Problem("already-decided", "this plan is not in use any more")
        _restate(tx, city, plan, WITHDRAWN, None)
        record(tx, city, actor, "plan_withdrawn", f"plan:{plan}", site=row.site, reasons=reasons.strip())

    city.db.write(work)


def plans_of(city: City, site: str) -> list[dict[str, Any]]:
    """The documents of a site's plans, those in use first, the newest first."""
    with city.db.read() as tx:
        rows = list(tx.execute(select(plans).where(plans.c.city_id == city.id, plans.c.site == site)
                               .order_by(plans.c.added_at.desc(), plans.c.id)))
    return [row.doc for row in sorted(rows, key=lambda row: row.status != CURRENT)]


def plan_file(city: City, plan: str, page: int) -> tuple[str, int, str, str] | None:
    """(sha256, size, media, name) of the plan's own file (0) or of a page, for the office; None for none."""
    with city.db.read() as tx:
        row = find(tx, plan_files, city_id=city.id, plan=plan, page=page)
        owner = find(tx, plans, city_id=city.id, id=plan)
    return (row.sha256, row.size, row.media, owner.doc["name"] or owner.doc["title"]) if row and owner else None


def file_for_tablet(city: City, tablet: str, sha256: str) -> tuple[int, str]:
    """(size, media) of a file that the tablet (its id) may fetch: of a plan, or a small picture of a finding, on a site
    that it sees. Raises Problem "file-unknown" for any other, here or not."""
    with city.db.read() as tx:
        for row in tx.execute(
            select(plan_files.c.size, plan_files.c.media, plans.c.site)
            .join(plans, (plans.c.city_id == plan_files.c.city_id) & (plans.c.id == plan_files.c.plan))
            .where(plan_files.c.city_id == city.id, plan_files.c.sha256 == sha256)
        ):
            if sees_site(tx, city, tablet, row.site):
                return row.size, row.media
        for row in tx.execute(
            select(thumbnails.c.size, findings.c.site)
            .join(findings, (findings.c.city_id == thumbnails.c.city_id) & (findings.c.id == thumbnails.c.finding))
            .where(thumbnails.c.city_id == city.id, thumbnails.c.sha256 == sha256)
        ):
            if sees_site(tx, city, tablet, row.site):
                return row.size, "image/jpeg"
    raise Problem("file-unknown", where=sha256[:64])


def _allowed(tx: Tx, city: City, actor: str, site: str, permit: str | None, replaces: str | None) -> None:
    if not may_keep_plans(tx, city, actor):
        require(tx, city, actor, DECIDE_APPLICATIONS, city.today())
    if find(tx, sites, city_id=city.id, id=site) is None:
        raise Problem("not-found", "there is no such site", where="site")
    if permit is not None:
        row = find(tx, permits, city_id=city.id, id=permit)
        if row is None or row.site != site:
            raise Problem("body-malformed", "this permit is not of the site", where="permit")
    if replaces is not None:
        row = find(tx, plans, city_id=city.id, id=replaces)
        if row is None or row.site != site or row.status != CURRENT:
            raise Problem("body-malformed", "the plan that it replaces is not in use on this site", where="replaces")


def _restate(tx: Tx, city: City, plan: str, status: str, replaced_by: str | None) -> None:
    row = find(tx, plans, city_id=city.id, id=plan)
    doc = {**row.doc, "status": status, "replaced_by": replaced_by}
    change(tx, plans, {"city_id": city.id, "id": plan}, {"status": status, "doc": doc})
    publish(tx, city, "plan", plan, doc)


def _media(head: bytes) -> str:
    """What the file is by its first bytes, whatever its name says."""
    for magic, media in _MEDIA:
        if head.startswith(magic):
            return media
    raise Problem("plan-not-shown", "it is neither a PDF nor a PNG nor a JPEG")


def _draw(city: City, incoming: Incoming, media: str) -> list[Page]:
    """The pages as pictures, held."""
    with tempfile.TemporaryDirectory(prefix="siltwatch-plan-") as place:
        folder = Path(place)
        file = folder / "plan"
        with incoming.open() as source, file.open("wb") as copy:
            while piece := source.read(1024 * 1024):
                copy.write(piece)
        try:
            done = subprocess.run(
                [sys.executable, "-m", page_pictures.__name__, str(file), str(folder)],
                capture_output=True, text=True, timeout=page_pictures.SECONDS * 2, check=False)
        except subprocess.TimeoutExpired:
            raise Problem("plan-not-shown", "it takes too long to draw") from None
        if done.returncode == page_pictures.REFUSED:
            raise Problem("plan-not-shown", done.stderr.strip()[-300:])
        if done.returncode != 0:
            raise Problem("plan-not-shown", "it cannot be drawn")
        drawn = json.loads((folder / "pages.json").read_text(encoding="utf-8"))
        return [_hold(city, (folder / one["file"]).read_bytes(), one) for one in drawn]


def _hold(city: City, data: bytes, said: dict[str, Any]) -> Page:
    incoming = city.blobs.incoming()
    try:
        incoming.write(data)
        page = Page(incoming.digest(), len(data), said["media"], said["width"], said["height"])
        incoming.keep()
    finally:
        incoming.drop()
    return page

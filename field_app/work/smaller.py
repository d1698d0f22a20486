"""An original that is too large for the server stays on the tablet; a smaller copy of it goes as a record of its own.

The original's record is never green for it. The copy's record names both files by their hashes and says how the copy
was made; it is signed by whoever works on the tablet then, for it says nothing but that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from field_app.photos import look
from field_app.work.sealing import seal
from field_app.work.stamping import stamp_of
from sync.client.rows import ON_THE_WAY, TOO_LARGE, FileRow
from sync.records.facts import Evidence
from sync.records.problems import Problem

if TYPE_CHECKING:
    from field_app.work.desk import Desk

SIZES = (4_096, 3_072, 2_560, 2_048, 1_600, 1_280, 1_024, 800, 640)
THROUGH_A_PROXY = 900_000
"""Most proxies that refuse a large body let a megabyte through."""
NONE, COPY = "none", "smaller_copy_added"


def _wanted(desk: Desk) -> FileRow | None:
    view, files = desk.outbox.view(), desk.store.table("evidence")
    for row in view.files:
        if row.kind != "photo" or not row.facts or row.park is None or row.park.code not in (TOO_LARGE, ON_THE_WAY):
            continue
        named_by = [view.fact(fact) for fact in row.facts]
        # A copy that is too large in its turn gets no copy of its own: that would have no end.
        if (files.get(row.sha256) or {}).get("smaller") or any(f and f.kind == COPY for f in named_by):
            continue
        return row
    return None


def _may_sign(desk: Desk) -> bool:
    """Whether somebody works here now who may sign the record: else no picture is made in vain."""
    try:
        return bool(desk.user() and desk.credential()) and desk.may("inspect")
    except Problem:
        return False


async def make_one(desk: Desk) -> bool:
    """Makes the next smaller copy and signs its record; says whether there was one to make. Without a person who may
    inspect, it waits."""
    row = _wanted(desk)
    if row is None or not _may_sign(desk):
        return False
    largest = desk.outbox.view().largest if row.park and row.park.code == TOO_LARGE else THROUGH_A_PROXY
    made = await _copy(desk, row.sha256, largest or THROUGH_A_PROXY)
    if made is None:
        async with desk.store.change() as tx:
            _remember(tx, row.sha256, NONE)
        return True
    data, longest = made
    sha = await desk.box.keep(data, kind="photo")
    seen = look(data)
    body = {
        "about": {"fact": row.facts[0]},
        "original": {"sha256": row.sha256, "size": row.size, "media": row.media},
        "copy": {"sha256": sha, "size": len(data), "width": seen.width if seen else 0,
                 "height": seen.height if seen else 0},
        "made": f"JPEG, at most {longest} pixels a side, upright, date and place printed along its lower edge",
        "limit": largest,
    }  # fmt: skip
    async with desk.store.change() as tx:
        if not _remember(tx, row.sha256, sha):
            return True
        seal(desk, tx, COPY, body, fact=desk.new_id(), pack=desk.pack().ref,
             evidence=[Evidence(sha, "photo", len(data), "image/jpeg")], needs=[row.facts[0]])  # fmt: skip
    return True


def _remember(tx: Any, original: str, copy: str) -> bool:
    """Notes in the original's document what became of it; False when that was done already."""
    doc = tx.get("evidence", original)
    if doc is None or doc.get("smaller"):
        return False
    tx.put("evidence", original, {**doc, "smaller": copy})
    return True


async def _copy(desk: Desk, sha256: str, largest: int) -> tuple[bytes, int] | None:
    """(JPEG, longest side) of at most ``largest`` bytes; None when the picture cannot be decoded, or not so small."""
    for longest in SIZES:
        try:
            data = await desk.box.smaller(sha256, longest, stamp_of(desk, sha256, longest))
        except Problem as problem:
            if problem.code.startswith("evidence-"):
                return None
            raise
        if len(data) <= largest:
            return data, longest
    return None

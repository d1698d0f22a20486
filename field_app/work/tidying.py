"""Clearing away what the server has had for long: only whole, receipted items, and only after the keeping time.

What was never signed, never receipted, or belongs to a newer server epoch stays. The time is the server's, as it was at
the last contact: a clock that is a year ahead clears away nothing, and neither does time that passes unheard, in which
the server may have been lost and restored from a backup that lacks what it had. The rows go first, in one change; files
that a kill leaves behind without a row take room and do no harm.

The original of a photo or voice note that was taken off before signing goes after the same time, unless a signed record
or a draft names it, or a draft can still take that back. Its row stays, with its hash and when it was taken and taken
off: that is the trace.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from field_app.capture.stored import files_of
from field_app.store.sealed import ENDED, PRIVATE
from field_app.work import clocks, report_photos, voice_beside
from sync.client.keeping import KEEP_DAYS, purgeable
from sync.records.wire import encode

if TYPE_CHECKING:
    from field_app.work.desk import Desk


async def tidy(desk: Desk) -> tuple[int, int]:
    """How many items and files were cleared away."""
    heard, now = clocks.last_heard(desk), clocks.earliest_now(desk)
    if heard is None or now is None:
        return 0, 0
    facts, files = purgeable(desk.outbox.view(), heard)
    gone = removed(desk, now)
    if not facts and not files and not gone:
        return 0, 0
    drafts = [files_of(doc) for doc in desk.store.table("drafts").all()]
    drafts += [report_photos.files_of(doc) for doc in desk.store.table("reports").all()]
    drafts += [voice_beside.files_of(doc) for doc in desk.store.table("order_drafts").all()]
    drafts.append(_of_people_not_at_work(desk))
    async with desk.store.change() as tx:
        for fact in facts:
            tx.delete("facts", fact)
        for sha in files:
            tx.delete("evidence", sha)
        for sha in gone:
            doc = tx.get("evidence", sha)
            if doc is not None and not doc.get("facts") and not doc.get("draft"):
                tx.put("evidence", sha, {**doc, "cleared": desk.wall()})
    for sha in (*files, *gone):
        if not any(sha in named for named in drafts):
            await desk.box.delete(sha)
    return len(facts), len(files)


def _of_people_not_at_work(desk: Desk) -> set[str]:
    """The files of what they have begun, which is sealed."""
    return {sha for table in PRIVATE for doc in desk.store.hidden(table) for sha in doc["files"]}


def removed(desk: Desk, now: datetime) -> list[str]:
    """The originals that left their draft unsigned so long ago that they may go, by SHA-256."""
    open_drafts = desk.store.table("drafts").all()
    # The last tap of a draft can be taken back: what it took off must be there then.
    kept = set().union(*(files_of(doc) for doc in open_drafts)) if open_drafts else set()
    kept |= {sha for doc in desk.store.table("reports").all() if doc["stage"] == "open"
             for sha in report_photos.files_of(doc)}
    kept |= {sha for doc in desk.store.table("order_drafts").all() if doc["stage"] not in ENDED
             for sha in voice_beside.files_of(doc)}
    kept |= _of_people_not_at_work(desk)
    undoable = [encode(doc["undo"]["what"]).decode() for doc in open_drafts if doc.get("undo")]
    found = []
    for doc in desk.store.table("evidence").all():
        left, sha = doc.get("removed"), doc["sha256"]
        if not left or doc.get("cleared") or doc.get("facts") or doc.get("draft") or sha in kept:
            continue
        if datetime.fromisoformat(left["at"]) + timedelta(days=KEEP_DAYS) <= now and not any(
            sha in what for what in undoable
        ):
            found.append(sha)
    return found

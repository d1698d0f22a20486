"""Clearing away what the server has had for long: only whole, receipted items, and only after the keeping time.

What was never signed, never receipted, or belongs to a newer server epoch stays. The time is the server's, as it was at
the last contact: a clock that is a year ahead clears away nothing. The rows go first, in one change;
files that a kill leaves behind without a row take room and do no harm.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from field_app.capture.stored import files_of
from field_app.work import clocks
from sync.client.keeping import purgeable

if TYPE_CHECKING:
    from field_app.work.desk import Desk


async def tidy(desk: Desk) -> tuple[int, int]:
    """How many items and files were cleared away."""
    now = clocks.earliest_now(desk)
    if now is None:
        return 0, 0
    facts, files = purgeable(desk.outbox.view(), now)
    if not facts and not files:
        return 0, 0
    drafts = [files_of(doc) for doc in desk.store.table("drafts").all()]
    drafts += [{photo["sha256"] for photo in doc["photos"]} for doc in desk.store.table("reports").all()]
    drafts += [set(doc["files"]) for name in ("drafts", "order_drafts", "reports") for doc in desk.store.hidden(name)]
    async with desk.store.change() as tx:
        for fact in facts:
            tx.delete("facts", fact)
        for sha in files:
            tx.delete("evidence", sha)
    for sha in files:
        if not any(sha in named for named in drafts):
            await desk.box.delete(sha)
    return len(facts), len(files)

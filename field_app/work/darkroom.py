"""Behind the screens, one picture at a time: previews of photos, smaller copies of what is too large, photos of drafts.

What is made here is derived and may be made again; a picture that cannot be decoded goes without, and nothing
waits for it. One that fails for a reason nobody expected is left until the next start. A photo of a draft is entered
among the files to send as soon as it is taken, and taken off again, with a trace, when it leaves the draft unsigned.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from field_app.store.outbox import shut_files
from field_app.work import smaller, taken_off
from field_app.work.stamping import stamp_of
from sync.client.previews import draft_doc, preview_doc
from sync.client.rows import DUE
from sync.records.evidence_files import PREVIEW
from sync.records.problems import Problem

if TYPE_CHECKING:
    from field_app.work.desk import Desk

PREVIEW_LONGEST = 1_280
SMALL_BYTES = 200_000
"""A photo of so few bytes needs no preview: it is one."""
REST_S = 2.0
MADE, NONE = "made", "none"
# What no second try makes better; anything else (a locked store, a full one) may pass.
FOR_GOOD = ("evidence-not-an-image", "evidence-too-many-pixels", "evidence-truncated", "evidence-too-large",
            "evidence-unknown", "evidence-damaged", "evidence-empty")  # fmt: skip
_SEEN = frozenset({"drafts", "evidence", "facts", "secrets"})

log = logging.getLogger(__name__)


class Darkroom:
    """One per tablet; `start` it while the app runs, `stop` it before the store is closed."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._wake = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._end: Callable[[], None] = lambda: None

    def start(self) -> None:
        """Starting twice is starting once."""
        if self._task is None or self._task.done():
            self._end()
            self._end = self._desk.store.watch(self._changed)
            self._task = asyncio.get_running_loop().create_task(self._run())

    def stop(self) -> asyncio.Task[None] | None:
        """Ends it; what was being made is made at the next start. Gives what is still ending, to be waited for."""
        self._end()
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
        return task

    def wake(self) -> None:
        """There may be something to do again."""
        self._wake.set()

    def _changed(self, tables: frozenset[str]) -> None:
        if not _SEEN.isdisjoint(tables):
            self._wake.set()

    async def _run(self) -> None:
        while True:
            self._wake.clear()
            try:
                busy = await step(self._desk)
            except Exception:  # a full disk, a locked store: later it may go
                log.exception("the darkroom could not finish a picture")
                busy = False
                await asyncio.sleep(REST_S)
            if busy and self._desk.driver is not None:
                self._desk.driver.wake("item")
            if not busy:
                await self._wake.wait()
            await asyncio.sleep(0)  # taps and calls first


Step = Callable[["Desk"], Awaitable[bool]]


async def step(desk: Desk) -> bool:
    """Does the next piece of work; says whether it did one."""
    if desk.shooting:  # the shutter first; one photo in memory at a time
        return False
    work: tuple[Step, ...] = (_enter, _preview, _throw_away, smaller.make_one)
    for one in work:
        if await one(desk):
            return True
    return False


def _in_drafts(desk: Desk) -> dict[str, tuple[str, str, dict[str, Any]]]:
    """By SHA-256 the draft that holds the photo or voice note, its kind, and its record."""
    return {sha: (draft["id"], kind, record) for draft in desk.store.table("drafts").all()
            for kind, name in (("photo", "photos"), ("voice_note", "voice_notes"))
            for sha, record in draft.get(name, {}).items()}  # fmt: skip


async def _enter(desk: Desk) -> bool:
    """Enters photos and voice notes of drafts among the files to send; takes those off that left their draft
    unsigned."""
    held, files, shut = _in_drafts(desk), desk.store.table("evidence"), shut_files(desk.store)
    new = [sha for sha in held if not _owned(files.get(sha))]
    gone = [doc for doc in files.all() if doc.get("draft") and not doc.get("facts") and doc["sha256"] not in held
            and doc["sha256"] not in shut]
    if not new and not gone:
        return False
    async with desk.store.change() as tx:
        for sha in new:
            draft, kind, record = held[sha]
            doc, fresh = tx.get("evidence", sha), draft_doc(sha, kind, record["size"], record["media"], draft)
            if not _owned(doc):
                tx.put("evidence", sha, {**fresh, **(doc or {}), "draft": draft, "removed": None})
        for old in gone:
            doc = tx.get("evidence", old["sha256"])
            if doc is not None and not doc.get("facts"):
                gone_from = taken_off.trace(desk, doc["draft"], None)
                tx.put("evidence", doc["sha256"], {**doc, "draft": "", "removed": gone_from})
    return True


def _owned(doc: dict[str, Any] | None) -> bool:
    return doc is not None and bool(doc.get("facts") or doc.get("draft"))


def _is_held(doc: dict[str, Any]) -> bool:
    return bool((doc.get("sync") or {}).get("held"))


async def _preview(desk: Desk) -> bool:
    """Makes the next preview, of what is signed first."""
    shut = shut_files(desk.store)
    due = [doc for doc in desk.store.table("evidence").all() if doc["kind"] == "photo" and _owned(doc)
           and doc.get("preview", DUE) == DUE and not _is_held(doc) and doc["sha256"] not in shut
           and doc["sha256"] not in desk.locating.awaited  # its stamp says where it was taken
           and doc["sha256"] not in desk.left_undone]
    if not due:
        return False
    photo = min(due, key=lambda doc: (not doc.get("facts"), doc["sha256"]))
    try:
        made = None if photo["size"] <= SMALL_BYTES else await _make(desk, photo["sha256"])
    except Problem:  # of the tablet: later it may go
        raise
    except Exception:  # of this photo: no other one waits for it
        log.exception("no preview could be made of a photo")
        desk.left_undone.add(photo["sha256"])
        return True
    async with desk.store.change() as tx:
        doc = tx.get("evidence", photo["sha256"])
        if made is not None and tx.get("evidence", made[0]) is None:
            tx.put("evidence", made[0], preview_doc(*made, photo["sha256"]))
        if doc is not None:
            tx.put("evidence", photo["sha256"], {**doc, "preview": MADE if made else NONE})
    return True


async def _make(desk: Desk, sha256: str) -> tuple[str, int] | None:
    """(SHA-256, bytes) of the preview, kept; None when there can be none. Raises Problem for what may pass."""
    try:
        data = await desk.box.smaller(sha256, PREVIEW_LONGEST, stamp_of(desk, sha256, PREVIEW_LONGEST))
        kept = await desk.box.keep(data, kind=PREVIEW)
    except Problem as problem:
        if problem.code in FOR_GOOD:
            return None
        raise
    return None if kept == sha256 else (kept, len(data))


async def _throw_away(desk: Desk) -> bool:
    """Drops a preview whose original the server holds, or that nobody wants any more."""
    files = desk.store.table("evidence")
    for doc in files.all():
        original = files.get(doc["of"]) if doc.get("of") else None
        if not doc.get("of") or (original is not None and _owned(original) and not _is_held(original)):
            continue
        async with desk.store.change() as tx:
            tx.delete("evidence", doc["sha256"])
        await desk.box.delete(doc["sha256"])
        return True
    return False

"""The files that come down, wired to this tablet: which are wanted, which are here, and when fetching may go on.

Never before anything of the tablet's own: as long as a signed item or a file of one waits to be sent, nothing is
fetched. While the network costs money only small pictures come.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from field_app.work import plans, room, syncing
from sync.client.fetcher import Fetcher
from sync.client.fetching import Wanted, wanted_files
from sync.client.rows import WAITING

if TYPE_CHECKING:
    from field_app.work.desk import Desk

_DECIDES = frozenset({"sites", "plans", "findings", "credentials", "drafts", "order_drafts", "settings", "meta"})


class StoreLedger:
    """`sync.client.fetcher.Ledger` over the tablet's store. What is wanted is worked out anew only after a change."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._wanted: tuple[Wanted, ...] | None = None

    def changed(self, tables: frozenset[str]) -> None:
        """The store changed, and perhaps what is wanted with it."""
        if not tables.isdisjoint(_DECIDES):
            self._wanted = None

    def wanted(self) -> tuple[Wanted, ...]:
        if self._wanted is None:
            table, hidden = self._desk.store.table, self._desk.store.hidden
            busy = {doc["site"] for name in ("drafts", "order_drafts")
                    for doc in (*table(name).all(), *hidden(name)) if doc.get("site")}
            self._wanted = wanted_files(
                table("sites").all(), table("plans").all(), table("findings").all(),
                people=frozenset(doc["person"] for doc in table("credentials").all()), busy=frozenset(busy),
                asked=tuple((table("meta").get(plans.FIRST) or {}).get("plans", ())),
            )  # fmt: skip
        return self._wanted

    def budget(self) -> int:
        return plans.budget_mb(self._desk) * 1_000_000

    def held(self) -> dict[str, int]:
        return {doc.doc_id: doc["size"] for doc in self._desk.store.table("fetched").all()}

    async def box(self) -> Any:
        return await self._desk.files()

    async def have(self, sha256: str, size: int) -> None:
        async with self._desk.store.change() as tx:
            tx.put("fetched", sha256, {"sha256": sha256, "size": size})

    async def forget(self, shas: Iterable[str]) -> None:
        async with self._desk.store.change() as tx:
            for sha256 in shas:
                tx.delete("fetched", sha256)


def ready(desk: Desk) -> str:
    """Whether files may be fetched now: "all", "small" (the network costs money) or "" (not now)."""
    link, driver = desk.link(), desk.driver
    if room.level(desk) == "full":
        return ""
    if driver is None or link is None or not link.up or link.notice:
        return ""
    view = desk.outbox.view()
    if not view.cursor.seq or any(row.state == WAITING for row in view.facts):
        return ""
    held_back = driver.held_back()
    if any(row.state == WAITING and row.sha256 not in held_back for row in view.files):
        return ""
    return "small" if syncing.photos_wait(desk) else "all"


def start(desk: Desk) -> None:
    """Start fetching, beside the driver; twice is once. It waits until there is one that is connected,
    so it may begin before the tablet is enrolled."""
    if desk.fetch_task is not None and not desk.fetch_task.done():
        return
    ledger = StoreLedger(desk)
    fetcher = desk.fetcher = Fetcher(
        desk.hardware.transport, desk.target, ledger, desk.hardware.clock, lambda: ready(desk)
    )
    # Of the store first: what is wanted is worked out anew before the fetcher, woken by the same change, asks.
    stops = (desk.store.watch(ledger.changed), desk.listen(fetcher.wake))
    desk.stop_fetching = lambda: [stop() for stop in stops] and None
    desk.fetch_task = asyncio.get_running_loop().create_task(fetcher.run())


def stop(desk: Desk) -> asyncio.Future[Any]:
    """Stop fetching, now; what is given ends when it has let go of everything. A part that is under way is gone on with
    next time."""
    task, desk.fetch_task, desk.fetcher = desk.fetch_task, None, None
    if desk.stop_fetching is not None:
        desk.stop_fetching()
        desk.stop_fetching = None
    if task is not None:
        task.cancel()
    return asyncio.gather(*([task] if task is not None else []), return_exceptions=True)

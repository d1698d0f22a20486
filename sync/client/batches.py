"""Which records go together in one call, so that one of them that makes it fail keeps no other waiting.

Clean records go first, as many as the network lets through. A call that our server failed as a whole is split in halves
that wait behind them, until the record is found; from then on that one goes alone, after its own pauses. Lost with the
process, and that is right: what failed before has its tries in the outbox, and goes alone again.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator

from sync.client.policy import Policy
from sync.client.rows import FactRow
from sync.client.shelf import OutboxView


class Batches:
    """``ready``: whether a record may go now at all (its own pauses)."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._size = policy.batch_items
        self._groups: deque[tuple[str, ...]] = deque()
        self._suspects: set[str] = set()
        self._alone: set[str] = set()

    def next(self, view: OutboxView, ready: Callable[[FactRow], bool]) -> list[FactRow]:
        """The records of the next call; empty when none may go."""
        found = self._clean(view, ready)
        if not found:
            found = self._group(view, ready)
        return found or next(([row] for row in self._by_itself(view) if _may(row, view) and ready(row)), [])

    def is_known(self, row: FactRow) -> bool:
        """Whether the record has failed alone before: then its failure is its own, and says nothing of the server."""
        return row.id in self._alone or row.tries > 0

    def _clean(self, view: OutboxView, ready: Callable[[FactRow], bool]) -> list[FactRow]:
        free = (row for row in view.unsent() if row.id not in self._suspects and not self.is_known(row))
        return self._filled(free, view, ready)

    def _group(self, view: OutboxView, ready: Callable[[FactRow], bool]) -> list[FactRow]:
        for _ in range(len(self._groups)):
            ids = self._groups[0]
            rows = [row for row in view.facts_of(ids) if row is not None and view.is_unsent(row.id)]
            if not rows:
                self._groups.popleft()
                self._suspects.difference_update(ids)
                continue
            if found := self._filled(iter(rows), view, ready):
                return found
            self._groups.rotate(-1)
        return []

    def _by_itself(self, view: OutboxView) -> Iterator[FactRow]:
        return (row for row in view.unsent() if self.is_known(row))

    def _filled(self, rows: Iterable[FactRow], view: OutboxView, ready: Callable[[FactRow], bool]) -> list[FactRow]:
        batch: list[FactRow] = []
        size = 0
        for row in rows:
            if not _may(row, view) or not ready(row):
                continue
            if batch and (len(batch) >= self._size or size + row.size > self._policy.batch_bytes):
                break
            batch.append(row)
            size += row.size
        return batch

    # --- what became of a call ---

    def went(self, ids: Iterable[str]) -> None:
        """The call was answered, item by item."""
        self._size = min(self._policy.batch_items, self._size * 2)
        self._forget(ids)

    def broke(self, count: int) -> None:
        """A call of ``count`` records did not get through: fewer at once."""
        self._size = max(1, count // 2)

    def failed(self, ids: tuple[str, ...]) -> None:
        """Our server failed, or refused, the call as a whole: in one of these is the fault."""
        self._forget(ids)
        if len(ids) == 1:
            self._alone.update(ids)
            return
        # The halves come before other groups, and what is clean goes in fewer: soon some of it gets through, which also
        # tells that the server is well.
        self._groups.extendleft((ids[len(ids) // 2 :], ids[: len(ids) // 2]))
        self._suspects.update(ids)
        self.broke(len(ids))

    def again(self, ids: Iterable[str]) -> None:
        """A person sends these again: nothing is held against them."""
        self._forget(ids)

    def _forget(self, ids: Iterable[str]) -> None:
        gone = set(ids)
        self._alone -= gone
        if gone & self._suspects:
            self._suspects -= gone
            left = (tuple(id for id in group if id not in gone) for group in self._groups)
            self._groups = deque(group for group in left if group)


def _may(row: FactRow, view: OutboxView) -> bool:
    """A correction waits for what it corrects."""
    return row.revises is None or not view.is_unsent(row.revises)

"""Which facts the server is asked about again, and when: what it holds but has not finished yet.

A fact that waits or is held back at the server turns green by a later receipt alone, so the question never ends: it is
asked soon after news came down, and otherwise at growing intervals. Lost with the process, and that is right.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from sync.client.policy import Policy
from sync.client.rows import FactRow, OutboxView
from sync.client.troubles import Troubles


@dataclass(slots=True)
class _Asked:
    """How often a fact's receipt was asked for with how many files held, and when it may be asked for again."""

    held: int = -1
    count: int = 0
    not_before: int = 0


class Questions:
    """Times in monotonic milliseconds."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._of: dict[str, _Asked] = {}

    def due(self, view: OutboxView, troubles: Troubles, now: int, whens: list[int]) -> list[FactRow]:
        """The facts to ask about now; for those that come later, the time is added to ``whens``."""
        files = {row.sha256: row for row in view.files}
        asking = []
        for row in view.facts:
            if not (row.recheck or (row.known and not row.whole)):
                continue
            if not troubles.ready("facts", row.id, now, whens):
                continue
            held = sum(1 for sha in row.evidence if sha in files and files[sha].held)
            asked = self._of.setdefault(row.id, _Asked())
            if row.known and row.answer == "applied" and held < len(row.evidence):
                continue  # its files are on the way; the question makes sense once they are there
            if row.known and asked.held < 0 and row.answer != "applied":
                # The push has just said so; do not ask in the same breath.
                asked.held, asked.not_before = held, now + self._policy.receipts_wait(1)
            if held == asked.held and asked.not_before > now:
                whens.append(asked.not_before)
                continue
            asking.append(row)
            if len(asking) >= self._policy.receipts_batch:
                break
        return asking

    def asked(self, row: FactRow, believed: frozenset[str], now: int) -> None:
        """The question about ``row`` was answered; ``believed``: the files that were receipted when it was asked."""
        asked = self._of.setdefault(row.id, _Asked())
        asked.count += 1
        asked.held = sum(1 for sha in row.evidence if sha in believed)
        asked.not_before = now + self._policy.receipts_wait(asked.count)

    def news(self, now: int) -> None:
        """News came down: perhaps what waited or was held back is decided."""
        for asked in self._of.values():
            asked.not_before = min(asked.not_before, now + self._policy.soonest_ms)

    def anew(self) -> None:
        """Another life of the server: every question is open again."""
        self._of.clear()

    def times(self, rows: Iterable[FactRow]) -> dict[str, int]:
        """When each of ``rows`` that the server has not finished is asked about again, by fact id."""
        open_rows = (row.id for row in rows if row.known and not row.whole)
        return {id: self._of[id].not_before for id in open_rows if id in self._of and self._of[id].held >= 0}

"""Which facts the server is asked about again, and when: what it holds but has not finished yet.

A fact that waits or is held back at the server turns green by a later receipt alone, so the question never ends: it is
asked soon after news came down, and otherwise at growing intervals. Lost with the process, and that is right.
"""

from dataclasses import dataclass

from sync.client.policy import Policy
from sync.client.rows import FactRow
from sync.client.shelf import OutboxView
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
        asking = []
        for row in view.asking():
            if not troubles.ready("facts", row.id, now, whens):
                continue
            held = view.shelf.held_of(row)
            asked = self._of.setdefault(row.id, _Asked())
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

    def over(self, fact: str) -> None:
        """The server has finished it."""
        self._of.pop(fact, None)

    def times(self, view: OutboxView) -> dict[str, int]:
        """When each record that the server has not finished is asked about again, by fact id."""
        asked = {id: one.not_before for id, one in self._of.items() if one.held >= 0}
        return {row.id: asked[row.id] for row in view.facts_of(asked) if row and row.known and not row.whole}

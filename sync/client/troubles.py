"""What single items went through in this run: an item that fails waits by itself, longer each time, and alone.

Lost with the process, and that is right: the count that sets an item aside is durable in the outbox (`marks.Tried`).
"""

from collections.abc import Iterable
from dataclasses import dataclass

from sync.client.policy import Policy


@dataclass(slots=True)
class _Trouble:
    fails: int = 0
    timeouts: int = 0
    not_before: int = 0
    of_link: bool = False


class Troubles:
    """Keyed by (table, id); times in monotonic milliseconds."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._of: dict[tuple[str, str], _Trouble] = {}
        self._page: tuple[object, int] = (None, 0)

    def ready(self, table: str, id: str, now: int, whens: list[int]) -> bool:
        """Whether the item may go now; else the time it may is added to ``whens``."""
        trouble = self._of.get((table, id))
        if trouble is None or trouble.not_before <= now:
            return True
        whens.append(trouble.not_before)
        return False

    def timeouts(self, table: str, id: str) -> int:
        trouble = self._of.get((table, id))
        return trouble.timeouts if trouble else 0

    def add(
        self, table: str, id: str, now: int, *, of_link: bool = False, timeout: bool = False, wait: int | None = None
    ) -> None:
        """The item failed once more; it waits ``wait`` ms, or as the policy says for its failures in a row."""
        trouble = self._of.setdefault((table, id), _Trouble())
        trouble.fails += 1
        trouble.timeouts += timeout
        trouble.of_link = of_link
        trouble.not_before = now + (self._policy.item_wait(trouble.fails) if wait is None else wait)

    def times(self) -> dict[str, int]:
        """Until when each item in trouble rests, by its id."""
        return {id: trouble.not_before for (_, id), trouble in self._of.items()}

    def over(self, table: str, id: str) -> None:
        self._of.pop((table, id), None)

    def forget(self, ids: Iterable[str]) -> None:
        wanted = set(ids)
        self._of = {key: trouble for key, trouble in self._of.items() if key[1] not in wanted}

    def wake(self, now: int, *, everything: bool) -> None:
        """The network is another one: what it may have caused may go now; ``everything``: all may."""
        for trouble in self._of.values():
            if trouble.of_link or everything:
                trouble.not_before = min(trouble.not_before, now)

    def asks_again(self, cursor: object) -> bool:
        """The page after this cursor bore what fails its check: whether it is asked for once more. It may have been
        changed on the way, or be of a newer version: after as many tries as an item has, it is taken as it is."""
        tries = self._page[1] + 1 if self._page[0] == cursor else 1
        self._page = (cursor, tries)
        return tries < self._policy.tries

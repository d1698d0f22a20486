"""Ids in the order of their keys, and work that is done in small steps."""

from bisect import bisect_left, insort
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

T = TypeVar("T")

# So many rows are made in one step where they are made bit by bit.
STEP = 20


def in_steps(each: Iterable[T], do: Callable[[T], object]) -> Iterator[None]:
    """Does it with each of them, so many in one step."""
    for at, one in enumerate(each):
        do(one)
        if at % STEP == 0:
            yield


def emptying(ids: set[str]) -> Iterator[str]:
    """Takes them out one by one, also what is put in meanwhile."""
    while ids:
        yield ids.pop()


def through(steps: Iterator[None]) -> None:
    """All of them at once."""
    for _ in steps:
        pass


class Ordered:
    """Ids in the order of their keys, which are tuples that end with the id."""

    __slots__ = ("_at", "_keys")

    def __init__(self) -> None:
        self._keys: list[tuple[Any, ...]] = []
        self._at: dict[str, tuple[Any, ...]] = {}

    def put(self, id: str, key: tuple[Any, ...] | None) -> None:
        """Puts it at ``key``; None: takes it out."""
        before = self._at.get(id)
        if before == key:
            return
        if before is not None:
            del self._keys[bisect_left(self._keys, before)]
            del self._at[id]
        if key is not None:
            self._at[id] = key
            insort(self._keys, key)

    def after(self, key: tuple[Any, ...]) -> set[str]:
        """The ids whose keys come after ``key``."""
        return {found[-1] for found in self._keys[bisect_left(self._keys, key) :]}

    def last(self) -> tuple[Any, ...] | None:
        return self._keys[-1] if self._keys else None

    def __iter__(self) -> Iterator[str]:
        return (key[-1] for key in self._keys)

    def __len__(self) -> int:
        return len(self._keys)

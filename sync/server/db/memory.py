"""What a transaction remembers, so that a hundred records ask about their person once.

A memory holds answers that no record can change: they stand until somebody else writes. It lives as long as the
transaction, and on SQLite on from one such transaction to the next, as long as nothing but records and files came in
between (see `Database.write_all`), from no other process either.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from sqlalchemy import Connection

T = TypeVar("T", bound=Callable[..., Any])
_GENTLE = "siltwatch_gentle"


class Memory(dict[Any, Any]):
    """Answers by what was asked. ``counts``: where the counters of each city stand, which ``pay`` writes before the
    transaction ends; None: they are written as they move."""

    __slots__ = ("counts", "pay")

    def __init__(self, *, counts: bool = False) -> None:
        super().__init__()
        self.counts: dict[str, Any] | None = {} if counts else None
        self.pay: Callable[[Connection, Memory], None] | None = None

    def once(self, key: Any, ask_now: Callable[[], Any]) -> Any:
        """What was answered before under ``key``, else what ``ask_now`` says. "Nothing there" is asked again."""
        found = self.get(key)
        if found is None:
            found = self[key] = ask_now()
        return found


def gentle(act: T) -> T:
    """Marks an act that changes nothing which a memory may hold."""
    setattr(act, _GENTLE, True)
    return act


def is_gentle(act: Callable[..., Any]) -> bool:
    """Whether the act is marked so."""
    return getattr(act, _GENTLE, False)


def settle(tx: Connection) -> None:
    """Writes what the transaction kept in mind and must not end without."""
    memory = remembered(tx)
    if memory.pay is not None:
        memory.pay(tx, memory)
        memory.pay = None


def remember(tx: Connection, memory: Memory) -> None:
    """From now on this is the memory of the transaction."""
    tx.siltwatch_memory = memory


def remembered(tx: Connection) -> Memory:
    """The memory of the transaction."""
    try:
        return tx.siltwatch_memory
    except AttributeError:
        tx.siltwatch_memory = found = Memory()
        return found

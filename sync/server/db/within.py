"""The database as it is seen from inside a transaction: for an act that is made of others, and is all of them or none.

What they write and read is a part of that transaction; nothing is durable before it ends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from sync.server.db.engine import Tx
from sync.server.db.memory import remembered
from sync.server.db.quick import part

T = TypeVar("T")


class Within:
    """Stands for the `Database` in a city while the transaction is open."""

    def __init__(self, tx: Tx):
        self.engine, self._tx = tx.engine, tx

    def write(self, work: Callable[[Tx], T]) -> T:
        """``work`` as a part of the transaction, which is undone alone when it raises."""
        try:
            with part(self._tx):
                return work(self._tx)
        finally:
            remembered(self._tx).clear()

    @contextmanager
    def read(self) -> Iterator[Tx]:
        """What was committed before, and what this transaction has written."""
        yield self._tx

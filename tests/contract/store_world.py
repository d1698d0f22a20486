"""What the checks of the store's contract stand on: the World they run in, and their list.

Each check takes a ``World``: one place for a store, whose files can be looked at and damaged while no store
is open. pytest runs them on native files and in memory, and a page runs the same ones on OPFS in Chromium.
A check fails by an exception. ``CHECKS`` lists them all by name.
"""

import contextlib
from typing import Protocol

from field_app.store import Store

CHECKS = {}
FILES = ("journal-0", "journal-1", "snapshot-0", "snapshot-1")


class World(Protocol):
    """One place where a store may be, empty at first."""

    async def open(self) -> Store: ...

    async def peek(self, name: str) -> bytes:
        """A file's bytes; empty when there is none. Only while no store is open."""

    async def poke(self, name: str, data: bytes) -> None:
        """Replaces a file's bytes. Only while no store is open."""

    async def names(self) -> set[str]:
        """The names of the files that are there."""


def check(function):
    CHECKS[function.__name__] = function
    return function


@contextlib.asynccontextmanager
async def opened(world):
    store = await world.open()
    try:
        yield store
    finally:
        await store.close()


async def put(store, table, **docs):
    async with store.change() as tx:
        for id, doc in docs.items():
            tx.put(table, id, doc)


def content(store):
    return {name: {doc.doc_id: dict(doc) for doc in store.table(name)} for name in sorted(store.db.tables())
            if len(store.table(name))}


async def files(world):
    return {name: await world.peek(name) for name in FILES}


async def refuses(error, awaitable):
    """The error that awaiting raised. Fails when it raised another or none."""
    try:
        await awaitable
    except error as refused:
        return refused
    raise AssertionError(f"{error.__name__} was not raised")


async def refuses_to_open(world, error):
    """Opening is refused, and not one byte has changed."""
    before, names = await files(world), await world.names()
    refused = await refuses(error, world.open())
    assert await files(world) == before, "a store that could not be read was changed"
    assert await world.names() - {"lock"} == names - {"lock"}
    return refused

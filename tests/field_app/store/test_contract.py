"""The store's contract on native files and in memory, sealed and not. (On OPFS: test_opfs.py, in a real Chromium.)"""

import asyncio

import pytest

from field_app.store.memory import Medium, MemoryDisk
from field_app.store.native import open_native
from field_app.store.store import open_store
from tests.contract import store_contract


class NativeWorld:
    def __init__(self, folder):
        self.folder = folder / "store"

    async def open(self):
        return await open_native(self.folder)

    async def peek(self, name):
        place = self.folder / name
        return place.read_bytes() if place.exists() else b""

    async def poke(self, name, data):
        (self.folder / name).write_bytes(data)

    async def names(self):
        return {place.name for place in self.folder.iterdir()}


class MemoryWorld:
    def __init__(self, _folder):
        self.medium = Medium()

    async def open(self):
        return await open_store(MemoryDisk(self.medium))

    async def peek(self, name):
        return self.medium.files.get(name, b"")

    async def poke(self, name, data):
        self.medium.files[name] = data

    async def names(self):
        return set(self.medium.files)


class SealedWorld(MemoryWorld):
    """A store under a key from its first day."""

    async def open(self):
        from field_app.hardware.crypto import NativeCrypto  # which the browser's Python has not

        return await open_store(MemoryDisk(self.medium), ciphers=NativeCrypto())


@pytest.mark.parametrize("world", [NativeWorld, MemoryWorld, SealedWorld])
@pytest.mark.parametrize("name", store_contract.CHECKS)
def test_contract(name, world, tmp_path):
    asyncio.run(store_contract.CHECKS[name](world(tmp_path)))

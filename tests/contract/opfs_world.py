"""The contract's World on OPFS, and a runner for the page's worker. Runs in Pyodide only."""

import json
import traceback

from pyodide.ffi import JsException

from field_app.hardware.webcrypto import WebCrypto
from field_app.store import opfs
from tests.contract import store_contract

_PATIENCE = 0.1


class OpfsWorld:
    def __init__(self, name):
        self.name = name

    async def open(self):
        return await opfs.open_opfs(self.name, patience=_PATIENCE, ciphers=WebCrypto())

    async def peek(self, name):
        place = await opfs.folder(self.name)
        try:
            file = await (await place.getFileHandle(name)).getFile()
        except JsException:
            return b""
        return (await file.arrayBuffer()).to_bytes()

    async def poke(self, name, data):
        handle = await opfs.exclusive(await opfs.folder(self.name), name, _PATIENCE)
        try:
            handle.truncate(0)
            opfs.write_at(handle, 0, data)
            handle.flush()
        finally:
            handle.close()

    async def names(self):
        return {entry async for entry in (await opfs.folder(self.name)).keys()}


async def run_store_contract() -> str:
    """Every check in a folder of its own: JSON text, name -> null or the traceback."""
    results = {}
    for name, check in store_contract.CHECKS.items():
        try:
            await check(OpfsWorld(f"contract/{name}"))
            results[name] = None
        except Exception:
            results[name] = traceback.format_exc()
    return json.dumps(results)

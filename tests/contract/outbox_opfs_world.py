"""The outbox contract's World on OPFS, and a runner for the page's worker. Runs in Pyodide only."""

import json
import traceback

from field_app.photos.opfs import open_opfs_box
from field_app.store.opfs import open_opfs
from tests.contract import outbox_contract
from tests.contract.outbox_world import StoreWorld


class OpfsWorld(StoreWorld):
    async def open_box(self):
        return await open_opfs_box(f"{self.folder}-evidence")

    async def open_store(self):
        return await open_opfs(self.folder)

    async def crash(self):
        await self.store.close()
        await self.reopen()


async def run_outbox_contract() -> str:
    """Every check in folders of its own: JSON text, name -> null or the traceback."""
    results = {}
    for name, check in outbox_contract.CHECKS.items():
        try:
            world = OpfsWorld(f"outbox-{name}")
            await world.open()
            await check(world)
            await world.store.close()
            results[name] = None
        except Exception:
            results[name] = traceback.format_exc()
    return json.dumps(results)

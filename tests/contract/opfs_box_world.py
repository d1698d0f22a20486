"""The evidence box contract's World on OPFS, and a runner for the page's worker. Runs in Pyodide only."""

import json
import traceback

from field_app.hardware.images_canvas import CanvasImages
from field_app.photos.opfs import open_opfs_box
from field_app.store.opfs import folder
from tests.contract import box_contract
from tests.contract.opfs_world import OpfsWorld
from tests.contract.pictures import TURNED_JPEG


class OpfsBoxWorld:
    def __init__(self, name):
        self.name = name

    async def open(self):
        return await open_opfs_box(self.name, CanvasImages())

    async def spoil(self, sha, data):
        await OpfsWorld(self.name).poke(sha, data)

    async def leave_half(self):
        await OpfsWorld(self.name).poke(f"{'ab' * 32}.part", TURNED_JPEG[:50])

    async def names(self):
        found = await OpfsWorld(self.name).names() - {"derived"}
        return found | {entry async for entry in (await folder(f"{self.name}/derived")).keys()}

    async def body(self, body):
        return (await body.arrayBuffer()).to_bytes()


async def run_box_contract(place: str) -> str:
    """Every check in a folder of its own: JSON text, name -> null or the traceback."""
    results = {}
    for name, check in box_contract.CHECKS.items():
        try:
            await check(OpfsBoxWorld(f"{place}/{name}"))
            results[name] = None
        except Exception:
            results[name] = traceback.format_exc()
    return json.dumps(results)

"""The evidence box contract's World on OPFS, and a runner for the page's worker. Runs in Pyodide only."""

import json
import traceback

import js
from pyodide.ffi import to_js

from field_app.hardware.images_canvas import CanvasImages
from field_app.hardware.webcrypto import WebCrypto
from field_app.photos.fetched_opfs import open_opfs_fetched
from field_app.photos.opfs import open_opfs_box
from field_app.store.opfs import folder
from tests.contract import box_contract
from tests.contract.opfs_world import OpfsWorld
from tests.contract.outside_box import OUTSIDE_CHECKS
from tests.contract.pictures import TURNED_JPEG
from tests.contract.sealed_box import SEALED_CHECKS, key_ring


class OpfsBoxWorld:
    def __init__(self, name):
        self.name = name
        self.keys = None

    async def open(self, sealed=True):
        box = await open_opfs_box(self.name, CanvasImages())
        if sealed:
            self.keys = self.keys or await key_ring(WebCrypto())
            box.use(self.keys)
        return box

    async def spoil(self, sha, data):
        await OpfsWorld(self.name).poke(sha, data)

    async def leave_half(self):
        await OpfsWorld(self.name).poke(f"{'ab' * 32}.part", TURNED_JPEG[:50])

    async def names(self):
        found = await OpfsWorld(self.name).names() - {"derived"}
        return found | {entry async for entry in (await folder(f"{self.name}/derived")).keys()}

    async def body(self, body):
        return (await (await body.plain() if hasattr(body, "plain") else body).arrayBuffer()).to_bytes()

    @property
    def can_move(self):
        return hasattr(js.FileSystemFileHandle.prototype, "move")

    async def fetched(self, sealed=True):
        files = await open_opfs_fetched(f"{self.name}-fetched")
        if sealed:
            files.use(self.keys)
        return files

    @staticmethod
    def pour(sink, data):
        sink.write(to_js(data))

    async def raw_fetched(self, name):
        return await OpfsWorld(f"{self.name}-fetched").peek(name)

    async def raw(self, name):
        places = (self.name, f"{self.name}/derived")
        (data,) = [data for place in places if (data := await OpfsWorld(place).peek(name))]
        return data

    async def slice(self, body, first, end):
        return (await (await body.plain(first, end)).arrayBuffer()).to_bytes()


async def run_box_contract(place: str) -> str:
    """Every check in a folder of its own: JSON text, name -> null or the traceback."""
    results = {}
    for name, check in (box_contract.CHECKS | SEALED_CHECKS | OUTSIDE_CHECKS).items():
        try:
            await check(OpfsBoxWorld(f"{place}/{name}"))
            results[name] = None
        except Exception:
            results[name] = traceback.format_exc()
    return json.dumps(results)

"""A tablet's way of sending photos in the browser, measured: real OPFS, real fetch, the real driver. Pyodide only."""

import asyncio
import json
from dataclasses import replace
from time import perf_counter
from types import SimpleNamespace

import js
import pyodide_js

from field_app.hardware.images_canvas import CanvasImages
from field_app.photos.opfs import open_opfs_box
from field_app.store.opfs import open_opfs
from field_app.store.outbox import StoreOutbox, queue
from field_app.work.darkroom import MADE, Darkroom
from field_app.work.desk import Desk as TabletDesk
from sync.client.calls import Request, Target
from sync.client.driver import Driver
from sync.client.engine import Engine
from sync.client.outbox import MemoryOutbox
from sync.client.policy import Policy
from sync.client.rows import SAFE
from sync.client.transports.browser import BrowserTransport
from sync.records.facts import Evidence, freeze
from sync.records.macs import fingerprint
from tests.support.sync_sim import KEY, Desk, done, small_fact

# Photos are made, hashed and laid into OPFS by the browser alone: whatever grows while they are sent, sending did.
MAKE = """
async (folder, size, count) => {
  const canvas = new OffscreenCanvas(1600, 1200), pen = canvas.getContext('2d');
  for (let n = 0; n < 400; n++) {
    pen.fillStyle = `hsl(${n * 7 % 360} 60% ${20 + n % 60}%)`;
    pen.fillRect(n * 37 % 1600, n * 53 % 1200, 90, 70);
  }
  const head = new Uint8Array(await (await canvas.convertToBlob({type: 'image/jpeg'})).arrayBuffer());
  let place = await navigator.storage.getDirectory();
  place = await place.getDirectoryHandle(folder, {create: true});
  const names = [], data = new Uint8Array(size);
  data.set(head);
  for (let n = 0; n < count; n++) {
    for (let at = head.length; at < size; at += 65536)
      crypto.getRandomValues(data.subarray(at, Math.min(size, at + 65536)));
    const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', data));
    const name = [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('');
    const handle = await (await place.getFileHandle(name, {create: true})).createSyncAccessHandle();
    handle.write(data, {at: 0});
    handle.flush();
    handle.close();
    names.push(name);
  }
  return JSON.stringify(names);
}
"""


class Clock:
    def monotonic_ms(self) -> int:
        return int(js.performance.now())


class Tablet:
    """One tablet's store, box, driver and darkroom; `send` takes signed records until they are green."""

    async def open(self, origin: str, token: str, receipt_key: str, epoch: str) -> None:
        from sync.client.marks import EpochSeen

        self.store = await open_opfs("uploads")
        self.box = await open_opfs_box("evidence", CanvasImages())
        self.port = StoreOutbox(self.store, self.box)
        await self.port.mark([EpochSeen(epoch)])
        engine = Engine(bytes.fromhex(receipt_key), "demo", lambda: 0.0, Policy(lease_low=0, pull_visible_ms=600_000))
        self.driver = Driver(engine, self.port, BrowserTransport(), Target(origin, token), Clock())
        work = TabletDesk(self.store, self.box, SimpleNamespace(clock=Clock()), server=origin, language="en")
        work.driver = self.driver
        self.darkroom = Darkroom(work)
        self.running = asyncio.ensure_future(self.driver.run())
        self.darkroom.start()

    @staticmethod
    async def photos(size: int, count: int) -> str:
        return await js.eval(MAKE)("evidence", size, count)

    async def send(self, items: list[dict[str, str]]) -> str:
        """Bytes of the WASM heap after all of it is green, and the longest step of the driver in milliseconds."""
        self.driver.steps.anew()
        async with self.store.change() as tx:
            for item in items:
                queue(tx, item["fact"].encode(), mac=item["mac"], credential=item["credential"])
        self.driver.wake("item")
        while not all(row.state == SAFE for row in self.port.view().facts):
            await asyncio.sleep(0.02)
        steps = self.driver.steps
        previews = sum(doc.get("preview") == MADE for doc in self.store.table("evidence").all())
        return json.dumps({"heap": pyodide_js._module.HEAP8.byteLength, "longest_ms": steps.longest_ms,
                           "longest_of": steps.longest_of, "previews": previews})


def longest_step(facts: int = 1_000, runs: int = 3) -> str:
    """Milliseconds of the engine's longest step while 1,000 records with 2,000 photos go out: view with decision, or
    view with lesson, as the driver takes them. The server's side does not count. Every run takes the same steps, and
    of each step the quickest run counts: a browser tells no processor time, and other programs must not count."""
    quickest: list[tuple[float, str]] = []
    for _ in range(runs):
        steps = _day(facts)
        quickest = [min(pair) for pair in zip(quickest, steps, strict=True)] if quickest else steps
    longest, of = max(quickest)
    return json.dumps({"longest_ms": longest * 1_000, "longest_of": of})


def _day(facts: int) -> list[tuple[float, str]]:
    """(seconds, name) of each step of the day."""
    port, desk, steps = MemoryOutbox(), Desk(page=500), []
    for number in range(1, facts + 1):
        files = tuple(Evidence(fingerprint(b"%d %d" % (number, n)), "photo", 300_000, "image/jpeg") for n in range(2))
        fact = replace(small_fact(number, body={"n": number, "text": "x" * 1_500}), evidence=files)
        done(port.queue(freeze(fact), mac="0" * 64, credential="c1"))
    engine = Engine(KEY, "demo", lambda: 0.0, Policy(lease_low=0))
    now = 0
    while len(desk.files) < 2 * facts or not all(row.state == SAFE for row in port.view().facts):
        now += 1_000
        for lane in ("talk", "files"):
            begun = perf_counter()
            step = engine.next(port.view(), now, lane)
            steps.append((perf_counter() - begun, f"next {lane}"))
            if isinstance(step, Request):
                reply = desk(step, now)
                begun = perf_counter()
                marks = engine.took(lane, reply, port.view(), now)
                steps.append((perf_counter() - begun, f"took {step.purpose}"))
                done(port.mark(marks))
    return steps

"""A tablet as a process of its own, to be killed: the real native store, evidence box, outbox, driver and transport.

``python -m tests.faults.tablet_process --folder F --server URL --enrol CODE --person CODE --photos N [--patient]``
enrols itself if it must, signs inspections with ten photos each until there are N, sends everything and says ``done``.
Started anew in the same folder, it goes on where it was. Each line it prints: how many photos are taken, how many are
safe.
"""

import argparse
import asyncio
import random
import secrets
import sys
import time
from dataclasses import replace
from pathlib import Path

from field_app.photos.native import open_native_box
from field_app.store.native import open_native
from field_app.store.outbox import TABLET, StoreOutbox, queue, remember_enrolment, remember_sign_in
from sync.client.calls import Target
from sync.client.driver import Driver
from sync.client.engine import Engine
from sync.client.enrolment import enrol, sign_in
from sync.client.policy import Policy
from sync.client.rows import SAFE
from sync.client.transports.native import NativeTransport
from sync.records.facts import Evidence, Fact, freeze
from sync.records.macs import fingerprint, sign
from sync.records.problems import Problem
from tests.model.tablet import png
from tests.support.city import inspection_body
from tests.support.samples import at

EACH = 10
# As in the app, but with less time between tries, and chunks small enough that photos need several.
HASTY = Policy(
    hello_timeout_ms=1_000, call_timeout_ms=5_000, file_timeout_ms=5_000, first_wait_ms=20, visible_cap_ms=300,
    soonest_ms=1, receipts_every_ms=100, item_wait_ms=50, item_cap_ms=500, lease_low=0, trouble_wait_ms=50,
    preview_wait_ms=20, chunk_first=65_536, chunk_least=16_384, chunk_most=131_072,
)  # fmt: skip
LARGEST_STEP = 131_072
# For a line of 100 kB a second: a part of a file is to take 0.15 s.
PATIENT = replace(HASTY, hello_timeout_ms=20_000, call_timeout_ms=60_000, file_timeout_ms=60_000, chunk_first=32_768,
                  chunk_least=4_096, chunk_ms=150)  # fmt: skip


class Clock:
    def monotonic_ms(self) -> int:
        return time.monotonic_ns() // 1_000_000


def photo(number: int, patient: bool = False) -> bytes:
    """Photos of 4 to 90 kB, each like no other, the same ones in every process; with ``patient`` one of 60 kB and nine
    of 1,500 bytes in each inspection."""
    if patient:
        return png(number, 1_500 if number % EACH else 60_000)
    return png(number, random.Random(number).randrange(4_000, 90_000))


async def _no_pause(_: int) -> None:
    await asyncio.sleep(0.01)


async def persist(call):
    """Tries again for as long as the network is to blame."""
    while True:
        try:
            return await call()
        except Problem as problem:
            if problem.code not in ("offline", "wrong-server", "network-login", "server-busy"):
                raise


class Day:
    """One tablet's day in ``folder``."""

    def __init__(self, asked: argparse.Namespace) -> None:
        self.asked, self.transport = asked, NativeTransport()

    async def run(self) -> None:
        folder = Path(self.asked.folder)
        self.store = await open_native(folder / "store")
        self.box = await open_native_box(folder / "evidence")
        self.outbox = StoreOutbox(self.store, self.box)
        await self._enrol()
        who = self.store.table("secrets").get(TABLET)
        target = Target(self.asked.server, who["device_token"])
        if self.store.table("credentials").get("ada") is None:
            found = await persist(lambda: sign_in(self.transport, target, self.asked.person, _no_pause))
            async with self.store.change() as tx:
                remember_sign_in(tx, found)
        engine = Engine(bytes.fromhex(who["receipt_key"]), who["city"], random.random,
                        PATIENT if self.asked.patient else HASTY)
        self.driver = Driver(engine, self.outbox, self.transport, target, Clock())
        sending = asyncio.ensure_future(self.driver.run())
        await self._work(who["tablet_code"])
        while not all(row.state == SAFE for row in self.outbox.view().facts):
            self._tell()
            await asyncio.sleep(0.05)
        self._tell()
        await self.driver.stop()
        await sending
        print("done", flush=True)

    def _tell(self) -> None:
        files = self.outbox.view().files
        print(len(files), sum(row.held for row in files), flush=True)

    async def _enrol(self) -> None:
        if self.store.table("secrets").get(TABLET) is not None:
            return
        if (kept := self.store.table("meta").get("secret")) is None:
            kept = {"secret": secrets.token_hex(32)}
            async with self.store.change() as tx:
                tx.put("meta", "secret", kept)
        found = await persist(lambda: enrol(self.transport, self.asked.server, self.asked.enrol, kept["secret"],
                                            _no_pause))  # fmt: skip
        async with self.store.change() as tx:
            remember_enrolment(tx, found, kept["secret"])

    async def _work(self, code: str) -> None:
        """Takes what photos are missing and signs them, ten at a time, while the earlier ones are sent."""
        person = self.store.table("credentials").get("ada")
        for number in range(len(self.store.table("facts").all()), self.asked.photos // EACH):
            evidence = []
            for one in range(number * EACH, (number + 1) * EACH):
                data = photo(one, self.asked.patient)
                sha = await self.box.keep(data, photo=True)
                evidence.append(Evidence(sha, "photo", len(data), "image/png"))
            body = inspection_body(photos=[{
                "sha256": file.sha256, "taken": at().to_wire(), "source": "camera", "position": None,
                "no_position": "no signal", "item": None, "finding": None, "view": "wide", "name": None,
            } for file in evidence])  # fmt: skip
            ident = fingerprint(f"{code}/{number}".encode())[:32]
            fact = Fact("demo", ident, "inspection_signed", code, number + 1, "ada", at(), "demo@2026.1", body,
                        evidence=tuple(evidence))  # fmt: skip
            frozen = freeze(fact)
            async with self.store.change() as tx:
                tx.put("meta", f"counter:{code}", {"n": number + 1})
                queue(tx, frozen, mac=sign(bytes.fromhex(person["key"]), frozen), credential=person["id"])
            self.driver.wake("item")
            self._tell()
            await asyncio.sleep(0)


def main() -> int:
    ask = argparse.ArgumentParser()
    for name in ("folder", "server", "enrol", "person"):
        ask.add_argument(f"--{name}", required=True)
    ask.add_argument("--photos", type=int, required=True)
    ask.add_argument("--patient", action="store_true")
    asyncio.run(Day(ask.parse_args()).run())
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""A day's photos over a line that is slow, cut, swallowed and taken over, while tablet and server are killed.

Real processes on both sides of the proxy. Everything arrives, once, whole, and what is sent twice is bounded by what
was under way when something broke.
"""

import os
import random
import time
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy import func, select

from sync.records.macs import fingerprint
from sync.server.casework import audit
from sync.server.db import schema
from tests.faults.held_process import TabletProcess
from tests.faults.proxy import Proxy
from tests.faults.tablet_process import EACH, LARGEST_STEP, photo
from tests.support.again import Lost
from tests.support.server import Server

# What a request needs beside its photo (headers, the record about ten photos, a question for receipts), generously.
BESIDE = 3_000


@contextmanager
def until(proxy: Proxy, tablet: TabletProcess, seconds: float):
    """Gives ``wait(bytes)``: returns once so many bytes have gone up in all."""
    end = time.monotonic() + seconds

    def wait(count: int) -> None:
        while proxy.up < count and not tablet.done.is_set():
            tablet.lives()
            assert time.monotonic() < end, f"{proxy.up} of {count} bytes up, {tablet.safe}/{tablet.taken} photos safe"
            time.sleep(0.002)

    yield wait


def play(folder: Path, photos: int, cuts: int, kills: int, seconds: float) -> None:
    sizes = [len(photo(number)) for number in range(photos)]
    total = sum(sizes)
    chance = random.Random(photos)
    cut_at = sorted(chance.randrange(total // 20, total * 9 // 10) for _ in range(cuts))
    with Server(folder / "data") as server:
        with Proxy(server.port, latency=0.0005, rate=12_000_000, cut_at=cut_at) as proxy:
            tablet = TabletProcess(folder / "tablet", proxy.url, server.enrol_code(), server.personal_code("ada"),
                                   photos)
            tablet.start()
            try:
                with until(proxy, tablet, seconds) as wait:
                    for turn in range(kills):
                        wait(total * (3 * turn + 1) // (3 * kills))
                        tablet.kill()  # a tablet that dies while a photo is under way
                        tablet.start()
                        wait(total * (3 * turn + 2) // (3 * kills))
                        server.kill()  # and a server; meanwhile the hotel's log-in page answers
                        proxy.portal = True
                        proxy.cut()
                        seen = proxy.portals
                        server.start()
                        while proxy.portals < seen + 2:
                            tablet.lives()
                            time.sleep(0.002)
                        proxy.portal = False
                    proxy.hold = True  # for a while everything is swallowed, and nothing is said
                    time.sleep(1.5)
                    proxy.hold = False
                    wait(total * 100)
                assert tablet.done.is_set() and (tablet.taken, tablet.safe) == (photos, photos)
            finally:
                tablet.kill()
            broken, up, portals = proxy.broken, proxy.up, proxy.portals
        assert broken >= cuts + kills and portals >= 2 * kills, "the network was too kind to show anything"
        resent = up - total
        breaks = broken + 2 * kills + 1
        print(f"{photos} photos, {total} bytes, {resent} sent beside them, {broken} cuts, {kills} kills of each side")
        assert resent <= breaks * 2 * LARGEST_STEP + BESIDE * (photos + total // 16_384), "too much was sent again"
        with server.city() as city:
            with city.db.read() as tx:
                mine = schema.facts.c.tablet_code == "T07"
                assert tx.execute(select(func.count()).where(mine)).scalar_one() == photos // EACH
                assert set(tx.execute(select(schema.facts.c.state).where(mine)).scalars()) == {"applied"}
                assert tx.execute(select(func.count()).select_from(schema.strays)).scalar_one() == 0
                held = set(tx.execute(select(schema.evidence.c.sha256)).scalars())
            wanted = {fingerprint(photo(number)) for number in range(photos)}
            if not wanted <= held or any(fingerprint(city.blobs.read(sha)) != sha for sha in wanted):
                raise Lost("a photo that the tablet was told is safe is not there")
            audit.verify(city)


@pytest.mark.processes
def test_a_hundred_photos_with_five_cuts_and_both_sides_killed(tmp_path):
    play(tmp_path, 100, 5, 1, 200)


@pytest.mark.long
@pytest.mark.timeout(0)
def test_two_thousand_photos_with_thirty_cuts_and_both_sides_killed_again_and_again(tmp_path):
    play(tmp_path, int(os.environ.get("SILTWATCH_PHOTOS", "2000")), 30, 4, 3_600)

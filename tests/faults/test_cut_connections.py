"""A day's work sent through a network that cuts connections at every kind of place: all of it arrives, once."""

import asyncio
import random

from sqlalchemy import func, select

from sync.client.calls import Target
from sync.client.driver import Driver
from sync.client.engine import Engine
from sync.client.enrolment import enrol, sign_in
from sync.client.marks import EpochSeen
from sync.client.outbox import MemoryOutbox
from sync.client.rows import SAFE
from sync.client.transports.native import NativeTransport
from sync.records.facts import Evidence, Fact, freeze
from sync.records.macs import fingerprint, sign
from sync.records.problems import Problem
from sync.server.casework import audit
from sync.server.casework.enrolment import create_enrolment_code, create_personal_code
from sync.server.db import schema
from tests.faults.proxy import Fate, Proxy
from tests.support.city import folder_city, inspection_body
from tests.support.clock import StoppedClock
from tests.support.pictures import picture
from tests.support.real_server import RealServer
from tests.support.samples import at
from tests.support.sync_driver import QUICK, Clock, running, until

FACTS, FILES, SIZE = 12, 3, 40_000


async def no_pause(_):
    await asyncio.sleep(0)


def plan():
    """Cuts in heads and bodies of requests and of answers. None without end: such a connection would carry the rest."""
    chance = random.Random(5)
    yield from (Fate(up=1), Fate(up=120), Fate(down=1), Fate(down=30))
    for _ in range(60):
        yield chance.choice((
            Fate(up=chance.randrange(1, SIZE)), Fate(up=chance.randrange(1, 3 * SIZE)),
            Fate(down=chance.randrange(1, 400)), Fate(down=chance.randrange(1, 4_000)),
        ))  # fmt: skip
    yield Fate(hold=True)


def test_everything_arrives_once_through_cut_connections(tmp_path):
    city = folder_city(tmp_path / "city", StoppedClock("2026-08-27T15:00:00-05:00"))
    transport, port = NativeTransport(), MemoryOutbox()
    code, personal = create_enrolment_code(city, "keeper"), create_personal_code(city, "keeper", "ada")

    async def run():
        with RealServer(city) as server, Proxy(server.port, plan()) as proxy:
            # Enrolment and sign-in go the same bad way; each is repeated until it is through.
            found = await persist(lambda: enrol(transport, proxy.url, code, "ab" * 32, no_pause))
            target = Target(proxy.url, found.device_token)
            person = await persist(lambda: sign_in(transport, target, personal, no_pause))
            await port.mark([EpochSeen(found.epoch)])
            files = set()
            for number in range(1, FACTS + 1):
                photos = [photo(number, n) for n in range(FILES)]
                files |= {await port.keep(data) for data in photos}
                evidence = tuple(Evidence(fingerprint(data), "photo", len(data), "image/jpeg") for data in photos)
                fact = Fact("demo", f"{number:032x}", "inspection_signed", found.tablet_code, number, "ada", at(),
                            "demo@2026.1", inspection_body(), evidence=evidence)  # fmt: skip
                frozen = freeze(fact)
                await port.queue(frozen, mac=sign(bytes.fromhex(person.key), frozen), credential=person.credential)
            engine = Engine(bytes.fromhex(found.receipt_key), found.city, lambda: 0.5, QUICK)
            driver = Driver(engine, port, transport, target, Clock())
            async with running(driver):
                await until(lambda: all(row.state == SAFE for row in port.view().facts))
                await until(lambda: len(port.all("sites")) == 2)
            assert proxy.broken >= 20, "the network was too kind to show anything"
            return files

    try:
        files = asyncio.run(run())
    finally:
        transport.close()
    with city.db.read() as tx:
        assert tx.execute(select(func.count()).select_from(schema.facts)).scalar_one() == FACTS
        assert tx.execute(select(func.count()).select_from(schema.tablets)).scalar_one() == 1
        assert set(tx.execute(select(schema.evidence.c.sha256)).scalars()) == files
        assert tx.execute(select(func.count()).select_from(schema.strays)).scalar_one() == 0
    assert all(fingerprint(city.blobs.read(sha)) == sha for sha in files)
    assert len(list(city.blobs.names())) == FACTS * FILES
    audit.verify(city)


def photo(number, n):
    return picture(SIZE, number * 100 + n)


async def persist(call):
    for _ in range(100):
        try:
            return await call()
        except Problem as problem:
            assert problem.code in ("offline", "wrong-server"), problem
    raise AssertionError("it never got through")

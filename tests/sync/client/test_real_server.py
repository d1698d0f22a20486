"""The tablet's half against the real server over real HTTP on loopback, through the server's stop and start."""

import asyncio
from dataclasses import replace

import pytest

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
from sync.server.casework.enrolment import LEASE_SIZE, create_enrolment_code, create_personal_code, device_token
from tests.faults.proxy import Fate, Proxy
from tests.support.city import field_tablet, folder_city, inspection_body
from tests.support.clock import StoppedClock
from tests.support.pictures import picture
from tests.support.real_server import RealServer
from tests.support.samples import at
from tests.support.sync_driver import QUICK, Clock, running, states, until


async def no_pause(_):
    await asyncio.sleep(0)


def test_against_the_real_server_over_http_through_its_stop_and_start(tmp_path):
    """Enrol, sign in, work while the server is stopped, and all of it arrives by itself when it is back."""
    city = folder_city(tmp_path / "city", StoppedClock("2026-08-27T15:00:00-05:00"))
    server, transport, port = RealServer(city), NativeTransport(), MemoryOutbox()
    picture = (
        b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x00\x00\x00\x00:~\x9bU"
        b"\x00\x00\x00\nIDATx\x9cc`\x00\x00\x00\x02\x00\x01H\xaf\xa4q\x00\x00\x00\x00IEND\xaeB`\x82"
    )

    async def run():
        code = create_enrolment_code(city, "keeper")
        personal = create_personal_code(city, "keeper", "ada")
        with server:
            found = await enrol(transport, server.url, code, "ab" * 32, no_pause)
            again = await enrol(transport, server.url + "/", code, "ab" * 32, no_pause)
            assert found == again and len(found.numbers) == LEASE_SIZE
            with pytest.raises(Problem) as refused:
                await enrol(transport, server.url, code, "cd" * 32, no_pause)
            assert refused.value.code == "code-used"
            target = Target(server.url, found.device_token)
            person = await sign_in(transport, target, personal, no_pause)
            assert (await sign_in(transport, target, personal, no_pause)) == person
            assert person.person_id == "ada"
        await port.mark([EpochSeen(found.epoch)])
        await port.take_lease(found.numbers, found.seal)
        engine = Engine(bytes.fromhex(found.receipt_key), found.city, lambda: 0.0, QUICK)
        driver = Driver(engine, port, transport, target, Clock())
        async with running(driver):
            await until(lambda: driver.status.link.code == "offline")
            await port.keep(picture)
            photo = Evidence(fingerprint(picture), "photo", len(picture), "image/png")
            fact = Fact("demo", "a1" * 16, "inspection_signed", found.tablet_code, 1, "ada", at(), "demo@2026.1",
                        inspection_body(), evidence=(photo,))
            frozen = freeze(fact)
            await port.queue(frozen, mac=sign(bytes.fromhex(person.key), frozen), credential=person.credential)
            driver.wake("item")
            await asyncio.sleep(0.3)
            assert states(port) == {1: "waiting"}
            with server:
                await until(lambda: states(port) == {1: SAFE} and len(port.all("sites")) == 2)
                assert len(port.all("inlets")) == 2 and port.all("packs") and driver.status.link.up
            await until(lambda: not driver.status.link.up)
        assert port.view().lease_highest == LEASE_SIZE

    try:
        asyncio.run(run())
    finally:
        transport.close()


def test_large_files_over_a_link_that_breaks_again_and_again(tmp_path):
    """Real HTTP through a proxy that cuts: two large photos and a small one arrive whole, and green is true."""
    city = folder_city(tmp_path / "city", StoppedClock("2026-08-27T15:00:00-05:00"))
    tablet = field_tablet(city, "ada")
    photos = [picture(3_000_000, 1), picture(2_500_000, 2), picture(40_000, 3)]
    policy = replace(QUICK, chunk_first=512 * 1024, chunk_ms=50, file_timeout_ms=20_000, call_timeout_ms=20_000)
    transport, port = NativeTransport(), MemoryOutbox()

    async def run(url, broken):
        for data in photos:
            await port.keep(data)
        with city.db.read() as tx:
            await port.mark([EpochSeen(city.row(tx).epoch)])
        files = tuple(Evidence(fingerprint(data), "photo", len(data), "image/jpeg") for data in photos)
        fact = tablet.fact("inspection_signed", inspection_body(), evidence=files)
        item = tablet.item(fact)
        await port.queue(item.text.encode(), mac=item.mac, credential=item.credential)
        token = device_token(city, tablet.tablet.id, tablet.tablet.code)
        engine = Engine(tablet.tablet.receipt_key, "demo", lambda: 0.0, policy)
        driver = Driver(engine, port, transport, Target(url, token), Clock())
        async with running(driver):
            await until(lambda: states(port) == {1: SAFE})
        assert broken() >= 4

    cuts = [Fate(up=at) for at in (700_000, 300_000, 1_200_000, 90_000, 600_000)]
    try:
        with RealServer(city) as server, Proxy(server.port, cuts) as proxy:
            asyncio.run(run(proxy.url, lambda: proxy.broken))
    finally:
        transport.close()
    assert {name: city.blobs.read(name) for name in city.blobs.names()} == {fingerprint(d): d for d in photos}
    assert list(city.blobs.unfinished.iterdir()) == []

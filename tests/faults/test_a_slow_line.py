"""A line that carries nothing, then little: photos go on being taken, files go in parts that the line carries,
and what broke off goes on where it was. A tablet's real process, the real server behind a capped line.
"""

import time

import pytest

from sync.records.macs import fingerprint
from sync.records.protocol import UPLOADS
from sync.server.casework.enrolment import create_enrolment_code, create_personal_code
from sync.server.db import schema
from tests.faults.held_process import TabletProcess
from tests.faults.proxy import Proxy
from tests.faults.tablet_process import PATIENT, photo
from tests.support.city import folder_city
from tests.support.clock import StoppedClock
from tests.support.real_server import RealServer

PHOTOS, RATE = 20, 100_000
# What the line carries in the time that a part is to take, and what the tablet's clock cuts off in reading it.
MOST = RATE * PATIENT.chunk_ms // 1000 * 102 // 100


def wait(tablet, met):
    while not met():
        tablet.lives()
        time.sleep(0.002)


@pytest.mark.processes
def test_photos_go_on_being_taken_and_nothing_begins_anew(tmp_path):
    city = folder_city(tmp_path / "city", StoppedClock("2026-08-27T15:00:00-05:00"))
    with RealServer(city) as server, Proxy(server.port) as proxy:

        def hold(asked):
            if asked.method == "PUT":  # the first file is on its way: from now on nothing goes
                proxy.hold, proxy.watch = True, lambda _: None

        proxy.watch = hold
        tablet = TabletProcess(tmp_path / "tablet", proxy.url, create_enrolment_code(city, "keeper"),
                               create_personal_code(city, "keeper", "ada"), PHOTOS, "--patient")  # fmt: skip
        tablet.start()
        try:
            wait(tablet, lambda: proxy.hold and tablet.taken == PHOTOS)  # whoever takes photos does not wait for it
            assert tablet.safe == 0
            proxy.rate, proxy.latency, proxy.hold = RATE, 0.02, False
            wait(tablet, lambda: any(asked.offset for asked in proxy.asked))
            proxy.cut()  # in the middle of a part of a file, or just after it
            wait(tablet, tablet.done.is_set)
            assert (tablet.taken, tablet.safe) == (PHOTOS, PHOTOS)
        finally:
            tablet.kill()
        parts = [asked for asked in proxy.asked if asked.offset is not None]
        files = {asked.path for asked in parts}
        assert len(files) == 2 and all(path.startswith(UPLOADS) for path in files)
        # By the first part it learns what the line carries.
        assert max(asked.size for asked in parts[1:]) <= MOST < PATIENT.chunk_first, parts
        for path in files:
            offsets = [asked.offset for asked in parts if asked.path == path]
            assert offsets == sorted(offsets) and offsets.count(0) == 1, f"an upload began anew: {offsets}"
        assert proxy.broken == 1
    with city.db.read() as tx:
        held = {row.sha256 for row in tx.execute(schema.evidence.select())}
    assert held == {fingerprint(photo(number, patient=True)) for number in range(PHOTOS)}
    assert all(fingerprint(city.blobs.read(sha)) == sha for sha in held)

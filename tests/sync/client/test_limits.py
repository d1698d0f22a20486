"""Limits that a server cannot mean: an answer with one is taken for what else it says, and stops nothing."""

import json

import pytest

from sync.client.calls import Reply
from sync.client.enrolment import read_enrolment
from sync.client.rows import TABLET_DOC
from sync.records.protocol import HEADER_EPOCH, HEADER_LARGEST, HEADER_PROTOCOL
from tests.support.sync_sim import Desk, Sim, queue, small_fact

ABSURD = [0, -1, -(10**30), "lots", "64", "", True, False, None, 1.5, [1], {"bytes": 1}]


def answer(limits):
    said = {"city": "demo", "city_name": "Demo", "tablet_id": "1" * 32, "tablet_code": "T07", "device_token": "t",
            "receipt_key": "a" * 64, "lease": {"numbers": [], "seal": "s"}, "epoch": "e1", "time": "2026-08-27",
            "public_url": "https://office", "limits": limits}
    return Reply(200, {HEADER_PROTOCOL.lower(): "1", HEADER_EPOCH.lower(): "e1"}, json.dumps(said).encode())


@pytest.mark.parametrize("limit", [limit for limit in ABSURD if not isinstance(limit, float)])
def test_of_an_enrolment_only_what_is_a_limit_is_kept(limit):
    found = read_enrolment(answer({"evidence_bytes": limit, "tries": limit, "batch": 50}))
    assert found.limits == {"batch": 50}
    assert read_enrolment(answer(["evidence_bytes", limit])).limits == {}


@pytest.mark.parametrize("limit", ABSURD)
def test_what_an_older_version_kept_of_it_stops_no_photo(limit):
    sim = Sim(Desk())
    sim.port.put("secrets", TABLET_DOC, {"tablet_code": "T07", "limits": {"evidence_bytes": limit}})
    fact = queue(sim.port, small_fact(1, files=(b"photo",)), b"photo")
    sim.run(5_000)
    assert sim.port.view().fact(fact).whole


class Saying(Desk):
    """A server that says its limit with every answer."""

    limit: object = None

    def reply(self, data, status=200):
        told = super().reply({**data, "limits": {"evidence_bytes": self.limit}}, status)
        return Reply(told.status, {**told.headers, HEADER_LARGEST.lower(): str(self.limit)}, told.body)


@pytest.mark.parametrize("limit", [0, -1, -(10**30), 10**30, "lots", "", None, True])
def test_nor_does_one_that_is_said_later(limit):
    desk = Saying()
    desk.limit = limit
    sim = Sim(desk)
    fact = queue(sim.port, small_fact(1, files=(b"photo",)), b"photo")
    sim.run(5_000)
    assert sim.port.view().fact(fact).whole

"""Bytes that no tablet of ours sends: each is told what is wrong with it, and nothing else in its call suffers."""

import json

import httpx
import pytest
from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.testclient import TestClient

from sync.records.facts import freeze
from sync.records.macs import sign
from sync.records.protocol import CHANGES, FACTS, HEADER_EPOCH, HEADER_PROTOCOL, RECEIPTS
from sync.records.receipts import open_receipt
from sync.server.api.service import guarded_api
from sync.server.casework.enrolment import device_token
from tests.support.city import field_tablet, inspection_body, memory_city
from tests.support.clock import StoppedClock
from tests.support.real_server import RealServer

HALF = "\ud800"


@pytest.fixture(scope="module")
def city():
    return memory_city(StoppedClock())


@pytest.fixture(scope="module")
def tablet(city):
    return field_tablet(city, "ada")


@pytest.fixture(scope="module")
def client(city, tablet):
    app = Starlette(routes=[Mount("/api/v1", guarded_api(city))])
    token = device_token(city, tablet.tablet.id, tablet.tablet.code)
    with TestClient(app, headers={HEADER_PROTOCOL: "1", "Authorization": f"Bearer {token}"},
                    raise_server_exceptions=False) as found:
        yield found


def item(tablet, **changes):
    raw = json.loads(freeze(tablet.fact("inspection_signed", inspection_body())))
    for name, value in changes.items():
        (raw if name in raw else raw["at"])[name] = value
    data = json.dumps(raw).encode()
    ident, key = tablet.credentials["ada"]
    return {"fact": data.decode(), "mac": sign(key, data), "credential": ident}


def push(client, tablet, *items):
    """The code of each refusal, the answer of each receipt."""
    told = client.post(FACTS, content=json.dumps({"items": items}), headers={"Content-Type": "application/json"})
    assert told.status_code == 200, told.text
    return [one["refused"]["code"] if "refused" in one else open_receipt(one, tablet.tablet.receipt_key).answer
            for one in told.json()["results"]]


@pytest.mark.parametrize("said", [b"\xb2", b"1\xb9"])
def test_a_protocol_in_digits_of_another_kind_is_told_so_by_us(city, said):
    with RealServer(city) as server:
        told = httpx.get(server.url + CHANGES, headers={HEADER_PROTOCOL.encode(): said})
    assert (told.status_code, told.json()["code"]) == (400, "protocol-missing")
    assert told.headers[HEADER_EPOCH]


@pytest.mark.parametrize("field", ["fact", "mac", "credential"])
def test_half_a_character_in_an_item_is_refused_and_the_item_beside_it_taken(client, tablet, field):
    assert push(client, tablet, {**item(tablet), field: HALF}, item(tablet)) == ["wire-malformed", "applied"]


def test_half_a_character_in_a_question_is_no_fault_of_the_server(client):
    told = client.post(RECEIPTS, content=json.dumps({"facts": ["a" * 32, HALF]}),
                       headers={"Content-Type": "application/json"})
    assert (told.status_code, told.json()["code"]) == (422, "body-malformed")


@pytest.mark.parametrize("wall", [
    "0001-01-01T00:00:00+00:00", "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-12:00"])
def test_a_clock_at_the_end_of_the_calendar_spoils_no_batch(client, tablet, wall):
    assert push(client, tablet, item(tablet, wall=wall), item(tablet)) == ["fact-malformed", "applied"]


@pytest.mark.parametrize("wall", ["1904-01-01T00:00:00+00:00", "1970-01-01T00:00:00-06:00",
                                  "2106-02-07T06:28:15+00:00"])
def test_a_clock_that_fell_back_to_its_first_day_is_a_record(client, tablet, wall):
    assert push(client, tablet, item(tablet, wall=wall)) == ["applied"]

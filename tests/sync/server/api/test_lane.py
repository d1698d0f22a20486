"""The short way answers whatever it is asked as the declared routes do, to the byte."""

import hashlib

import pytest
from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.testclient import TestClient

from sync.records.protocol import EVIDENCE, FACTS, HEADER_PROTOCOL, MAX_BATCH
from sync.server.api.guard import Guard
from sync.server.api.lane import Lane
from sync.server.api.service import create_api
from sync.server.casework.enrolment import device_token
from tests.support.city import field_tablet, inspection_body, memory_city
from tests.support.clock import StoppedClock
from tests.support.pictures import picture

FILE = picture(3_000)
SHA = hashlib.sha256(FILE).hexdigest()
JSON = {"Content-Type": "application/json"}


@pytest.fixture(scope="module")
def both():
    """A tablet at the same city twice: as it is served, and without the short way."""
    city = memory_city(StoppedClock())
    tablet = field_tablet(city, "ada")
    api = create_api(city)
    headers = {HEADER_PROTOCOL: "1",
               "Authorization": f"Bearer {device_token(city, tablet.tablet.id, tablet.tablet.code)}"}
    found = [TestClient(Starlette(routes=[Mount("/api/v1", Guard(app, city))]), headers=headers,
                        raise_server_exceptions=False) for app in (Lane(api, city), api)]
    return city, tablet, found


def answers(both, method, path, **more):
    """What both say: status, headers and body. Asked once before, so that both meet the same state of things."""
    _, _, (quick, plain) = both
    quick.request(method, path, **more)
    return [(found.status_code, dict(found.headers), found.content)
            for found in (client.request(method, path, **more) for client in (quick, plain))]


def item(tablet):
    made = tablet.item(tablet.fact("inspection_signed", inspection_body()))
    return {"fact": made.text, "mac": made.mac, "credential": made.credential}


def test_records_are_answered_alike(both):
    good = item(both[1])
    for body in ({"items": [good]}, {"items": [good, 1, {"fact": "{"}, {**good, "mac": "0" * 64}]}):
        quick, plain = answers(both, "POST", FACTS, json=body)
        assert quick == plain and quick[0] == 200


@pytest.mark.parametrize("content, headers", [
    (b"", JSON), (b"{", JSON), (b"[]", JSON), (b"{}", JSON), (b'{"items": []}', JSON), (b'{"items": 1}', JSON),
    (b'{"items": [1], "more": 1}', JSON), (b'{"items": [1]}', {"Content-Type": "text/plain"}), (b"\xff", JSON),
    (b'{"items": [1]}', {}), (b'{"items": [' + b"1," * MAX_BATCH + b"1]}", JSON), (b"[" * 5_000, JSON),
    (b'{"items": [1]}', {**JSON, "Authorization": "Bearer nobody"}),
    (b'{"items": [1]}', {**JSON, "Authorization": "Basic x"}), (b'{"items": [1]}', {**JSON, "Authorization": ""}),
    (b'{"items": [NaN, {"fact": 1e400}]}', JSON), (b'{"items": [1], "items": [2]}', JSON),
    (b'{"items": [{"fact": "\\ud800", "mac": "", "credential": ""}]}', JSON)])
def test_what_is_not_plain_is_answered_alike(both, content, headers):
    quick, plain = answers(both, "POST", FACTS, content=content, headers=headers)
    assert quick == plain


@pytest.mark.parametrize("path, content, headers", [
    (SHA, FILE, {}), (SHA, b"", {}), (SHA, FILE[:100], {}), (SHA, FILE, {"Siltwatch-Evidence-Kind": "invoice"}),
    (SHA, FILE, {"Siltwatch-Evidence-Kind": "voice_note"}), (SHA.upper(), FILE, {}), ("x", FILE, {}),
    ("..%2fx", FILE, {}), (SHA + "/x", FILE, {}), (SHA, FILE, {"Authorization": "Bearer nobody"}),
    (SHA, FILE, {"Siltwatch-Evidence-Kind": "preview", "Siltwatch-Preview-Of": "ab" * 32}),
    (SHA, FILE, {"Siltwatch-Evidence-Kind": "preview"}), (hashlib.sha256(b"no picture").hexdigest(), b"no picture", {}),
    (SHA, FILE, {HEADER_PROTOCOL: "9"}), (SHA, FILE, {"Cookie": "a=b"})])
def test_files_are_answered_alike(both, path, content, headers):
    quick, plain = answers(both, "PUT", EVIDENCE + path, content=content, headers=headers)
    assert quick == plain


@pytest.mark.parametrize("method, path", [("GET", FACTS), ("PUT", FACTS), ("DELETE", EVIDENCE + SHA),
                                          ("POST", EVIDENCE + SHA), ("POST", FACTS + "/"), ("PATCH", "/api/v1/")])
def test_another_method_or_path_is_answered_alike(both, method, path):
    quick, plain = answers(both, method, path)
    assert quick == plain


def test_a_withdrawn_tablet_still_hands_over_what_it_has(both):
    from sync.server.db.schema import tablets

    city, tablet, _ = both
    good = item(tablet)
    city.db.write(lambda tx: tx.execute(tablets.update().values(status="revoked")))
    try:
        quick, plain = answers(both, "POST", FACTS, json={"items": [good]})
        assert quick == plain and b"tablet-revoked" in quick[2], "a withdrawal counts with the next request"
    finally:
        city.db.write(lambda tx: tx.execute(tablets.update().values(status="active")))

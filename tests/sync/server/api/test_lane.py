"""The short way answers whatever it is asked as the declared routes do, to the byte: inside the application, and past
it over a line of ours.
"""

import hashlib
import socket
import time

import httpx
import pytest
from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.testclient import TestClient

from sync.records.protocol import EVIDENCE, FACTS, HEADER_PROTOCOL, HELLO, MAX_BATCH, RECEIPTS
from sync.server.api.guard import Guard
from sync.server.api.lane import Lane
from sync.server.api.service import create_api
from sync.server.casework.enrolment import device_token
from sync.server.line import counted, lines
from tests.support.city import field_tablet, inspection_body, memory_city
from tests.support.clock import StoppedClock
from tests.support.evidence_files import heic, m4a, pdf, wav
from tests.support.pictures import picture
from tests.support.raw_line import answered
from tests.support.serve import free_socket, serving

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


class Watched(Lane):
    """Notes what it answered itself, and what it left to the ordinary way."""

    def __init__(self, *given):
        super().__init__(*given)
        self.said = []

    def take(self, ask, body, alone, answer, slot=None):
        def noted(fields, content):
            self.said.append(fields is not None)
            answer(fields, content)

        super().take(ask, body, alone, noted, slot)


@pytest.fixture(scope="module")
def live(both):
    """The same city behind a real socket: a client, and the lane behind its line."""
    city, _, (_, plain) = both
    lane = Watched(create_api(city), city)
    app = Starlette(routes=[Mount("/api/v1", Guard(lane, city))])
    listener = free_socket()
    marks = {name: plain.headers[name] for name in (HEADER_PROTOCOL, "Authorization")}
    with (serving(counted(app), listener, http=lines(lane), log_level="critical", server_header=False),
          httpx.Client(base_url=f"http://127.0.0.1:{listener.getsockname()[1]}", headers=marks) as client):
        yield client, lane


def over_the_line(both, live, method, path, **more):
    """What is answered over the line and by the declared routes, and whether the lane answered it by itself."""
    (_, _, (_, plain)), (client, lane) = both, live
    plain.request(method, path, **more)
    lane.said.clear()
    found = [client.request(method, path, **more), plain.request(method, path, **more)]
    quick, slow = [(one.status_code, {name: said for name, said in one.headers.items() if name != "date"}, one.content)
                   for one in found]
    assert quick == slow and "date" in found[0].headers
    return quick[0], lane.said == [True]


def test_over_a_line_a_day_s_work_is_answered_by_the_lane_itself(both, live):
    good = item(both[1])
    ident = good["fact"].partition('"id":"')[2][:32]
    assert over_the_line(both, live, "POST", FACTS, json={"items": [good, 1, {"fact": "{"}]}) == (200, True)
    assert over_the_line(both, live, "PUT", EVIDENCE + SHA, content=FILE) == (200, True)
    assert over_the_line(both, live, "POST", RECEIPTS, json={"facts": [ident, "0" * 32]}) == (200, True)
    assert over_the_line(both, live, "POST", RECEIPTS, json={"facts": [ident] * 5}) == (200, False)
    assert over_the_line(both, live, "PUT", EVIDENCE + SHA + "?a=b", content=FILE) == (200, False)


@pytest.mark.parametrize("method, path, more", [
    ("PUT", EVIDENCE + "0" * 64, {"content": FILE}), ("PUT", EVIDENCE + SHA, {"content": b"x"}),
    ("PUT", EVIDENCE + SHA.upper(), {"content": FILE}),
    ("PUT", EVIDENCE + SHA, {"content": FILE, "headers": {"Siltwatch-Evidence-Kind": "invoice"}}),
    ("PUT", EVIDENCE + SHA, {"content": FILE, "headers": {"Authorization": "Bearer nobody"}}),
    ("PUT", EVIDENCE + SHA, {"content": FILE, "headers": {"Cookie": "a=b"}}),
    ("PUT", EVIDENCE + SHA, {"content": FILE, "headers": {HEADER_PROTOCOL: "9"}}),
    ("PUT", EVIDENCE + SHA, {"content": b""}), ("POST", FACTS, {"json": {"items": []}}),
    ("POST", FACTS, {"content": b"{", "headers": JSON}), ("POST", FACTS, {"content": b'{"items": [1]}'}),
    ("POST", RECEIPTS, {"json": {"facts": []}}), ("POST", RECEIPTS, {"json": {"facts": ["x" * 201]}}),
    ("POST", RECEIPTS, {"json": {"facts": [1]}})])
def test_over_a_line_what_is_wrong_is_told_by_the_ordinary_way(both, live, method, path, more):
    status, itself = over_the_line(both, live, method, path, **more)
    assert status >= 400 and not itself


def test_large_files_of_every_kind_share_the_memory_that_they_are_received_into(both, live):
    """One after the other over one line, a smaller one after a larger one, and none has anything of another."""
    noise = picture(200_000, seed=9)
    files = [("photo", picture(900_000, seed=3)), ("photo", heic(pixels=noise)), ("photo", picture(70_000, seed=4)),
             ("voice_note", m4a(noise)), ("placard", pdf(noise.replace(b"%", b"-"))), ("voice_note", wav(noise))]
    for kind, data in files:
        for path in (EVIDENCE + hashlib.sha256(data).hexdigest(), EVIDENCE + SHA):
            status, itself = over_the_line(both, live, "PUT", path, content=data,
                                           headers={"Siltwatch-Evidence-Kind": kind})
            assert (status, itself) == ((422, False) if path.endswith(SHA) else (200, True))
    for _, data in files:
        assert live[0].get(EVIDENCE + hashlib.sha256(data).hexdigest()).content == data


def test_a_file_that_comes_in_pieces_over_a_line_is_held(both, live):
    """As a tablet on a weak link sends it, among other calls on the same connection."""
    _, _, (_, plain) = both
    client, _ = live
    data = picture(400_000, seed=5)
    marks = "".join(f"{name}: {plain.headers[name]}\r\n" for name in (HEADER_PROTOCOL, "Authorization"))
    path = EVIDENCE + hashlib.sha256(data).hexdigest()
    head = f"PUT {path} HTTP/1.1\r\nHost: x\r\n{marks}Content-Length: {len(data)}\r\n\r\n"
    with socket.create_connection(("127.0.0.1", client.base_url.port), timeout=20) as line:
        for _ in range(2):
            line.sendall(f"GET {HELLO} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
            assert b'"siltwatch":true' in answered(line)[1]
            line.sendall(head.encode())
            for at in range(0, len(data), 70_000):
                line.sendall(data[at : at + 70_000])
                time.sleep(0.01)
            assert answered(line)[0] == 200
    assert client.get(path).content == data

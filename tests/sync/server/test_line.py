"""Plain photos and records go to the lane whole; what is slow, large, cut, odd or not ours goes as uvicorn does it, and
on one connection the answers come in the order of the requests.
"""

import asyncio
import json
import logging
import socket
import ssl
import struct
import threading
import time
from pathlib import Path

import pytest
import uvicorn

from sync.server import line as line_module
from sync.server.line import counted, lines, plain
from tests.support.serve import free_socket, serving

FILE, FACTS = "/api/v1/evidence/" + "a" * 64, "/api/v1/facts"
SEEN, TOLD = [], []
GO = threading.Event()


def said(had, pieces, body):
    return json.dumps({"had": had, "pieces": pieces, "size": len(body), "sum": sum(body)}).encode()


class Quick:
    """Answers at once; what begins with "late" when the test says so, and "leave" it leaves to the application."""

    def wants(self, method, path):
        return (method, path) in ((b"PUT", FILE.encode()), (b"POST", FACTS.encode()))

    def slot(self, size):
        return None

    def take(self, ask, body, alone, answer, slot):
        SEEN.append("quick")
        content = None if body[:5] == b"leave" else b""
        if body[:5] == b"fails":
            raise RuntimeError("so it does")
        if body[:4] == b"late":
            def later():
                if GO.is_set():
                    answer(content, said(True, 1, body))
                else:
                    loop.call_later(0.005, later)
            loop = asyncio.get_running_loop()
            later()
        else:
            answer(content, said(True, 1, body))


async def tells(scope, receive, send):
    """Answers with what it was given: in how many pieces it read it, and how long."""
    SEEN.append(scope["path"])
    body, pieces, more = b"", 0, True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return
        body += message["body"]
        pieces += bool(message["body"])
        more = message["more_body"]
    while scope["path"] == "/waits" and not GO.is_set():
        await asyncio.sleep(0.005)
    if scope["path"] == "/fails":
        raise RuntimeError("so it does")
    content = said(False, pieces, body)
    try:
        await send({"type": "http.response.start", "status": 200,
                    "headers": [(b"content-length", str(len(content)).encode())]})
        await send({"type": "http.response.body", "body": content})
    finally:
        TOLD.append(scope["path"])


@pytest.fixture(scope="module", params=["httptools", "h11"])
def port(request):
    from uvicorn.protocols.http.h11_impl import H11Protocol

    listener = free_socket()
    whole, line_module.AutoHTTPProtocol = line_module.AutoHTTPProtocol, (
        H11Protocol if request.param == "h11" else line_module.AutoHTTPProtocol)
    with serving(counted(tells), listener, http=lines(Quick()), log_level="critical", timeout_keep_alive=3_600):
        yield listener.getsockname()[1]
    line_module.AutoHTTPProtocol = whole


@pytest.fixture
def line(port):
    SEEN.clear()
    TOLD.clear()
    GO.clear()
    with socket.create_connection(("127.0.0.1", port), timeout=20) as found:
        yield found


def head(size, path=FILE, method="PUT", more=""):
    return f"{method} {path} HTTP/1.1\r\nHost: x\r\nContent-Length: {size}\r\n{more}\r\n".encode()


def answer(line):
    """The next answer, read to its end and no further."""
    said = b""
    while not said.endswith(b"}"):
        piece = line.recv(1)
        assert piece, f"the line was closed after {said!r}"
        said += piece
    top, _, body = said.partition(b"\r\n\r\n")
    assert top.startswith(b"HTTP/1.1 200"), top
    return json.loads(body)


def told(body, *, had=True, pieces=1):
    return {"had": had, "pieces": pieces, "size": len(body), "sum": sum(body)}


def same(found, body):
    """One that stood in line behind another may come either way, but whole."""
    return found == told(body, had=found["had"], pieces=found["pieces"])


@pytest.mark.parametrize("path, method", [(FILE, "PUT"), (FACTS, "POST")])
def test_a_body_in_many_pieces_comes_whole_and_the_line_serves_on(line, path, method):
    body = bytes(range(256)) * 1200
    for _ in range(3):
        line.sendall(head(len(body), path, method))
        for at in range(0, len(body), 70_000):
            line.sendall(body[at : at + 70_000])
            time.sleep(0.01)
        assert answer(line) == told(body, had=True)
    line.sendall(b"GET /else HTTP/1.1\r\nHost: x\r\n\r\n")
    assert answer(line) == told(b"", had=False, pieces=0)


def test_two_requests_in_one_breath(line):
    first, second = b"x" * 5_000, b"y" * 300_000
    line.sendall(head(len(first)) + first + head(len(second), FACTS, "POST") + second[:100])
    assert answer(line) == told(first, had=True)
    line.sendall(second[100:] + head(3) + b"abc")
    assert same(answer(line), second)
    assert same(answer(line), b"abc")


def test_the_next_request_begins_in_the_piece_in_which_a_body_ends(line):
    body = b"z" * 200_000
    line.sendall(head(len(body)))
    time.sleep(0.05)
    line.sendall(body[:100_000])
    time.sleep(0.05)
    line.sendall(body[100_000:] + head(2) + b"no")
    assert answer(line) == told(body, had=True)
    assert same(answer(line), b"no")


def test_a_slow_body_goes_in_pieces_and_loses_no_byte(line, monkeypatch):
    monkeypatch.setattr(line_module, "PATIENCE_S", 0.05)
    body = bytes(range(250)) * 40
    line.sendall(head(len(body)) + body[:10])
    for at in range(10, 5_000, 1_000):
        line.sendall(body[at : at + 1_000])
    deadline = time.monotonic() + 20
    while not SEEN:  # it began although not all is here
        assert time.monotonic() < deadline
        time.sleep(0.01)
    line.sendall(body[5_010:])
    found = answer(line)
    assert found == told(body, had=False, pieces=found["pieces"]) and found["pieces"] >= 2
    line.sendall(head(3) + b"abc")
    assert answer(line) == told(b"abc", had=True)


def test_of_a_body_that_is_cut_off_nobody_hears(port, line):
    with socket.create_connection(("127.0.0.1", port), timeout=20) as other:
        other.sendall(head(1_000) + b"x" * 999)
        time.sleep(0.1)
    line.sendall(b"GET /after HTTP/1.1\r\nHost: x\r\n\r\n")
    answer(line)
    assert SEEN == ["/after"]


@pytest.mark.parametrize("path, method, size", [
    (FILE, "PUT", line_module.MOST + 1), ("/api/v1/uploads/T07/" + "a" * 64, "PATCH", 3_000),
    ("/api/v1/lease", "POST", 3_000), ("/office/x", "POST", 3_000)])
def test_all_else_goes_as_ever(line, path, method, size):
    body = b"x" * size
    line.sendall(head(size, path, method) + body)
    found = answer(line)
    assert (found["had"], found["size"]) == (False, size)


def test_a_body_without_a_length_and_one_that_waits_to_be_asked_for(line):
    line.sendall(f"PUT {FILE} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n".encode())
    assert answer(line) == told(b"abc", had=False)
    line.sendall(head(3, more="Expect: 100-continue\r\n"))
    assert line.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
    line.sendall(b"abc")
    assert answer(line) == told(b"abc", had=False)


def test_a_head_without_an_end_is_bounded_by_its_bytes(line):
    begun = f"PUT {FILE} HTTP/1.1\r\nHost: x\r\nX-Long: ".encode()
    line.sendall(begun + b"a" * (line_module.LONGEST_HEAD + 1 - len(begun)))
    assert line.recv(1000).startswith(b"HTTP/1.1 431 ")
    assert line.recv(1) == b"" and SEEN == []


def test_a_whole_head_may_be_no_longer_either(line):
    short = len(head(0, more="X-Long: \r\n"))
    line.sendall(head(0, more=f"X-Long: {'a' * (line_module.LONGEST_HEAD + 1 - short)}\r\n"))
    assert line.recv(1000).startswith(b"HTTP/1.1 431 ") and SEEN == []


def test_nor_may_one_that_is_uvicorns_to_read(line):
    """On a line with a request that was not plain nobody of ours looks for the end of a head any more."""
    line.sendall(f"PUT {FILE} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n".encode())
    assert answer(line) == told(b"abc", had=False)
    line.sendall(f"PUT {FILE} HTTP/1.1\r\nHost: x\r\nX-Long: ".encode())
    with pytest.raises(OSError):
        for _ in range(1_000):  # 64 MB, of which the system's own buffers hold a few
            line.sendall(b"a" * 65_536)
    assert SEEN == [FILE]


def test_answers_keep_the_order_of_the_requests(line):
    """The first is answered late by the lane, the second is the application's, the third the lane's again."""
    line.sendall(head(6) + b"late 1" + b"GET /else HTTP/1.1\r\nHost: x\r\n\r\n" + head(3) + b"abc")
    time.sleep(0.05)
    assert SEEN == ["quick"]
    GO.set()
    assert answer(line) == told(b"late 1")
    assert answer(line) == told(b"", had=False, pieces=0)
    assert same(answer(line), b"abc")
    line.sendall(head(3) + b"def")
    assert answer(line) == told(b"def"), "when all is answered the lane has its turn again"


def test_what_the_lane_leaves_goes_to_the_application_whole(line):
    for body in (b"leave it", b"leave" + bytes(200_000), b"fails"):
        SEEN.clear()
        line.sendall(head(len(body)) + body)
        assert answer(line)["size"] == len(body) and SEEN == ["quick", FILE]
    line.sendall(head(3) + b"abc")
    assert answer(line) == told(b"abc")


def test_an_application_that_fails_is_told_as_ever(line):
    line.sendall(b"GET /fails HTTP/1.1\r\nHost: x\r\n\r\n")
    got = b""
    while piece := line.recv(1_000):
        got += piece
    assert got.startswith(b"HTTP/1.1 500") and b"connection: close" in got.lower()


def test_who_breaks_off_requests_in_one_breath_is_no_failure(port, line):
    found, log = [], logging.getLogger("uvicorn.error")
    listening = logging.Handler(logging.WARNING)
    listening.emit = found.append
    before = log.level
    log.addHandler(listening)
    log.setLevel(logging.WARNING)
    try:
        line.sendall(b"GET /waits HTTP/1.1\r\nHost: x\r\n\r\n" * 3)
        while SEEN != ["/waits"]:
            time.sleep(0.005)
        line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        line.close()
        with socket.create_connection(("127.0.0.1", port), timeout=20) as other:  # by its answer the first is lost
            other.sendall(b"GET /else HTTP/1.1\r\nHost: x\r\n\r\n")
            assert answer(other) == told(b"", had=False, pieces=0)
            GO.set()
            while "/waits" not in TOLD:
                time.sleep(0.005)
            other.sendall(b"GET /else HTTP/1.1\r\nHost: x\r\n\r\n")
            assert answer(other) == told(b"", had=False, pieces=0)
    finally:
        log.removeHandler(listening)
        log.setLevel(before)
    assert [one.getMessage() for one in found] == []


def test_a_stop_closes_after_the_answer_that_is_owed():
    listener = free_socket()
    server = uvicorn.Server(uvicorn.Config(counted(tells), http=lines(Quick()), log_level="critical", lifespan="off",
                                           timeout_graceful_shutdown=20))
    GO.clear()
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    where = ("127.0.0.1", listener.getsockname()[1])
    SEEN.clear()
    with socket.create_connection(where, timeout=20) as busy, socket.create_connection(where, timeout=20) as idle:
        busy.sendall(head(4) + b"late")
        while not SEEN:
            time.sleep(0.01)
        server.should_exit = True
        assert idle.recv(10) == b""
        GO.set()
        got = b""
        while piece := busy.recv(1_000):
            got += piece
    assert got.startswith(b"HTTP/1.1 200 OK\r\n") and b"connection: close\r\n" in got
    assert got.endswith(said(True, 1, b"late"))
    thread.join(20)
    assert not thread.is_alive()


def test_over_tls_of_asyncio_itself_what_is_longer_than_a_record_comes_whole():
    """Where there is no uvloop: asyncio fills the rest of a buffer record by record, each at most 16 kB."""
    listener = free_socket()
    pem = Path(__file__).parents[2] / "faults" / "tls" / "good.pem"
    trusting = ssl.create_default_context()
    trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
    body = bytes(range(251)) * 400
    with (serving(counted(tells), listener, http=lines(Quick()), log_level="critical", loop="asyncio",
                  ssl_certfile=pem),
          trusting.wrap_socket(socket.create_connection(listener.getsockname(), timeout=20)) as found):
        for path in (FILE, "/else"):
            found.sendall(head(len(body), path) + body)
            assert same(answer(found), body)


PLAIN = b"PUT /x HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n"


def test_a_plain_head_is_read():
    found = plain(b"PUT /x?y HTTP/1.1\r\nHost: a\r\nContent-Length:  5 \r\nX-Y:\r\nConnection: Keep-Alive\r\n\r\n")
    assert (found.method, found.path, found.size) == (b"PUT", b"/x?y", 5)
    assert found.fields == {b"host": b"a", b"content-length": b"5", b"x-y": b"", b"connection": b"Keep-Alive"}
    assert plain(b"GET /x HTTP/1.1\r\nHost: a\r\n\r\n").size == 0


@pytest.mark.parametrize("change", [
    (b"HTTP/1.1", b"HTTP/1.0"), (b"PUT", b"put"), (b"/x", b"x"), (b"/x", b"*"), (b"/x ", b"/x  "), (b" /x", b"  /x"),
    (b"/x", b"http://a/x"), (b"\r\nHost", b"\nHost"), (b"Host: a", b"Host: a\r\n b"), (b"Host: a", b"Host : a"),
    (b"Host: a", b"Host: a\rb"), (b"Host: a", b"Host: \x00"), (b"Host: a", b"Host a"),
    (b"Host: a", b"Host: a\r\nHost: b"),
    (b"5", b"+5"), (b"5", b"0x5"), (b"5", b""), (b"5", b"5, 5"), (b"5", b"5\r\ncontent-length: 5"), (b"5", b"1" * 16),
    (b"Host: a", b"Transfer-Encoding: chunked"), (b"Host: a", b"Transfer-Encoding: identity"),
    (b"Host: a", b"Transfer-Encoding: keep-alive"),
    (b"Host: a", b"Expect: 100-continue"), (b"Host: a", b"Connection: close"), (b"Host: a", b"Upgrade: h2c"),
    (b"Host: a", b"Connection: keep-alive, x"), (b"PUT", b"\r\nPUT")])
def test_a_head_that_could_be_read_in_two_ways_is_not_plain(change):
    assert plain(PLAIN) is not None
    assert plain(PLAIN.replace(*change)) is None

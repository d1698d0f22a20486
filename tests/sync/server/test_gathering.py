"""Small bodies are taken off the line whole; what is slow, large, cut or not ours goes as uvicorn does it.

These are also the tests that fail when an upgrade of uvicorn moves the inner names that `gathering` uses.
"""

import json
import socket
import threading
import time

import pytest
import uvicorn

from sync.server import gathering
from sync.server.serving import Impatient
from tests.support.serve import free_socket

FILE, FACTS = "/api/v1/evidence/" + "a" * 64, "/api/v1/facts"
SEEN = []


async def tells(scope, receive, send):
    """Answers with what it was given: whether it had the body at once, in how many pieces it read it, and how long."""
    SEEN.append(scope["path"])
    body, pieces, more = b"", 0, True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return
        body += message["body"]
        pieces += bool(message["body"])
        more = message["more_body"]
    had = scope.get(gathering.BODY)
    assert had is None or had == body
    said = json.dumps({"had": had is not None, "pieces": pieces, "size": len(body), "sum": sum(body)}).encode()
    await send({"type": "http.response.start", "status": 200,
                "headers": [(b"content-length", str(len(said)).encode())]})
    await send({"type": "http.response.body", "body": said})


@pytest.fixture(scope="module")
def port():
    listener = free_socket()
    server = uvicorn.Server(uvicorn.Config(tells, http=Impatient, log_level="critical", lifespan="off"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield listener.getsockname()[1]
    server.should_exit = True
    thread.join(10)


@pytest.fixture
def line(port):
    SEEN.clear()
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
    monkeypatch.setattr(gathering, "PATIENCE_S", 0.05)
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
    (FILE, "PUT", gathering.MOST + 1), ("/api/v1/uploads/T07/" + "a" * 64, "PATCH", 3_000),
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

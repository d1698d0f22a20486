"""The listening side: who says nothing is let go, and tablets get in all the same."""

import socket
import time
from pathlib import Path

import httpx
import pytest

from sync.records.problems import Problem
from sync.server import serving as listening
from sync.server.line import Line, counted
from sync.server.settings import Settings
from tests.support.raw_line import answered
from tests.support.serve import free_socket, serving

HALF = b"GET / HTTP/1.1\r\nHost: x\r\nX: "


async def slow_app(scope, receive, send):
    """Reads the body to its end, then answers."""
    while (await receive()).get("more_body"):
        pass
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
    await send({"type": "http.response.body", "body": b"ok"})


class Hasty(Line):
    head_s = 0.3
    kept_s = 60.0


@pytest.fixture(scope="module")
def port():
    listener = free_socket()
    with serving(counted(slow_app), listener, http=Hasty, log_level="critical", timeout_keep_alive=60):
        yield listener.getsockname()[1]


def dial(port):
    return socket.create_connection(("127.0.0.1", port), timeout=10)


@pytest.mark.parametrize("said", [b"", HALF], ids=["nothing", "half a head"])
def test_who_does_not_say_what_he_wants_is_let_go(port, said):
    with dial(port) as line:
        line.sendall(said)
        assert line.recv(100) == b""


def test_nor_does_a_letter_now_and_then_buy_time(port):
    with dial(port) as line:
        line.sendall(HALF)
        began, closed = time.monotonic(), False
        try:
            while time.monotonic() - began < 10:
                line.sendall(b"x")
                time.sleep(0.1)
        except OSError:
            closed = True
        assert closed


def test_after_an_answer_it_is_the_same(port):
    with dial(port) as line:
        line.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        assert answered(line) == (200, b"ok")
        line.sendall(HALF)
        assert line.recv(100) == b""


def test_a_body_that_comes_slowly_is_waited_for(port):
    with dial(port) as line:
        line.sendall(b"PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n")
        for _piece in range(5):
            time.sleep(0.15)
            line.sendall(b"x")
        assert answered(line) == (200, b"ok")


def test_one_connection_serves_many_calls(port):
    with httpx.Client(base_url=f"http://127.0.0.1:{port}") as client:
        for _call in range(4):
            assert client.get("/").text == "ok"
            time.sleep(0.1)


def test_a_port_that_is_none_and_a_certificate_that_is_none_are_told_before_anything_is_served(tmp_path):
    nothing = tmp_path / "nothing.pem"
    nothing.write_text("no certificate")
    for wrong, where in (({"port": 99_999}, "--port"), ({"port": -1}, "--port"),
                         ({"certificate": nothing, "key": nothing}, "--certificate, --key"),
                         ({"certificate": tmp_path / "gone.pem", "key": nothing}, "--certificate, --key")):
        with pytest.raises(Problem) as told:
            listening.listen(Settings(**{"data": tmp_path, "port": 0, **wrong}))
        assert (told.value.code, told.value.where) == ("body-malformed", where)
    good = Path(__file__).parents[2] / "faults" / "tls" / "good.pem"
    listening.listen(Settings(data=tmp_path, port=0, certificate=good, key=good)).close()

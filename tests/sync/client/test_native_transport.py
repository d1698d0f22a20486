"""The native transport against a real loopback server that answers badly in every way a field network does."""

import asyncio
import gzip
import io
import socket
import time

import pytest

from sync.client.calls import Reply, Request, Target
from sync.client.replies import judge
from sync.client.transports import native
from sync.client.transports.native import NativeTransport
from sync.records.protocol import HEADER_EPOCH, HEADER_PROTOCOL
from tests.faults.rogue import Rogue, answer, cut_short, hang_up, rubbish

OURS = {HEADER_PROTOCOL: "1", HEADER_EPOCH: "e1", "Content-Type": "application/json"}
PAGE = b"<!DOCTYPE html><html><body>Free Wi-Fi! Please accept our terms.</body></html>"


def call(server_url, *, body=None, source=None, method="POST", timeout_ms=2_000, token="tok", progress=None, part=None):
    headers = {"Content-Type": "application/json"}
    request = Request("push", method, "/api/v1/facts?x=1", timeout_ms, headers, body, part=part)
    transport = NativeTransport()
    try:
        return asyncio.run(transport.send(Target(server_url, token), request, source, progress))
    finally:
        transport.close()


def test_a_good_answer_comes_back_whole():
    with Rogue(answer("200 OK", OURS, b'{"results":[]}')) as server:
        reply = call(server.url, body=b'{"items":[]}')
    assert reply.status == 200 and reply.failure is None and reply.body == b'{"results":[]}'
    assert reply.headers["siltwatch-epoch"] == "e1"
    assert judge(reply).ok
    head, _, body = server.requests[0].partition(b"\r\n\r\n")
    lines = head.decode().split("\r\n")
    assert lines[0] == "POST /api/v1/facts?x=1 HTTP/1.1" and body == b'{"items":[]}'
    assert "Authorization: Bearer tok" in lines and "Siltwatch-Protocol: 1" in lines


BAD = {
    "captive portal, 200 html": (answer("200 OK", {"Content-Type": "text/html"}, PAGE), "wifi-login"),
    "captive portal that says json": (answer("200 OK", {"Content-Type": "application/json"}, PAGE), "wifi-login"),
    "302 to a login page": (answer("302 Found", {"Location": "http://127.0.0.1:1/login"}), "wifi-login"),
    "307 that would repeat the post": (answer("307 Temporary", {"Location": "http://127.0.0.1:1/"}), "wifi-login"),
    "511": (answer("511 Network Authentication Required", {}, PAGE), "wifi-login"),
    "201 with a foreign body": (answer("201 Created", {}, b'{"id": 7, "created": true}'), "wrong-server"),
    "empty 200": (answer("200 OK"), "wrong-server"),
    "204": (answer("204 No Content"), "wrong-server"),
    "our headers around a page": (answer("200 OK", OURS, PAGE), "wrong-server"),
    "404 of a stranger": (answer("404 Not Found", {"Content-Type": "text/html"}, PAGE), "wrong-server"),
    "502 of a proxy": (answer("502 Bad Gateway", {"Content-Type": "text/html"}, PAGE), "server-busy"),
    "500 of a proxy": (answer("500 Oops", {"Content-Type": "text/html"}, PAGE), "server-failed"),
    "answer cut in the middle": (cut_short(b'{"results":[', 4_000), "connection-cut"),
    "hung up": (hang_up, "connection-cut"),
    "not http": (rubbish, "connection-cut"),
}


@pytest.mark.parametrize("name", BAD)
@pytest.mark.parametrize("as_file", [False, True])
def test_a_bad_answer_is_never_a_success_and_has_its_name(name, as_file, tmp_path):
    behaviour, code = BAD[name]
    (tmp_path / "photo").write_bytes(b"\xff\xd8" + b"x" * 300_000)
    with Rogue(behaviour) as server:
        if as_file:
            reply = call(server.url, method="PUT", source=(tmp_path / "photo").open("rb"))
        else:
            reply = call(server.url, body=b"{}")
    found = judge(reply)
    assert (found.ok, found.code) == (False, "wifi-login" if name == "our headers around a page" else code)
    assert len(server.requests) == 1  # nothing was followed, nothing was repeated behind our back


def test_a_black_hole_is_left_in_time():
    with Rogue(silent=True) as server:
        reply = call(server.url, body=b"{}", timeout_ms=200)
    assert reply.failure == "timeout" and judge(reply).code == "time-out"


def test_an_upload_into_a_black_hole_is_left_in_time(tmp_path):
    (tmp_path / "photo").write_bytes(b"x" * 8_000_000)
    with Rogue(silent=True) as server:
        reply = call(server.url, method="PUT", source=(tmp_path / "photo").open("rb"), timeout_ms=300)
    assert reply.failure == "timeout"


def test_an_answer_that_drips_for_ever_is_left_in_time():
    drops = []

    def drip(client, _):
        client.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
        while True:  # until the caller hangs up
            client.sendall(b"x")
            drops.append(1)
            time.sleep(0.02)

    with Rogue(drip) as server:
        reply = call(server.url, body=b"{}", timeout_ms=200)
    assert reply.failure == "timeout" and drops


@pytest.mark.parametrize("first, drop", [
    (b"HTTP/1.1 200 OK\r\nX: ", b"x"), (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"0")], ids=["header", "continue", "chunk"])
def test_what_drips_before_the_body_is_left_in_time_too(first, drop, tmp_path):
    over = []

    def drip(client, _):
        client.sendall(first)
        try:
            for _drop in range(100):
                client.sendall(drop)
                time.sleep(0.05)
            over.append("it was waited for")
        except OSError:
            over.append("hung up")

    (tmp_path / "photo").write_bytes(b"x" * 1_000)
    with Rogue(drip) as server:
        reply = call(server.url, body=b"{}", timeout_ms=200)
        assert reply.failure == "timeout"
        reply = call(server.url, method="PUT", source=(tmp_path / "photo").open("rb"), timeout_ms=200)
        assert reply.failure == "timeout"
    assert over == ["hung up"] * 2


@pytest.mark.parametrize("head", [b"Location: /login\r\n", b"Location: http://[::1\r\n"])
def test_of_a_redirect_neither_address_nor_body_is_looked_at(head):
    def endless(client, _):
        client.sendall(b"HTTP/1.1 302 Found\r\n" + head + b"Transfer-Encoding: chunked\r\n\r\n")
        while True:  # until the caller hangs up
            client.sendall(b"1000\r\n" + bytes(4096) + b"\r\n")

    with Rogue(endless) as server:
        reply = call(server.url, body=b"{}")
    assert (reply.status, judge(reply).code) == (302, "wifi-login")


def test_a_server_that_asks_to_wait_in_other_digits_is_only_busy():
    raw = b"HTTP/1.1 503 x\r\nRetry-After: \xb2\r\nContent-Length: 0\r\n\r\n"
    with Rogue(lambda client, _: client.sendall(raw)) as server:
        found = judge(call(server.url, body=b"{}"))
    assert (found.code, found.retry_ms) == ("server-busy", None)


def test_an_answer_without_end_is_not_read_without_end(monkeypatch):
    monkeypatch.setattr(native, "MAX_REPLY_BYTES", 100_000)
    with Rogue(answer("200 OK", OURS, b"[" * 300_000)) as server:
        reply = call(server.url, body=b"{}")
    assert reply.failure == "cut"


def test_a_chunked_and_packed_answer_is_read():
    body = gzip.compress(b'{"ok":true}')
    raw = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Encoding: gzip\r\n\r\n"
    raw += b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in (body[:9], body[9:])) + b"0\r\n\r\n"
    with Rogue(lambda client, _: client.sendall(raw)) as server:
        reply = call(server.url, body=b"{}")
    assert (reply.status, reply.body) == (200, b'{"ok":true}')


def test_nobody_there():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    assert call(f"http://127.0.0.1:{port}", body=b"{}").failure == "offline"
    assert call("http://no-such-host.invalid", body=b"{}").failure == "offline"


def test_plain_http_where_tls_is_wanted_is_named():
    with Rogue(rubbish, early=lambda client, _: client.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")) as server:
        reply = call(server.url.replace("http://", "https://"), body=b"{}")
    assert judge(reply).code == "insecure"


def test_a_file_is_streamed_whole_and_its_progress_told(tmp_path):
    data = bytes(range(256)) * 4_000
    (tmp_path / "photo").write_bytes(data)
    told = []
    with Rogue(answer("200 OK", OURS, b"{}")) as server:
        source = (tmp_path / "photo").open("rb")
        reply = call(server.url, method="PUT", source=source, progress=told.append)
    assert reply.status == 200 and source.closed
    head, _, body = server.requests[0].partition(b"\r\n\r\n")
    assert body == data and b"Content-Length: 1024000" in head and b"chunked" not in head
    assert told[-1] == len(data) and told == sorted(told)


def test_bytes_may_be_sent_as_a_file_too():
    with Rogue(answer("200 OK", OURS, b"{}")) as server:
        call(server.url, method="PUT", source=b"abc")
    assert server.requests[0].endswith(b"\r\n\r\nabc")


def test_a_file_that_breaks_while_it_is_read_is_a_fault_of_this_tablet():
    class Broken(io.BytesIO):
        def read(self, size=-1):
            raise OSError("the card is gone")

    with Rogue(answer("200 OK", OURS, b"{}")) as server:
        reply = call(server.url, method="PUT", source=Broken(b"x" * 100))
    assert reply.failure == "local" and judge(reply).code == "evidence-unknown"


def test_cookies_are_not_kept_and_netrc_is_not_asked(tmp_path, monkeypatch):
    (tmp_path / "netrc").write_text("machine 127.0.0.1 login stranger password secret\n")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    page = answer("200 OK", {**OURS, "Set-Cookie": "track=me; Path=/"}, b"{}")

    async def twice(url):
        transport = NativeTransport()
        request = Request("hello", "GET", "/api/v1/hello", 2_000)
        await transport.send(Target(url, "tok"), request)
        return await transport.send(Target(url), request)

    with Rogue(page) as server:
        assert isinstance(asyncio.run(twice(server.url)), Reply)
    first, second = (request.decode().lower() for request in server.requests)
    assert "authorization: bearer tok" in first
    assert "cookie" not in second and "authorization" not in second


def test_the_token_is_never_shown():
    assert "tok" not in repr(Target("http://x", "tok"))


@pytest.mark.parametrize("source", [lambda data, _: data, lambda data, path: path.open("rb")])
@pytest.mark.parametrize("part", [(0, 10), (100_000, 200_000), (299_999, 1), (0, 300_000)])
def test_a_part_of_a_file_goes_out_and_nothing_of_the_rest(tmp_path, source, part):
    data, seen = bytes(range(250)) * 1200, []
    (tmp_path / "file").write_bytes(data)
    with Rogue(answer("200 OK", OURS, b"{}")) as server:
        body = source(data, tmp_path / "file")
        reply = call(server.url, source=body, method="PATCH", part=part, progress=seen.append)
    assert judge(reply).ok and seen[-1] == part[1]
    head, _, body = server.requests[0].partition(b"\r\n\r\n")
    assert body == data[part[0] : sum(part)] and f"Content-Length: {part[1]}".encode() in head


def test_a_part_beyond_the_end_of_the_file_does_not_go_out():
    reply = call("http://127.0.0.1:1", source=b"short", method="PATCH", part=(3, 4))
    assert judge(reply).code == "evidence-unknown"

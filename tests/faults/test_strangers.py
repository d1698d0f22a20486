"""What is no receipt, over real sockets and real TLS: nothing is sent to a stranger but a hello, nothing turns green,
and the app says what is the matter. The certificates are made for this (`tls/README.md`)."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest

from sync.client.calls import Request, Target
from sync.client.replies import judge
from sync.client.transports.native import NativeTransport
from sync.records.protocol import HEADER_EPOCH, HEADER_PROTOCOL, HELLO
from tests.faults.rogue import Rogue, answer, cut_short, hang_up, rubbish
from tests.support.field_desk import bench, ready, until
from tests.support.field_steps import failing_inspection

TLS = Path(__file__).parent / "tls"
HTML = {"Content-Type": "text/html"}
OURS = {HEADER_PROTOCOL: "1", HEADER_EPOCH: "e1", "Content-Type": "application/json"}
PAGE = b"<!DOCTYPE html><html><body>Free Wi-Fi! Please accept our terms.</body></html>"
HELLO_OF = json.dumps({"siltwatch": True, "protocol": {"min": 1, "max": 1}, "epoch": "e1",
                       "time": "2026-08-27T19:00:00.000+00:00", "city": "otherville"}).encode()


def trusting() -> NativeTransport:
    """A transport that trusts the tests' own authority and nobody else."""
    transport = NativeTransport()
    transport._session.verify = str(TLS / "authority.pem")
    return transport


def hello(url: str):
    transport = trusting()
    try:
        return judge(asyncio.run(transport.send(Target(url, "token"), Request("hello", "GET", HELLO, 3_000))))
    finally:
        transport.close()


def test_a_certificate_that_fits_is_taken():
    with Rogue(answer("200 OK", OURS, HELLO_OF), certificate=TLS / "good.pem") as server:
        assert hello(server.url).ok


@pytest.mark.parametrize("certificate", ["expired", "future", "other", "selfmade"])
def test_one_that_does_not_fit_is_not_and_nothing_is_sent(certificate):
    with Rogue(answer("200 OK", OURS, HELLO_OF), certificate=TLS / f"{certificate}.pem") as server:
        found = hello(server.url)
    assert (found.ok, found.code) == (False, "insecure") and server.requests == []


def test_tls_where_none_is_spoken():
    with Rogue(rubbish, early=rubbish) as plain:
        assert hello(plain.url.replace("http:", "https:")).code == "insecure"
    with Rogue(answer("200 OK", OURS, HELLO_OF), certificate=TLS / "good.pem") as server:
        assert hello(server.url.replace("https:", "http:")).code in ("connection-cut", "offline")
        assert server.requests == []


LOG_IN, STRANGER, INSECURE = "Log in to this Wi-Fi", "not the city's server", "not secure"
SAID = {
    "captive portal, 200 with a page": (answer("200 OK", HTML, PAGE), None, LOG_IN),
    "captive portal that says json": (answer("200 OK", {"Content-Type": "application/json"}, PAGE), None, LOG_IN),
    "302 to a log-in page": (answer("302 Found", {"Location": "http://127.0.0.1:1/login"}), None, LOG_IN),
    "511": (answer("511 Network Authentication Required", {}, PAGE), None, LOG_IN),
    "201 with a foreign body": (answer("201 Created", {}, b'{"id": 7, "created": true}'), None, STRANGER),
    "empty 200": (answer("200 OK"), None, STRANGER),
    "another city's server": (answer("200 OK", OURS, HELLO_OF), None, STRANGER),
    "404 of a stranger": (answer("404 Not Found", HTML, PAGE), None, STRANGER),
    "expired certificate": (answer("200 OK", OURS, HELLO_OF), "expired", INSECURE),
    "another host's certificate": (answer("200 OK", OURS, HELLO_OF), "other", INSECURE),
    "a certificate of its own making": (answer("200 OK", OURS, HELLO_OF), "selfmade", INSECURE),
    "502 of a proxy": (answer("502 Bad Gateway", HTML, PAGE), None, "busy"),
    "500 of a proxy": (answer("500 Oops", HTML, PAGE), None, "fault of its own"),
    "an answer cut in the middle": (cut_short(b'{"siltwatch":', 4_000), None, "was cut"),
    "hung up": (hang_up, None, "was cut"),
    "not http": (rubbish, None, "was cut"),
}  # fmt: skip


def test_the_app_says_what_is_the_matter_and_nothing_turns_green(tmp_path):
    """One tablet meets them all, one after the other, with an inspection to send; then its own server again."""

    async def job():
        desk = bench(tmp_path)
        async with desk.work() as work:
            await ready(desk, work)
            await failing_inspection(work)
            home = work._desk.store.table("meta").get("server")
            hardware = work._desk.hardware
            for name, (behaviour, certificate, said) in SAID.items():
                transport = trusting()
                work._desk.hardware = replace(hardware, transport=lambda server, t=transport: t)
                with Rogue(behaviour, certificate=TLS / f"{certificate}.pem" if certificate else None) as server:
                    await keep(work, {"url": server.url})
                    work.start_sync()
                    await until(lambda: work._desk.link() and work._desk.link().code)
                    view = work.outbox()
                    await work.stop_sync()
                transport.close()
                assert said in view.connection, (name, view.connection)
                if said in (LOG_IN, STRANGER, INSECURE):
                    assert view.status.level == "attention" and said in view.status.sentence, name
                    assert view.status.sentence.startswith("Not sent: 1 signed item."), name
                assert [row.state for row in view.rows] == ["waiting"] and not view.hand_in.yes, name
                # A stranger gets a hello without the token, and nothing else.
                for request in server.requests:
                    assert request.startswith(b"GET /api/v1/hello ") and b"uthorization" not in request, name
            work._desk.hardware = hardware
            await keep(work, home)
            work.start_sync()
            await until(lambda: [row.state for row in work.outbox().rows] == ["safe"])

    async def keep(work, where):
        async with work._desk.store.change() as tx:
            tx.put("meta", "server", where)

    asyncio.run(job())

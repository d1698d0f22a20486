"""What a tablet, a stranger or a full disk can do to the uploads: bounded, told plainly, nothing half done."""

import errno
import hashlib
import os
import threading
import time
from contextlib import contextmanager

import httpx
import pytest

from sync.records.protocol import EVIDENCE, FACTS, HEADER_RECEIPT, HELLO
from sync.server.api import guard
from sync.server.uploads.partials import Caps
from tests.support.city import field_tablet, folder_city, inspection_body
from tests.support.pictures import picture
from tests.support.real_server import RealServer
from tests.support.small_disk import grow, small_disk

from .conftest import marks
from .test_protocol import code, create, patch, unfinished
from .test_taking_over import half_sent

FILE = picture(3_000_000)
SHA = hashlib.sha256(FILE).hexdigest()


def capped(server, **caps):
    """The same server with other caps."""
    (mount,) = (route for route in server.app.routes if getattr(route, "path", "") == "/api/v1")
    lane = mount.app._app
    lane._app.state.transfers._partials.caps = Caps(**caps)


def test_one_tablet_leaves_only_so_many_unfinished_and_others_are_not_touched(server, city, http):
    capped(server, files=3, bytes=1_000_000)
    files = [picture(2_000, seed=seed) for seed in range(5)]
    urls = [create(http, data).headers["Location"] for data in files[:3]]
    answer = create(http, files[3])
    assert (answer.status_code, code(answer)) == (409, "upload-too-many")
    assert "3 unfinished files" in answer.json()["detail"] and len(unfinished(city)) == 6
    assert create(http, files[0]).headers["Upload-Offset"] == "0", "one that is there is found, not counted"
    other = field_tablet(city, "ada", seed=8)
    assert create(http, files[3], **marks(city, other)).status_code == 201
    assert patch(http, urls[0], 0, files[0]).headers[HEADER_RECEIPT]
    assert create(http, files[3]).status_code == 201, "a finished one makes room"
    assert http.delete(urls[1]).status_code == 204
    assert create(http, files[4]).status_code == 201, "and so does one that was given up"


def test_only_so_many_bytes_are_announced_by_one_tablet(server, http, clock):
    capped(server, files=64, bytes=500_000)
    assert create(http, picture(2_000, seed=1), length=600_000).status_code == 201, "a first one is always taken"
    assert code(create(http, picture(2_000, seed=2), length=1_000)) == "upload-too-many"
    clock.advance(days=8)
    assert create(http, picture(2_000, seed=2), length=1_000).status_code == 201, "an expired one counts no more"


def test_32_at_once_do_not_slip_past_the_cap(server, city, headers):
    capped(server, files=5, bytes=1_000_000)
    ready = threading.Barrier(32)
    told = []

    def one(seed):
        with httpx.Client(base_url=server.url, headers={**headers, "Tus-Resumable": "1.0.0"}, timeout=30) as client:
            ready.wait(30)
            told.append(create(client, picture(2_000, seed=seed)).status_code)

    threads = [threading.Thread(target=one, args=(seed,)) for seed in range(32)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(told) == [201] * 5 + [409] * 27 and len(unfinished(city)) == 10


def test_the_caps_are_told(http):
    limits = http.get(HELLO).json()["limits"]
    assert limits["unfinished_files"] == 64 and limits["unfinished_bytes"] == 1024 ** 3


def test_a_sender_that_falls_silent_is_let_go_and_what_it_brought_is_kept(server, city, http, headers, monkeypatch):
    monkeypatch.setattr(guard, "IDLE_S", 0.3)
    url = create(http, FILE).headers["Location"]
    with half_sent(server, headers, url, 0, FILE[:100_000], len(FILE)) as silent:
        answer = b""
        while piece := silent.recv(4096):  # ends because the server closes the connection
            answer += piece
        assert answer.startswith(b"HTTP/1.1 408") and b"transfer-idle" in answer
    look = http.head(url)
    assert look.headers["Upload-Offset"] == "100000"
    assert patch(http, url, 100_000, FILE[100_000:]).headers[HEADER_RECEIPT]


@pytest.mark.parametrize("method, path", [("PUT", EVIDENCE + SHA), ("POST", FACTS)])
def test_no_call_waits_for_ever_for_its_body(server, city, headers, monkeypatch, method, path):
    monkeypatch.setattr(guard, "IDLE_S", 0.3)
    lines = [f"{method} {path} HTTP/1.1", f"Host: 127.0.0.1:{server.port}", "Content-Length: 1000",
             "Content-Type: application/json", *(f"{name}: {value}" for name, value in headers.items())]
    import socket

    with socket.create_connection(("127.0.0.1", server.port)) as line:
        line.settimeout(60)
        line.sendall("\r\n".join(lines).encode() + b"\r\n\r\n" + b"{")
        assert line.recv(4096).startswith(b"HTTP/1.1 408")
    assert list(city.blobs.names()) == []


def test_a_slow_sender_of_whom_something_comes_is_not_let_go(server, city, http, headers, monkeypatch):
    monkeypatch.setattr(guard, "IDLE_S", 0.5)
    small = picture(10_000)
    url = create(http, small).headers["Location"]
    with half_sent(server, headers, url, 0, small[:1_000], len(small)) as slow:
        for at in range(1_000, len(small), 1_000):
            time.sleep(0.1)  # all in all longer than the limit
            slow.sendall(small[at : at + 1_000])
        assert slow.recv(12) == b"HTTP/1.1 204"
    assert city.blobs.read(hashlib.sha256(small).hexdigest()) == small


@contextmanager
def city_on_a_small_disk(folder, clock, size, monkeypatch):
    """A city whose disk has ``size`` bytes (where none can be mounted: whose evidence files find no room), its server,
    and how to give the disk more room."""
    folder.mkdir()
    with small_disk(folder, size) as mounted:
        city = folder_city(folder / "data", clock)
        tablet = field_tablet(city, "ada")
        room = [True]
        if not mounted:
            real = os.pwrite

            def pwrite(handle, data, at):
                if not room[0] and at + len(data) > 1_000_000:
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
                return real(handle, data, at)

            monkeypatch.setattr(os, "pwrite", pwrite)
            room[0] = False

        def more():
            room[0] = True
            if mounted:
                grow(folder, 10 * size)

        try:
            with RealServer(city) as server:
                yield city, tablet, server, more
        finally:
            city.db.close()


def test_a_full_disk_leaves_nothing_half_done_and_it_goes_on_when_there_is_room(tmp_path, clock, monkeypatch):
    with city_on_a_small_disk(tmp_path / "disk", clock, 5_000_000, monkeypatch) as (city, tablet, server, more):
        large = picture(6_000_000)
        sha = hashlib.sha256(large).hexdigest()
        headers = {**marks(city, tablet), "Tus-Resumable": "1.0.0"}
        with httpx.Client(base_url=server.url, headers=headers, timeout=60) as http:
            put = http.put(EVIDENCE + sha, content=large)
            assert (put.status_code, code(put)) == (507, "server-full")
            url = create(http, large).headers["Location"]
            first = patch(http, url, 0, large[:500_000])
            assert first.headers["Upload-Offset"] == "500000"
            full = patch(http, url, 500_000, large[500_000:])
            assert (full.status_code, code(full)) == (507, "server-full")
            offset = int(http.head(url).headers["Upload-Offset"])
            (data,) = city.blobs.unfinished.glob("*.data")
            assert 500_000 <= offset < len(large) and data.stat().st_size == offset
            assert list(city.blobs.names()) == [] and list(city.blobs.unfinished.parent.glob(".part*")) == []
            # Work without files still gets through while the disk has room for it.
            fact = tablet.fact("inspection_signed", inspection_body())
            item = tablet.item(fact)
            items = {"items": [{"fact": item.text, "mac": item.mac, "credential": item.credential}]}
            assert http.post(FACTS, json=items).status_code in (200, 507)
            more()
            assert patch(http, url, offset, large[offset:]).headers[HEADER_RECEIPT]
            assert city.blobs.read(sha) == large and unfinished(city) == []
            assert "text" in http.post(FACTS, json=items).json()["results"][0]

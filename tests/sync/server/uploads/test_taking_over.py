"""Many hands on one upload, dead transfers, killed servers: an offset once told is true, and nothing mixes."""

import asyncio
import hashlib
import os
import socket
import time

import httpx
import pytest

from sync.records.protocol import ENROL, HEADER_PROTOCOL, HEADER_RECEIPT, UPLOADS
from sync.server.uploads import partials
from tests.support.pictures import picture
from tests.support.server import Server

from .test_protocol import MEDIA, create, patch, said

FILE = picture(3_000_000)
SHA = hashlib.sha256(FILE).hexdigest()


def half_sent(server, headers, url, offset, data, announced):
    """A PATCH whose sender has gone silent: connected, its bytes sent, the rest never comes."""
    path = httpx.URL(url).path
    lines = [f"PATCH {path} HTTP/1.1", f"Host: 127.0.0.1:{server.port}", "Tus-Resumable: 1.0.0",
             f"Upload-Offset: {offset}", f"Content-Length: {announced}",
             "Content-Type: application/offset+octet-stream", *(f"{name}: {value}" for name, value in headers.items())]
    found = socket.create_connection(("127.0.0.1", server.port))
    found.sendall("\r\n".join(lines).encode() + b"\r\n\r\n" + data)
    return found


def until(condition):
    """Waits for what must come; gives up loudly."""
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end, "it did not come"
        time.sleep(0.01)


def on_disk(city):
    return sum(path.stat().st_size for path in city.blobs.unfinished.glob("*.data"))


def test_a_dead_transfer_is_taken_over_at_once_and_keeps_what_it_brought(server, city, http, headers):
    url = create(http, FILE).headers["Location"]
    with half_sent(server, headers, url, 0, FILE[:2_500_000], len(FILE)) as dead:
        until(lambda: on_disk(city) >= 2_000_000)
        look = http.head(url)  # the client's own time-out is what would end a wait for the dead one
        offset = int(look.headers["Upload-Offset"])
        assert 2_000_000 <= offset <= 2_500_000
        assert dead.recv(12) == b"HTTP/1.1 409"
        done = patch(http, url, offset, FILE[offset:])
        assert done.status_code == 204 and done.headers[HEADER_RECEIPT]
    assert city.blobs.read(SHA) == FILE


def test_a_patch_that_does_not_fit_disturbs_nobody(server, city, http, headers):
    url = create(http, FILE).headers["Location"]
    with half_sent(server, headers, url, 0, FILE[:2_500_000], len(FILE)) as living:
        until(lambda: on_disk(city) >= 2_000_000)
        stale = patch(http, url, 0, b"x" * 1000)
        assert stale.status_code == 409 and int(stale.headers["Upload-Offset"]) >= 2_000_000
        living.sendall(FILE[2_500_000:])
        assert living.recv(12) == b"HTTP/1.1 204"
    assert city.blobs.read(SHA) == FILE


def test_two_patches_that_both_fit_do_not_mix(server, city, http, headers):
    """The first holds the upload and has written nothing yet; the second takes it."""
    url = create(http, FILE).headers["Location"]
    with half_sent(server, {**headers, "Expect": "100-continue"}, url, 0, b"", len(FILE)) as first:
        assert first.recv(100).startswith(b"HTTP/1.1 100")  # it holds the upload and waits for bytes
        second = patch(http, url, 0, FILE)
        assert second.status_code == 204 and second.headers[HEADER_RECEIPT]
        first.sendall(b"x" * 100)
        assert first.recv(12) == b"HTTP/1.1 409"
    assert city.blobs.read(SHA) == FILE


def test_32_clients_at_once_cannot_corrupt(server, city, headers):
    """All send parts of one file at the same time, each going on from where it is told; the file comes out right."""

    async def one(client, url, step):
        refused, offset = 0, 0
        for _ in range(400):
            answer = await client.patch(url, content=FILE[offset : offset + step],
                                        headers={**MEDIA, "Upload-Offset": str(offset)})
            assert answer.status_code in (204, 409), answer.text
            refused += answer.status_code == 409
            offset = int(answer.headers["Upload-Offset"])
            if offset == len(FILE):
                return refused
        raise AssertionError("it never ends")

    async def all_():
        limits = httpx.Limits(max_connections=40)
        async with httpx.AsyncClient(base_url=server.url, headers={**headers, "Tus-Resumable": "1.0.0"}, timeout=60,
                                     limits=limits) as client:
            made = await asyncio.gather(*(client.post(UPLOADS, headers={
                "Upload-Length": str(len(FILE)), "Upload-Metadata": said(sha256=SHA, kind="photo")})
                for _ in range(8)))
            (url,) = {answer.headers["Location"] for answer in made}
            return await asyncio.gather(*(one(client, url, 150_000 + 1000 * n) for n in range(32)))

    refused = asyncio.run(all_())
    assert sum(refused) > 0, "they did meet"
    assert city.blobs.read(SHA) == FILE and list(city.blobs.names()) == [SHA]
    assert list(city.blobs.unfinished.iterdir()) == []


def test_an_offset_is_told_only_when_the_bytes_and_the_note_of_them_are_on_the_disk(server, city, http, monkeypatch):
    """The calls of the disk, in order, before the answer leaves."""
    calls = []
    real = os.fdatasync

    def seen(handle):
        calls.append(os.readlink(f"/proc/self/fd/{handle}").rpartition(".")[2])
        real(handle)

    url = create(http, FILE).headers["Location"]
    monkeypatch.setattr(partials.os, "fdatasync", seen)
    assert patch(http, url, 0, FILE[:1_000_000]).headers["Upload-Offset"] == "1000000"
    assert calls == ["data", "log"]


@pytest.mark.parametrize("damage", ["torn log", "bytes nobody vouched for", "bytes lost", "no log", "garbled log"])
def test_what_a_power_cut_leaves_is_cut_back_to_what_was_told_or_begun_anew(server, city, http, damage):
    url = create(http, FILE, body=FILE[:1_000_000]).headers["Location"]
    patch(http, url, 1_000_000, FILE[1_000_000:2_000_000])
    (data,), (log,) = (list(city.blobs.unfinished.glob(f"*.{end}")) for end in ("data", "log"))
    if damage == "torn log":
        log.write_bytes(log.read_bytes() + b"29999")
    elif damage == "bytes nobody vouched for":
        data.write_bytes(data.read_bytes() + bytes(500_000))
    elif damage == "bytes lost":
        os.truncate(data, 1_500_000)
    elif damage == "no log":
        log.unlink()
    else:
        log.write_bytes(b"{}\n")
    kept = damage in ("torn log", "bytes nobody vouched for")
    again = create(http, FILE)
    assert again.headers["Upload-Offset"] == ("2000000" if kept else "0")
    offset = int(again.headers["Upload-Offset"])
    assert patch(http, url, offset, FILE[offset:]).headers[HEADER_RECEIPT]
    assert city.blobs.read(SHA) == FILE


def test_a_server_killed_in_the_middle_goes_on_from_the_offset_it_told(tmp_path):
    with Server(tmp_path / "data") as server:
        code = server.enrol_code()
        with httpx.Client(base_url=server.address, headers={HEADER_PROTOCOL: "1"}, timeout=60) as client:
            told = client.post(ENROL, json={"code": code, "secret": "ab" * 32}).json()
            client.headers.update({"Authorization": f"Bearer {told['device_token']}", "Tus-Resumable": "1.0.0"})
            url = create(client, FILE).headers["Location"]
            assert patch(client, url, 0, FILE[:1_000_000]).headers["Upload-Offset"] == "1000000"
            headers = {name: client.headers[name] for name in (HEADER_PROTOCOL, "Authorization")}
            with half_sent(server, headers, url, 1_000_000, FILE[1_000_000:2_500_000], 2_000_000):
                folder = server.data / "evidence" / ".uploads"
                until(lambda: sum(path.stat().st_size for path in folder.glob("*.data")) >= 2_000_000)
                server.kill()
            server.start()
            assert client.head(url).headers["Upload-Offset"] == "1000000"
            assert patch(client, url, 1_000_000, FILE[1_000_000:]).headers[HEADER_RECEIPT]
        with server.city() as city:
            assert city.blobs.read(SHA) == FILE

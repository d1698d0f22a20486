"""The real server process, really killed and started again: nothing acknowledged is lost, nothing is there twice."""

import hashlib
import io
import itertools
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import httpx
import pytest
from PIL import Image
from sqlalchemy import func, select

from sync.records.protocol import EVIDENCE, FACTS, HELLO
from sync.records.receipts import open_evidence_receipt, open_receipt
from sync.server.casework import audit, queries
from sync.server.casework.evidence import missing_evidence
from sync.server.casework.lives import begin_life
from sync.server.casework.orders import confirm_order
from sync.server.db.schema import facts
from tests.support.city import inspection_body
from tests.support.pictures import picture as photo
from tests.support.remote_tablet import enrol_remote
from tests.support.server import ROOT, START, Server
from tests.support.static_server import free_port


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    """One server for all tests here (each start takes seconds); a test enrols its own tablet and leaves it running."""
    with Server(tmp_path_factory.mktemp("server") / "data") as found:
        yield found


@pytest.fixture
def server(running):
    running.set_time(START)
    return running


def picture(shade):
    out = io.BytesIO()
    Image.new("RGB", (400, 300), (shade, 120, 60)).save(out, "JPEG")
    return out.getvalue() + bytes(200_000)  # as large as a photo, and quick to make


def order_body(tablet, index=0):
    leased = tablet.told["lease"]["numbers"][index]
    return {
        "number": leased["number"], "token": leased["token"], "site": "site-01", "address": "1412 Mill Street",
        "parcel": "251-0709-242-0101-4", "permit": "permit-01", "permit_number": "EC-2026-014", "grounds": ["b"],
        "findings": [], "observed": "Soil on Mill Street.", "must_stop": "All grading.", "may_continue": "Clean-up.",
        "corrections": [], "met": [], "nobody_present": True, "posted_on": "2026-08-27",
        "posted_at": "2026-08-27T14:00:00-05:00", "printed_on": "2026-08-27", "placard": None,
        "inspector": {"name": "Ada Lindqvist", "title": "Erosion Control Inspector", "credential_no": "SC-1001"},
    }


def stored(server, ident):
    with server.city() as city, city.db.read() as tx:
        return tx.execute(select(func.count()).select_from(facts).where(facts.c.id == ident)).scalar_one()


def test_thirty_two_at_once_are_one(server):
    tablet = enrol_remote(server)
    fact = tablet.fact("order_posted", order_body(tablet))
    item = tablet.item(fact)
    gate = threading.Barrier(32)

    def push(_):
        with tablet.client() as client:
            gate.wait()
            return client.post(FACTS, json={"items": [item]}).json()["results"][0]

    with ThreadPoolExecutor(32) as pool:
        results = list(pool.map(push, range(32)))
    assert len({(result["text"], result["mac"]) for result in results}) == 1
    assert sum(result.get("already_held", False) for result in results) == 31
    receipt = open_receipt(results[0], tablet.key)
    assert receipt.answer == "applied" and receipt.register
    assert stored(server, fact.id) == 1
    with server.city() as city:
        assert audit.verify(city) > 0
        assert [order["number"] for order in queries.order_list(city)].count(fact.body["number"]) == 1
        told = [e.what for e in audit.entries(city, subject=f"order:{fact.id}")]
        assert told == ["order_registered"], "a replay burns no register number"


def test_killed_in_the_middle_of_batches_it_keeps_what_it_acknowledged_and_nothing_twice(server):
    tablet = enrol_remote(server)
    everything = [tablet.fact("inspection_signed", inspection_body()) for _ in range(36)]
    acknowledged = []
    for round_ in range(3):
        under_way = threading.Event()

        def push(batch, under_way=under_way):
            under_way.set()
            try:
                acknowledged.extend(tablet.push(*batch))
            except httpx.HTTPError:
                pass  # the answer was cut: nothing is known

        batches = [everything[round_ * 12 + start : round_ * 12 + start + 3] for start in range(0, 12, 3)]
        threads = [threading.Thread(target=push, args=(batch,)) for batch in batches]
        for thread in threads:
            thread.start()
        under_way.wait()
        # A fact of the batch is on its way in when the process dies, at another point in each round.
        threading.Event().wait(0.04 * round_)
        server.kill()
        for thread in threads:
            thread.join()
        server.start()
        known = {r.fact for r in acknowledged}
        here = [r for r in tablet.receipts(*everything) if r is not None]
        assert known <= {r.fact for r in here}
        assert {r.answer for r in here} <= {"applied"}
    assert [r.answer for r in tablet.push(*everything[:18])] == ["applied"] * 18
    assert [r.answer for r in tablet.push(*everything[18:])] == ["applied"] * 18
    with server.city() as city:
        audit.verify(city)
        mine = [i for i in queries.inspection_list(city, limit=500) if i["tablet_code"] == tablet.told["tablet_code"]]
        assert len(mine) == 36


def test_an_upload_that_is_cut_leaves_nothing_and_can_be_sent_again(server, tmp_path):
    tablet = enrol_remote(server)
    data = picture(10)
    sha = hashlib.sha256(data).hexdigest()
    with socket.create_connection(("127.0.0.1", server.port)) as raw:
        raw.sendall(
            f"PUT {EVIDENCE}{sha} HTTP/1.1\r\nHost: localhost\r\nSiltwatch-Protocol: 1\r\nAuthorization: Bearer "
            f"{tablet.told['device_token']}\r\nContent-Length: {len(data)}\r\n\r\n".encode() + data[:100_000])
    with tablet.client() as client:
        assert client.get(EVIDENCE + sha).json()["code"] == "evidence-unknown"
    server.kill()
    server.start()
    assert list((server.data / "evidence").rglob(".part-*")) == []
    assert tablet.put(data).size == len(data)
    assert tablet.put(data).size == len(data)


def beside(server):
    """The process that makes files durable for this server, None when there is none."""
    marks = [b"sync.server.blobs.apart", bytes(server.data / "evidence")]
    for place in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if all(mark in (place / "cmdline").read_bytes() for mark in marks):
                return int(place.name)
    return None


def written(pid):
    """Bytes that the process has written."""
    with suppress(OSError):
        return int(Path(f"/proc/{pid}/io").read_text().partition("wchar: ")[2].split()[0])
    return 0


def test_while_many_send_files_another_process_makes_them_durable_and_when_that_is_killed_none_is_lost(server):
    tablet = enrol_remote(server)
    enough, held, seeds = threading.Event(), [], itertools.count(1)

    def send(_):
        try:
            with tablet.client() as client:
                while not enough.is_set():
                    data = photo(100_000, next(seeds))
                    sha = hashlib.sha256(data).hexdigest()
                    sealed = client.put(EVIDENCE + sha, content=data).raise_for_status().json()
                    assert open_evidence_receipt(sealed, tablet.key).size == len(data)
                    held.append(sha)
        finally:
            enough.set()

    with ThreadPoolExecutor(4) as pool:
        sending = [pool.submit(send, number) for number in range(4)]
        try:
            end = time.monotonic() + 150
            while not enough.is_set() and written(beside(server)) < 1_000_000:
                assert time.monotonic() < end, "no other process makes files durable"
                enough.wait(0.1)
            if (pid := beside(server)) is not None:
                os.kill(pid, signal.SIGKILL)
            before = len(held)
            while not enough.is_set() and len(held) < before + 12:
                enough.wait(0.02)
        finally:
            enough.set()
        for one in sending:
            one.result()
    assert pid is not None
    with server.city() as city:
        assert all(hashlib.sha256(city.blobs.read(sha)).hexdigest() == sha for sha in held)


def test_a_second_server_on_the_same_folder_is_refused(server):
    second = subprocess.run([sys.executable, "-m", "sync.server.cli", "serve", "--data", str(server.data), "--port",
                             str(free_port())], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert (second.returncode, "[data-in-use]" in second.stderr) == (2, True), second.stderr
    assert server.hello()["siltwatch"] is True


def test_a_restart_finds_everything_and_the_same_answers(server):
    tablet = enrol_remote(server)
    photos = [picture(shade) for shade in (20, 30)]
    fact = tablet.fact("inspection_signed", inspection_body(), files=tuple(photos))
    assert not tablet.push(fact)[0].whole
    for data in photos:
        tablet.put(data)
    [before] = tablet.receipts(fact)
    assert before.whole
    epoch = server.hello()["epoch"]
    server.stop()
    with pytest.raises(httpx.ConnectError):
        httpx.get(server.address + HELLO)
    server.start()
    assert server.hello()["epoch"] == epoch
    assert tablet.receipts(fact) == [before] == tablet.push(fact)
    with server.city() as city:
        assert list(missing_evidence(city)) == []


def test_its_clock_is_the_one_the_test_sets(server):
    server.set_time("2026-09-02T10:00:00-05:00")
    assert server.hello()["time"] == "2026-09-02T15:00:00.000+00:00"
    tablet = enrol_remote(server)
    fact = tablet.fact("order_posted", order_body(tablet))
    [receipt] = tablet.push(fact)
    assert receipt.at.startswith("2026-09-02")
    with server.city() as city:
        row = queries.order_page(city, fact.id)["row"]
    assert {d["last_day"] for d in row["dates"] if d["clock"] in ("K4", "K6")} == {"2026-09-08"}


def test_the_office_and_the_server_work_on_one_folder_at_once(server):
    tablet = enrol_remote(server)
    orders = [tablet.fact("order_posted", order_body(tablet, index)) for index in range(6)]
    tablet.push(*orders)
    errors = []

    def confirm():
        try:
            with server.city() as city:
                for fact in orders:
                    confirm_order(city, "carol", fact.id)
        except Exception as err:
            errors.append(err)

    office = threading.Thread(target=confirm)
    office.start()
    answers = [r.answer for _ in range(6) for r in tablet.push(tablet.fact("inspection_signed", inspection_body()))]
    office.join()
    assert errors == [] and answers == ["applied"] * 6
    with server.city() as city:
        audit.verify(city)
        confirmed = {order["id"] for order in queries.order_list(city) if order["confirmed"]}
        assert {fact.id for fact in orders} <= confirmed


def test_a_server_marked_as_restored_shows_another_epoch_and_still_knows_its_tablets(server):
    tablet = enrol_remote(server)
    fact = tablet.fact("inspection_signed", inspection_body())
    tablet.push(fact)
    server.stop()
    with server.city() as city:
        epoch = begin_life(city)
    server.start()
    assert server.hello()["epoch"] == epoch
    [receipt] = tablet.push(fact)
    assert (receipt.answer, receipt.epoch) == ("applied", epoch)

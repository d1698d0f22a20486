"""The tablets' interface, message by message: what is asked, what is answered, how it fails. In one process."""

import errno
import hashlib
import io
import json

import pytest
from PIL import Image
from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.testclient import TestClient

from sync.records.problems import CATALOGUE
from sync.records.protocol import (
    CHANGES,
    ENROL,
    EVIDENCE,
    FACTS,
    HEADER_EPOCH,
    HEADER_LARGEST,
    HEADER_PROTOCOL,
    HELLO,
    LEASE,
    MAX_BATCH,
    MAX_EVIDENCE_BYTES,
    RECEIPTS,
    SIGN_IN,
)
from sync.records.receipts import open_evidence_receipt, open_receipt
from sync.server.api import guard
from sync.server.api.service import guarded_api
from sync.server.blobs.memory import MemoryIncoming
from sync.server.casework import enrolment, feed, queries
from tests.support.city import field_tablet, inspection_body, memory_city
from tests.support.clock import StoppedClock

SECRET = "ab" * 32
PROTECTED = [("POST", SIGN_IN), ("POST", LEASE), ("POST", FACTS), ("POST", RECEIPTS), ("GET", CHANGES),
             ("PUT", EVIDENCE + "0" * 64), ("GET", EVIDENCE + "0" * 64)]


@pytest.fixture
def city():
    return memory_city(StoppedClock())


@pytest.fixture
def client(city):
    app = Starlette(routes=[Mount("/api/v1", guarded_api(city))])
    with TestClient(app, headers={HEADER_PROTOCOL: "1"}, raise_server_exceptions=False) as found:
        yield found


@pytest.fixture
def tablet(city):
    return field_tablet(city, "ada")


@pytest.fixture
def mine(client, tablet):
    """The client, as the tablet."""
    client.headers["Authorization"] = f"Bearer {tablet.enrolled.device_token}"
    return client


def problem(response, code):
    """The one shape of every failure."""
    assert response.headers["content-type"] == "application/problem+json"
    assert response.headers[HEADER_EPOCH] and response.headers[HEADER_PROTOCOL] == "1"
    assert response.headers[HEADER_LARGEST] == str(MAX_EVIDENCE_BYTES)
    told = response.json()
    assert set(told) == {"type", "title", "status", "code", "detail", "where", "advice"}
    assert (told["code"], told["status"]) == (code, response.status_code)
    assert told["status"] == CATALOGUE[code].status and told["title"] and told["advice"]
    return told


def as_item(tablet, fact):
    item = tablet.item(fact)
    return {"fact": item.text, "mac": item.mac, "credential": item.credential}


def test_hello_needs_nothing_and_says_who_answers(client):
    response = client.get(HELLO, headers={HEADER_PROTOCOL: "7"})
    told = response.json()
    assert (told["siltwatch"], told["city"], told["protocol"]) == (True, "demo", {"min": 1, "max": 1})
    assert told["time"] == "2026-08-27T20:00:00.000+00:00"
    assert told["epoch"] == response.headers[HEADER_EPOCH]


def test_enrol_sign_in_lease_and_pull(client, city):
    code = enrolment.create_enrolment_code(city, "carol")
    first = client.post(ENROL, json={"code": code, "secret": SECRET})
    assert first.status_code == 200
    assert client.post(ENROL, json={"code": code, "secret": SECRET}).json() == first.json()
    told = first.json()
    assert (told["city_name"], told["tablet_code"], told["public_url"]) == (
        "Demo City", "T01", "https://siltwatch.example")
    assert set(told["limits"]) == {"evidence_bytes", "batch", "tries", "unfinished_files", "unfinished_bytes"}
    client.headers["Authorization"] = f"Bearer {told['device_token']}"
    personal = enrolment.create_personal_code(city, "carol", "ada")
    signed = client.post(SIGN_IN, json={"code": personal}).json()
    assert signed == client.post(SIGN_IN, json={"code": personal}).json()
    assert signed["person"]["name"] == "Ada Lindqvist" and len(signed["credential"]["key"]) == 64
    lease = client.post(LEASE, json={"after": 5}).json()
    assert lease["numbers"][0] == told["lease"]["numbers"][5]
    page = client.get(CHANGES, params={"limit": 3}).json()
    assert (len(page["items"]), page["more"], page["restart"]) == (3, True, True)
    rest = client.get(CHANGES, params=page["next"]).json()
    assert not rest["restart"] and rest["items"][0]["seq"] > page["items"][-1]["seq"]


def test_facts_are_answered_one_by_one_in_the_order_sent(mine, tablet):
    fact = tablet.fact("inspection_signed", inspection_body())
    item = as_item(tablet, fact)
    sent = [item, {"fact": 1}, "x", {**item, "fact": "{"}, item, {**item, "note": "a newer tablet says more"}]
    results = mine.post(FACTS, json={"items": sent}).json()["results"]
    assert [list(r) for r in results] == [["mac", "text"], ["refused"], ["refused"], ["refused"],
                                          ["already_held", "mac", "text"], ["already_held", "mac", "text"]]
    assert open_receipt(results[0], tablet.tablet.receipt_key).answer == "applied"
    assert {**results[0], "already_held": True} == results[4] == results[5]
    asked = mine.post(RECEIPTS, json={"facts": [fact.id, "f" * 32]}).json()["results"]
    assert asked == [results[0], {"unknown": "f" * 32}]


def test_the_exact_text_of_a_fact_survives_the_interface(mine, tablet, city):
    fact = tablet.fact("inspection_signed", {**inspection_body(), "later": "Ünïcödé 😂 صادق"})
    item = as_item(tablet, fact)
    mine.post(FACTS, content=json.dumps({"items": [item]}, indent=3), headers={"Content-Type": "application/json"})
    with city.db.read() as tx:
        assert queries.fact_document(tx, city, fact.id)["text"] == item["fact"]


def test_a_file_goes_up_and_comes_down_as_it_was(mine, tablet):
    out = io.BytesIO()
    Image.new("RGB", (40, 30)).save(out, "JPEG")
    data = out.getvalue()
    sha = hashlib.sha256(data).hexdigest()
    sealed = mine.put(EVIDENCE + sha, content=data, headers={"Siltwatch-Evidence-Kind": "photo"}).json()
    assert open_evidence_receipt(sealed, tablet.tablet.receipt_key).size == len(data)
    assert mine.put(EVIDENCE + sha, content=data).json() == {**sealed, "already_held": True}
    down = mine.get(EVIDENCE + sha)
    assert (down.content, down.headers["content-type"]) == (data, "image/jpeg")
    assert "attachment" in down.headers["content-disposition"]
    assert down.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("name, data, code", [
    ("0" * 64, b"hello", "evidence-hash-mismatch"),
    ("XYZ", b"hello", "evidence-hash-malformed"),
    (hashlib.sha256(b"hello").hexdigest(), b"hello", "evidence-not-an-image"),
    (hashlib.sha256(b"").hexdigest(), b"", "evidence-empty")])
def test_a_file_that_is_refused_leaves_nothing(mine, city, name, data, code):
    problem(mine.put(EVIDENCE + name, content=data), code)
    assert list(city.blobs.names()) == []


def test_a_file_announced_too_large_is_refused_before_it_is_read(mine):
    told = problem(mine.put(EVIDENCE + "0" * 64, content=b"x", headers={"Content-Length": "99999999999"}),
                   "evidence-too-large")
    assert "99999999999" in told["detail"]


@pytest.mark.parametrize("method, path", PROTECTED)
@pytest.mark.parametrize("header, code", [
    (None, "token-missing"), ("", "token-missing"), ("Bearer ", "token-missing"), ("Basic YTpi", "token-missing"),
    ("Bearer wrong", "token-unknown"), ("Bearer a.T01.b", "token-unknown")])
def test_without_a_tablet_token_nothing_is_served(client, method, path, header, code):
    response = client.request(method, path, headers={"Authorization": header} if header is not None else {})
    problem(response, code)
    assert response.headers["www-authenticate"].startswith("Bearer")


@pytest.mark.parametrize("method, path", [*PROTECTED, ("POST", ENROL), ("GET", HELLO)])
def test_a_cookie_is_refused_everywhere(client, method, path):
    problem(client.request(method, path, headers={"Cookie": "siltwatch_office=x"}), "cookie-refused")


@pytest.mark.parametrize("given, code", [
    (None, "protocol-missing"), ("", "protocol-missing"), ("one", "protocol-missing"), ("-1", "protocol-missing"),
    ("0", "protocol-too-old"), ("2", "protocol-too-new"), ("999999999999", "protocol-missing")])
def test_the_protocol_is_checked_in_every_request(client, given, code):
    del client.headers[HEADER_PROTOCOL]
    headers = {} if given is None else {HEADER_PROTOCOL: given}
    problem(client.get(CHANGES, headers=headers), code)


@pytest.mark.parametrize("path, body", [
    (ENROL, {}), (ENROL, {"code": "x", "secret": "short"}), (ENROL, {"code": 1, "secret": SECRET}),
    (ENROL, {"code": "x", "secret": SECRET, "role": "admin"}), (ENROL, {"code": "x" * 201, "secret": SECRET}),
    (LEASE, {"after": "1"}), (LEASE, {"after": -1}), (LEASE, {"after": 1.0}), (LEASE, {"after": True}),
    (LEASE, {"after": 10**30}), (LEASE, {"after": 999_999}), (LEASE, []), (LEASE, None), (SIGN_IN, {"code": None}),
    (FACTS, {"items": []}), (FACTS, {"items": "x"}), (FACTS, {"items": [1] * (MAX_BATCH + 1)}),
    (FACTS, {"items": [1], "more": 1}), (RECEIPTS, {"facts": [1]}), (RECEIPTS, {"facts": ["x"] * 501})])
def test_a_malformed_request_says_where_it_is_wrong(mine, path, body):
    told = problem(mine.post(path, json=body), "body-malformed")
    assert told["where"] and told["detail"]


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe", b"[" * 2000, b'{"after":NaN}', b'{"after":1e999}'])
def test_a_body_that_is_no_json_is_refused(mine, content):
    response = mine.post(LEASE, content=content, headers={"Content-Type": "application/json"})
    assert response.status_code in (400, 422)
    assert response.json()["code"] in ("body-malformed", "wire-malformed")


@pytest.mark.parametrize("query", ["seq=-1", "seq=x", "seq=1.5", f"seq={2**70}", "limit=0", "limit=501",
                                   "epoch=" + "x" * 65])
def test_a_malformed_cursor_is_refused(mine, query):
    problem(mine.get(f"{CHANGES}?{query}"), "body-malformed")


def test_a_body_that_is_too_large_is_refused_announced_or_not(mine, monkeypatch):
    monkeypatch.setattr(guard, "MAX_JSON_BYTES", 1000)
    body = json.dumps({"items": ["x" * 2000]}).encode()
    problem(mine.post(FACTS, content=body), "wire-too-large")
    problem(mine.post(FACTS, content=iter([body[:900], body[900:]]), headers={"Content-Type": "application/json"}),
            "wire-too-large")


def test_addresses_and_methods_that_are_not_there(mine):
    problem(mine.get("/api/v1/nothing"), "not-found")
    problem(mine.get("/api/v1/evidence/"), "not-found")
    problem(mine.delete(EVIDENCE + "0" * 64), "method-not-allowed")
    problem(mine.get(ENROL), "method-not-allowed")


def test_a_withdrawn_tablet_may_hand_over_and_ask_for_receipts_and_nothing_else(mine, city, tablet):
    enrolment.withdraw_tablet(city, "carol", tablet.tablet.code, "lost")
    for method, path, body in (("POST", SIGN_IN, {"code": "x"}), ("POST", LEASE, {"after": 0}),
                               ("GET", CHANGES, None), ("GET", EVIDENCE + "0" * 64, None)):
        problem(mine.request(method, path, json=body), "tablet-revoked")
    item = as_item(tablet, tablet.fact("inspection_signed", inspection_body()))
    [result] = mine.post(FACTS, json={"items": [item]}).json()["results"]
    assert open_receipt(result, tablet.tablet.receipt_key).reason == "tablet-revoked"


def test_an_unforeseen_failure_is_still_our_answer_and_tells_no_secrets(mine, monkeypatch):
    def fails(*_):
        raise RuntimeError("the secret is hunter2")

    monkeypatch.setattr(feed, "changes_since", fails)
    response = mine.get(CHANGES)
    problem(response, "server-failed")
    assert "hunter2" not in response.text


def test_answers_are_never_stored_and_never_run(mine):
    headers = mine.get(CHANGES).headers
    assert headers["cache-control"] == "no-store"
    assert "default-src 'none'" in headers["content-security-policy"]
    assert "access-control-allow-origin" not in headers
    assert "set-cookie" not in headers


def test_a_pull_travels_compressed_and_says_the_same(mine):
    packed = mine.get(CHANGES)
    plain = mine.get(CHANGES, headers={"Accept-Encoding": "identity"})
    assert packed.headers["content-encoding"] == "gzip" and "content-encoding" not in plain.headers
    assert packed.json() == plain.json()
    assert int(packed.headers["content-length"]) * 2 < int(plain.headers["content-length"])


@pytest.mark.parametrize("what", ["file", "database"])
def test_a_full_disk_is_told_and_nothing_is_half_kept(mine, city, tablet, monkeypatch, what):
    out = io.BytesIO()
    Image.new("RGB", (40, 30)).save(out, "JPEG")
    data = out.getvalue()
    name = EVIDENCE + hashlib.sha256(data).hexdigest()
    with monkeypatch.context() as full:
        if what == "file":
            def no_room(self):
                raise OSError(errno.ENOSPC, "No space left on device")

            full.setattr(MemoryIncoming, "keep", no_room)
        else:
            with city.db.read() as tx:
                pages = tx.exec_driver_sql("PRAGMA page_count").scalar()
                tx.exec_driver_sql(f"PRAGMA max_page_count = {pages}")
            for _ in range(300):  # until its last free page is used
                if mine.put(name, content=data).status_code == 507:
                    break
                data += b"x" * 2
                name = EVIDENCE + hashlib.sha256(data).hexdigest()
        problem(mine.put(name, content=data), "server-full")
    if what == "database":
        with city.db.read() as tx:
            tx.exec_driver_sql("PRAGMA max_page_count = 1000000")
    assert mine.put(name, content=data).status_code == 200


@pytest.mark.parametrize("what", ["file", "database"])
def test_a_disk_that_takes_no_writes_is_told_apart_from_a_fault_of_the_call(mine, city, monkeypatch, what):
    """A volume that is not mounted, a database on a disk that went read-only: the tablet waits, and blames no item."""
    out = io.BytesIO()
    Image.new("RGB", (31, 17)).save(out, "JPEG")
    name = EVIDENCE + hashlib.sha256(out.getvalue()).hexdigest()
    with monkeypatch.context() as broken:
        if what == "file":
            def gone(self):
                raise FileNotFoundError(errno.ENOENT, "No such file or directory")

            broken.setattr(MemoryIncoming, "keep", gone)
        else:
            with city.db.read() as tx:
                tx.exec_driver_sql("PRAGMA query_only = 1")
        told = mine.put(name, content=out.getvalue())
        assert told.status_code == 507
        problem(told, "server-disk")
    if what == "database":
        with city.db.read() as tx:
            tx.exec_driver_sql("PRAGMA query_only = 0")
    assert mine.put(name, content=out.getvalue()).status_code == 200

"""Facts over HTTP, whatever order, version or twin they come in: nothing is lost, merged, guessed or waited for."""

import json
import shutil
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import select
from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.testclient import TestClient

from sync.client.reasons import explain_link
from sync.records import bodies, facts
from sync.records.facts import freeze, parse
from sync.records.macs import fingerprint, sign
from sync.records.protocol import CHANGES, FACTS, HEADER_PROTOCOL, RECEIPTS
from sync.records.receipts import open_receipt
from sync.server.api import guard
from sync.server.api.service import guarded_api
from sync.server.casework import applying, queries
from sync.server.casework.office import kept_records
from sync.server.db.schema import facts as kept
from tests.support.city import field_tablet, finding, inspection_body, memory_city, order_body
from tests.support.clock import StoppedClock

KEPT = Path(__file__).parents[3] / "store_fixtures" / "server-1.sqlite"


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
    return field_tablet(city, "ada", "ben")


@pytest.fixture
def push(client, tablet):
    """Sends facts as the tablet; ``text`` gives the bytes where they are not those of the fact."""

    def pushed(*made, text=None):
        items = []
        for fact in made:
            ident, key = tablet.credentials[fact.user]
            data = (text or freeze(fact).decode()).encode()
            items.append({"fact": data.decode(), "mac": sign(key, data), "credential": ident})
        client.headers["Authorization"] = f"Bearer {tablet.enrolled.device_token}"
        told = client.post(FACTS, json={"items": items})
        assert told.status_code == 200, told.text
        return [open_receipt(one, tablet.tablet.receipt_key) for one in told.json()["results"]]

    return pushed


def receipt(client, tablet, fact):
    [told] = client.post(RECEIPTS, json={"facts": [fact.id]}).json()["results"]
    return open_receipt(told, tablet.tablet.receipt_key)


def text_of(city, fact):
    with city.db.read() as tx:
        return tx.execute(select(kept.c.text).where(kept.c.id == fact.id)).scalar_one()


@pytest.mark.parametrize("turned", [False, True])
def test_the_same_id_with_other_bytes_is_a_fork_and_both_stay_readable(push, tablet, city, turned):
    one = tablet.fact("inspection_signed", inspection_body())
    other = replace(one, body=inspection_body(outcome="incomplete"))
    first, second = (other, one) if turned else (one, other)
    assert [(r.answer, r.reason) for r in push(first) + push(second)] == [
        ("applied", None), ("quarantined", "fact-forked")]
    # Sent again, however often: the same answers, and still two.
    assert [r.answer for r in push(second) + push(first) + push(second)] == ["quarantined", "applied", "quarantined"]
    assert {r.sha256 for r in push(one, other)} == {fingerprint(freeze(one)), fingerprint(freeze(other))}
    found = kept_records(city, one.id)
    assert [record["body"]["outcome"] for record in found] == [first.body["outcome"], second.body["outcome"]]


def test_a_correction_after_a_lost_reply_is_a_record_of_its_own(push, client, tablet, city):
    """The tablet does not know that its record arrived: it sends the correction and the record, in any order, twice."""
    first = tablet.fact("inspection_signed", inspection_body(findings=[finding("f1")]))
    push(first)  # the reply is lost on the way
    fixed = tablet.fact("inspection_signed", inspection_body(findings=[finding("f1", severity="critical")]),
                        revises=first.id)
    for batch in ((fixed, first), (first,), (fixed,), (first, fixed)):
        assert {r.answer for r in push(*batch)} == {"applied"}
    rows = {row["id"]: row["superseded_by"] for row in queries.site_page(city, "site-01")["inspections"]}
    assert rows == {first.id: fixed.id, fixed.id: None}
    assert parse(text_of(city, first)).body["findings"][0]["severity"] == "major", "the first is as it was"


def test_what_a_newer_tablet_says_more_is_kept_byte_for_byte(push, tablet, city):
    known = tablet.fact("inspection_signed", inspection_body(findings=[finding("f1")]))
    raw = json.loads(freeze(known))
    raw["later"] = {"deep": [1, {"x": None}]}
    raw["at"] |= {"atomic_ms": 17, "gps_offset_ms": -12}
    raw["body"]["air"] = "hazy"
    raw["body"]["findings"][0]["colour"] = "brown"
    # Another order of keys, spaces, escapes: no two programs write JSON alike.
    text = json.dumps(raw, indent=1, ensure_ascii=True).replace("hazy", "h\\u00e4zy")
    [told] = push(known, text=text)
    assert (told.answer, told.sha256) == ("applied", fingerprint(text.encode()))
    assert text_of(city, known) == text
    assert kept_records(city, known.id)[0]["body"]["air"] == "häzy"


def test_a_kind_or_format_of_a_newer_tablet_is_parked_and_worked_in_after_the_update(
        push, client, tablet, city, monkeypatch):
    kind = tablet.fact("turbidity_measured", {"ntu": "120"})
    later = tablet.fact("inspection_signed", inspection_body(), v=2)
    assert [(r.answer, r.reason) for r in push(kind, later)] == [("waiting", "kind-unknown")] * 2
    monkeypatch.setattr(facts, "VERSION", 2)
    assert applying.retry_parked(city) == 2, "at the start of the newer server"
    assert receipt(client, tablet, later).answer == "applied"
    assert receipt(client, tablet, kind).reason == "kind-unknown"


def test_an_older_tablet_is_served_as_long_as_it_can_be_then_told_plainly(push, client, tablet, monkeypatch):
    fact = tablet.fact("inspection_signed", inspection_body())
    monkeypatch.setattr(guard, "PROTOCOL", 2)
    assert push(fact)[0].answer == "applied"
    assert client.get(CHANGES).status_code == 200
    monkeypatch.setattr(guard, "OLDEST_PROTOCOL", 2)
    refused = client.post(FACTS, json={"items": [{}]})
    assert (refused.status_code, refused.json()["code"]) == (426, "protocol-too-old")
    assert client.get("/api/v1/hello").status_code == 200, "it must be able to learn why"
    said = explain_link("app-too-old")
    assert said.words == "This app is too old for the server: open it while online to update."
    newer = client.post(FACTS, json={"items": [{}]}, headers={HEADER_PROTOCOL: "3"})
    assert newer.json()["code"] == "protocol-too-new" and newer.json()["advice"] == "The server must be updated first."
    assert "server must be updated first" in explain_link("server-too-old").words


def test_what_the_first_released_tablets_sent_is_still_worked_in(client, city, tmp_path):
    """The very bytes that tablets of the first format signed, with the very MACs, come once more to a new server."""
    shutil.copy(KEPT, tmp_path / "old.sqlite")
    old = sqlite3.connect(tmp_path / "old.sqlite")
    rows = old.execute("SELECT text, mac, credential, state, reason FROM facts ORDER BY counter").fetchall()
    old.close()
    tablet = field_tablet(city, "ada")
    client.headers["Authorization"] = f"Bearer {tablet.enrolled.device_token}"
    items = [{"fact": text, "mac": mac, "credential": credential} for text, mac, credential, _, _ in rows]
    told = client.post(FACTS, json={"items": items}).json()["results"]
    answers = [open_receipt(one, tablet.tablet.receipt_key) for one in told]
    assert len(rows) == 6
    assert [(a.answer, a.reason) for a in answers] == [(state, reason) for *_, state, reason in rows]
    for (text, *_), answer in zip(rows, answers, strict=True):
        assert answer.sha256 == fingerprint(text.encode())
        assert set(json.loads(text)["at"]) == {"wall", "zone", "mono_ms", "boot", "offset_ms"}, "no clock of later days"


@pytest.mark.parametrize("name", sorted(bodies.BODIES))
def test_every_kind_says_at_once_what_its_body_lacks(name, push, tablet):
    with pytest.raises(Exception, match="fact-malformed"):
        freeze(tablet.fact(name, {}))


def test_a_record_that_comes_before_what_it_refers_to_waits_and_is_applied_then(push, client, tablet, city):
    inspection = tablet.fact("inspection_signed", inspection_body(findings=[finding("f1")]))
    order = tablet.fact("order_posted", order_body(tablet, findings=[{"fact": inspection.id, "finding": "f1"}]),
                        needs=(inspection.id,))
    again = tablet.fact("placard_reposted", {
        "number": order.body["number"], "order": order.id, "posted_on": "2026-08-27",
        "posted_at": "2026-08-27T15:00:00-05:00", "place": "gate", "why": "It was torn down."}, needs=(order.id,))
    for late in (again, order):
        assert [(r.answer, r.reason) for r in push(late)] == [("waiting", "need-missing")]
    assert queries.order_list(city) == []
    assert push(inspection)[0].answer == "applied"
    assert [receipt(client, tablet, one).answer for one in (order, again)] == ["applied", "applied"]
    assert queries.order_list(city)[0]["status"] == "in_force"


def test_nothing_waits_for_photos(push, tablet, city):
    shas = ["c" * 64, "d" * 64]
    inspection = tablet.fact("inspection_signed", inspection_body(findings=[finding("f1")]),
                             evidence=[(sha, "photo") for sha in shas])
    order = tablet.fact("order_posted", order_body(tablet), needs=(inspection.id,), evidence=[("e" * 64, "placard")])
    told = push(inspection, order)
    assert [r.answer for r in told] == ["applied", "applied"]
    assert told[0].evidence == dict.fromkeys(shas, False) and not told[0].whole
    assert told[1].register and queries.order_list(city)[0]["status"] == "in_force"

"""Device tokens grow old and are renewed without a person; a copied tablet gets a code and numbers of its own."""

import pytest
from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.testclient import TestClient

from sync.records.facts import Fact, freeze
from sync.records.macs import sign
from sync.records.proofs import recode_proof, renewal_proof
from sync.records.protocol import (
    CHANGES,
    ENROL,
    EVIDENCE,
    FACTS,
    HEADER_PROTOCOL,
    HEADER_RENEWS,
    HELLO,
    RECEIPTS,
    RECODE,
    RENEW,
    SIGN_IN,
)
from sync.records.receipts import open_receipt
from sync.server.api.service import guarded_api
from sync.server.casework import audit, enrolment
from sync.server.casework.copies import earlier_codes
from tests.support.city import inspection_body, memory_city, order_body
from tests.support.clock import StoppedClock
from tests.support.samples import at

SECRET, OTHER = "ab" * 32, "cd" * 32


@pytest.fixture
def clock():
    return StoppedClock()


@pytest.fixture
def city(clock):
    return memory_city(clock)


@pytest.fixture
def client(city):
    app = Starlette(routes=[Mount("/api/v1", guarded_api(city))])
    with TestClient(app, headers={HEADER_PROTOCOL: "1"}, raise_server_exceptions=False) as found:
        yield found


class Held:
    """What one tablet holds after its enrolment, and how it speaks."""

    def __init__(self, client, city, *persons, renews=True, told=None):
        self.client, self.city = client, city
        self.told = told or client.post(
            ENROL, json={"code": enrolment.create_enrolment_code(city, "keeper"), "secret": SECRET},
            headers={HEADER_RENEWS: "1"} if renews else {}).json()
        self.token, self.counter, self.people = self.told["device_token"], 0, {}
        for person in persons:
            code = enrolment.create_personal_code(city, "keeper", person)
            self.people[person] = self.post(SIGN_IN, {"code": code}).json()["credential"]

    @property
    def key(self):
        return bytes.fromhex(self.told["receipt_key"])

    @property
    def code(self):
        return self.told["tablet_code"]

    def post(self, path, body, **headers):
        return self.client.post(path, json=body, headers={"Authorization": f"Bearer {self.token}", **headers})

    def pull(self):
        return self.client.get(CHANGES, headers={"Authorization": f"Bearer {self.token}"})

    def renewed(self, *, at=None, token=None):
        at = at or self.client.get(HELLO).json()["time"]
        return self.post(RENEW, {"at": at, "proof": renewal_proof(self.key, token or self.token, at)})

    def recoded(self, secret=OTHER):
        people = [{"person": person, "proof": recode_proof(bytes.fromhex(one["key"]), secret)}
                  for person, one in self.people.items()]
        return self.post(RECODE, {"secret": secret, "people": people}, **{HEADER_RENEWS: "1"})

    def signed(self, kind, body, ident, *, counter=None, user="ada"):
        self.counter = counter or self.counter + 1
        fact = Fact("demo", ident, kind, self.code, self.counter, user, at(), "demo@2026.1", body)
        data, credential = freeze(fact), self.people[user]
        return {"fact": data.decode(), "mac": sign(bytes.fromhex(credential["key"]), data),
                "credential": credential["id"]}

    def push(self, *items):
        told = self.post(FACTS, {"items": list(items)})
        assert told.status_code == 200, told.text
        return [open_receipt(one, self.key) for one in told.json()["results"]]


def test_a_token_grows_old_and_is_renewed_by_its_own_tablet_alone(client, city, clock):
    tablet = Held(client, city)
    assert tablet.pull().status_code == 200
    clock.advance(days=14)
    refused = tablet.pull()
    assert (refused.status_code, refused.json()["code"]) == (401, "token-expired")
    # The same on every way in, the quick ones too.
    item = {"fact": "x", "mac": "0" * 64, "credential": "c"}
    for refused in (tablet.post(FACTS, {"items": [item]}), tablet.post(RECEIPTS, {"facts": ["a1" * 16]}),
                    client.put(EVIDENCE + "0" * 64, content=b"x",
                               headers={"Authorization": f"Bearer {tablet.token}"})):
        assert (refused.status_code, refused.json()["code"]) == (401, "token-expired")
    old = tablet.token
    told = tablet.renewed()
    assert told.status_code == 200
    tablet.token = told.json()["device_token"]
    assert tablet.pull().status_code == 200
    # A lost answer costs nothing: it is asked for again, with the old one or the new one.
    assert tablet.renewed().status_code == 200
    tablet.token = old
    assert tablet.renewed().status_code == 200 and tablet.pull().status_code == 401


def test_nobody_else_can_renew_it(client, city, clock):
    tablet, other = Held(client, city), Held(client, city)
    assert other.key != tablet.key
    clock.advance(days=8)
    at_ = client.get(HELLO).json()["time"]
    for proof in ("0" * 64, renewal_proof(other.key, tablet.token, at_), renewal_proof(tablet.key, other.token, at_)):
        assert tablet.post(RENEW, {"at": at_, "proof": proof}).json()["code"] == "token-unknown"
    # What was overheard is worth nothing a little later.
    proof = renewal_proof(tablet.key, tablet.token, at_)
    clock.advance(minutes=11)
    assert tablet.post(RENEW, {"at": at_, "proof": proof}).json()["code"] == "renewal-stale"
    assert tablet.renewed(at="yesterday").json()["code"] == "body-malformed"
    tablet.token = tablet.token.replace(".", ".0", 1)
    assert tablet.renewed().json()["code"] == "token-unknown"


def test_an_app_that_cannot_renew_has_a_token_that_does_not_age(client, city, clock):
    tablet = Held(client, city, renews=False)
    clock.advance(days=400)
    assert tablet.pull().status_code == 200


def test_a_withdrawn_tablet_renews_too_because_it_still_hands_over(client, city, clock):
    tablet = Held(client, city, "ada")
    item = tablet.signed("inspection_signed", inspection_body(), "a1" * 16)
    enrolment.withdraw_tablet(city, "carol", tablet.code, "lost")
    clock.advance(days=20)
    tablet.token = tablet.renewed().json()["device_token"]
    [receipt] = tablet.push(item)
    assert (receipt.answer, receipt.reason) == ("quarantined", "tablet-revoked")
    assert tablet.pull().json()["code"] == "tablet-revoked"
    assert tablet.recoded().json()["code"] == "tablet-revoked", "a copy is no way around a withdrawal"


def test_a_copied_tablet_gets_a_code_numbers_and_people_of_its_own(client, city):
    tablet = Held(client, city, "ada", "ben")
    assert tablet.pull().json()["counted"] == 0
    copy = Held(client, city, told=tablet.told)
    copy.people = dict(tablet.people)
    mine = tablet.signed("inspection_signed", inspection_body(), "a1" * 16)
    copied = copy.signed("inspection_signed", inspection_body(outcome="incomplete"), "b2" * 16)
    assert tablet.push(mine)[0].answer == "applied"
    assert tablet.pull().json()["counted"] == 1
    [receipt] = copy.push(copied)
    assert (receipt.answer, receipt.reason) == ("quarantined", "fact-counter-taken")
    first = copy.recoded()
    assert first.status_code == 200 and first.json() == copy.recoded().json(), "a lost answer burns no code"
    told = first.json()
    assert (tablet.code, told["tablet_code"]) == ("T01", "T02")
    numbers = {one["number"] for one in told["lease"]["numbers"]}
    assert not numbers & {one["number"] for one in tablet.told["lease"]["numbers"]}
    assert [one["person"]["id"] for one in told["people"]] == ["ada", "ben"]
    fresh = Held(client, city, told=told)
    fresh.people = {one["person"]["id"]: one["credential"] for one in told["people"]}
    assert fresh.people["ada"] != tablet.people["ada"]
    assert fresh.push(fresh.signed("inspection_signed", inspection_body(), "c3" * 16))[0].answer == "applied"
    # What it signed under its old code still goes out, with the receipts of the new one.
    again = fresh.push(copied)[0]
    assert (again.answer, again.reason) == ("quarantined", "fact-counter-taken")
    assert tablet.pull().json()["counted"] == fresh.pull().json()["counted"] == 1
    with city.db.read() as tx:
        assert earlier_codes(tx, city, "T02") == ("T01",)
    assert [e.what for e in audit.entries(city, subject="tablet:T02")] == ["numbers_leased", "tablet_recoded"]


def test_only_credentials_that_the_copy_holds_are_given_anew(client, city):
    tablet = Held(client, city, "ada")
    tablet.people["carol"] = {"id": "x", "key": "00" * 32}
    tablet.people["nobody"] = {"id": "x", "key": "00" * 32}
    assert [one["person"]["id"] for one in tablet.recoded().json()["people"]] == ["ada"]
    assert tablet.post(RECODE, {"secret": "short", "people": []}).json()["code"] == "body-malformed"


def test_an_order_begun_before_the_copy_was_seen_keeps_its_number(client, city):
    """The placard hangs already: its number is of the old code, and its record is signed under the new one."""
    tablet = Held(client, city, "ada")
    leased = tablet.told["lease"]["numbers"][4]
    told = tablet.recoded().json()
    fresh = Held(client, city, told=told)
    fresh.people = {one["person"]["id"]: one["credential"] for one in told["people"]}

    class Lease:
        enrolled = enrolment.Enrolled(None, "", (enrolment.LeasedNumber(**leased),), "", "")

    body = order_body(Lease)
    assert fresh.push(fresh.signed("order_posted", body, "d4" * 16))[0].register == "R-2026-00001"
    stranger = Held(client, city, "ada")
    [receipt] = stranger.push(stranger.signed("order_posted", body, "e5" * 16))
    assert (receipt.answer, receipt.reason) == ("quarantined", "number-not-leased")

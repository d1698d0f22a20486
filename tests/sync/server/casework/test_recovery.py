"""Forgotten PINs, the office's side: who may ask, who may answer, what opens and what does not; all of it audited."""

import asyncio
import base64
import itertools

import pytest
from sqlalchemy import select

from field_app.hardware.crypto import NativeCrypto
from field_app.store.ciphers import Forged
from field_app.store.keyring import open_box, seal_box, text
from sync.records import boxes
from sync.records.problems import Problem
from sync.records.proofs import recovery_proof
from sync.records.recovery import ANSWER, USER_KEY, spoken_code, user_key_label
from sync.server.casework import recovery
from sync.server.casework.audit import entries, verify
from sync.server.casework.enrolment import withdraw_tablet
from sync.server.db.recovery import recovery_asks, recovery_keys
from tests.support.city import field_tablet, memory_city
from tests.support.clock import StoppedClock

SEEDS = itertools.count(1)
KEY = bytes(range(32))
CRYPTO = NativeCrypto()


def run(job):
    return asyncio.run(job)


def refused(code, act, *given):
    with pytest.raises(Problem) as caught:
        act(*given)
    assert caught.value.code == code


class Forgotten:
    """A tablet on which ada forgot her PIN."""

    def __init__(self, city):
        self.city, self.tablet = city, field_tablet(city, seed=next(SEEDS))
        self.proof = recovery_proof(self.tablet.tablet.receipt_key)
        self.private, public = run(CRYPTO.new_pair())
        self.public = public.hex()
        self.key = recovery.public_key(city)
        self.box = self.boxed(user_key_label("ada"))

    def boxed(self, label):
        return text(run(seal_box(CRYPTO, bytes.fromhex(self.key), KEY, label)))

    def ask(self, **other):
        given = {"tablet": self.tablet.tablet.id, "proof": self.proof, "person": "ada",
                 "key_id": boxes.key_id(bytes.fromhex(self.key)), "box": self.box, "public": self.public} | other
        return recovery.ask(self.city, **given)

    def look(self, ident):
        return recovery.look(self.city, self.tablet.tablet.id, self.proof, ident)

    def opened(self, answer):
        return run(open_box(CRYPTO, self.private, bytes.fromhex(self.public), base64.b64decode(answer), ANSWER))


@pytest.fixture
def city():
    return memory_city(StoppedClock())


@pytest.fixture
def made(city):
    passphrase = recovery.make_recovery_key(city)
    return Forgotten(city), passphrase


def test_the_box_of_another_person_is_not_opened_and_one_of_an_older_app_is(city, made):
    forgotten, passphrase = made
    swapped = forgotten.ask(box=forgotten.boxed(user_key_label("ben")))
    refused("recovery-malformed", recovery.answer, city, "carol", swapped, passphrase)
    recovery.decline(city, "carol", swapped, "Not her box.")
    private, public = run(CRYPTO.new_pair())
    forgotten.private, forgotten.public = private, public.hex()
    older = forgotten.ask(box=forgotten.boxed(USER_KEY))
    recovery.answer(city, "carol", older, passphrase)
    assert forgotten.opened(forgotten.look(older)[1]) == KEY


def test_an_administrator_with_the_passphrase_opens_the_key_for_the_tablet_that_asked(city, made):
    forgotten, passphrase = made
    ident = forgotten.ask()
    assert forgotten.ask() == ident and forgotten.look(ident) == ("waiting", None)
    (waiting,) = recovery.asks(city)
    assert (waiting.person, waiting.name, waiting.state) == ("ada", "Ada Lindqvist", "waiting")
    assert waiting.code == spoken_code(forgotten.tablet.tablet.id, "ada", forgotten.box, forgotten.public)
    recovery.answer(city, "carol", ident, passphrase.lower().replace("-", " "))
    state, answer = forgotten.look(ident)
    assert state == "answered" and forgotten.opened(answer) == KEY
    stranger, _public = run(CRYPTO.new_pair())
    with pytest.raises(Forged):
        run(open_box(CRYPTO, stranger, bytes.fromhex(forgotten.public), base64.b64decode(answer), ANSWER))
    refused("already-decided", recovery.answer, city, "carol", ident, passphrase)
    done = [(entry.who, entry.what) for entry in entries(city)]
    for expected in (("keeper", "recovery_key_made"), ("ada", "recovery_asked"), ("carol", "recovery_answered")):
        assert expected in done
    assert verify(city) == len(done)


def test_nothing_in_the_database_opens_anything(city, made):
    forgotten, passphrase = made
    recovery.answer(city, "carol", forgotten.ask(), passphrase)
    with city.db.read() as tx:
        kept = str(tx.execute(select(recovery_keys)).all()) + str(tx.execute(select(recovery_asks)).all())
    assert passphrase not in kept and passphrase.replace("-", "") not in kept
    assert KEY.hex() not in kept and base64.b64encode(KEY).decode() not in kept


def test_who_may_not_ask(city, made):
    forgotten, _ = made
    other = field_tablet(city, seed=next(SEEDS))
    refused("token-unknown", lambda: forgotten.ask(proof="0" * 64))
    refused("token-unknown", lambda: forgotten.ask(tablet=other.tablet.id))
    refused("person-unknown", lambda: forgotten.ask(person="nobody"))
    refused("recovery-unknown", lambda: forgotten.ask(key_id="0" * 16))
    refused("recovery-malformed", lambda: forgotten.ask(box="AAAA"))
    refused("recovery-malformed", lambda: forgotten.ask(public="04" + "0" * 128))
    ident = forgotten.ask()
    refused("recovery-unknown", recovery.look, city, other.tablet.id,
            recovery_proof(other.tablet.receipt_key), ident)
    withdraw_tablet(city, "carol", forgotten.tablet.tablet.code, "lost")
    _, public = run(CRYPTO.new_pair())
    refused("tablet-revoked", lambda: forgotten.ask(public=public.hex()))


def test_who_may_not_answer_and_with_what(city, made):
    forgotten, passphrase = made
    ident = forgotten.ask()
    refused("no-authority", recovery.answer, city, "ada", ident, passphrase)
    refused("no-authority", recovery.make_recovery_key, city, "ada")
    refused("passphrase-wrong", recovery.answer, city, "carol", ident, passphrase[:-1])
    refused("recovery-unknown", recovery.answer, city, "carol", "0" * 64, passphrase)
    assert "recovery_passphrase_wrong" in [entry.what for entry in entries(city)]
    refused("reasons-missing", recovery.decline, city, "carol", ident, "  ")
    recovery.decline(city, "carol", ident, "this was not Ada")
    assert forgotten.look(ident) == ("declined", None)
    refused("already-decided", recovery.answer, city, "carol", ident, passphrase)


def test_a_second_question_takes_the_place_of_the_first(city, made):
    forgotten, passphrase = made
    first = forgotten.ask()
    forgotten.private, public = run(CRYPTO.new_pair())
    forgotten.public = public.hex()
    second = forgotten.ask()
    assert forgotten.look(first)[0] == "replaced"
    recovery.answer(city, "carol", second, passphrase)
    assert forgotten.opened(forgotten.look(second)[1]) == KEY


def test_another_pair_opens_what_is_boxed_for_it_and_the_old_one_what_was(city, made):
    forgotten, passphrase = made
    old = forgotten.ask()
    another = recovery.make_recovery_key(city, "carol")
    assert recovery.key_state(city).made_by == "carol" and recovery.public_key(city) != forgotten.key
    refused("passphrase-wrong", recovery.answer, city, "carol", old, another)
    recovery.answer(city, "carol", old, passphrase)
    later = Forgotten(city)
    ident = later.ask()
    recovery.answer(city, "carol", ident, another)
    assert later.opened(later.look(ident)[1]) == KEY

"""Signing in at the office: a link once, a session for hours, nothing of either in the database."""

from datetime import date

import pytest
from sqlalchemy import select

from sync.records.problems import Problem
from sync.server.casework import sessions
from sync.server.casework.people import end_power
from sync.server.db import schema, signing_in
from tests.support.city import memory_city
from tests.support.clock import StoppedClock


@pytest.fixture
def clock():
    return StoppedClock()


@pytest.fixture
def city(clock):
    return memory_city(clock)


def refused(code, act, *args):
    with pytest.raises(Problem) as caught:
        act(*args)
    assert caught.value.code == code


def test_a_link_signs_its_person_in_once(city):
    link = sessions.create_sign_in_link(city, "keeper", "carol")
    token, _ = sessions.redeem_link(city, link)
    person = sessions.session_person(city, token)
    assert (person.id, person.name) == ("carol", "Carol Brandt")
    assert person.may("issue") and not person.may("bill")
    refused("link-used", sessions.redeem_link, city, link)


def test_a_session_ends_by_itself_and_by_signing_out(city, clock):
    first, second = (sessions.redeem_link(city, sessions.create_sign_in_link(city, "keeper", "dora"))[0]
                     for _ in range(2))
    sessions.end_session(city, first)
    refused("session-missing", sessions.session_person, city, first)
    assert sessions.session_person(city, second).id == "dora"
    clock.advance(hours=13)
    refused("session-missing", sessions.session_person, city, second)


def test_a_power_that_ended_is_gone_from_a_running_session(city, clock):
    token, _ = sessions.redeem_link(city, sessions.create_sign_in_link(city, "keeper", "ada"))
    assert sessions.session_person(city, token).may("post")
    end_power(city, "carol", "ada", "post", date(2026, 8, 26))
    assert not sessions.session_person(city, token).may("post")


def test_links_expire_and_only_the_administrator_makes_them(city, clock):
    refused("no-authority", sessions.create_sign_in_link, city, "ada", "ada")
    refused("person-unknown", sessions.create_sign_in_link, city, "carol", "nobody")
    link = sessions.create_sign_in_link(city, "carol", "ada")
    clock.advance(days=2)
    refused("code-unknown", sessions.redeem_link, city, link)
    refused("session-missing", sessions.session_person, city, "\ud800")


def test_the_database_holds_no_token(city):
    link = sessions.create_sign_in_link(city, "keeper", "carol")
    token, _ = sessions.redeem_link(city, link)
    with city.db.read() as tx:
        kept = (signing_in.codes, signing_in.sessions, schema.audit)
        dump = repr([list(tx.execute(select(table))) for table in kept])
    assert link not in dump and token not in dump

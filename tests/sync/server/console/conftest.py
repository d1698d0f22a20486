"""The office through its real routes, with a database that casework filled; one client per person."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from html.parser import HTMLParser

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from sync.server.casework.city import City
from sync.server.casework.sessions import create_sign_in_link
from sync.server.console.routes import console_routes, refusals
from sync.server.db.engine import open_database
from tests.support.city import PUBLIC_URL
from tests.support.clock import StoppedClock
from tests.support.disputes import Dispute, dispute
from tests.support.office import Office, furnished_office

SAME = {"Sec-Fetch-Site": "same-origin"}


class Person(TestClient):
    """A browser: it keeps cookies, and says with each POST that it comes from our own pages."""

    def send_form(self, path: str, **fields: str):
        return self.post(path, data=fields, headers=SAME, follow_redirects=False)


@pytest.fixture(scope="session")
def master() -> tuple[Office, bytes]:
    """The furnished office, made once, and its database as bytes."""
    made = furnished_office()
    return made, _raw(made).serialize()


def _raw(office: Office):
    return office.city.db.engine.raw_connection().driver_connection


@pytest.fixture
def office(master) -> Office:
    """A copy of its own for each test: a new database with the same bytes, a clock that can be moved."""
    made, data = master
    database = open_database(None)
    clock = StoppedClock(made.clock.now().isoformat())
    city = dataclasses.replace(made.city, db=database, clock=clock)
    tablet = dataclasses.replace(made.tablet, city=city)
    copy = dataclasses.replace(made, city=city, clock=clock, tablet=tablet)
    _raw(copy).deserialize(data)
    return copy


@pytest.fixture
def app(office) -> Starlette:
    return Starlette(routes=console_routes(office.city), exception_handlers=refusals(office.city))


@pytest.fixture
def stranger(app) -> Person:
    return Person(app, base_url=PUBLIC_URL)


def _coming_in(app: Starlette, city: City) -> Callable[[str], Person]:
    def come_in(person: str) -> Person:
        client = Person(app, base_url=PUBLIC_URL)
        link = create_sign_in_link(city, "keeper", person)
        assert client.send_form("/office/sign-in", link=link).status_code == 303
        return client

    return come_in


@pytest.fixture
def signed_in(app, office):
    return _coming_in(app, office.city)


@pytest.fixture
def carol(signed_in) -> Person:
    """The building inspector, who also administers."""
    return signed_in("carol")


@pytest.fixture
def dora(signed_in) -> Person:
    """The clerk-treasurer: looks, decides nothing about orders."""
    return signed_in("dora")


@pytest.fixture
def world() -> Dispute:
    """A city with two tablets that can come to differ."""
    return dispute()


@pytest.fixture
def person(world):
    """As `signed_in`, in the office of `world`."""
    return _coming_in(Starlette(routes=console_routes(world.city)), world.city)


class Page(HTMLParser):
    """What a page consists of, for checks: elements with attributes and their text, and the whole visible text."""

    VOID = frozenset({"meta", "link", "input", "img", "br", "hr"})

    def __init__(self, text: str):
        super().__init__(convert_charrefs=True)
        self.elements: list[dict] = []
        self.stack: list[dict] = []
        self.words: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        element = {"tag": tag, "attrs": dict(attrs), "text": "", "inside": [one["tag"] for one in self.stack]}
        self.elements.append(element)
        if tag not in self.VOID:
            self.stack.append(element)

    def handle_startendtag(self, tag, attrs):
        self.elements.append({"tag": tag, "attrs": dict(attrs), "text": "", "inside": []})

    def handle_endtag(self, tag):
        while self.stack and self.stack.pop()["tag"] != tag:
            pass

    def handle_data(self, data):
        for element in self.stack:
            element["text"] += data
        if not any(one["tag"] in ("style", "script", "title") for one in self.stack):
            self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())

    def all(self, tag: str) -> list[dict]:
        return [element for element in self.elements if element["tag"] == tag]


@pytest.fixture
def read():
    def read(response) -> Page:
        return Page(response.text)

    return read

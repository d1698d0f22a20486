"""A real city on disk behind real HTTP, a tablet of it, and the headers by which it is known."""

import httpx
import pytest

from sync.records.protocol import HEADER_PROTOCOL
from sync.server.casework.enrolment import device_token
from tests.support.city import field_tablet, folder_city
from tests.support.clock import StoppedClock
from tests.support.real_server import RealServer


@pytest.fixture
def clock():
    return StoppedClock("2026-08-27T15:00:00-05:00")


@pytest.fixture
def city(tmp_path, clock):
    found = folder_city(tmp_path / "city", clock)
    yield found
    found.db.close()


@pytest.fixture
def tablet(city):
    return field_tablet(city, "ada")


@pytest.fixture
def server(city):
    with RealServer(city) as found:
        yield found


@pytest.fixture
def headers(city, tablet):
    return marks(city, tablet)


def marks(city, tablet):
    """What every request of the tablet bears; a foreign client is given these headers and knows no more of us."""
    token = device_token(city, tablet.tablet.id, tablet.tablet.code)
    return {HEADER_PROTOCOL: "1", "Authorization": f"Bearer {token}"}


@pytest.fixture
def http(server, headers):
    with httpx.Client(base_url=server.url, headers={**headers, "Tus-Resumable": "1.0.0"}, timeout=30) as client:
        yield client

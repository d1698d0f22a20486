"""A real city on disk behind real HTTP, a tablet of it, and pictures large enough to come in parts."""

import io
import random

import httpx
import pytest
from PIL import Image

from sync.records.protocol import HEADER_PROTOCOL
from sync.server.casework.enrolment import device_token
from tests.support.city import field_tablet, folder_city
from tests.support.clock import StoppedClock
from tests.support.real_server import RealServer


def picture(size: int, seed: int = 1) -> bytes:
    """A JPEG of exactly ``size`` bytes that no other seed gives: what follows its end is no part of the picture."""
    out = io.BytesIO()
    Image.new("RGB", (64, 48), (90, 120, 60)).save(out, "JPEG")
    return out.getvalue() + random.Random(seed).randbytes(size - len(out.getvalue()))


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

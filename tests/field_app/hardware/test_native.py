"""The native kind: clocks, PIN arithmetic, positions that are refused, and one session taking over from another."""

import asyncio
import hashlib
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from field_app.hardware.clock import SystemClock, SystemIds
from field_app.hardware.crypto import NativeCrypto
from field_app.hardware.native import PageLife, ProcessTabs, data_folder
from field_app.hardware.ports import Fix, NoFix
from field_app.hardware.position import FletPosition, _reason, plausible
from sync.records.photo_bodies import position
from tests.support.set_time import SetTime

CLOCK = SetTime("2026-08-27T14:03:00-05:00")


def test_the_system_clock_is_aware_and_never_goes_back():
    clock = SystemClock()
    assert clock.now().utcoffset() == timedelta()
    readings = [clock.monotonic_ms() for _ in range(1000)]
    assert readings == sorted(readings)
    assert clock.boot != SystemClock().boot


def test_a_set_clock_runs_on_from_the_moment_that_was_set():
    clock = SetTime("2026-08-27T14:03:00-05:00")
    first, second = clock.now(), clock.now()
    assert first <= second < datetime(2026, 8, 27, 19, 13, tzinfo=UTC)
    assert first >= datetime(2026, 8, 27, 19, 3, tzinfo=UTC)
    with pytest.raises(ValueError, match="offset"):
        clock.set("2026-08-27T14:03:00")


def test_ids_do_not_repeat():
    ids = SystemIds()
    assert len({ids.random_bytes(16) for _ in range(1000)}) == 1000
    assert {len(ids.random_bytes(count)) for count in (1, 16, 32)} == {1, 16, 32}


def test_the_pin_verifier_is_pbkdf2_as_the_rfc_has_it():
    """RFC 7914, section 11: a published vector of PBKDF2-HMAC-SHA-256 (its first 32 bytes)."""
    made = asyncio.run(NativeCrypto().pin_verifier("passwd", b"salt", 1))
    assert made.hex() == "55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc"
    assert NativeCrypto().sha256(b"abc") == hashlib.sha256(b"abc").hexdigest()


@given(st.floats(-90, 90), st.floats(-180, 180), st.floats(0, 1e5))
@settings(max_examples=200, deadline=None, derandomize=True)
def test_a_position_on_earth_becomes_whole_microdegrees(latitude, longitude, accuracy):
    found = plausible(latitude, longitude, accuracy, CLOCK)
    if (round(latitude * 1e6), round(longitude * 1e6)) == (0, 0):
        assert found == NoFix("implausible")
        return
    assert isinstance(found, Fix)
    assert abs(found.lat_udeg - latitude * 1e6) <= 0.5 and abs(found.lon_udeg - longitude * 1e6) <= 0.5
    assert abs(found.accuracy_cm - accuracy * 100) <= 0.5
    assert {type(value) for value in (found.lat_udeg, found.lon_udeg, found.accuracy_cm)} == {int}
    assert found.fixed_at.year == 2026, "the injected clock, not the system's"


@pytest.mark.parametrize(
    "place",
    [(0, 0), (0.0, -0.0), (1e-7, 0.0), (None, None), (43.0, None), (float("nan"), 1.0), (90.1, 0), (1.0, 180.5),
     ("43", "-89")],
)
def test_what_cannot_be_a_position_is_refused(place):
    assert plausible(*place, 5.0, CLOCK) == NoFix("implausible")


class Receiver:
    """A receiver of positions that gives one with the time of an older one, as browsers may."""

    latitude, longitude, accuracy, mocked = 43.0, -89.0, 5.0, None
    timestamp = datetime(2026, 8, 27, 18, 40, tzinfo=UTC)

    async def is_location_service_enabled(self):
        return True

    async def request_permission(self):
        return None

    async def get_current_position(self, _how):
        return self


@pytest.mark.parametrize(("web", "second_clock"), [(True, None), (False, Receiver.timestamp)])
def test_the_time_of_a_browsers_position_is_no_second_clock(web, second_clock):
    port = FletPosition.__new__(FletPosition)  # its receiver needs a page that is shown
    port._page, port._clock, port._service = SimpleNamespace(web=web), CLOCK, Receiver()
    found = asyncio.run(port.fix())
    assert found.gps_at == second_clock
    assert CLOCK.now() - found.fixed_at < timedelta(minutes=1), "when it was asked for, by our clock"


@pytest.mark.parametrize("accuracy", [None, float("nan"), float("inf"), -1.0, 10_000_001.0])
def test_a_position_that_nobody_knows_how_well_is_known_is_not_taken_for_exact(accuracy):
    assert plausible(43.0, -89.0, accuracy, CLOCK) == NoFix("implausible")


def test_the_worst_accuracy_that_is_taken_is_one_that_a_record_takes():
    found = plausible(43.0, -89.0, 10_000_000.0, CLOCK)
    position({"lat_udeg": found.lat_udeg, "lon_udeg": found.lon_udeg, "accuracy_cm": found.accuracy_cm,
              "fixed_at": "2026-08-27T14:00:00-05:00"}, "position")
    assert plausible(43.0, -89.0, 5, CLOCK, None, True).mocked and not plausible(43.0, -89.0, 5, CLOCK).mocked


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ("User denied Geolocation", "denied"),
        ("The location service on the device is disabled.", "off"),
        ("Timeout expired: timed out", "timeout"),
        ("not supported here", "unsupported"),
        ("something else", "failed"),
    ],
)
def test_the_platforms_words_become_a_reason(words, reason):
    assert _reason(words) == reason


def test_a_second_session_of_the_process_takes_over_once(tmp_path):
    async def story():
        first, second = ProcessTabs(tmp_path), ProcessTabs(tmp_path)
        assert await second.take_over(wait=1) is False, "nobody holds it"
        closed = []

        async def close():
            closed.append("first")

        first.hold(close)
        assert await second.take_over(wait=1) is True
        assert closed == ["first"]
        assert await second.take_over(wait=1) is False, "it was let go already"

    asyncio.run(story())


def test_a_holder_that_does_not_let_go_is_not_forced(tmp_path):
    async def story():
        tabs = ProcessTabs(tmp_path)

        async def never():
            await asyncio.Event().wait()

        tabs.hold(never)
        assert await tabs.take_over(wait=0.05) is False

    asyncio.run(story())


def test_the_data_folder_is_private_and_the_given_one_wins(tmp_path, monkeypatch):
    monkeypatch.setenv("FLET_APP_STORAGE_DATA", str(tmp_path / "flet"))
    assert data_folder() == tmp_path / "flet"
    monkeypatch.setenv("SILTWATCH_TABLET_DATA", str(tmp_path / "ours"))
    assert data_folder() == tmp_path / "ours"
    assert data_folder(str(tmp_path / "given")) == tmp_path / "given"
    assert (tmp_path / "given").stat().st_mode & 0o777 == 0o700


def test_visibility_follows_the_life_cycle():
    import flet as ft

    class Page:
        on_app_lifecycle_state_change = None

    class Event:
        def __init__(self, state):
            self.state = state

    page, heard = Page(), []
    life = PageLife(page)
    stop = life.listen(heard.append)
    for state in ("SHOW", "INACTIVE", "HIDE", "PAUSE", "RESUME"):
        page.on_app_lifecycle_state_change(Event(ft.AppLifecycleState[state]))
    assert heard == [True, False, False, True]
    stop()
    page.on_app_lifecycle_state_change(Event(ft.AppLifecycleState.SHOW))
    assert heard == [True, False, False, True]

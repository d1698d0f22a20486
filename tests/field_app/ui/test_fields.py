"""Text fields show and save exactly what was typed, however slow the store is."""

import asyncio
from dataclasses import dataclass, field

import flet as ft
import pytest

from field_app.ui.components.fields import DueField, NumberField, TextLine, day_of
from tests.support.flet_harness import draw


@ft.observable
@dataclass
class Stored:
    """What the store holds; `gate` lets a save finish."""

    value: str = ""
    saves: list[str] = field(default_factory=list)


async def field_screen(make, stored: Stored):
    Holder = ft.component(lambda stored: make(stored))
    return await draw(lambda page: page.render(lambda: Holder(stored)))


def test_what_is_typed_is_kept_exactly():
    async def go():
        stored = Stored("old")

        async def save(text: str) -> None:
            stored.saves.append(text)
            stored.value = text

        screen = await field_screen(lambda s: TextLine(s.value, save, "Note", "note"), stored)
        assert screen.value("note") == "old"
        for text in ("M", "Mü", "Müd ", "Müd  on\u00a0it", ""):
            await screen.type("note", text)
            assert stored.value == text
            assert screen.value("note") == text
        screen.close()
    asyncio.run(go())


def test_typing_runs_ahead_of_a_slow_store_and_only_the_newest_is_saved_next():
    async def go():
        stored, gate = Stored(), asyncio.Semaphore(0)

        async def save(text: str) -> None:
            await gate.acquire()
            stored.saves.append(text)
            stored.value = text

        screen = await field_screen(lambda s: TextLine(s.value, save, "Note", "note"), stored)
        typing = [asyncio.ensure_future(screen.type("note", "mud"[:n])) for n in (1, 2, 3)]
        for _turn in range(60):
            await asyncio.sleep(0)
        assert screen.value("note") == "mud"
        gate.release()
        for _turn in range(60):
            await asyncio.sleep(0)
        assert list(stored.saves) == ["m"]
        assert screen.value("note") == "mud", "an older save must not take back what was typed since"
        gate.release()
        await asyncio.gather(*typing)
        assert list(stored.saves) == ["m", "mud"]
        assert screen.value("note") == "mud"
        screen.close()
    asyncio.run(go())


def test_a_change_from_elsewhere_is_shown():
    async def go():
        stored = Stored("a")

        async def save(text: str) -> None:
            stored.value = text

        screen = await field_screen(lambda s: TextLine(s.value, save, "Note", "note"), stored)
        stored.value = "from the pack"
        await screen.settle()
        assert screen.value("note") == "from the pack"
        screen.close()
    asyncio.run(go())


@pytest.mark.parametrize(("value", "key", "after"), [
    ("", "more", "1"), ("", "less", "0"), ("0", "less", "0"),
    ("3", "less", "2"), ("3", "more", "4"), ("9", "more", "10"),
])
def test_a_count_by_its_big_keys(value, key, after):
    async def go():
        stored = Stored(value)

        async def save(text: str) -> None:
            stored.value = text

        screen = await field_screen(lambda s: NumberField(s.value, save, "Exits", "exits", whole=True), stored)
        await screen.press(f"exits-{key}")
        assert stored.value == after
        assert screen.value("exits") == after
        screen.close()
    asyncio.run(go())


def test_a_number_brings_the_number_keys_and_says_its_unit():
    async def go():
        async def save(text: str) -> None:
            """Nothing to keep."""

        screen = await field_screen(
            lambda s: NumberField(s.value, save, "Depth", "depth", whole=False, unit="in", problem="Not a number"),
            Stored("1"))
        shown = screen.inside("depth", "TextField")
        assert shown.keyboard_type == ft.KeyboardType.NUMBER
        assert shown.suffix == "in"
        assert shown.error == "Not a number"
        screen.close()
    asyncio.run(go())


@pytest.mark.parametrize("offset", [-11, -6, -5, 0, 2, 5.75, 12])
def test_the_day_tapped_is_the_day_kept_in_every_zone(offset):
    from datetime import UTC, date, datetime, timedelta, timezone

    midnight = datetime(2026, 8, 31, tzinfo=timezone(timedelta(hours=offset)))
    assert day_of(midnight.astimezone(UTC)) == date(2026, 8, 31)
    assert day_of(datetime(2026, 8, 31)) == day_of(date(2026, 8, 31)) == date(2026, 8, 31)


def test_due_day_and_time_are_chosen_from_calendar_and_clock():
    from datetime import UTC, datetime, time

    async def go():
        stored = Stored("2026-08-28 14:00")

        async def save(on: str, at: str) -> None:
            stored.value = f"{on} {at}"

        screen = await field_screen(
            lambda s: DueField(*s.value.split(" "), save, "due", words="in words"), stored)
        assert screen.texts("due-day") == ["Fri Aug 28, 2026"]
        await screen.press("due-day")
        calendar = next(c for c in screen.controls() if isinstance(c, ft.DatePicker))
        assert (calendar.value.year, calendar.value.month, calendar.value.day) == (2026, 8, 28)
        await screen.fire(calendar, "change", value=datetime(2026, 8, 31, tzinfo=UTC))
        assert stored.value == "2026-08-31 14:00"
        await screen.press("due-time")
        clock = next(c for c in screen.controls() if isinstance(c, ft.TimePicker))
        await screen.fire(clock, "change", value=time(9, 5))
        assert stored.value == "2026-08-31 09:05"
        assert screen.texts("due-time") == ["9:05 AM"]
        screen.close()
    asyncio.run(go())

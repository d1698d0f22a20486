"""Text fields show and save exactly what was typed, however slow the store is."""

import asyncio
import re
from dataclasses import dataclass, field
from datetime import date

import flet as ft
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from field_app.ui import turning
from field_app.ui.components.calendar import month_after, weeks
from field_app.ui.components.fields import DueField, NumberField, TextLine
from field_app.ui.shell import Shell
from tests.support.flet_harness import draw, walk


@ft.observable
@dataclass
class Stored:
    """What the store holds; `gate` lets a save finish."""

    value: str = ""
    saves: list[str] = field(default_factory=list)

    async def save(self, text: str) -> None:
        self.saves.append(text)
        self.value = text


async def field_screen(make, stored: Stored):
    Holder = ft.component(lambda stored: make(stored))
    return await draw(lambda page: page.render(lambda: Holder(stored)))


def test_what_is_typed_is_kept_exactly():
    async def go():
        stored = Stored("old")
        screen = await field_screen(lambda s: TextLine(s.value, s.save, "Note", "note"), stored)
        assert screen.value("note") == "old"
        for text in ("M", "Mü", "Müd ", "Müd  on\u00a0it", ""):
            await screen.type("note", text)
            assert stored.value == text
            assert screen.value("note") == text
        screen.close()
    asyncio.run(go())


@pytest.mark.parametrize("late", [False, True], ids=["the turn is told first", "the turn is told later"])
def test_a_window_that_is_turned_erases_nothing(monkeypatch, late):
    """A browser with a reader's tree says that the field is empty when its window changes its size."""
    monkeypatch.setattr(turning, "_last", float("-inf"))

    async def go():
        stored = Stored("")
        screen = await field_screen(lambda s: TextLine(s.value, s.save, "Note", "note"), stored)
        await screen.type("note", "Mud on the road")
        if not late:
            turning.turned()
        else:
            asyncio.get_running_loop().call_later(0.15, turning.turned)
        await screen.type("note", "")
        assert screen.value("note") == stored.value == "Mud on the road"
        await screen.type("note", "Mud")
        assert stored.saves == ["Mud on the road", "Mud"], "and typing goes on"
        screen.close()
    asyncio.run(go())


def test_what_is_erased_and_written_anew_at_once_stays_written(monkeypatch):
    """Whoever marks all and types, erases first; the two messages come one right after the other."""
    monkeypatch.setattr(turning, "_last", float("-inf"))

    async def go():
        stored = Stored("")
        screen = await field_screen(lambda s: TextLine(s.value, s.save, "Note", "note"), stored)
        await screen.type("note", "Mud on the road")
        erased = asyncio.create_task(screen.type("note", ""))
        await asyncio.sleep(0.02)
        await screen.type("note", "Mud on the road")
        await erased
        await asyncio.sleep(0.6)
        await screen.settle()
        assert screen.value("note") == stored.value == "Mud on the road"
        await screen.type("note", "")
        assert stored.value == "", "and what is erased is erased"
        screen.close()
    asyncio.run(go())


def test_what_is_typed_while_the_screen_is_drawn_again_is_not_lost():
    """The text and the event that tells of it are two messages: between them the field may be drawn as it was."""
    async def go():
        stored = Stored("")
        screen = await field_screen(lambda s: TextLine(s.value, s.save, "Note", "note"), stored)
        field = screen.inside("note", "TextField")
        screen.session.apply_patch(field._i, {"value": "Mud on the road"})
        screen.session.apply_patch(field._i, {"value": ""})
        await screen.session.dispatch_event(field._i, "change", "Mud on the road")
        await screen.settle()
        assert screen.value("note") == stored.value == "Mud on the road"
        screen.close()
    asyncio.run(go())


def test_typing_runs_ahead_of_a_slow_store_and_only_the_newest_is_saved_next():
    async def go():
        stored, gate = Stored(), asyncio.Semaphore(0)

        async def save(text: str) -> None:
            await gate.acquire()
            await stored.save(text)

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


class LateClient:
    """What a person sees who types while messages are late: two for each key, and what the app draws over it."""

    def __init__(self, screen, identifier: str) -> None:
        self.screen, self.identifier = screen, identifier
        self.shown = self.known = screen.value(identifier)
        self.queue: list[tuple[str, str]] = []
        self.events: list[asyncio.Task[None]] = []

    def see(self) -> None:
        """What was drawn into the field stands there, whatever was typed meanwhile."""
        if (now := self.screen.value(self.identifier)) != self.known:
            self.shown = self.known = now

    def key(self, key: str) -> None:
        self.shown = self.shown[:-1] if key == "<" else self.shown + key
        self.queue += [("text", self.shown), ("event", self.shown)]

    def deliver(self) -> None:
        """The next message reaches the app: the text at once, the event as a task of its own."""
        if not self.queue:
            return
        kind, text = self.queue.pop(0)
        field = self.screen.inside(self.identifier, "TextField")
        if kind == "text":
            self.screen.session.apply_patch(field._i, {"value": text})
            self.known = text
        else:
            self.events.append(asyncio.create_task(self.screen.session.dispatch_event(field._i, "change", text)))


@settings(max_examples=40, deadline=None, derandomize=True)
@given(st.lists(st.sampled_from(["key", *["deliver"] * 3, "turn", "turns", "redraw", "disk"]), max_size=120))
def test_typing_while_messages_are_late_and_the_screen_is_drawn_again_loses_no_letter(steps):
    """Two more words here: each letter as the person typed it, whatever is drawn between the two messages of a key."""
    async def go():
        stored, gate = Stored(), asyncio.Semaphore(0)

        async def save(text: str) -> None:
            await gate.acquire()
            await stored.save(text)

        pulse = Stored()  # another thing that the screen shows, and that changes as it likes
        Holder = ft.component(lambda stored, pulse: ft.Column([
            ft.Text(pulse.value), TextLine(stored.value, save, "Note", "note", key="note")]))
        screen = await draw(lambda page: page.render(lambda: Holder(stored, pulse)))
        client, typed, keys = LateClient(screen, "note"), "", iter("two more words here, and again " * 4)
        for step in steps:
            if step == "key":
                typed += (key := next(keys))
                client.key(key)
            elif step == "deliver":
                client.deliver()
            elif step == "redraw":
                pulse.value += "."
            elif step == "disk":
                gate.release()
            await screen.settle({"turn": 1, "turns": 12}.get(step, 0))
            client.see()
            assert client.shown == typed, "what was typed stands in the field"
        while client.queue:
            client.deliver()
            await screen.settle()
            client.see()
        for _save in range(len(typed) + 1):
            gate.release()
        await asyncio.gather(*client.events)
        await screen.settle()
        client.see()
        assert client.shown == screen.value("note") == stored.value == typed
        screen.close()
    asyncio.run(go())


def test_a_change_from_elsewhere_is_shown():
    async def go():
        stored = Stored("a")
        screen = await field_screen(lambda s: TextLine(s.value, s.save, "Note", "note"), stored)
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
        screen = await field_screen(lambda s: NumberField(s.value, s.save, "Exits", "exits", whole=True), stored)
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


def due_field(stored: Stored, first: date | None = None, **more: object):
    """A due field that keeps "ON AT", and the screen it is on."""
    async def save(on: str, at: str) -> None:
        stored.value = f"{on} {at}"

    if first is not None:
        more["first"] = lambda: first
    shells: list[Shell] = []

    def made(s: Stored) -> ft.Control:
        if not shells:
            shells.append(Shell(ft.context.page))
        return DueField(shells[0], *s.value.split(" "), save, "due", **more)

    return field_screen(made, stored)


def test_due_day_and_time_are_chosen_from_calendar_and_clock():
    async def go():
        stored = Stored("2026-08-28 14:00")
        screen = await due_field(stored, date(2026, 8, 27), words="in words")
        assert screen.texts("due-day") == ["Fri Aug 28, 2026"]
        await screen.press("due-day")
        assert screen.texts("due-day-month") == ["August 2026"]
        days = {one for one in screen.ids() if re.fullmatch(r"due-day-2026-08-\d\d", one)}
        assert len(days) == 31
        # The last week is whole, so that tomorrow is one tap away at the end of a month; the week before is over.
        other = {one for one in screen.ids() if re.fullmatch(r"due-day-2026-(07|09)-\d\d", one)}
        assert other == {f"due-day-2026-09-0{n}" for n in range(1, 6)}
        cell = screen.part("due-day-2026-08-28")
        assert (cell.selected, cell.button, cell.value) == (True, True, "chosen")
        assert {box.height for box in walk(cell) if isinstance(box, ft.Container)} == {56}
        # What is over cannot be chosen: the day is there, and is no button.
        past = screen.part("due-day-2026-08-26")
        assert not past.button and past.content.on_click is None
        assert "due-day-before" not in screen.ids()
        assert [part.semantics_label for part in walk(past) if isinstance(part, ft.Text)] == [
            "Wednesday, August 26, 2026"]
        await screen.press("due-day-after")
        assert screen.texts("due-day-month") == ["September 2026"]
        await screen.press("due-day-2026-09-01")
        assert stored.value == "2026-09-01 14:00"
        await screen.press("due-time")
        assert screen.texts("due-time-shown") == ["2:00 PM"]
        chosen = [one for one in screen.ids() if one.startswith("due-time-") and screen.part(one).selected]
        assert chosen == ["due-time-pm", "due-time-hour-2", "due-time-minute-00"]
        for tapped, shown in (("hour-12", "12:00 noon"), ("hour-9", "9:00 PM"), ("am", "9:00 AM"),
                              ("minute-15", "9:15 AM"), ("later", "9:16 AM"), ("minute-00", "9:00 AM"),
                              ("earlier", "8:59 AM"), ("hour-12", "12:59 AM"), ("later", "1:00 AM"),
                              ("hour-9", "9:00 AM")):
            await screen.press(f"due-time-{tapped}")
            assert screen.texts("due-time-shown") == [shown], tapped
        assert stored.value == "2026-09-01 14:00", "nothing is kept before it is taken"
        await screen.press("due-time-take")
        assert stored.value == "2026-09-01 09:00"
        assert screen.texts("due-time") == ["9:00 AM"] and "due-time-take" not in screen.ids()
        await screen.press("due-time")
        await screen.press("due-time-minute-45")
        await screen.press("due-time-cancel")
        assert stored.value == "2026-09-01 09:00"
        screen.close()
    asyncio.run(go())


def test_a_day_that_misses_is_told_where_it_is_chosen_and_brings_its_hour():
    async def go():
        stored = Stored(" ")
        screen = await due_field(stored, date(2026, 8, 27), problem="Choose the day by which it must be done.")
        assert "due-time" not in screen.ids(), "an hour without a day says nothing"
        assert screen.shows("Choose the day by which it must be done.")
        await screen.press("due-day")
        assert screen.texts("due-day-month") == ["August 2026"]
        await screen.press("due-day-2026-08-27")
        assert stored.value == "2026-08-27 17:00"
        screen.close()
    asyncio.run(go())


def test_what_is_due_at_once_shows_no_day_beside_it():
    async def go():
        stored = Stored("2026-08-27 ")
        screen = await due_field(stored, date(2026, 8, 27), at_once=True)
        assert screen.texts("due-day") == ["Set a day and a time instead"] and "due-time" not in screen.ids()
        await screen.press("due-day")
        assert not screen.part("due-day-2026-08-27").selected
        await screen.press("due-day-2026-08-31")
        assert stored.value == "2026-08-31 17:00"
        screen.close()
    asyncio.run(go())


@pytest.mark.parametrize("month, first, last, count", [
    (date(2026, 8, 1), date(2026, 7, 26), date(2026, 9, 5), 6), (date(2026, 2, 1), date(2026, 2, 1),
                                                                 date(2026, 2, 28), 4),
    (date(2026, 11, 1), date(2026, 11, 1), date(2026, 12, 5), 5)])
def test_a_month_is_shown_in_whole_weeks_from_sunday(month, first, last, count):
    found = weeks(month)
    assert (found[0][0], found[-1][-1], len(found)) == (first, last, count)
    assert [month_after(month, by).month for by in (-12, 0, 1)] == [month.month, month.month, month.month % 12 + 1]

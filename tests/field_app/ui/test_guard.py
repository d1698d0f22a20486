"""One broken part neither takes the screen with it nor freezes the app; and that Flet still needs these guards."""

import asyncio
from dataclasses import dataclass

import flet as ft
import pytest

from field_app.ui.guard import heed, safe_component, watch
from tests.support.flet_harness import draw


@ft.observable
@dataclass
class Count:
    n: int = 0


def parts(make, count: Count):
    """A page with a part that fails at 1 and a part that only counts, both made components by `make`."""

    def broken(count: Count) -> ft.Control:
        if count.n == 1:
            raise ValueError("a bug")
        return ft.Text(f"part {count.n}")

    Broken = make(broken)
    Counter = ft.component(lambda count: ft.Text(f"count {count.n}"))

    def main(page: ft.Page) -> None:
        page.render(lambda: ft.Column([Broken(count), Counter(count)]))

    return main


def test_a_broken_part_says_so_and_recovers():
    async def go():
        count = Count()
        screen = await draw(parts(safe_component, count))
        count.n = 1
        await screen.settle()
        assert "failed-part" in screen.ids()
        assert screen.shows("broken: ValueError: a bug")
        assert screen.shows("Nothing you saved is lost")
        assert screen.shows("count 1")
        count.n = 2
        await screen.settle()
        assert "failed-part" not in screen.ids()
        assert screen.shows("part 2") and screen.shows("count 2")
        screen.close()
    asyncio.run(go())


def test_a_fallback_gets_what_the_part_got():
    async def go():
        def draw_it(shell: str) -> ft.Control:
            raise RuntimeError("no")

        Part = safe_component(draw_it, lambda failure, shell: ft.Text(f"{shell}: {failure}"))
        screen = await draw(lambda page: page.render(lambda: Part("the shell")))
        assert screen.shows("the shell: no")
        screen.close()
    asyncio.run(go())


def test_flet_still_stops_drawing_after_an_exception_and_the_watch_starts_it_again():
    """When this fails after an upgrade because nothing froze, the watch may go."""

    async def go():
        count = Count()
        screen = await draw(parts(ft.component, count))
        count.n = 1
        await screen.settle()
        count.n = 2
        await screen.settle()
        assert not screen.shows("count 2"), "Flet no longer freezes: the watch is not needed any more"
        watching = asyncio.ensure_future(watch(screen.page, every=0))
        await screen.settle()
        count.n = 3
        await screen.settle()
        assert screen.shows("count 3")
        watching.cancel()
        screen.close()
    asyncio.run(go())


def test_a_late_answer_for_a_part_that_is_gone_ends_its_call_and_nothing_else():
    async def go():
        there = ft.Text("here")
        screen = await draw(lambda page: page.add(there))
        connection, session = screen.connection, screen.session
        send, asked = connection.send_message, []
        connection.send_message = asked.append  # the client answers late
        call = asyncio.ensure_future(session.invoke_method(there._i, "wait", None))
        await screen.settle()
        connection.send_message = send
        screen.page.controls.clear()
        screen.page.update()
        assert there._i not in session.index
        [message] = asked
        with pytest.raises(RuntimeError):
            session.handle_invoke_method_results(there._i, message.body.call_id, 7, None)  # ends Flet's receiving loop
        heed(session)
        session.handle_invoke_method_results(there._i, message.body.call_id, 7, None)
        assert await call == 7
        session.handle_invoke_method_results(there._i, "nobody asked", 8, None)
        screen.close()

    asyncio.run(go())

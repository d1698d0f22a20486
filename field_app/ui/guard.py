"""Guards around Flet: neither a broken component nor a late answer of the client may freeze the app.

An exception while a component draws ends Flet's update loop for good: nothing is drawn any more and nobody is
told. `safe_component` turns it into a panel that says so; `watch` starts the loop again if it ended in spite
of that. An answer to a call of a part that has left the screen ends Flet's receiving loop: no tap is heard any more;
`heed` drops such answers (tests/field_app/ui/test_guard.py fails when a Flet upgrade makes one of them needless).
"""

from __future__ import annotations

import asyncio
import functools
import logging
from collections.abc import Callable
from typing import Any

import flet as ft

from field_app.ui import theme
from field_app.ui.words import _

log = logging.getLogger("siltwatch.ui")


def safe_component(draw: Callable[..., Any], fallback: Callable[..., Any] | None = None) -> Callable[..., Any]:
    """Make a component of `draw` whose exceptions become a panel in its place; the rest of the screen lives on.

    `fallback(failure, *args, **kwargs)` draws another panel; it gets what `draw` got.
    """

    @functools.wraps(draw)
    def guarded(*args: Any, worn: Any = None, **kwargs: Any) -> Any:
        try:
            return draw(*args, **kwargs)
        except Exception as failure:
            log.exception("component %s failed", draw.__name__)
            if fallback is not None:
                return fallback(failure, *args, **kwargs)
            return failure_panel(draw.__name__, failure)

    return ft.component(guarded)


def remembered(component: Callable[..., Any]) -> Callable[..., Any]:
    """A component of `safe_component` that is drawn anew only when what it is given, look, language or the width of the
    window changed."""
    memo = ft.memo(component)
    return lambda *args, **kwargs: memo(*args, worn=(*theme.worn(), ft.context.page.width), **kwargs)


def failure_panel(name: str, failure: Exception) -> ft.Control:
    """What stands where a component failed: plain words, and the line that the office needs."""
    return ft.Semantics(
        identifier="failed-part",
        content=ft.Container(
            padding=theme.EDGE,
            bgcolor=theme.BAD.ground,
            border=ft.Border.all(2, theme.BAD.solid),
            border_radius=theme.RADIUS,
            content=ft.Column(
                [
                    ft.Text(_("This part of the screen could not be shown."), size=theme.KEY,
                            weight=ft.FontWeight.BOLD, color=theme.BAD.ink),
                    ft.Text(_("Nothing you saved is lost. Go back and open it again; "
                              "if it stays, tell the office this line:"), size=theme.BODY),
                    ft.Text(f"{name}: {type(failure).__name__}: {failure}", size=theme.SMALL, selectable=True),
                ],
                spacing=6,
            ),
        ),
    )


async def watch(page: ft.Page, every: float = 1.0) -> None:
    """Restart the session's update loop whenever it has ended. Runs until it is cancelled.

    Starting a loop that runs does nothing, so this may be called as often as one likes.
    """
    while True:
        await asyncio.sleep(every)
        page.session.start_updates_scheduler()


def notice(session: Any, touched: Callable[[], None]) -> None:
    """Call `touched` for everything that comes from the screen: taps, keys, turning, the way back."""
    dispatch = session.dispatch_event

    async def dispatched(*args: Any, **kwargs: Any) -> Any:
        touched()
        return await dispatch(*args, **kwargs)

    session.dispatch_event = dispatched


def heed(session: Any) -> None:
    """Let an answer to a call of a part that is gone (a list told to scroll, and left at once) end that call alone."""
    hear = session.handle_invoke_method_results

    def heard(control_id: int, call_id: str, result: Any, error: str | None) -> None:
        if control_id in session.index:
            hear(control_id, call_id, result, error)
            return
        waiting = session._Session__method_calls.pop(call_id, None)
        if waiting is not None:
            session._Session__method_call_results[waiting] = (result, error)
            waiting.set()

    session.handle_invoke_method_results = heard

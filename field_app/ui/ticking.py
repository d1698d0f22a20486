"""Draws again after a while without a tap: what the clock says changes by itself. It stops when the part is gone."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import flet as ft


def use_ticks(seconds: float, draw: Callable[[], object]) -> None:
    """Calls `draw` every so many seconds while the component is on the screen."""
    clock = ft.use_ref(lambda: {"task": None}).current

    async def tick() -> None:
        while True:
            await asyncio.sleep(seconds)
            draw()

    def start() -> None:
        clock["task"] = asyncio.ensure_future(tick())

    def stop() -> None:
        if clock["task"] is not None:
            clock["task"].cancel()

    ft.use_effect(start, dependencies=[], cleanup=stop)

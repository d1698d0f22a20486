"""Which tab holds the store, in the browser: tabs of one origin talk over a broadcast channel.

Invariant: a tab answers "released" only after its store handle is closed, so that the asking tab can open it at
once. A tab that is frozen or gone does not answer; then nothing is taken by force.
"""

import asyncio
import contextvars
import secrets
from collections.abc import Awaitable, Callable

import js
from pyodide.ffi import create_proxy, to_js


class BrowserTabs:
    """The another-tab port on BroadcastChannel."""

    def __init__(self, base: str) -> None:
        self._me = secrets.token_hex(8)
        self._release: Callable[[], Awaitable[None]] | None = None
        self._context = contextvars.copy_context()  # Flet's: a call from JavaScript comes without
        self._waiting: asyncio.Future | None = None
        self._tasks: set[asyncio.Task] = set()
        self._channel = js.BroadcastChannel.new(f"siltwatch:{base}:store")
        self._channel.onmessage = create_proxy(self._receive)

    def hold(self, release: Callable[[], Awaitable[None]]) -> None:
        """This tab holds the store from now on."""
        self._release, self._context = release, contextvars.copy_context()

    async def take_over(self, wait: float = 10.0) -> bool:
        """Ask the holder to let go; True when it said that it did."""
        self._waiting = asyncio.get_running_loop().create_future()
        self._send("release-please", {"by": self._me})
        try:
            await asyncio.wait_for(self._waiting, wait)
        except TimeoutError:
            return False
        finally:
            self._waiting = None
        return True

    def _receive(self, event) -> None:
        message = event.data.to_py()
        if message["kind"] == "release-please" and self._release is not None:
            release, self._release = self._release, None
            task = self._context.run(asyncio.ensure_future, self._let_go(release, message["by"]))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        elif message["kind"] == "released" and message["to"] == self._me and self._waiting:
            if not self._waiting.done():
                self._waiting.set_result(None)

    async def _let_go(self, release: Callable[[], Awaitable[None]], to: str) -> None:
        await release()
        self._send("released", {"to": to})

    def _send(self, kind: str, fields: dict) -> None:
        self._channel.postMessage(to_js({"kind": kind, **fields}, dict_converter=js.Object.fromEntries))

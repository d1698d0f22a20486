"""The private port between Python (in its worker) and its own page (assets/pwa/start.js).

Messages are objects {kind, id?, ...}. A question carries an id and gets exactly one answer with that id; what the
page says by itself carries none. There is one page per worker, so there is one port per process.

What is called from JavaScript runs in no Flet context, and Flet then draws nothing: so every listener is called in
the context in which it began to listen.
"""

import asyncio
import contextvars
from collections.abc import Callable

import js
from pyodide.ffi import create_proxy, to_js

from field_app.hardware.ports import Stop


class PagePort:
    """The Python end of the port."""

    def __init__(self) -> None:
        self._port = js.pagePort
        self.facts: dict = js.pageFacts.to_py()
        self._waiting: dict[int, asyncio.Future] = {}
        self._heard: list[tuple[str, Callable[[dict], None]]] = []
        self._count = 0
        self._port.onmessage = create_proxy(self._receive)

    async def ask(self, kind: str, *, wait: float = 10.0, **fields) -> dict:
        """Ask the page and wait for its answer. Raises TimeoutError after `wait` seconds, RuntimeError with the
        page's own words when it could not do it."""
        self._count += 1
        number = self._count
        future = self._waiting[number] = asyncio.get_running_loop().create_future()
        self._send({"kind": kind, "id": number, **fields})
        try:
            answer = await asyncio.wait_for(future, wait)
        finally:
            self._waiting.pop(number, None)
        if answer.get("error"):
            raise RuntimeError(answer["error"])
        return answer

    def tell(self, kind: str, **fields) -> None:
        """Say something to the page and expect no answer."""
        self._send({"kind": kind, **fields})

    def listen(self, kind: str, heard: Callable[[dict], None]) -> Stop:
        """Call `heard` with each message of that kind that the page sends by itself."""
        context = contextvars.copy_context()
        entry = (kind, lambda message: context.copy().run(heard, message))
        self._heard.append(entry)
        return lambda: self._heard.remove(entry) if entry in self._heard else None

    def _send(self, message: dict) -> None:
        self._port.postMessage(to_js(message, dict_converter=js.Object.fromEntries))

    def _receive(self, event) -> None:
        message = event.data.to_py()
        if message.get("kind") == "answer":
            future = self._waiting.get(message.get("id"))
            if future and not future.done():
                future.set_result(message)
            return
        for kind, heard in list(self._heard):
            if kind == message.get("kind"):
                heard(message)


_port: PagePort | None = None


def page_port() -> PagePort:
    """The one port of this process."""
    global _port
    if _port is None:
        _port = PagePort()
    return _port

"""Takes a photo or a batch of records off the line whole, before anything is asked about it.

uvicorn hands a body on piece by piece, copies each some times, and wakes the application for it: for a photo of 300 kB
that took eight times as long as reading it. Here the bytes of a small body on the lane's two paths are put aside as
they come and the application begins when all are there, with the body in its scope (``BODY``). Heads are read by
uvicorn's parser as ever. A body that takes longer than ``PATIENCE_S`` goes the ordinary way from there on, byte for
byte as if nothing had been put aside; nothing larger than ``MOST`` is.

uvicorn has no door for this, so a few of its inner names are used; `tests/sync/server/test_gathering.py` tells when an
upgrade moves them.
"""

from __future__ import annotations

from asyncio import TimerHandle
from typing import Any

from uvicorn.protocols.http.auto import AutoHTTPProtocol

from sync.records.protocol import EVIDENCE, FACTS

try:
    import httptools
    from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
except ImportError:  # a machine for which there is no httptools: uvicorn's other parser, and bodies in pieces
    httptools = None
    HttpToolsProtocol = object

BODY = "siltwatch.body"
MOST = 1024 * 1024
PATIENCE_S = 2.0


class Gathering(HttpToolsProtocol):
    """One connection. ``_held``: the request whose body is being put aside."""

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        self._held: tuple[Any, Any] | None = None
        self._told: list[bytes] = []  # what the parser has given us of the body
        self._kept: list[bytes] = []  # what came after that and the parser has not seen
        self._missing = 0
        self._timer: TimerHandle | None = None

    # --- what uvicorn calls ---

    def _start_asgi_task(self, cycle: Any, app: Any) -> None:
        size = _size(cycle.scope)
        if not size or cycle is not self.cycle or not cycle.more_body or cycle.body or cycle.waiting_for_100_continue:
            super()._start_asgi_task(cycle, app)
            return
        self._held, self._told, self._kept, self._missing = (cycle, app), [], [], size
        self._timer = self.loop.call_later(PATIENCE_S, self._hand_on)

    def on_body(self, body: bytes) -> None:
        if self._held is None:
            super().on_body(body)
        else:
            self._told.append(body)
            self._missing -= len(body)

    def on_message_complete(self) -> None:
        if self._held is None:
            super().on_message_complete()
        else:
            self._begin(b"".join(self._told))

    def data_received(self, data: bytes) -> None:
        if self._held is None:
            super().data_received(data)
            return
        missing = self._missing
        if len(data) < missing:
            self._kept.append(data)
            self._missing -= len(data)
            return
        self._kept.append(data if len(data) == missing else data[:missing])
        # The parser still waits for what it was not shown. Another reads the next request.
        self.parser = _parser(self)
        self._begin(b"".join([*self._told, *self._kept]))
        if len(data) > missing:
            super().data_received(data[missing:])

    def connection_lost(self, exc: Exception | None) -> None:
        self._let_go()
        super().connection_lost(exc)

    # --- how it ends ---

    def _let_go(self) -> tuple[Any, Any] | None:
        held, self._held = self._held, None
        self._told, self._kept = [], []
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        return held

    def _begin(self, body: bytes) -> None:
        """All of it is here."""
        cycle, app = self._let_go()
        cycle.scope[BODY] = body
        cycle.body, cycle.more_body = body, False  # for who reads it the ordinary way
        cycle.message_event.set()
        super()._start_asgi_task(cycle, app)

    def _hand_on(self) -> None:
        """It takes long: what came is handed on in pieces, and so is what comes from now on."""
        told, kept = self._told, self._kept
        cycle, app = self._let_go()
        super()._start_asgi_task(cycle, app)
        for piece in told:
            super().on_body(piece)
        if kept:
            super().data_received(b"".join(kept))


def _size(scope: dict[str, Any]) -> int:
    """How many bytes the body has, where it is one to be put aside; else 0."""
    if (scope["method"] == "PUT" and scope["path"].startswith(EVIDENCE)) or (
            scope["method"] == "POST" and scope["path"] == FACTS):
        sizes = [value for name, value in scope["headers"] if name in (b"content-length", b"transfer-encoding")]
        if len(sizes) == 1 and sizes[0].isdigit() and len(sizes[0]) < 8 and int(sizes[0]) <= MOST:
            return int(sizes[0])
    return 0


def _parser(protocol: Gathering) -> Any:
    parser = httptools.HttpRequestParser(protocol)
    if hasattr(parser, "set_dangerous_leniencies"):  # as uvicorn does
        parser.set_dangerous_leniencies(lenient_data_after_close=True)
    return parser


Protocol: Any = AutoHTTPProtocol if httptools is None else Gathering
"""What reads HTTP here."""

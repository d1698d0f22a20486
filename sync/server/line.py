"""One connection of the server: photos and records go straight to the lane, all else to uvicorn, byte for byte.

Almost all of a tablet's day is two requests, and a framework's way to a handler and back costs more than the handling:
the bytes of a photo are copied some times, the application is woken for each piece, a task is made. Here the plain
ones among them are read off the socket into one buffer and handed to the lane (`api.lane`); what is not plain in every
respect (a head that is not just so, a body without a length, one that is large or slow) goes to uvicorn's own
protocol, and so does whatever the lane leaves to the framework. Nothing is taken apart by both: what uvicorn has begun
it ends, and its answers keep their place.

Of uvicorn only the public side is used: the protocol it would have used itself, made as it makes it, and a transport
to write to. Who is not saying anything is let go here too (``head_s``, ``kept_s``).
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any, Protocol

from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.auto import AutoHTTPProtocol

from sync.server.plain import Ask, plain
from sync.server.traffic import MOST, Slot, Traffic

LINE = "siltwatch.line"
"""Under this name the state that uvicorn gives a request holds the line that it came over."""
SMALL = 64 * 1024
"""A file that is larger is received into memory that is used again."""
PATIENCE_S = 2.0
"""And one of which not all is there after so long."""
LONGEST_HEAD = 64 * 1024
"""A longer head is nobody's: it is answered with 431."""
LONGEST_UNREAD = 1024 * 1024
"""So much may come over a line that is uvicorn's while no request of it runs: a head, or the rest of a body that was
refused. More is nobody's either."""
SCRATCH = 256 * 1024
FIRST = 8 * 1024
"""So much is read while nobody knows what comes: a head, all of a record. More is read to where it will lie."""
AHEAD = 64 * 1024
"""So much of what comes after a request is taken in before it is answered."""
HEAD_S = 20.0
"""So long a connection may take to say what it wants. What comes after the head is another matter (see `api.guard`)."""
KEPT_S = 5.0
"""So long it is kept when it has been answered and asks for nothing."""

ALONE_S = 0.05
"""A line is alone when no other has asked anything of the lane for so long."""

log = logging.getLogger(__name__)

Answer = Callable[[bytes | None, bytes], None]
"""Called once with the fields of a 200, each with its line's end, and the body. None: the ordinary way."""


class Quick(Protocol):
    """What answers plain requests without the framework."""

    def wants(self, method: bytes, path: bytes) -> bool:
        """Whether the request is one of its own."""

    def slot(self, size: int) -> Slot | None:
        """A place of its own for so many bytes of a file; None: any memory will do."""

    def take(self, ask: Ask, body: bytes | bytearray | memoryview, alone: bool, answer: Answer,
             slot: Slot | None) -> None:
        """Answers, at once or later, and reads ``body`` no more from then on. ``alone``: nothing else is on its way to
        us, as far as can be seen; ``slot``: where the body lies, where it was received into one."""


class _Door:
    """The transport that uvicorn's protocol writes to. It closes no line over which we still have something to say."""

    def __init__(self, line: Line, real: asyncio.Transport) -> None:
        self._line, self._real, self.write = line, real, real.write

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)

    def close(self) -> None:
        self._line.leave()

    def lost(self) -> None:
        """Of requests in one breath uvicorn tells only the last that nobody listens any more; what the others still
        say goes nowhere, and is no failure."""
        self.write = len


# What is read is taken out of it at once, in the same step of the event loop. A view, because asyncio's TLS fills it
# from ``[n:]`` on, which of a bytearray is a copy.
_SHARED = memoryview(bytearray(SCRATCH))
_HEAD, _BODY, _OURS, _THEIRS = range(4)
_TOO_LONG = b"The head of the request is too long.\n"


class Line(asyncio.BufferedProtocol):
    """One connection. It waits for a head, takes in a body for the lane, or waits for the lane's answer; or the
    line is uvicorn's for good, because something on it is not plain."""

    head_s, kept_s = HEAD_S, KEPT_S
    quick: Quick | None = None
    traffic = Traffic()

    def __init__(self, *, config: Any, server_state: Any, app_state: dict[str, Any], _loop: Any = None) -> None:
        self._loop = _loop or asyncio.get_running_loop()
        self._theirs: Any = AutoHTTPProtocol(
            config=config, server_state=server_state, app_state={**app_state, LINE: self}, _loop=_loop)
        self._state = _HEAD
        self._rest = b""  # came and was not looked at yet
        self._unread = 0  # bytes that came, on a line that is uvicorn's, while nothing of it runs
        self._passing = 0  # bytes still to come of a body that goes to uvicorn
        self._handed = self._running = 0  # requests that uvicorn was given whole heads of, and that run now
        self._head, self._ask = b"", Ask(b"", b"", {}, 0)
        self._body: bytes | bytearray | memoryview = b""
        self._slot: Slot | None = None
        self._have = 0
        self._window: memoryview | None = None
        self._patience: asyncio.TimerHandle | None = None
        self._looking = self._leaves = self._paused = False
        self._begun = True  # to say something, as far as patience goes; False: it was answered and is kept
        self._since = self._loop.time()
        self._watch: asyncio.TimerHandle | None = None

    # --- the connection -------------------------------------------------------------------------------------------
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport: Any = transport
        self._scratch = _SHARED if not hasattr(self._loop, "_proactor") else memoryview(bytearray(AHEAD))
        self._door = _Door(self, self._transport)
        self._theirs.connection_made(self._door)
        self._watch = self._loop.call_later(min(self.head_s, self.kept_s), self._look_after)

    def connection_lost(self, exc: Exception | None) -> None:
        if self._watch is not None:
            self._watch.cancel()
        self._stop_gathering()
        self._rest = b""
        self._door.lost()
        self._theirs.connection_lost(exc)

    def eof_received(self) -> bool | None:
        return self._theirs.eof_received()

    def pause_writing(self) -> None:
        self._theirs.pause_writing()

    def resume_writing(self) -> None:
        self._theirs.resume_writing()

    def leave(self) -> None:
        """Closes the line, if we owe an answer then after it."""
        if self._state in (_BODY, _OURS):
            self._leaves = True
        else:
            self._transport.close()

    @property
    def _busy(self) -> bool:
        return self._state in (_BODY, _OURS) or self._handed > 0 or self._running > 0

    def _look_after(self) -> None:
        """Now and then: who says nothing, or not the whole of it, is let go."""
        now, most = self._loop.time(), min(self.head_s, self.kept_s)
        left = most
        if not self._busy:
            left = self._since + (self.head_s if self._begun else self.kept_s) - now
            if left <= 0:
                self._transport.close()
                return
        self._watch = self._loop.call_later(min(left, most), self._look_after)

    def _is_idle(self) -> None:
        self._since, self._begun = self._loop.time(), False

    # --- bytes ----------------------------------------------------------------------------------------------------
    def get_buffer(self, sizehint: int) -> Any:
        if self._window is not None:
            return self._window[self._have:]
        return self._scratch if self._passing or self._state == _THEIRS else self._scratch[:FIRST]

    def buffer_updated(self, nbytes: int) -> None:
        if self._window is not None:
            self._have += nbytes
            if self._have == self._ask.size:
                self._whole()
            return
        if not (self._begun or self._busy):
            self._since, self._begun = self._loop.time(), True
        data = bytes(self._scratch[:nbytes])
        if self._state == _THEIRS:
            self._theirs_now(data)
            return
        if self._passing:
            data = self._pass_on(data)
        if data:
            self._rest = self._rest + data if self._rest else data
            if self._state == _HEAD:
                self._look()
            elif len(self._rest) > AHEAD and not self._paused:
                self._paused = True
                self._transport.pause_reading()

    def _pass_on(self, data: bytes) -> bytes:
        """Hands on what belongs to the body that uvicorn is reading; gives the rest."""
        most = self._passing
        self._passing -= min(most, len(data))
        self._theirs.data_received(data[:most] if len(data) > most else data)
        return data[most:]

    def _for_good(self, data: bytes) -> None:
        self._state, self._rest = _THEIRS, b""
        if data:
            self._theirs_now(data)

    def _theirs_now(self, data: bytes) -> None:
        self._unread += 0 if self._running else len(data)
        if self._unread > LONGEST_UNREAD:
            self._transport.close()
        else:
            self._theirs.data_received(data)

    def _too_long(self) -> None:
        """Says so, where no other answer is owed first, and lets go."""
        if not self._busy:
            self._transport.write(b"".join((
                b"HTTP/1.1 431 Request Header Fields Too Large\r\n", self.traffic.now(), b"connection: close\r\n",
                b"content-type: text/plain\r\ncontent-length: %d\r\n\r\n" % len(_TOO_LONG), _TOO_LONG)))
        self._transport.close()

    def _look(self) -> None:
        """Looks at what came, request by request, as long as none has to be waited for."""
        if self._looking:
            return
        self._looking = True
        while self._rest and self._state == _HEAD and not self._transport.is_closing():
            data, self._rest = self._rest, b""
            end = data.find(b"\r\n\r\n") + 4
            if end > LONGEST_HEAD or (end < 4 and len(data) > LONGEST_HEAD):
                self._too_long()
                break
            if end < 4:
                self._rest = data
                break
            ask = plain(data[:end])
            if ask is None:
                self._for_good(data)
                break
            ours = (self.quick is not None and not self._handed and not self._running and 0 < ask.size <= MOST
                    and self.quick.wants(ask.method, ask.path))
            if ours:
                self._gather(ask, data, end)
            else:
                self._handed += 1
                self._passing = ask.size
                self._theirs.data_received(data[:end])
                if (left := data[end:]) and self._passing:
                    left = self._pass_on(left)
                self._rest = left
        self._looking = False

    # --- what is ours ---------------------------------------------------------------------------------------------
    def _gather(self, ask: Ask, data: bytes, end: int) -> None:
        size = ask.size
        self._head, self._ask, self._rest = data[:end], ask, data[end + size:]
        self._state = _BODY
        self.traffic.busy += 1
        self._have = min(len(data) - end, size)
        if self._have == size:
            self._body = data[end:end + size]
            self._whole()
            return
        if ask.method == b"PUT" and size > SMALL:
            shared = self.traffic.busy > 1  # others are on their way too, and the work can be shared
            self._slot = (self.quick.slot(size) if shared else None) or self.traffic.slot(size)  # type: ignore
            self._window = self._slot.room
            self._body = self._window.toreadonly()
        else:
            self._body = bytearray(size)
            self._window = memoryview(self._body)
        self._window[:self._have] = memoryview(data)[end:]
        self._patience = self._loop.call_later(PATIENCE_S, self._takes_long)

    def _stop_waiting(self) -> None:
        """No more of the body goes into the buffer."""
        if self._patience is not None:
            self._patience.cancel()
            self._patience = None
        self._window = None

    def _stop_gathering(self) -> None:
        self._stop_waiting()
        if self._state == _BODY:
            self.traffic.busy -= 1
            self._state = _HEAD
            self._leave_room()

    def _leave_room(self) -> None:
        """Nobody needs the body any more."""
        self._body = b""
        if self._slot is not None:
            self._slot.free()
            self._slot = None

    def _whole(self) -> None:
        """All of it is here."""
        self._stop_waiting()
        self._state = _OURS
        body, traffic = self._body, self.traffic
        if traffic.last is not self:
            traffic.last, traffic.last_at = self, self._loop.time()
        alone = traffic.busy == 1 and self._loop.time() - traffic.last_at > ALONE_S
        try:
            self.quick.take(self._ask, body, alone, self._answer, self._slot)  # type: ignore[union-attr]
        except Exception:
            log.exception("the short way failed")
            if self._state == _OURS:
                self._answer(None, b"")

    def _takes_long(self) -> None:
        """What came of it goes to uvicorn, and so does what is still to come."""
        came, size = bytes(self._body[:self._have]), self._ask.size
        self._stop_gathering()
        self._give(came, size - len(came))

    def _give(self, came: bytes, missing: int) -> None:
        """Hands a request to uvicorn that was to be ours."""
        head, self._head = self._head, b""
        self._leave_room()
        self._handed += 1
        self._passing = missing
        self._theirs.data_received(head)
        if came:
            self._theirs.data_received(came)

    def _answer(self, fields: bytes | None, body: bytes) -> None:
        self.traffic.busy -= 1
        self._state = _HEAD
        if self._transport.is_closing():
            self._leave_room()
            return
        if fields is None:
            self._give(bytes(self._body), 0)
        else:
            self._head = b""
            self._leave_room()
            self._transport.write(b"".join((
                b"HTTP/1.1 200 OK\r\n", self.traffic.now(), fields, b"connection: close\r\n" if self._leaves else b"",
                b"content-length: %d\r\n\r\n" % len(body), body)))
            self._is_idle()
        if self._leaves and not self._handed:
            self._transport.close()
            return
        if self._paused:
            self._paused = False
            self._transport.resume_reading()
        self._look()

    # --- what is uvicorn's ----------------------------------------------------------------------------------------
    def began(self) -> None:
        """The application begins with a request of this line."""
        self._running, self._unread = self._running + 1, 0

    def ended(self, well: bool) -> None:
        """And is done with it. ``well``: it was answered, as far as the application knows."""
        self._running -= 1
        self._handed = max(0, self._handed - 1)
        if self._busy:
            return
        self._is_idle()
        if self._transport.is_closing():
            return
        if self._leaves:
            self._transport.close()
        elif not well and self._state == _HEAD:
            self._for_good(self._rest)


def lines(quick: Quick | None) -> type[Line]:
    """The lines of one server, whose plain requests ``quick`` answers."""
    return type("Line", (Line,), {"quick": quick, "traffic": Traffic()})


def counted(app: ASGIApp) -> ASGIApp:
    """The application, which tells its line when it begins and when it is done."""

    async def run(scope: Scope, receive: Receive, send: Send) -> None:
        line: Line | None = (scope.get("state") or {}).pop(LINE, None)
        if line is None:
            await app(scope, receive, send)
            return
        line.began()
        try:
            await app(scope, receive, send)
        except BaseException:
            asyncio.get_running_loop().call_soon(line.ended, False)  # once uvicorn has said that it failed
            raise
        line.ended(True)

    return run

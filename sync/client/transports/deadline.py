"""A call ends at its deadline, whatever the other end does: answers that drip byte by byte reset every time-out.

`requests` counts each read anew, so a server that sends one byte of a header now and then would keep a call, and the
thread that it runs in, as long as it likes. Here the connection of a call is known, and shut down when the time is up.
Nor is the body of a redirect read, or its address looked at: nothing is ever followed.
"""

import asyncio
import contextlib
import socket
import threading
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from typing import Any, TypeVar

import requests
from requests.adapters import HTTPAdapter
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool

T = TypeVar("T")


class _Call:
    """One call under way. ``late``: its time was up before it ended."""

    def __init__(self) -> None:
        self.late = False
        self._line: socket.socket | None = None
        self._lock = threading.Lock()

    def watch(self, sock: socket.socket) -> None:
        """The call goes over this connection."""
        # A second handle: the first is taken over by TLS, or let go before the answer is read.
        line = socket.socket(sock.family, sock.type, sock.proto, fileno=socket.dup(sock.fileno()))
        with self._lock:
            self._line, before = line, self._line
            late = self.late
        if before is not None:
            before.close()
        if late:
            self.cut()

    def cut(self) -> None:
        """The time is up: whoever waits for the connection is told that it has ended."""
        with self._lock:
            self.late = True
            if self._line is not None:
                with contextlib.suppress(OSError):
                    self._line.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        with self._lock:
            if self._line is not None:
                self._line.close()
                self._line = None


_CALL: ContextVar[_Call | None] = ContextVar("call", default=None)


def _watch(sock: socket.socket | None) -> None:
    call = _CALL.get()
    if call is not None and sock is not None:
        call.watch(sock)


class _Watched:
    """What our connections do beside urllib3's: they say which call goes over them."""

    sock: socket.socket | None

    def _new_conn(self) -> socket.socket:
        sock = super()._new_conn()  # type: ignore[misc]
        _watch(sock)
        return sock

    def request(self, *args: Any, **more: Any) -> None:
        _watch(self.sock)
        super().request(*args, **more)  # type: ignore[misc]


class _Plain(_Watched, HTTPConnection):
    pass


class _Secure(_Watched, HTTPSConnection):
    pass


class _PlainPool(HTTPConnectionPool):
    ConnectionCls = _Plain


class _SecurePool(HTTPSConnectionPool):
    ConnectionCls = _Secure


class _Adapter(HTTPAdapter):
    def init_poolmanager(self, *args: Any, **more: Any) -> None:
        super().init_poolmanager(*args, **more)
        self.poolmanager.pool_classes_by_scheme = {"http": _PlainPool, "https": _SecurePool}


class Session(requests.Session):
    """A session whose calls can be ended, and that looks at no redirect."""

    def __init__(self) -> None:
        super().__init__()
        self.mount("http://", _Adapter())
        self.mount("https://", _Adapter())

    def get_redirect_target(self, resp: requests.Response) -> None:
        return None


@contextlib.contextmanager
def _known(call: _Call) -> Iterator[None]:
    token = _CALL.set(call)
    try:
        yield
    finally:
        _CALL.reset(token)
        call.close()


async def within(seconds: float, work: Callable[[], T], late: Callable[[], T]) -> T:
    """What ``work`` gives, run in a thread; what ``late`` gives when it had to be shut after ``seconds``."""
    call = _Call()

    def run() -> T:
        with _known(call):
            found = work()
        return late() if call.late else found

    timer = asyncio.get_running_loop().call_later(seconds, call.cut)
    try:
        return await asyncio.to_thread(run)
    except asyncio.CancelledError:  # nobody waits for it any more: its thread must not hold the connection
        call.cut()
        raise
    finally:
        timer.cancel()

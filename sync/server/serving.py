"""Runs the application on a port: the port is taken first, so that nobody is told of an address that fails.

A connection that asks for nothing is not kept: else some hundreds of them, opened by anybody, would leave no room for
tablets.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import uvicorn
from starlette.types import ASGIApp

from sync.records.problems import Problem
from sync.server.gathering import Protocol
from sync.server.opening import holds_city
from sync.server.settings import Settings

HEAD_S = 20.0
"""So long a connection may take to say what it wants. What comes after the head is another matter (see `api.guard`)."""
MOST_OPEN = 65_536


class Impatient(Protocol):  # type: ignore[misc, valid-type]
    """A connection that is closed when no whole head of a request has come in time."""

    head_s = HEAD_S
    _ends: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._look()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._look()

    def connection_lost(self, exc: Exception | None) -> None:
        self._let()
        super().connection_lost(exc)

    def _look(self) -> None:
        if self.cycle is not None and not self.cycle.response_complete:
            self._let()
        elif self._ends is None:
            self._ends = self.loop.call_later(self.head_s, self._over)

    def _let(self) -> None:
        if self._ends is not None:
            self._ends.cancel()
            self._ends = None

    def _over(self) -> None:
        self._ends = None
        if (self.cycle is None or self.cycle.response_complete) and not self.transport.is_closing():
            self.transport.close()


def _open_many() -> None:
    """As many connections as the system lets us have at once; the usual limit is for programs that need a few."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        now, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = MOST_OPEN if most == resource.RLIM_INFINITY else min(most, MOST_OPEN)
        if now != resource.RLIM_INFINITY and now < wanted:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))


def listen(settings: Settings) -> socket.socket:
    """The listening socket. Raises Problem "port-taken" when another program has it."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    found = socket.socket(family, socket.SOCK_STREAM)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind((settings.host, settings.port))
    except OSError as err:
        found.close()
        raise Problem("port-taken", f"{settings.host}:{settings.port} cannot be taken: {err.strerror}",
                      where="--port") from err
    found.listen(128)
    return found


_HELD: list[Any] = []


def only_server(data: Path) -> None:
    """This process is the one server of the folder until it ends, however it ends; a killed one holds nothing.

    Raises Problem "data-in-use" when another process is. Does nothing where the system has no such locks, or while
    there is no city in the folder.
    """
    if not holds_city(data):
        return
    try:
        import fcntl
    except ImportError:
        return
    handle = (data / ".serving").open("a")
    try:
        fcntl.lockf(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as err:
        handle.close()
        raise Problem("data-in-use", f"another server has {data}", where="--data") from err
    _HELD.append(handle)


def run(app: ASGIApp, settings: Settings, taken: socket.socket, ready: Callable[[], None] | None = None) -> None:
    """Serves until the process is told to stop. One process: it is the one writer of its city."""
    _open_many()
    config = uvicorn.Config(
        app, http=Impatient, log_level="warning", access_log=False, server_header=False, timeout_graceful_shutdown=5,
        ssl_certfile=settings.certificate, ssl_keyfile=settings.key, lifespan="off",
    )
    # Threads that come back from the disk wait at most so long for the one that computes (the default is ten times it).
    sys.setswitchinterval(0.0005)
    if ready:
        ready()
    uvicorn.Server(config).run(sockets=[taken])

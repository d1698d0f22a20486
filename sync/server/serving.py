"""Runs the application on a port: the port is taken first, so that nobody is told of an address that fails.

What reads a connection, and lets it go when it asks for nothing, is `line`: else some hundreds of them, opened by
anybody, would leave no room for tablets.
"""

from __future__ import annotations

import contextlib
import gc
import socket
import ssl
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import uvicorn
from starlette.applications import Starlette

from sync.records.problems import Problem
from sync.server.blobs.apart import Apart
from sync.server.blobs.local import LocalBlobs
from sync.server.line import counted, lines
from sync.server.opening import holds_city
from sync.server.settings import Settings

MOST_OPEN = 65_536
A_DAY_S = 86_400
"""uvicorn need not look after connections that say nothing: a line does."""


def _open_many() -> None:
    """As many connections as the system lets us have at once; the usual limit is for programs that need a few."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        now, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = MOST_OPEN if most == resource.RLIM_INFINITY else min(most, MOST_OPEN)
        if now != resource.RLIM_INFINITY and now < wanted:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))


def listen(settings: Settings) -> socket.socket:
    """The listening socket. Raises Problem "port-taken" when another program has it, "body-malformed" for what is no
    port, or a certificate and key that cannot be used: before anybody is told that it is served."""
    if settings.certificate is not None:
        try:
            ssl.create_default_context(ssl.Purpose.CLIENT_AUTH).load_cert_chain(settings.certificate, settings.key)
        except OSError as err:
            raise Problem("body-malformed", f"they cannot be used: {err.strerror or err}",
                          where="--certificate, --key") from None
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    found = socket.socket(family, socket.SOCK_STREAM)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind((settings.host, settings.port))
    except OverflowError:
        found.close()
        raise Problem("body-malformed", f"{settings.port} is no port; the highest is 65535", where="--port") from None
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


def run(app: Starlette, settings: Settings, taken: socket.socket, ready: Callable[[], None] | None = None) -> None:
    """Serves until the process is told to stop. One process: it is the one writer of its city. Another one may make
    files durable for it, see `blobs.apart`."""
    _open_many()
    lane = getattr(app.state, "lane", None)
    config = uvicorn.Config(
        counted(app), http=lines(lane), ws="none", log_level="warning", access_log=False,
        server_header=False, timeout_graceful_shutdown=5, timeout_keep_alive=A_DAY_S, ssl_certfile=settings.certificate,
        ssl_keyfile=settings.key, lifespan="off",
    )
    # Threads that come back from the disk wait at most so long for the one that computes (the default is ten times it).
    sys.setswitchinterval(0.0005)
    # All that is loaded by now stays, and a batch of records is thousands of objects of which none outlives its answer:
    # looking for what can be thrown away takes a tenth of the time otherwise.
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
    if ready:
        ready()
    if lane is not None and isinstance(app.state.city.blobs, LocalBlobs):
        lane.apart = Apart(app.state.city.blobs.root)
    uvicorn.Server(config).run(sockets=[taken])

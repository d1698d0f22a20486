"""Runs the application on a port: the port is taken first, so that nobody is told of an address that fails."""

from __future__ import annotations

import socket
import sys
from collections.abc import Callable

import uvicorn
from starlette.types import ASGIApp

from sync.records.problems import Problem
from sync.server.settings import Settings


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


def run(app: ASGIApp, settings: Settings, taken: socket.socket, ready: Callable[[], None] | None = None) -> None:
    """Serves until the process is told to stop. One process: it is the one writer of its city."""
    config = uvicorn.Config(
        app, log_level="warning", access_log=False, server_header=False, timeout_graceful_shutdown=5,
        ssl_certfile=settings.certificate, ssl_keyfile=settings.key, lifespan="off",
    )
    # Threads that come back from the disk wait at most so long for the one that computes (the default is ten times it).
    sys.setswitchinterval(0.0005)
    if ready:
        ready()
    uvicorn.Server(config).run(sockets=[taken])

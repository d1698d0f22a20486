"""A real server process in miniature: an ASGI application under uvicorn on a free loopback port, in a thread."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn


def free_socket() -> socket.socket:
    """A listening socket on a free loopback port; its address is known before the application is made."""
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", 0))
    listener.listen(64)
    return listener


def address_of(listener: socket.socket) -> str:
    return f"http://localhost:{listener.getsockname()[1]}"


@contextmanager
def serving(app, listener: socket.socket, *, log_level: str = "warning", **config: Any) -> Iterator[str]:
    """The application behind `listener` until the block ends; yields its address. `config`: what uvicorn is told
    further."""
    server = uvicorn.Server(uvicorn.Config(app, log_level=log_level, lifespan="off", **config))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    try:
        while not server.started:
            if not thread.is_alive():
                raise RuntimeError("the server did not start")
            time.sleep(0.01)
        yield address_of(listener)
    finally:
        server.should_exit = True
        thread.join(10)

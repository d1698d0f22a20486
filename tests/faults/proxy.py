"""A TCP proxy on loopback that breaks connections where it is told to: the field's network, repeatably.

Each connection takes the next fate of the plan (then passes everything): a number of bytes after which the way up
(to the server) or down (to the tablet) is cut, or a hold that passes nothing at all.
"""

import contextlib
import socket
import struct
import threading
from collections.abc import Iterable
from dataclasses import dataclass

RESET = struct.pack("ii", 1, 0)


@dataclass(frozen=True)
class Fate:
    """Cut after ``up`` bytes from the tablet or ``down`` bytes from the server; ``hold``: pass nothing, ever."""

    up: int | None = None
    down: int | None = None
    hold: bool = False


class Proxy:
    """``with Proxy(port, plan) as proxy``: listens on ``proxy.url``, talks to the server on loopback ``port``."""

    def __init__(self, port: int, plan: Iterable[Fate] = ()):
        self._port, self._plan = port, iter(plan)
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._open: list[socket.socket] = []
        self._threads: list[threading.Thread] = []
        self.connections, self.broken = 0, 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._socket.getsockname()[1]}"

    def __enter__(self) -> "Proxy":
        self._start(self._accept)
        return self

    def __exit__(self, *_: object) -> None:
        for end in [self._socket, *self._open]:
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()
        for thread in self._threads:
            thread.join(5)

    def _start(self, work, *arguments) -> None:
        thread = threading.Thread(target=work, args=arguments, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._socket.accept()
            except OSError:
                return
            self.connections += 1
            fate = next(self._plan, Fate())
            self._open.append(client)
            if fate.hold:
                self.broken += 1
                continue
            try:
                server = socket.create_connection(("127.0.0.1", self._port), 5)
            except OSError:
                client.close()
                continue
            self._open.append(server)
            self._start(self._pump, client, server, fate.up)
            self._start(self._pump, server, client, fate.down)

    def _pump(self, source: socket.socket, sink: socket.socket, limit: int | None) -> None:
        left = limit
        with contextlib.suppress(OSError):
            while block := source.recv(16384):
                if left is not None and len(block) >= left:
                    sink.sendall(block[:left])
                    self.broken += 1
                    for end in (source, sink):  # shutdown reaches the other thread's recv, close alone does not
                        end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
                        with contextlib.suppress(OSError):
                            end.shutdown(socket.SHUT_RDWR)
                        end.close()
                    return
                sink.sendall(block)
                left = None if left is None else left - len(block)
            sink.shutdown(socket.SHUT_WR)

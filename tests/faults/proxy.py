"""A TCP proxy on loopback that is as bad a network as it is told to be: the field's, repeatably.

Each connection takes the next fate of the plan (then passes everything): a number of bytes after which the way up
(to the server) or down (to the tablet) is cut, a hold that passes nothing at all, or a log-in page in place of the
server. Beside the plan, for all connections and at any moment: ``latency`` and ``rate``, ``hold``, ``portal``, and
``cut_at``, the counts of bytes gone up in all at which whatever is open is cut. ``asked``: the calls that went up.
"""

import contextlib
import re
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

RESET = struct.pack("ii", 1, 0)
BLOCK = 16384
PAGE = b"<html>log in to this Wi-Fi</html>"
_CALL = re.compile(rb"([A-Z]+) (\S+) HTTP/1\.1\r\n")
_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)\r\n", re.IGNORECASE)
_OFFSET = re.compile(rb"\r\nupload-offset: *(\d+)\r\n", re.IGNORECASE)
_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\nConnection: close\r\n\r\n" % len(PAGE)
PORTAL = _HEAD + PAGE


@dataclass(frozen=True)
class Fate:
    """Cut after ``up`` bytes from the tablet or ``down`` bytes from the server; ``hold``: pass nothing, ever;
    ``portal``: a log-in page answers."""

    up: int | None = None
    down: int | None = None
    hold: bool = False
    portal: bool = False


@dataclass(frozen=True)
class Asked:
    """A call that went up: ``size`` of its body in bytes; ``offset`` of a part of a file, None for anything else."""

    method: str
    path: str
    size: int
    offset: int | None


class Proxy:
    """``with Proxy(port, plan) as proxy``: listens on ``proxy.url``, talks to the server on loopback ``port``.

    ``latency`` in seconds for each block each way, ``rate`` in bytes per second of each connection each way. ``watch``
    is told of every call before a byte of it goes on.
    """

    def __init__(self, port: int, plan: Iterable[Fate] = (), *, latency: float = 0, rate: int | None = None,
                 cut_at: Iterable[int] = ()) -> None:
        self._port, self._plan = port, iter(plan)
        self.latency, self.rate = latency, rate
        self.hold = self.portal = False
        self._cuts = sorted(cut_at)
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._open: set[socket.socket] = set()
        self._threads: list[threading.Thread] = []
        self._guard = threading.Lock()
        self._over = False
        self.connections, self.broken, self.portals = 0, 0, 0
        self.up = self.down = 0
        self.asked: list[Asked] = []
        self.watch: Callable[[Asked], None] = lambda asked: None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._socket.getsockname()[1]}"

    def __enter__(self) -> "Proxy":
        self._start(self._accept)
        return self

    def __exit__(self, *_: object) -> None:
        self._over = True
        with self._guard:
            ends = [self._socket, *self._open]
        for end in ends:
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()
        for thread in self._threads:
            thread.join(5)

    def cut(self) -> None:
        """Everything that is open is cut now."""
        with self._guard:
            ends, self._open = list(self._open), set()
            self.broken += 1
        for end in ends:
            _reset(end)

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
            with self._guard:
                self._open.add(client)
            if fate.hold:
                self.broken += 1
                continue
            if fate.portal or self.portal:
                self.portals += 1
                self._start(_log_in_page, client)
                continue
            try:
                server = socket.create_connection(("127.0.0.1", self._port), 5)
            except OSError:
                client.close()
                continue
            with self._guard:
                self._open.add(server)
            self._start(self._pump, client, server, fate.up, True)
            self._start(self._pump, server, client, fate.down, False)

    def _pump(self, source: socket.socket, sink: socket.socket, limit: int | None, up: bool) -> None:
        left = limit
        try:
            while block := source.recv(BLOCK):
                if up:
                    self._note(block)
                self._slow(len(block))
                if left is not None and len(block) >= left:
                    sink.sendall(block[:left])
                    self.broken += 1
                    for end in (source, sink):
                        _reset(end)
                    return
                if self._counted(block, sink, up):
                    return
                left = None if left is None else left - len(block)
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            if not up:  # the server broke it off: the tablet hears of it, as it would without us
                for end in (source, sink):
                    _reset(end)

    def _note(self, block: bytes) -> None:
        """A client sends the head of a call in one piece, once it has the answer to the call before."""
        if call := _CALL.match(block):
            size, offset = _LENGTH.search(block), _OFFSET.search(block)
            asked = Asked(call[1].decode(), call[2].decode(), int(size[1]) if size else 0,
                          int(offset[1]) if offset else None)
            self.asked.append(asked)
            self.watch(asked)

    def _slow(self, size: int) -> None:
        if self.latency or self.rate:
            time.sleep(self.latency + (size / self.rate if self.rate else 0))
        while self.hold and not self._over:
            time.sleep(0.01)

    def _counted(self, block: bytes, sink: socket.socket, up: bool) -> bool:
        """Passes the block on, up to the byte at which all is cut, if that is in it; says whether it was."""
        with self._guard:
            before = self.up
            place = self._cuts[0] - before if up and self._cuts and self._cuts[0] <= before + len(block) else None
            part = block if place is None else block[: max(place, 0)]
            if up:
                self.up += len(part)
            else:
                self.down += len(part)
            if place is not None:
                self._cuts.pop(0)
        sink.sendall(part)
        if place is not None:
            self.cut()
        return place is not None


def _reset(end: socket.socket) -> None:
    # shutdown reaches the other thread's recv, close alone does not
    with contextlib.suppress(OSError):
        end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        end.shutdown(socket.SHUT_RDWR)
    end.close()


def _log_in_page(client: socket.socket) -> None:
    with contextlib.suppress(OSError):
        client.settimeout(5)
        client.recv(BLOCK)
        client.sendall(PORTAL)
        client.shutdown(socket.SHUT_WR)
        while client.recv(BLOCK):  # closing on unread bytes would be a reset, and the page would be lost
            pass
    client.close()

"""A real loopback server that misbehaves on purpose: each answer is raw bytes, or a way to leave the caller alone.

``Rogue`` takes scripted behaviours, one per connection, and keeps what it was sent. Nothing leaves this machine.
"""

import socket
import ssl
import threading
from collections.abc import Callable
from pathlib import Path

Behaviour = Callable[[socket.socket, bytes], None]


def _read_request(client: socket.socket) -> bytes:
    """The request's head and whole body (Content-Length or chunked), as raw bytes."""
    data = b""
    while b"\r\n\r\n" not in data:
        block = client.recv(65536)
        if not block:
            return data
        data += block
    head, _, body = data.partition(b"\r\n\r\n")
    length = 0
    for line in head.split(b"\r\n")[1:]:
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length":
            length = int(value)
    while len(body) < length:
        block = client.recv(65536)
        if not block:
            break
        body += block
    return head + b"\r\n\r\n" + body


def answer(status: str, headers: dict[str, str] | None = None, body: bytes = b"") -> Behaviour:
    """A complete answer."""
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", "Connection: close"]
    lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
    raw = "\r\n".join(lines).encode() + b"\r\n\r\n" + body

    def behave(client: socket.socket, _: bytes) -> None:
        client.sendall(raw)

    return behave


def cut_short(body: bytes, promised: int) -> Behaviour:
    """An answer that ends before the length that it promised."""
    raw = f"HTTP/1.1 200 OK\r\nContent-Length: {promised}\r\n\r\n".encode() + body

    def behave(client: socket.socket, _: bytes) -> None:
        client.sendall(raw)

    return behave


def hang_up(client: socket.socket, _: bytes) -> None:
    """Closes without a word, with a reset."""
    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00")


def rubbish(client: socket.socket, _: bytes) -> None:
    """Something that is not HTTP."""
    client.sendall(b"\x00\x01\x02 hello hello\r\n\r\n")


class Rogue:
    """``with Rogue(behaviour, ...) as server``: the n-th connection meets the n-th behaviour, the last one repeats.

    ``early`` acts on a connection before its request is read. ``silent`` never answers at all. ``certificate``: a PEM
    file with certificate and key; then it speaks TLS.
    """

    def __init__(self, *behaviours: Behaviour, silent: bool = False, early: Behaviour | None = None,
                 certificate: Path | None = None):
        self._behaviours, self._silent, self._early = list(behaviours), silent, early
        self._tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER) if certificate else None
        if self._tls is not None:
            self._tls.load_cert_chain(certificate)
        self.requests: list[bytes] = []
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._open: list[socket.socket] = []
        self._thread = threading.Thread(target=self._serve, daemon=True)

    @property
    def url(self) -> str:
        return f"http{'s' if self._tls else ''}://127.0.0.1:{self._socket.getsockname()[1]}"

    def __enter__(self) -> "Rogue":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        # shutdown wakes the accept; close alone would leave the thread waiting in it
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        for client in self._open:
            client.close()
        self._thread.join(5)

    def _serve(self) -> None:
        number = 0
        while True:
            try:
                client, _ = self._socket.accept()
            except OSError:
                return
            self._open.append(client)
            if self._silent:
                continue
            try:
                client.settimeout(5)
                if self._tls is not None:
                    client = self._tls.wrap_socket(client, server_side=True)
                    self._open.append(client)
                if self._early:
                    self._early(client, b"")
                else:
                    request = _read_request(client)
                    self.requests.append(request)
                    self._behaviours[min(number, len(self._behaviours) - 1)](client, request)
            except OSError:
                pass
            number += 1
            client.close()

"""HTTP over a bare socket, for tests of what a client sends and when: an answer is read whole, in however many pieces
it comes."""

from __future__ import annotations

import socket
from http.client import HTTPResponse


def answered(line: socket.socket) -> tuple[int, bytes]:
    """(status, body) of the next answer; no other may come behind it before this one is read."""
    response = HTTPResponse(line)
    response.begin()
    return response.status, response.read()

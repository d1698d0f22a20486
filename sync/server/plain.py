"""Plain requests: those whose head can be read in one way only, by us and by whatever stands behind us."""

from __future__ import annotations

import re
from dataclasses import dataclass

_PLAIN = re.compile(
    rb"([A-Z]{3,10}) (/[!-~]*) HTTP/1\.1\r\n((?:[!#$%&'*+.^_`|~0-9A-Za-z-]+:[\t -~\x80-\xff]*\r\n)+)\r\n")
_NOT_PLAIN = (b"transfer-encoding", b"expect", b"upgrade", b"connection")


@dataclass(frozen=True, slots=True)
class Ask:
    """A plain request: ``fields`` by lower-case name, each there once; ``size`` of the body in bytes."""

    method: bytes
    path: bytes
    fields: dict[bytes, bytes]
    size: int


def plain(head: bytes) -> Ask | None:
    """The request in a whole head; None where two readers could take it for two different things."""
    found = _PLAIN.fullmatch(head)
    if found is None:
        return None
    method, path, lines = found.groups()
    fields: dict[bytes, bytes] = {}
    for line in lines[:-2].split(b"\r\n"):
        name, _, value = line.partition(b":")
        name = name.lower()
        if name in fields:
            return None
        fields[name] = value.strip(b" \t")
    for name in _NOT_PLAIN:
        if name in fields and (name != b"connection" or fields[name].lower() != b"keep-alive"):
            return None
    size = fields.get(b"content-length", b"0")
    if not (size.isdigit() and len(size) < 16):
        return None
    return Ask(method, path, fields, int(size))

"""tus 1.0 without input or output: what a request asks, and what is wrong with it.

Header names are lower case. Everything a client may get wrong is a Problem with a code of its own; nothing in here
knows a file, a clock or a socket. Extensions: creation, creation-with-upload, expiration, checksum, termination.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import format_datetime
from typing import Any

from sync.records.problems import Problem

VERSION = "1.0.0"
EXTENSIONS = "creation,creation-with-upload,expiration,checksum,termination"
ALGORITHMS = {"sha256": hashlib.sha256, "sha1": hashlib.sha1}
MEDIA = "application/offset+octet-stream"
MAX_METADATA = 4096
_OVERRIDES = ("PATCH", "DELETE", "HEAD")


@dataclass(frozen=True, slots=True)
class Checksum:
    """What the bytes of one PATCH must hash to under ``algorithm``."""

    algorithm: str
    digest: bytes

    def begin(self) -> Any:
        """A fresh hash of the algorithm."""
        return ALGORITHMS[self.algorithm]()


@dataclass(frozen=True, slots=True)
class Create:
    """An upload is to be made: ``length`` bytes, evidence of ``kind``; ``of``: a preview's original, else "".
    ``first``: bytes come along with it. ``said`` is Upload-Metadata as it was written, to be given back on request."""

    sha256: str
    kind: str
    of: str
    length: int
    said: str
    first: bool
    checksum: Checksum | None


@dataclass(frozen=True, slots=True)
class Append:
    """Bytes to be put at ``offset``; ``size`` of them, or None when the sender does not say."""

    offset: int
    size: int | None
    checksum: Checksum | None


class Conflict(Problem):
    """The bytes do not begin where the upload ends; ``offset`` is where that is."""

    def __init__(self, offset: int) -> None:
        super().__init__("upload-offset", f"the upload goes on at {offset}", where="Upload-Offset")
        self.offset = offset


def method_of(method: str, headers: Mapping[str, str]) -> str:
    """What is meant: a POST may stand for a method that some proxy lets nobody use (X-HTTP-Method-Override)."""
    meant = headers.get("x-http-method-override", "").strip().upper()
    if not meant or method != "POST":
        return method
    if meant not in _OVERRIDES:
        raise Problem("method-not-allowed", f"{meant[:20]} is not possible here", where="X-HTTP-Method-Override")
    return meant


def check_version(headers: Mapping[str, str]) -> None:
    """Raises Problem "upload-version" unless the sender speaks tus 1.0.0."""
    if headers.get("tus-resumable", "").strip() != VERSION:
        raise Problem("upload-version", f"send the header Tus-Resumable: {VERSION}", where="Tus-Resumable")


def whole_number(headers: Mapping[str, str], name: str) -> int:
    """A header that is a count of bytes. Raises Problem "upload-malformed"."""
    text = headers.get(name, "").strip()
    if not (text.isascii() and text.isdigit() and len(text) < 16):
        raise Problem("upload-malformed", f"{name} is a count of bytes", where=name)
    return int(text)


def metadata(text: str) -> dict[str, str]:
    """Upload-Metadata: keys with their values, base64. Raises Problem "upload-malformed"."""
    found: dict[str, str] = {}
    for pair in text.split(",") if text.strip() else ():
        key, _, value = pair.strip().partition(" ")
        if not key or key in found:
            raise Problem("upload-malformed", "each key stands once, followed by its value", where="Upload-Metadata")
        try:
            found[key] = base64.b64decode(value.strip(), validate=True).decode()
        except (binascii.Error, ValueError) as err:
            raise Problem("upload-malformed", f"the value of {key[:40]!r} is not base64 of UTF-8 text",
                          where="Upload-Metadata") from err
    return found


def _size(headers: Mapping[str, str]) -> int | None:
    return whole_number(headers, "content-length") if "content-length" in headers else None


def _checksum(headers: Mapping[str, str]) -> Checksum | None:
    if "upload-checksum" not in headers:
        return None
    algorithm, _, value = headers["upload-checksum"].strip().partition(" ")
    if algorithm not in ALGORITHMS:
        raise Problem("upload-malformed", f"the algorithm is one of {', '.join(ALGORITHMS)}", where="Upload-Checksum")
    try:
        digest = base64.b64decode(value.strip(), validate=True)
    except (binascii.Error, ValueError) as err:
        raise Problem("upload-malformed", "the checksum is not base64", where="Upload-Checksum") from err
    if len(digest) != ALGORITHMS[algorithm]().digest_size:
        raise Problem("upload-malformed", f"this is too long or too short for {algorithm}", where="Upload-Checksum")
    return Checksum(algorithm, digest)


def read_create(headers: Mapping[str, str]) -> Create:
    """What a POST asks. Metadata: ``sha256`` (64 hex digits), ``kind`` (photo when absent), ``of``.

    Raises Problem "upload-malformed", "upload-media".
    """
    if "upload-defer-length" in headers:
        raise Problem("upload-malformed", "the length must be known from the start", where="Upload-Defer-Length")
    text = headers.get("upload-metadata", "").strip()
    if len(text) > MAX_METADATA:
        raise Problem("upload-malformed", f"at most {MAX_METADATA} characters are taken", where="Upload-Metadata")
    said = metadata(text)
    if "sha256" not in said:
        raise Problem("upload-malformed", "Upload-Metadata must give the file's sha256", where="Upload-Metadata")
    length = whole_number(headers, "upload-length")
    size = _size(headers)
    first = size != 0 and (size is not None or "transfer-encoding" in headers)
    if first and headers.get("content-type", "").partition(";")[0].strip().lower() != MEDIA:
        raise Problem("upload-media", f"bytes come as {MEDIA}", where="Content-Type")
    if size is not None and size > length:
        raise Problem("upload-malformed", f"{size} bytes for a file of {length}", where="Content-Length")
    checksum = _checksum(headers) if first else None
    return Create(said["sha256"], said.get("kind", "photo"), said.get("of", ""), length, text, first, checksum)


def read_append(headers: Mapping[str, str]) -> Append:
    """What a PATCH asks. Raises Problem "upload-malformed", "upload-media"."""
    if headers.get("content-type", "").partition(";")[0].strip().lower() != MEDIA:
        raise Problem("upload-media", f"bytes come as {MEDIA}", where="Content-Type")
    return Append(whole_number(headers, "upload-offset"), _size(headers), _checksum(headers))


def check_append(ask: Append, offset: int, length: int) -> None:
    """Whether ``ask`` may be written to an upload that holds ``offset`` of ``length`` bytes.

    Raises Conflict when it does not begin where the upload ends, "upload-malformed" when it is longer
    than what is missing. Then nothing is written.
    """
    if ask.offset != offset:
        raise Conflict(offset)
    if ask.size is not None and offset + ask.size > length:
        raise Problem("upload-malformed", f"{ask.size} bytes at {offset} are more than the file's {length}",
                      where="Content-Length")


def expires(at: datetime) -> str:
    """Upload-Expires, as HTTP writes a date. ``at`` is aware."""
    return format_datetime(at.astimezone(UTC), usegmt=True)

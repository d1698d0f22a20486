"""The evidence box: files kept under the SHA-256 of their bytes, the same on native files and in the browser.

Invariants: hash first, durable before ``keep`` returns, keeping twice is keeping once, what ``read`` gives
has the hash it was asked for. Empty files and cut-off pictures are refused with nothing kept. Thumbnails are
derived: they are made when asked for and may be thrown away at any time. A box with keys encrypts what it keeps: names
and results stay those of the plain bytes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any, Protocol

from field_app.photos.stamp import Stamp
from sync.records.evidence_files import check_file
from sync.records.pictures import look
from sync.records.problems import Problem

SLICE = 1024 * 1024
"""Files are hashed and written in pieces of this many bytes."""


class Images(Protocol):
    """What makes small pictures out of large ones: Pillow natively, the canvas in the browser."""

    async def thumbnail(self, data: Any, longest: int, *, stay: bool = False, stamp: Stamp = ()) -> bytes:
        """A JPEG, upright, whose longer side is at most ``longest`` pixels; ``data`` bytes, in the browser also a
        ``File`` or an `Outside`. ``stay``: it may stay outside of Python's memory, where the platform has an outside.
        ``stamp``: lines along its lower edge.
        """


class EvidenceBox(Protocol):
    """Where originals lie. Every ``sha`` is 64 lower-case hex digits."""

    def use(self, keys: Any) -> None:
        """From now on files are sealed under these keys (a `field_app.store.keyring.KeyRing`): what is kept belongs to
        the person at work, where there is one, until it is released; else it is the tablet's."""

    async def release(self, shas: Iterable[str]) -> None:
        """These files belong to something signed: everybody who works with this tablet may read and send them. Durable
        when it returns; what is not here is passed over. Raises Problem evidence-locked for another person's."""

    async def seal_old(self) -> int:
        """Seals what was kept before there were keys, file by file; gives their number. May be killed at any moment and
        begun again. Raises StoreFull."""

    async def keep(self, data: bytes, *, photo: bool = False, kind: str = "") -> str:
        """Keeps the bytes (in the browser also an `Outside`) and gives their SHA-256; on the medium when it returns,
        again or not.

        With ``kind`` (photo, voice_note, signature, ...; ``photo`` is short for the first) they must be such a file,
        as `sync.records.evidence_files.check_file` says, so that the server takes what is kept. Raises Problem
        evidence-empty, evidence-truncated, evidence-not-..., evidence-too-many-pixels, StoreFull; then nothing is kept.
        """

    async def read(self, sha: str) -> bytes:
        """The bytes, checked against their hash. Raises Problem evidence-unknown, evidence-damaged, evidence-locked (as
        does whatever reads)."""

    async def size(self, sha: str) -> int:
        """Length in bytes. Raises Problem evidence-unknown."""

    async def has(self, sha: str) -> bool: ...

    async def check(self, sha: str) -> bool:
        """Whether the file is there and still has its hash; read by slices, never whole in memory."""

    async def delete(self, sha: str) -> None:
        """Removes the original and what was derived from it. Does nothing when there is none."""

    async def shas(self) -> list[str]:
        """All hashes held, sorted."""

    async def upload_body(self, sha: str) -> Any:
        """What the transport sends as a request body without loading the file: natively an open binary file
        (the caller closes it), in the browser a ``File``, or for a sealed one a `field_app.photos.opfs.SealedBody`;
        always the plain bytes. Raises Problem evidence-unknown."""

    async def thumbnail(self, sha: str, longest: int = 320, stamp: Stamp = ()) -> bytes:
        """A small upright JPEG, with the stamp along its lower edge. Raises Problem evidence-unknown,
        evidence-not-an-image."""

    async def smaller(self, sha: str, longest: int, stamp: Stamp = ()) -> bytes:
        """The same, made anew and not kept; in the browser an `Outside`: neither picture enters Python's memory."""


def fingerprint(data: bytes) -> str:
    """SHA-256 in lower-case hex."""
    return hashlib.sha256(data).hexdigest()


def refuse_unusable(data: bytes, kind: str) -> None:
    """Raises Problem for a file that is not what its kind must be; of no kind, for an empty or cut-off one."""
    if kind:
        check_file(kind, data)
        return
    if not data:
        raise Problem("evidence-empty")
    picture = look(data)
    if picture is not None and not picture.whole:
        raise Problem("evidence-truncated", f"This {picture.media} of {len(data)} bytes has no end")


def a_sha(sha: str) -> str:
    """The hash itself when it is one, so that no other text ever becomes a file name."""
    if len(sha) != 64 or set(sha) - set("0123456789abcdef"):
        raise Problem("evidence-hash-malformed", where="sha256")
    return sha


def unknown(sha: str) -> Problem:
    return Problem("evidence-unknown", where=sha)


def locked(sha: str) -> Problem:
    return Problem("evidence-locked", where=sha)


def damaged(sha: str) -> Problem:
    return Problem("evidence-damaged", where=sha)


async def make_thumbnail(
    images: Images | None, data: Any, longest: int, sha: str, *, stay: bool = False, stamp: Stamp = ()
) -> bytes:
    """A thumbnail that is itself a whole JPEG; anything else the image code gives is not used."""
    if images is None:
        raise Problem("evidence-not-an-image", "Nothing here can make small pictures", where=sha)
    small = await images.thumbnail(data, longest, stay=stay, stamp=stamp)
    picture = look(small)
    if picture is None or picture.media != "image/jpeg" or not picture.whole:
        raise Problem("evidence-not-an-image", "The picture cannot be shown; the original is safe", where=sha)
    return small

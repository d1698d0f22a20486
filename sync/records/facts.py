"""Facts: what happened, written once by one tablet, frozen as exact bytes at signing and never edited.

A correction is another fact that ``revises`` the first. The server keeps and hashes the bytes it was given, so
fields that this version does not know survive; a kind it does not know is kept and waits for a newer server.
"""

import re
from dataclasses import dataclass, field
from typing import Any

from sync.records import bodies
from sync.records.evidence_files import PREVIEW
from sync.records.macs import is_fingerprint
from sync.records.numbers import TABLET_CODE
from sync.records.problems import Problem
from sync.records.times import At
from sync.records.wire import decode, encode

VERSION = 1
EVIDENCE_KINDS = ("photo", "placard", "signature", "voice_note", "annotation")
MAX_EVIDENCE_FILES = 500
_ID = re.compile(r"[0-9a-f]{32}")
_SLUG = re.compile(r"[a-z][a-z0-9_]{0,63}")
_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.@+:-]{0,79}")


@dataclass(frozen=True, slots=True)
class Evidence:
    """A file that belongs to a fact, named by the SHA-256 of its untouched bytes; ``size`` in bytes."""

    sha256: str
    kind: str
    size: int
    media: str

    def to_wire(self) -> dict[str, Any]:
        return {"sha256": self.sha256, "kind": self.kind, "size": self.size, "media": self.media}


@dataclass(frozen=True, slots=True)
class Fact:
    """One fact. ``counter`` counts this tablet's facts from 1 without gaps; ``needs`` are ids it refers to."""

    city: str
    id: str
    kind: str
    tablet: str
    counter: int
    user: str
    at: At
    pack: str
    body: dict[str, Any]
    revises: str | None = None
    needs: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    v: int = VERSION
    extra: dict[str, Any] = field(default_factory=dict)

    @property
    def known(self) -> bool:
        """Whether this version knows what the fact says (its kind and format)."""
        return self.kind in bodies.BODIES and self.v == VERSION

    def to_wire(self) -> dict[str, Any]:
        return {
            **self.extra,
            "v": self.v,
            "city": self.city,
            "id": self.id,
            "kind": self.kind,
            "tablet": self.tablet,
            "counter": self.counter,
            "user": self.user,
            "at": self.at.to_wire(),
            "pack": self.pack,
            "revises": self.revises,
            "needs": list(self.needs),
            "evidence": [item.to_wire() for item in self.evidence],
            "body": self.body,
        }


_ENVELOPE = set(Fact.__slots__) - {"extra"}


def freeze(fact: Fact) -> bytes:
    """The exact bytes to sign, keep and send. Raises Problem when the fact would not be read back as it is."""
    data = encode(fact.to_wire())
    parse(data)
    return data


def is_id(text: object) -> bool:
    """Whether ``text`` is a fact id: 32 lower-case hex digits."""
    return isinstance(text, str) and _ID.fullmatch(text) is not None


def _bad(where: str, detail: str) -> Problem:
    return Problem("fact-malformed", detail, where=where)


def _text(raw: dict[str, Any], key: str, shape: re.Pattern[str], like: str) -> str:
    value = raw.get(key)
    if not isinstance(value, str) or not shape.fullmatch(value):
        raise _bad(key, f"{key} must be {like}, not {str(value)[:60]!r}")
    return value


def _evidence(raw: Any) -> tuple[Evidence, ...]:
    if not isinstance(raw, list) or len(raw) > MAX_EVIDENCE_FILES:
        raise _bad("evidence", f"evidence is a list of at most {MAX_EVIDENCE_FILES} files")
    found = []
    for index, item in enumerate(raw):
        where = f"evidence[{index}]"
        if not isinstance(item, dict) or not is_fingerprint(item.get("sha256")):
            raise _bad(where, "an evidence file is named by its SHA-256")
        size = item.get("size")
        if not isinstance(size, int) or isinstance(size, bool) or size <= 0:
            raise _bad(f"{where}.size", "the size is a count of bytes above zero")
        kind, media = item.get("kind"), item.get("media")
        if not isinstance(kind, str) or not _SLUG.fullmatch(kind):
            raise _bad(f"{where}.kind", "the kind of evidence is missing")
        if kind == PREVIEW:
            raise _bad(f"{where}.kind", "a preview is never evidence: name the original")
        if not isinstance(media, str) or not 3 <= len(media) <= 80:
            raise _bad(f"{where}.media", "the media type is missing")
        found.append(Evidence(item["sha256"], kind, size, media))
    if len({item.sha256 for item in found}) != len(found):
        raise _bad("evidence", "a file is named twice")
    return tuple(found)


def parse(data: bytes | str) -> Fact:
    """The fact in ``data``.

    Raises Problem "wire-malformed" or "fact-malformed", naming the key, when the envelope or the body of a kind
    we know is not well formed. A kind or format we do not know gives a Fact whose ``known`` is false.
    """
    raw = decode(data)
    if not isinstance(raw, dict):
        raise _bad("", "a fact is an object")
    counter, version, needs, revises, body = (raw.get(k) for k in ("counter", "v", "needs", "revises", "body"))
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise _bad("v", "the format version is missing")
    if not isinstance(counter, int) or isinstance(counter, bool) or not 1 <= counter <= 10**9:
        raise _bad("counter", "the counter counts from 1")
    if not isinstance(needs, list) or len(needs) > 200 or not all(map(is_id, needs)):
        raise _bad("needs", "needs is a list of fact ids")
    if revises is not None and not is_id(revises):
        raise _bad("revises", "revises is a fact id or null")
    if not isinstance(body, dict):
        raise _bad("body", "the body is an object")
    fact = Fact(
        city=_text(raw, "city", _PLAIN, "a city id"),
        id=_text(raw, "id", _ID, "32 hex digits"),
        kind=_text(raw, "kind", _SLUG, "a kind of fact"),
        tablet=_text(raw, "tablet", TABLET_CODE, "a tablet code such as T07"),
        counter=counter,
        user=_text(raw, "user", _PLAIN, "a user id"),
        at=At.from_wire(raw.get("at")),
        pack=_text(raw, "pack", _PLAIN, "a pack such as demo@2026.1"),
        body=body,
        revises=revises,
        needs=tuple(needs),
        evidence=_evidence(raw.get("evidence")),
        v=version,
        extra={key: value for key, value in raw.items() if key not in _ENVELOPE},
    )
    if fact.known:
        bodies.check(fact.kind, body, {item.sha256 for item in fact.evidence})
    return fact

"""What a tablet saves to a file when no network helps, and what the office gives back: names, manifest, seal, receipts.

Invariants: records travel as their exact bytes with their own MACs, so the file proves no more and no less than a call
would; the seal proves which tablet made it, under a key that only that tablet and its server hold; no key, token or
unsigned draft is in it. Pure.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sync.records.macs import derive, is_fingerprint, sign, verify
from sync.records.problems import Problem
from sync.records.wire import decode, encode

FORMAT = 1
MANIFEST, SEAL, READ_ME = "manifest.json", "seal.json", "READ-ME.txt"
MEDIA = "application/zip"
RECEIPTS_MEDIA = "application/json"
MAX_MANIFEST = 64 * 1024 * 1024
_TEXT = 200


@dataclass(frozen=True, slots=True)
class ExportedFact:
    """One record: its bytes lie under ``name``; ``mac`` and ``credential`` as they are sent in a call."""

    id: str
    name: str
    sha256: str
    size: int
    mac: str
    credential: str


@dataclass(frozen=True, slots=True)
class ExportedFile:
    """One evidence file that a record in the file names. ``here``: it is in the file; else the tablet could not read
    it, or the server had it already."""

    sha256: str
    kind: str
    size: int
    here: bool

    @property
    def name(self) -> str:
        return file_name(self.sha256)


@dataclass(frozen=True, slots=True)
class Manifest:
    """What is in the file, and which tablet made it when (``at``: its own wall clock, ISO; it orders nothing)."""

    city: str
    tablet_id: str
    tablet_code: str
    at: str
    facts: tuple[ExportedFact, ...]
    files: tuple[ExportedFile, ...]

    def to_bytes(self) -> bytes:
        """The exact bytes that are sealed."""
        return encode({
            "siltwatch_export": FORMAT, "city": self.city, "tablet": self.tablet_id, "code": self.tablet_code,
            "at": self.at,
            "facts": [{"id": f.id, "name": f.name, "sha256": f.sha256, "size": f.size, "mac": f.mac,
                       "credential": f.credential} for f in self.facts],
            "files": [{"sha256": f.sha256, "kind": f.kind, "size": f.size, "here": f.here} for f in self.files],
        })  # fmt: skip


def fact_name(counter: int, ident: str) -> str:
    """Where the bytes of a record lie: in the order in which they were signed."""
    return f"facts/{counter:06d}-{ident}.json"


def file_name(sha256: str) -> str:
    """Where an evidence file lies."""
    return f"evidence/{sha256}"


_FACT_NAME = re.compile(r"facts/[0-9]{6,16}-[0-9a-f]{32}\.json")


def _key(receipt_key: bytes) -> bytes:
    return derive(receipt_key, "export")


def seal(manifest: bytes, receipt_key: bytes) -> bytes:
    """The tablet's proof of who it is, over the exact bytes of the manifest."""
    return encode({"mac": sign(_key(receipt_key), manifest)})


def is_sealed(manifest: bytes, sealed: bytes, receipt_key: bytes) -> bool:
    """Whether the seal is that of the tablet with this key. False for anything that is no seal."""
    try:
        mac = decode(sealed).get("mac")
    except (Problem, AttributeError):
        return False
    return isinstance(mac, str) and verify(_key(receipt_key), manifest, mac)


def _bad(what: str, where: str = "") -> Problem:
    return Problem("export-malformed", what, where=where)


def _short(raw: dict[str, Any], key: str, where: str) -> str:
    value = raw.get(key)
    if not isinstance(value, str) or not 0 < len(value) <= _TEXT:
        raise _bad("the list of contents is not well formed", f"{where}.{key}")
    return value


def _count(raw: dict[str, Any], where: str) -> int:
    value = raw.get("size")
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise _bad("the list of contents is not well formed", f"{where}.size")
    return value


def _sha(raw: dict[str, Any], where: str) -> str:
    if not is_fingerprint(raw.get("sha256")):
        raise _bad("the list of contents is not well formed", f"{where}.sha256")
    return raw["sha256"]


def read_manifest(data: bytes) -> Manifest:
    """The manifest in ``data``. Raises Problem "export-malformed", "export-newer"."""
    try:
        raw = decode(data)
    except Problem as problem:
        raise _bad(problem.detail, MANIFEST) from problem
    version = raw.get("siltwatch_export") if isinstance(raw, dict) else None
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise _bad("it has no list of contents of a tablet", MANIFEST)
    if version > FORMAT:
        raise Problem("export-newer", f"it is of format {version}, this program reads up to {FORMAT}")
    facts, files = [], []
    for index, one in enumerate(_rows(raw, "facts")):
        where = f"facts[{index}]"
        name = _short(one, "name", where)
        if not _FACT_NAME.fullmatch(name):
            raise _bad("the name of a record is not one", where)
        facts.append(ExportedFact(_short(one, "id", where), name, _sha(one, where), _count(one, where),
                                  _short(one, "mac", where), _short(one, "credential", where)))
    for index, one in enumerate(_rows(raw, "files")):
        where = f"files[{index}]"
        if not isinstance(one.get("here"), bool):
            raise _bad("the list of contents is not well formed", f"{where}.here")
        files.append(ExportedFile(_sha(one, where), _short(one, "kind", where), _count(one, where), one["here"]))
    if len({f.name for f in facts}) != len(facts) or len({f.sha256 for f in files}) != len(files):
        raise _bad("something is listed twice", MANIFEST)
    return Manifest(_short(raw, "city", MANIFEST), _short(raw, "tablet", MANIFEST), _short(raw, "code", MANIFEST),
                    _short(raw, "at", MANIFEST), tuple(facts), tuple(files))


def _rows(raw: dict[str, Any], key: str) -> list[dict[str, Any]]:
    rows = raw.get(key)
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise _bad("the list of contents is not well formed", key)
    return rows


# --- the way back ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ReceiptsFile:
    """The office's answer as a file: receipts sealed for this tablet, as a call would have brought them."""

    city: str
    tablet_id: str
    epoch: str
    at: str
    facts: tuple[dict[str, Any], ...]
    files: tuple[dict[str, Any], ...]

    def to_bytes(self) -> bytes:
        return encode({"siltwatch_receipts": FORMAT, "city": self.city, "tablet": self.tablet_id, "epoch": self.epoch,
                       "at": self.at, "facts": list(self.facts), "files": list(self.files)})


def read_receipts_file(data: bytes) -> ReceiptsFile:
    """The receipts in ``data``; whether each opens is for the tablet to see. Raises Problem "receipts-malformed"."""
    try:
        raw = decode(data)
        if raw["siltwatch_receipts"] != FORMAT:
            raise Problem("receipts-malformed", "it is of another format")
        texts = [raw[key] for key in ("city", "tablet", "epoch", "at")]
        lists: Sequence[Any] = (raw["facts"], raw["files"])
    except (Problem, KeyError, TypeError) as err:
        raise Problem("receipts-malformed", "it holds no receipts of the office") from err
    if not all(isinstance(text, str) for text in texts) or not all(isinstance(rows, list) for rows in lists):
        raise Problem("receipts-malformed", "it holds no receipts of the office")
    facts, files = (tuple(row for row in rows if isinstance(row, dict)) for rows in lists)
    return ReceiptsFile(*texts, facts, files)

"""What a tablet saves to a file, made of a `FieldTablet`'s facts: for tests of the office's side."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from zlib import crc32

from sync.records import exports
from sync.records.archive import Archive
from sync.records.facts import Fact
from sync.records.macs import fingerprint
from tests.support.city import FieldTablet


def packed(entries: Mapping[str, bytes]) -> bytes:
    """These entries as one archive."""
    made, out = Archive(datetime(2026, 8, 27, 14, 3, 22)), b""
    for name, data in entries.items():
        out += made.begin(name, len(data), crc32(data)) + data
    return out + made.end()


def exported(tablet: FieldTablet, *facts: Fact, files: Mapping[bytes, str] | None = None) -> bytes:
    """The file with these records and evidence (bytes to kind)."""
    entries: dict[str, bytes] = {exports.READ_ME: b"Siltwatch"}
    listed = []
    for fact in facts:
        item = tablet.item(fact)
        data, name = item.text.encode(), exports.fact_name(fact.counter, fact.id)
        entries[name] = data
        listed.append(exports.ExportedFact(fact.id, name, fingerprint(data), len(data), item.mac, item.credential))
    shown = []
    for data, kind in (files or {}).items():
        entries[exports.file_name(fingerprint(data))] = data
        shown.append(exports.ExportedFile(fingerprint(data), kind, len(data), True))
    manifest = exports.Manifest(tablet.city.id, tablet.tablet.id, tablet.tablet.code, "2026-08-27T15:00:00-05:00",
                                tuple(listed), tuple(shown)).to_bytes()
    entries[exports.MANIFEST] = manifest
    entries[exports.SEAL] = exports.seal(manifest, tablet.tablet.receipt_key)
    return packed(entries)

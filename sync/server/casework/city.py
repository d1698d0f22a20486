"""A City is what every act of casework is handed: its database, files, secret, clock and law. It owns no state
but what it has looked up."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import lru_cache
from typing import Any
from zoneinfo import ZoneInfo

from sqlalchemy import bindparam, select

from sync.records.macs import derive, fingerprint, sign
from sync.records.problems import Problem
from sync.records.protocol import MAX_EVIDENCE_BYTES
from sync.records.wire import encode
from sync.server.blobs import Blobs
from sync.server.clock import Clock
from sync.server.db.engine import Database, Tx, ask, find
from sync.server.db.memory import remembered
from sync.server.db.schema import cities, packs

_EPOCH = select(cities.c.epoch).where(cities.c.city_id == bindparam("city"))
# Parsed packs by the SHA-256 of their texts: a pack never changes, so each is parsed once per process.
_PARSED: dict[str, Any] = {}


def pack_sha256(files: Mapping[str, str]) -> str:
    """What names the texts of a pack (file name to text), whatever it calls itself."""
    return fingerprint(encode(dict(files)))


def parse_pack(files: Mapping[str, str]) -> Any:
    """The ordinance pack in these texts. PackError names the file and the key that is wrong."""
    from sync.ordinance.pack import load_pack  # here: the law takes a moment to load

    sha = pack_sha256(files)
    if sha not in _PARSED:
        _PARSED[sha] = load_pack(files)
    return _PARSED[sha]


@lru_cache(maxsize=4_096)
def _key(secret: bytes, labels: tuple[str, ...]) -> bytes:
    return derive(secret, *labels)


@dataclass(frozen=True, slots=True)
class City:
    """``secret`` is the one secret of the city: every key and token is derived from it, so that a request that is
    repeated, or meets a server restored from yesterday, gets the answer it got before. ``public_url`` is the
    address that stands in QR codes, without a slash at its end."""

    id: str
    name: str
    zone: ZoneInfo
    secret: bytes = field(repr=False)
    db: Database
    blobs: Blobs
    clock: Clock
    public_url: str
    random_bytes: Callable[[int], bytes] = secrets.token_bytes
    # The largest evidence file that is taken; what is larger stays on its tablet, and a smaller copy comes.
    evidence_bytes: int = MAX_EVIDENCE_BYTES
    # What the file system says of the city's files that it says of no copy of them; "": nobody asked it.
    place: str = ""
    # By epoch: so many entries of the audit record this process has seen, or has heard of and judged.
    witnessed: dict[str, int] = field(default_factory=dict, repr=False, compare=False)

    def now(self) -> datetime:
        """The present instant, aware, in UTC."""
        return self.clock.now()

    def today(self) -> date:
        """The present date in the city."""
        return self.now().astimezone(self.zone).date()

    def key(self, *labels: str) -> bytes:
        """A 32-byte key for one purpose, always the same for the same labels."""
        return _key(self.secret, labels)

    def keyed_hash(self, purpose: str, text: str) -> str:
        """What is kept of a code or token: useless without the city's secret."""
        return sign(self.key("hash", purpose), text.encode("utf-8", "surrogatepass"))

    def row(self, tx: Tx) -> Any:
        """The city's own row. Raises Problem "data-missing" when the database has no such city."""
        found = find(tx, cities, city_id=self.id)
        if found is None:
            raise Problem("data-missing", f"the database has no city {self.id!r}")
        return found

    def epoch_in(self, tx: Tx) -> str:
        """The present life of the database, asked in a transaction."""
        return remembered(tx).once(("epoch", self.id), lambda: self._epoch_now(tx))

    def _epoch_now(self, tx: Tx) -> str:
        found = ask(tx, _EPOCH, city=self.id)
        if not found:
            raise Problem("data-missing", f"the database has no city {self.id!r}")
        return found[0].epoch

    def epoch(self) -> str:
        """The present life of the database, as committed; quick enough to be asked with every request."""
        found = self.db.glance(_EPOCH, city=self.id)
        if found is None:
            raise Problem("data-missing", f"the database has no city {self.id!r}")
        return found[0]

    def pack(self, tx: Tx, ref: str | None = None) -> Any:
        """The parsed ordinance pack ``ref`` ("demo@2026.1"; None: the one in force).

        Raises Problem "subject-unknown" when the city never had that pack.
        """
        ident, _, version = (ref or self.row(tx).pack).partition("@")
        where = (packs.c.city_id == self.id, packs.c.id == ident, packs.c.version == version)
        sha = tx.execute(select(packs.c.sha256).where(*where)).scalar_one_or_none()
        if sha is None:
            raise Problem("subject-unknown", f"the city has no ordinance pack {ref}", where="pack")
        return _PARSED.get(sha) or parse_pack(tx.execute(select(packs.c.files).where(*where)).scalar_one())

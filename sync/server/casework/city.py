"""A City is what every act of casework is handed: its database, files, secret, clock and law. It owns no state."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from functools import lru_cache
from typing import Any
from zoneinfo import ZoneInfo

from sqlalchemy import select

from sync.records.macs import derive, sign
from sync.records.problems import Problem
from sync.records.wire import decode, encode
from sync.server.blobs import Blobs
from sync.server.clock import Clock
from sync.server.db import schema
from sync.server.db.engine import Database, Tx


@lru_cache(maxsize=8)
def _parsed(text: str) -> Any:
    """The pack in these texts (canonical JSON of file name to text). A pack never changes, so it is parsed once."""
    from sync.ordinance.pack import load_pack  # here: the law takes a moment to load

    return load_pack(decode(text))


def parse_pack(files: Mapping[str, str]) -> Any:
    """The ordinance pack in these texts. PackError names the file and the key that is wrong."""
    return _parsed(encode(dict(files)).decode())


@dataclass(frozen=True, slots=True)
class City:
    """``secret`` is the one secret of the city: every key and token is derived from it, so that a request that is
    repeated, or meets a server restored from yesterday, gets the answer it got before. ``public_url`` is the
    address that stands in QR codes, without a slash at its end."""

    id: str
    name: str
    zone: ZoneInfo
    secret: bytes
    db: Database
    blobs: Blobs
    clock: Clock
    public_url: str
    random_bytes: Callable[[int], bytes] = secrets.token_bytes

    def now(self) -> datetime:
        """The present instant, aware, in UTC."""
        return self.clock.now()

    def today(self) -> date:
        """The present date in the city."""
        return self.now().astimezone(self.zone).date()

    def key(self, *labels: str) -> bytes:
        """A 32-byte key for one purpose, always the same for the same labels."""
        return derive(self.secret, *labels)

    def keyed_hash(self, purpose: str, text: str) -> str:
        """What is kept of a code or token: useless without the city's secret."""
        return sign(self.key("hash", purpose), text.encode())

    def row(self, tx: Tx) -> Any:
        """The city's own row. Raises Problem "data-missing" when the database has no such city."""
        found = tx.execute(select(schema.cities).where(schema.cities.c.city_id == self.id)).first()
        if found is None:
            raise Problem("data-missing", f"the database has no city {self.id!r}")
        return found

    def pack(self, tx: Tx, ref: str | None = None) -> Any:
        """The parsed ordinance pack ``ref`` ("demo@2026.1"; None: the one in force).

        Raises Problem "subject-unknown" when the city never had that pack.
        """
        ident, _, version = (ref or self.row(tx).pack).partition("@")
        table = schema.packs
        found = tx.execute(
            select(table.c.files).where(table.c.city_id == self.id, table.c.id == ident, table.c.version == version)
        ).first()
        if found is None:
            raise Problem("subject-unknown", f"the city has no ordinance pack {ref}", where="pack")
        return parse_pack(found.files)

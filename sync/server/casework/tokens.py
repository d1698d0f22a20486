"""The device token: who the tablet is, in the city's own hand, and since when. An old one is renewed, never mourned.

A token carries its own proof, so that a restored server knows it for its own. One that says since when it holds is good
for ``TOKEN_DAYS``; after that it opens one door only, that of its own renewal, and only to the tablet that can prove
that it holds the tablet's own key. An app that cannot renew gets a token without a day.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING

from sync.records.macs import sign, verify
from sync.records.problems import Problem
from sync.records.proofs import fits, renewal_proof
from sync.records.times import parse_wall
from sync.server.casework.city import City

if TYPE_CHECKING:
    from sync.server.casework.enrolment import Tablet

TOKEN_DAYS = 7
# A renewal says the server's time as it was just told; a request that was overheard is worthless soon after.
PROOF_MINUTES = 10
_LONGEST = 200


@dataclass(frozen=True, slots=True)
class Token:
    """A token of ours. ``issued``: seconds since 1970, None for one that does not age."""

    tablet: str
    code: str
    issued: int | None


def device_token(city: City, tablet_id: str, code: str, issued: datetime | None = None) -> str:
    """The bearer token of the tablet; with ``issued`` one that ages from then."""
    body = f"{tablet_id}.{code}" + (f".{int(issued.timestamp())}" if issued else "")
    return f"{body}.{sign(city.key('device-token'), body.encode())}"


def read_token(city: City, text: str) -> Token | None:
    """What the token says, None when it is not of our making."""
    if len(text) > _LONGEST or not text.isascii():
        return None
    return _read(city.key("device-token"), text)


@lru_cache(maxsize=1_024)
def _read(key: bytes, text: str) -> Token | None:
    """A token comes with every request, and says the same each time."""
    body, _, mac = text.rpartition(".")
    parts = body.split(".")
    if len(parts) not in (2, 3) or not verify(key, body.encode(), mac):
        return None
    return Token(parts[0], parts[1], int(parts[2]) if len(parts) == 3 else None)


def is_old(city: City, token: Token) -> bool:
    """Whether the token must be renewed before it opens anything else."""
    if token.issued is None:
        return False
    return city.now() - timedelta(days=TOKEN_DAYS) > datetime.fromtimestamp(token.issued, city.zone)


def renew(city: City, tablet: Tablet, token: str, at: str, proof: str) -> str:
    """A fresh token for the tablet that bears ``token``. A withdrawn tablet gets one too: it still hands over.

    Raises Problem "token-unknown" (the proof does not fit), "renewal-stale" (made too long ago), "body-malformed".
    """
    if not fits(renewal_proof(tablet.receipt_key, token, at), proof):
        raise Problem("token-unknown", "the proof was not made by the tablet of this token", where="proof")
    try:
        made = parse_wall(at, "at")
    except Problem as problem:
        raise Problem("body-malformed", problem.detail, where="at") from None
    if abs(city.now() - made) > timedelta(minutes=PROOF_MINUTES):
        raise Problem("renewal-stale", "ask for the time, and make the proof anew", where="at")
    return device_token(city, tablet.id, tablet.code, city.now())

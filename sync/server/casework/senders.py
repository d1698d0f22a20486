"""Who sent a file. A record makes no file of another tablet its own: it opens none that its own tablet never sent,
and no receipt says that such a file is held. Else knowing a hash would be enough: one would name it in a record.
"""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import select

from sync.server.casework.city import City
from sync.server.casework.copies import earlier_codes
from sync.server.db.engine import Tx
from sync.server.db.files import also_sent
from sync.server.db.schema import tablets


def sent_by(tx: Tx, city: City, sha256: str, first: str, own: Iterable[str]) -> bool:
    """Whether one of the tablets ``own`` (ids) sent the file that ``first`` sent first; a tablet that was given another
    code since is still the same."""
    wanted = set(own)
    if first in wanted:  # nearly always
        return True
    senders = {first, *tx.execute(select(also_sent.c.tablet).where(
        also_sent.c.city_id == city.id, also_sent.c.sha256 == sha256)).scalars()}
    if senders & wanted:
        return True
    before = {ident for one in wanted for ident in former(tx, city, one)}
    return bool(before & senders) or any(wanted & set(former(tx, city, one)) for one in senders)


def former(tx: Tx, city: City, tablet: str) -> list[str]:
    """The ids under which the tablet was known before."""
    code = tx.execute(select(tablets.c.code).where(
        tablets.c.city_id == city.id, tablets.c.id == tablet)).scalar_one_or_none()
    codes = earlier_codes(tx, city, code) if code is not None else ()
    return list(tx.execute(select(tablets.c.id).where(
        tablets.c.city_id == city.id, tablets.c.code.in_(codes))).scalars()) if codes else []

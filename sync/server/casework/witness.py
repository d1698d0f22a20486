"""What tablets can tell of a database that was set back behind our back: by an image of the disk, or by a copy of it.

With each batch of records, lease and page of news a tablet is given a *witness*: how many entries the audit record has,
in which life of the records, and which lives led there, sealed under the city's secret. It gives the latest one back
with every call. Everything that is ever given out has its entry. So a witness of more entries than there are in the
same life, or of a life that came after the present one, proves that these records are an earlier state of themselves;
then another life begins before the call is answered, and with it a mark for every number (see `lives`). A tablet cannot
make a witness, and of the office's own memory nothing is asked.

An app that gives none back has its place in the feed, which nobody sealed: it is believed once in an hour.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import NamedTuple

from sqlalchemy import bindparam, select

from sync.records.macs import sign, verify
from sync.server.casework.city import City
from sync.server.casework.counting import audit_head
from sync.server.casework.lives import begin, lives_before
from sync.server.db.engine import Tx, ask, find_all
from sync.server.db.lives import lives
from sync.server.db.memory import remembered
from sync.server.db.schema import counters

LONGEST = 600
SEQ = select(counters.c.seq).where(counters.c.city_id == bindparam("city"))
BELIEVED_EVERY = timedelta(hours=1)


class _Said(NamedTuple):
    """A witness, opened: so many entries in the life of this epoch, and (short) the lives before that."""

    epoch: str
    count: int
    before: tuple[str, ...]


def _short(epoch: str) -> str:
    return epoch[:8]


def _sealed(city: City, count: int, life: str) -> str:
    said = f"{count}.{life}"
    return f"{said}.{sign(city.key('witness'), said.encode())}"


def given(tx: Tx, city: City) -> str:
    """The witness of what the transaction sees."""
    life = remembered(tx).once(("witness", city.id), lambda: _life(tx, city))
    return _sealed(city, audit_head(tx, city)[0], life)


def _life(tx: Tx, city: City) -> str:
    return f"{city.epoch_in(tx)}.{'-'.join(map(_short, lives_before(tx, city)))}"


def witness_now(city: City) -> str:
    """The witness of what is committed."""
    with city.db.read() as tx:
        count, life = _stands(tx, city)[1], _life(tx, city)
    return note(city, _sealed(city, count, life))


def note(city: City, text: str) -> str:
    """The witness goes out, for what it says is durable: it is nothing new when it comes back."""
    count, epoch, _ = text.split(".", 2)
    _saw(city, epoch, int(count))
    return text


def _saw(city: City, epoch: str, count: int) -> None:
    city.witnessed[epoch] = max(count, city.witnessed.get(epoch, -1))


def is_known(city: City, text: str) -> bool:
    """Whether this process has seen so much itself: then nothing is to be found out. Asked with every call."""
    count, _, rest = text.partition(".")
    known = city.witnessed.get(rest.partition(".")[0], -1)
    return count.isascii() and count.isdigit() and len(count) < 16 and int(count) <= known


def heed(city: City, text: str) -> str | None:
    """Begins another life of the records when the witness proves that they were set back; gives its epoch then."""
    said = _opened(city, text)
    if said is None:
        return None
    with city.db.read() as tx:
        ahead = _is_ahead(tx, city, said)
        epoch, count = _stands(tx, city)
    _saw(city, epoch, count)
    begun = _begin_if(city, lambda tx: _is_ahead(tx, city, said)) if ahead else None
    _saw(city, said.epoch, said.count)
    return begun


def _opened(city: City, text: str) -> _Said | None:
    if len(text) > LONGEST or not text.isascii():
        return None
    said, _, mac = text.rpartition(".")
    if not verify(city.key("witness"), said.encode(), mac):
        return None
    count, epoch, before = said.split(".")
    return _Said(epoch, int(count), tuple(one for one in before.split("-") if one))


def _stands(tx: Tx, city: City) -> tuple[str, int]:
    count = tx.execute(select(counters.c.audit_seq).where(counters.c.city_id == city.id)).scalar_one()
    return city.row(tx).epoch, count


def _is_ahead(tx: Tx, city: City, said: _Said) -> bool:
    epoch, count = _stands(tx, city)
    return said.count > count if said.epoch == epoch else _short(epoch) in said.before


def heed_place(city: City, epoch: str, seq: int) -> str | None:
    """The same by the place in the feed of an app that knows no witness, at most once in an hour: nobody sealed it."""
    def ahead(tx: Tx) -> bool:
        if city.row(tx).epoch != epoch or seq <= ask(tx, SEQ, city=city.id)[0].seq:
            return False
        return all(abs(city.now() - life.at) >= BELIEVED_EVERY for life in find_all(tx, lives, city_id=city.id))

    with city.db.read() as tx:
        proven = ahead(tx)
    return _begin_if(city, ahead) if proven else None


def _begin_if(city: City, proven: Callable[[Tx], bool]) -> str | None:
    """Asked once more, for of two tablets that come at once one is enough."""
    return city.db.write(lambda tx: begin(tx, city, noticed="tablet") if proven(tx) else None)

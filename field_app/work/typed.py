"""What was typed and no button had taken yet when the tablet locked itself: sealed under its writer's key until then.

Everything else is kept as it is typed. These texts belong to no record yet (a number to be looked up, a person to be
added, reasons that a PIN would sign), so they lie beside the records, for their writer alone, and are taken out again
by the PIN that opens the tablet, also after a restart.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from field_app.store import frames
from field_app.store.ciphers import Forged
from field_app.store.keyring import data_of, text

if TYPE_CHECKING:
    from field_app.work.desk import Desk

Typed = dict[str, Any]


def place(user: str) -> str:
    """The id in `settings` of what this person had typed."""
    return f"typed of {user}"


def _about(user: str, key: int) -> bytes:
    return f"siltwatch typed {key} {user}".encode()


async def keep(desk: Desk, typed: Typed) -> None:
    """Seals `typed` for the person at work. Nothing is kept where nobody has a key."""
    user, keys = desk.session().get("user"), desk.store.keys
    if not typed or not user or keys is None or keys.own is None:
        return
    own = keys.own
    sealed = await own.records.seal(frames.dumps(typed).encode("ascii"), _about(user, own.id))
    async with desk.store.change() as tx:
        tx.put("settings", place(user), {"key": own.id, "sealed": text(sealed)})


async def take(desk: Desk) -> Typed:
    """What the person at work had typed, once; {} for nothing, and for what their key does not open."""
    user, keys = desk.session().get("user"), desk.store.keys
    doc = desk.store.table("settings").get(place(user or ""))
    if doc is None or keys is None or keys.own is None:
        return {}
    try:
        found = frames.loads(await keys.own.records.open(data_of(doc["sealed"]), _about(user, doc["key"])))
    except Forged:
        found = {}
    async with desk.store.change() as tx:
        tx.delete("settings", place(user))
    return found

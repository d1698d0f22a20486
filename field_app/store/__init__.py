"""The tablet's database: TinyDB on a crash-safe journal, the same on native files and in the browser.

Invariants: a change is all or nothing and on disk before ``async with store.change()`` ends; whatever is
killed at whatever moment, the next start reads every acknowledged change; a store that cannot be read is
never replaced by an empty one. ``native`` and ``opfs`` open it; ``frames`` is the format, ``journal`` the
recovery, ``disk`` the port below them, ``tables`` what TinyDB needs.
"""

from field_app.store.change import TABLES, Change
from field_app.store.problems import StoreBusy, StoreDamaged, StoreFull, StoreNewer, StoreValue
from field_app.store.store import Store, open_store

__all__ = [
    "TABLES",
    "Change",
    "Store",
    "StoreBusy",
    "StoreDamaged",
    "StoreFull",
    "StoreNewer",
    "StoreValue",
    "open_store",
]

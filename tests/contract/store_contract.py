"""The store's contract: what every backend keeps, as plain coroutines that need no test framework.

Each check takes a ``World`` (store_world). pytest runs them on native files and in memory, and a page runs the same
ones on OPFS in Chromium. ``CHECKS`` lists them all by name.
"""

from tests.contract import store_damage, store_use
from tests.contract.store_world import CHECKS, World

__all__ = ["CHECKS", "World", "store_damage", "store_use"]

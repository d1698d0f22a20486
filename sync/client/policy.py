"""How patient the engine is: every number of its behaviour in one place, in milliseconds, bytes and counts.

With the page visible a server that comes back is called within `visible_cap_ms` (plus nothing): the back-off counts
from the start of a failed try, so a try that hangs does not lengthen it beyond its own time-out.
"""

from dataclasses import dataclass

from sync.records.protocol import ITEM_TRIES, MAX_BATCH


@dataclass(frozen=True, slots=True)
class Policy:
    """The defaults are the product's; tests shorten them."""

    batch_items: int = MAX_BATCH
    batch_bytes: int = 256_000
    receipts_batch: int = 50
    pull_limit: int = 500
    # A try that fails for a reason of the item itself counts; after so many the item is set aside.
    tries: int = ITEM_TRIES
    # So many calls in a row may fail for the sake of their items before that is taken for the server's own failure; any
    # number within a minute after it took something.
    doubts: int = 8
    well_ms: int = 60_000

    hello_timeout_ms: int = 4_000
    call_timeout_ms: int = 20_000
    # A file may take this long, plus its size at this pace; each time-out of the file doubles what is allowed.
    file_timeout_ms: int = 30_000
    file_bytes_per_ms: int = 32

    # A file that fits one chunk goes in one PUT. A chunk aims at this time on the present link, within these sizes.
    chunk_first: int = 1024 * 1024
    chunk_least: int = 64 * 1024
    chunk_most: int = 8 * 1024 * 1024
    chunk_ms: int = 4_000

    # Originals of signed records wait at most so long for the next preview to be made.
    preview_wait_ms: int = 5_000

    first_wait_ms: int = 1_000
    visible_cap_ms: int = 8_000
    hidden_cap_ms: int = 60_000
    # Even a flurry of wake-ups calls no more often than this.
    soonest_ms: int = 500
    longest_asked_wait_ms: int = 60_000
    # The server's disk is full: no item's fault, and nothing that more tries would mend.
    full_wait_ms: int = 30_000

    pull_visible_ms: int = 15_000
    pull_hidden_ms: int = 120_000
    # After so long without news they come before records, which may be failing one after the other.
    pull_late_ms: int = 180_000
    receipts_every_ms: int = 10_000
    receipts_cap_ms: int = 300_000
    item_wait_ms: int = 2_000
    item_cap_ms: int = 300_000
    parked_retry_ms: int = 900_000
    # After a fault of the tablet itself (its storage is full) the lane that met it rests for so long.
    trouble_wait_ms: int = 3_000
    # As many orders as a tablet may have to post far from any network; below that it asks for more.
    lease_low: int = 50
    lease_every_ms: int = 60_000

    def wait_ms(self, fails: int, visible: bool, jitter: float) -> int:
        """The pause after ``fails`` failures in a row (1, 2, ...); ``jitter`` in [0, 1) takes up to a quarter off."""
        cap = self.visible_cap_ms if visible else self.hidden_cap_ms
        return int(_doubled(self.first_wait_ms, fails, cap) * (1 - 0.25 * jitter))

    def item_wait(self, fails: int) -> int:
        """The pause of one item after its own ``fails`` failures."""
        return _doubled(self.item_wait_ms, fails, self.item_cap_ms)

    def receipts_wait(self, asked: int) -> int:
        """The pause before the receipt of one fact is asked for again, having been asked for ``asked`` times."""
        return _doubled(self.receipts_every_ms, asked, self.receipts_cap_ms)

    def file_timeout(self, size: int, timeouts: int) -> int:
        """How long a file of ``size`` bytes may take that has timed out ``timeouts`` times before."""
        return (self.file_timeout_ms + size // self.file_bytes_per_ms) * 2 ** min(timeouts, 5)


def _doubled(first: int, times: int, cap: int) -> int:
    return min(cap, first * 2 ** min(max(times - 1, 0), 20))

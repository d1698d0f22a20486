"""A sync driver under test: an impatient policy, the real clock, and waiting that cannot hang."""

import asyncio
import contextlib
import time

from sync.client.policy import Policy

QUICK = Policy(
    hello_timeout_ms=500, call_timeout_ms=2_000, first_wait_ms=20, visible_cap_ms=100, soonest_ms=1,
    pull_visible_ms=50, receipts_every_ms=20, item_wait_ms=20, item_cap_ms=100, lease_low=0,
    trouble_wait_ms=20,
)  # fmt: skip


class Clock:
    def monotonic_ms(self):
        return time.monotonic_ns() // 1_000_000


@contextlib.asynccontextmanager
async def running(driver):
    task = asyncio.ensure_future(driver.run())
    try:
        yield task
    finally:
        await driver.stop()
        await task


async def until(condition, seconds=60):
    """Waits for the condition; gives up loudly, so that a test cannot hang."""
    async with asyncio.timeout(seconds):
        while not condition():
            await asyncio.sleep(0.005)


def states(port):
    return {row.counter: row.state for row in port.view().facts}

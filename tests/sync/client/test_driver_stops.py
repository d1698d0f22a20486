"""Stopping a driver ends it, also when it is woken in the very moment in which it is stopped."""

import asyncio

from tests.support.sync_driver import running
from tests.support.sync_sim import Desk
from tests.sync.client.test_driver import DeskTransport, driver_for, with_three


def test_a_driver_that_is_woken_while_it_is_stopped_ends():
    async def run():
        driver = driver_for(with_three(1), DeskTransport(Desk()))
        for turn in range(1, 61):  # begun first: one that is stopped before never ran (the tablet sees to that)
            task = asyncio.ensure_future(driver.run())
            for _ in range(turn):
                await asyncio.sleep(0)
            driver.wake("item")
            await asyncio.wait_for(driver.stop(), 10)
            await asyncio.wait_for(task, 10)
        async with running(driver):
            await asyncio.sleep(0)

    asyncio.run(run())

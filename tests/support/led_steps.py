"""What a test lets the tablet app do without tapping: the use cases themselves, in the app's own process or, loaded by
`InsideApp`, in the interpreter of the web app. `shell` is the app's window. Imports nothing but what both have."""

import asyncio

PIN = "274915"


async def enrol(shell, code):
    await shell.work.enrol(code)
    shell.enter("sign_in")


async def sign_in(shell, code):
    await shell.work.sign_in(code)
    shell.enter("pin")


async def set_pin(shell):
    """Ends on Today, with what came down."""
    await shell.work.set_pin(PIN, PIN)
    shell.enter("work")
    while not shell.work.sites().total or shell.work.status().level != "safe":
        await asyncio.sleep(0.05)


async def rest(work, draft):
    """All that has no answer yet does not apply; what was open last time was not looked at."""
    for section in work.inspection(draft).sections:
        for card in section.cards:
            await work.answer_rest(draft, card.key, "na")
    for one in work.inspection(draft).last_time:
        if not one.effective:
            await work.follow_up(draft, one.id, "not_observed")


async def written(work, order, fact):
    """All that an order must say; it rests on all findings of the inspection."""
    for one in work.order(order).findings:
        if one.fact == fact:
            await work.set_order_finding(order, one.fact, one.finding, True)
    await work.set_grounds(order, ["b"])
    await work.set_order_text(order, "must_stop", "All hauling over the north exit.")
    await work.set_met(order, 0, "Dana Whitfield", "site superintendent", True)

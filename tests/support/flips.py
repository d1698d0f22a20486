"""A network that comes and goes under a running web app: the browser's own switch, and a server that dies."""

from __future__ import annotations

import random

from playwright.sync_api import Page

from tests.support.server import Server


def flips(page: Page, server: Server, times: int = 20, seed: int = 7) -> None:
    """``times`` changes of the network, a few of them deaths of the server; ends with both there."""
    rng, context, offline = random.Random(seed), page.context, False
    for turn in range(times):
        if turn % 7 == 5:
            server.kill()
            page.wait_for_timeout(rng.randint(100, 900))
            server.start()
        else:
            offline = not offline
            context.set_offline(offline)
        page.wait_for_timeout(rng.randint(50, 700))
    context.set_offline(False)


# A desktop's browser does not tell which network it is on: so it is told to, as a phone's does.
NETWORK = """
  const link = Object.assign(new EventTarget(), { type: "wifi", saveData: false });
  Object.defineProperty(navigator, "connection", { get: () => link });
  window.setNetwork = (type) => { link.type = type; link.dispatchEvent(new Event("change")); };
"""


def workers(page: Page) -> int:
    """How many Pythons the page runs."""
    return sum("python-worker" in worker.url for worker in page.workers)

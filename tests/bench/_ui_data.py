"""Runs inside the tablet app's own interpreter for the ``ui`` benchmark: fills the open store, asks and counts.

Documents are copies of the very ones that came down or were signed there, under other names, so their shape is right.
"""

import asyncio
import copy
import json
import time

import flet_js
from flet.components.public_utils import unwrap_component
from flet.controls.base_control import BaseControl
from flet.messaging.protocol import MessageAction
from inside_window import window
from pyodide.ffi import create_proxy

PORTION = 400


async def fill(rows):
    """Writes (table, id, document) in portions."""
    store, rows = window()._store, list(rows)
    for at in range(0, len(rows), PORTION):
        async with store.change() as tx:
            for table, ident, doc in rows[at : at + PORTION]:
                tx.put(table, ident, doc)


async def more_sites(count):
    """Sites beside those that came down, each with a permit; every twentieth with a finding."""
    table = window()._store.table
    site = table("sites").get("site-01")
    permit = next(one for one in table("permits").all() if one["site"] == "site-01")
    finding = table("findings").all()[0]
    rows = []
    had = sum(1 for ident in table("sites").ids() if ident.startswith("more-"))
    for n in range(had, had + count - len(table("sites"))):
        ident, street = f"more-{n:05}", ("Mill", "Orchard", "Lake", "Prairie", "Quarry", "Seminole", "Verona")[n % 7]
        rows.append(("sites", ident, {**copy.deepcopy(site), "id": ident, "name": f"{street} Terrace lot {n}",
                                      "address": f"{100 + n} {street} Street", "parcel": f"2710-{n:06}",
                                      "lat_udeg": site["lat_udeg"] + n % 100 * 900,
                                      "lon_udeg": site["lon_udeg"] + n // 100 * 900}))
        rows.append(("permits", f"permit-{ident}", {**copy.deepcopy(permit), "id": f"permit-{ident}", "site": ident,
                                                    "number": f"EC-2026-{n:05}"}))
        if n % 20 == 0:
            rows.append(("findings", f"finding-{ident}", {**copy.deepcopy(finding), "id": f"finding-{ident}",
                                                          "site": ident}))
    await fill(rows)
    return len(table("sites"))


async def signed_inspection(site, pin):
    """Begins an inspection, answers that nothing applies, signs it; the id of the record."""
    work = window().work
    view = await work.begin_inspection(site)
    for section in view.sections:
        for card in section.cards:
            view = await work.answer_rest(view.id, card.key, "na")
    for one in view.last_time:
        await work.follow_up(view.id, one.id, "not_observed")
    await work.set_closing(view.id, how="nobody present")
    return (await work.sign_inspection(view.id, pin)).fact


async def more_inspections(count, fact):
    """So many inspections signed here and not yet sent, and as many that came down, over all the sites."""
    table = window()._store.table
    row, sites, before = table("facts").get(fact), table("sites").ids(), table("inspections").all()[0]
    said, rows = json.loads(row["text"]), []
    for n in range(count - len(table("facts"))):
        ident, site = f"{n + 1:032x}", sites[n % len(sites)]
        text = json.dumps({**said, "id": ident, "counter": said["counter"] + n + 1,
                           "body": {**said["body"], "site": site}}, sort_keys=True, separators=(",", ":"))
        rows.append(("facts", ident, {**copy.deepcopy(dict(row)), "id": ident, "text": text,
                                      "counter": said["counter"] + n + 1}))
        rows.append(("inspections", ident, {**copy.deepcopy(dict(before)), "id": ident, "site": site}))
    await fill(rows)
    return len(table("facts"))


async def more_findings(site, count):
    """Open findings of the site, over all the items that are asked once for a site."""
    table, pack = window()._store.table, window().work._desk.pack()
    items = [item.id for one in pack.checklists.values() for item in one.items if item.per == "site"]
    model = next(one for one in table("findings").all())
    same = {"site": site, "photo": None, "subject": None, "status": "open"}
    rows = [("findings", f"open-{n:03}", {**copy.deepcopy(dict(model)), **same, "id": f"open-{n:03}",
                                          "item": items[n % len(items)], "note": f"Seen at post {n}."})
            for n in range(count)]
    old = [one["id"] for one in table("findings").all() if one["site"] == site]
    async with window()._store.change() as tx:
        for ident in old:
            tx.delete("findings", ident)
    await fill(rows)
    return len(rows)


async def begun(site):
    """A new inspection of the site, shown; its id."""
    shell = window()
    view = await shell.work.begin_inspection(site)
    await shell.work.go_to(view.id, "tracking")
    shell.go("inspection", draft=view.id)
    return view.id


def controls():
    """How many controls the page has now."""
    seen = set()

    def count(value):
        value = unwrap_component(value)
        if value is None or isinstance(value, (str, int, float, bool)) or id(value) in seen:
            return 0
        if isinstance(value, (list, tuple)):
            return sum(count(one) for one in value)
        if not isinstance(value, BaseControl):
            return 0
        seen.add(id(value))
        kept = [part for name, part in vars(value).items() if not name.startswith("_") and name != "data"]
        return 1 + sum(count(part) for part in (*kept, *value._values.values()))

    return count(window().page.views)


async def discard_all(site):
    """Throws away what was begun at the site."""
    work = window().work
    for doc in [doc for doc in window()._store.table("drafts").all() if doc["site"] == site]:
        await work.discard_draft(doc["id"])


async def searches(queries, rounds, rows):
    """By query the milliseconds of work of each search of the list, its window of rows made."""
    work, found = window().work, {query: [] for query in queries}
    work.sites("", (), near=False, limit=rows)  # the list was on the screen before anybody typed
    for _round in range(rounds):
        for query in queries:
            await asyncio.sleep(0.02)
            begun = time.perf_counter()
            view = work.sites(query, (), near=False, limit=rows)
            found[query].append((time.perf_counter() - begun) * 1000)
            assert view.total >= 10_000, view.total
    return found


class Answers:
    """How long the app itself works on a tap: from the moment its message comes into the interpreter until the first
    change of the screen that it brings is handed to the client. What the client takes to draw is not in it."""

    def __init__(self):
        self._came, self.ms = None, None
        connection = window().page.session.connection
        hear, tell = flet_js.send, connection.send_message

        def heard(data):
            if self._came is None:
                self._came = time.perf_counter()
            hear(data)

        def told(message):
            tell(message)
            if message.action == MessageAction.PATCH_CONTROL and self._came is not None and self.ms is None:
                self.ms = (time.perf_counter() - self._came) * 1000

        flet_js.send, connection.send_message = create_proxy(heard), told

    def wait(self):
        """For the next tap."""
        self._came = self.ms = None

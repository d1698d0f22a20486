"""The tablet app in server mode, led from screen to screen: for pictures of every screen with plenty to see on it.

One JSON command a line on its input, one JSON answer a line on its output. What is on the screens was made by the real
use cases on the real store and came from the real server; only nobody has to tap through all of it.
"""

from __future__ import annotations

import argparse
import asyncio
import io
import json
import sys
import traceback
from datetime import timedelta
from pathlib import Path
from typing import Any

import flet as ft
from flet.controls.context import _context_page
from PIL import Image, ImageDraw

from field_app.hardware import this_hardware
from field_app.hardware.ports import InstallState
from field_app.ui.root import Window, open_window
from field_app.work.app import Work
from sync.records.problems import Problem
from tests.support import led_steps
from tests.support.led_steps import PIN
from tests.support.tablet_process import TabletClock

INLET = "INL-01@inlet:inlet-01-1"


def picture(seed: int) -> bytes:
    """A street with mud on it, a little different each time."""
    image = Image.new("RGB", (1600, 1200), (168, 186, 200))
    draw = ImageDraw.Draw(image)
    draw.polygon([(0, 560), (1600, 480), (1600, 1200), (0, 1200)], fill=(96, 98, 102))
    draw.rectangle([0, 420, 1600, 520], fill=(92, 128, 74))
    for n in range(40):
        x, y = (n * 397 + seed * 131) % 1500, 620 + (n * 211 + seed * 57) % 520
        draw.ellipse([x, y, x + 90 + n % 5 * 18, y + 34 + n % 4 * 9], fill=(112 + n % 20, 78, 48))
    out = io.BytesIO()
    image.save(out, "JPEG", quality=84)
    return out.getvalue()


class Tour:
    """What may be asked; each gives what the caller needs to know (ids)."""

    def __init__(self, shell: Window) -> None:
        self.shell = shell

    @property
    def work(self) -> Work:
        return self.shell.work

    async def ready(self) -> None:
        while self.shell.phase == "starting":
            await asyncio.sleep(0.02)

    async def language(self, language: str) -> None:
        await self.work.set_language(language)
        self.shell.dress()

    async def size(self, width: int) -> None:
        """Waits until the window has that width."""
        while round(self.shell.width) != width:
            await asyncio.sleep(0.02)

    async def look(self, look: str, text: str) -> None:
        await self.work.set_look(look=look, text=text)
        self.shell.dress()

    async def install(self, way: str) -> None:
        """As on a device that puts the app on the home screen that way; "" as on one that does not."""
        self.work._desk.install = InstallState(False, way, way == "android") if way else None
        self.shell.redraw()

    async def enrol(self, code: str) -> None:
        await led_steps.enrol(self.shell, code)

    async def sign_in(self, code: str) -> None:
        await led_steps.sign_in(self.shell, code)

    async def set_pin(self) -> None:
        await led_steps.set_pin(self.shell)

    async def go(self, name: str, **given: str) -> None:
        self.shell.go(name, **given)

    async def where(self) -> dict[str, str]:
        """The screen that is shown and what it carries."""
        return {"name": self.shell.place.name, **dict(self.shell.place.given)}

    async def send(self) -> None:
        """Whoever knows that the server is back need not wait for the next try."""
        self.work.send_now()

    async def field(self, identifier: str) -> dict[str, Any]:
        """What the app itself knows of a text field that is on the screen; None where there is none."""
        here = [one.content.value for one in list(self.shell.page.session.index.values())
                if isinstance(one, ft.Semantics) and one.identifier == identifier and isinstance(
                    one.content, ft.TextField)]
        return {"value": here[-1] if here else None}

    async def kept(self, table: str, ident: str) -> dict[str, Any]:
        """A document of the tablet's store as it lies there."""
        return {"kept": self.work._desk.store.table(table).get(ident)}

    async def papers(self, count: int) -> dict[str, Any]:
        """The numbers of the pre-printed placards in the case, once so many are known here."""
        while len(free := self.work.blanks().free) < count:
            self.work.send_now()
            await asyncio.sleep(0.3)
        return {"numbers": list(free)}

    async def plan(self, site: str) -> dict[str, str]:
        """The id of a plan of the site, once it lies here."""
        while not (here := [row for row in self.work.plans(site).current if row.here]):
            await asyncio.sleep(0.05)
        return {"plan": here[0].id}

    async def draft(self, site: str) -> dict[str, str]:
        """An inspection with a critical failure that has everything but one photo, and a major one."""
        work = self.work
        draft = (await work.begin_inspection(site)).id
        await work.set_details(draft, type="rain", rain="0.7")
        for part, value in (("soil", "clumps"), ("distance", "40"), ("gutter", "no")):
            await work.answer(draft, "TRK-06", part, value)
        await work.note(draft, "TRK-06", "Clumps of soil on Mill Street, from the exit 40 feet to the east.")
        kept = await work.add_photo(draft, "TRK-06", picture(1), source="camera", view="wide")
        await work.add_photo(draft, "TRK-06", picture(2), source="gallery", view="close", name="mud.jpg")
        for part, value in (("barrier", "none"), ("runoff", "yes"), ("rain_due", "no")):
            await work.answer(draft, INLET, part, value)
        await work.note(draft, INLET, "No barrier; muddy water runs into the inlet.")
        await work.add_photo(draft, INLET, picture(3), source="camera", view="wide")
        for key in ("TRK-01", "TRK-02"):
            await work.answer_special(draft, key, "not_observed")
        view = work.inspection(draft)
        photos = [photo for s in view.sections for c in s.cards for i in c.items for photo in i.photos]
        del kept
        return {"draft": draft, "photo": photos[0].sha256}

    async def at(self, draft: str, section: str, key: str = "") -> None:
        await self.work.go_to(draft, section, key)
        if key:  # as a killed app opens: at that item
            self.shell.go("sites")
            await asyncio.sleep(0.3)
        self.shell.go("inspection", draft=draft)
        self.shell.redraw()

    async def sign(self, draft: str) -> dict[str, str]:
        work = self.work
        await work.add_photo(draft, INLET, picture(4), source="camera", view="close")
        await self.rest(draft)
        await work.set_closing(draft, how="nobody present")
        await work.set_follows(draft, "order", True)
        return {"fact": (await work.sign_inspection(draft, PIN)).fact}

    async def rest(self, draft: str) -> None:
        await led_steps.rest(self.work, draft)

    async def written(self, order: str, fact: str) -> None:
        await led_steps.written(self.work, order, fact)

    async def order(self, site: str, fact: str) -> dict[str, str]:
        work = self.work
        order = (await work.begin_order(site, fact)).id
        await work.set_met(order, 0, "Dana Whitfield", "site superintendent", True)
        return {"order": order}

    async def placard(self, order: str) -> dict[str, str]:
        return {"number": (await self.work.make_placard(order)).number}

    async def up(self, order: str) -> None:
        await self.work.placard_is_up(order)

    async def post(self, order: str) -> dict[str, str]:
        made = await self.work.post_order(order, PIN)
        known = next(one for one in self.work.site(made.site).orders if one.number == made.number)
        return {"order_fact": known.fact}

    async def photos_wait(self, number: str) -> None:
        """Two photos of a placard for which the PIN does not hold any more."""
        self.work._desk.lock()
        await self.work.add_order_photo(number, picture(7), source="camera", view="wide")
        await self.work.add_order_photo(number, picture(8), source="gallery", view="close", name="placard.jpg")

    async def report(self) -> dict[str, str]:
        return {"report": (await self.work.begin_report()).id}

    async def emergency(self, site: str) -> dict[str, str]:
        """One with everything it needs, but for the reason why its photos are from far off."""
        work = self.work
        act = (await work.begin_site_act(site, "emergency")).id
        await work.set_act_text(act, "condition", "The basin overflows and its bank is cut through.")
        await work.set_threat(act, "surface water")
        await work.set_act_text(act, "actions", "Sand bags across the cut; the city's crew is called.")
        await work.set_act_approval(act, how="phone", person="carol")
        await work.act_approved_now(act)
        await work.set_entered(act, True)
        await work.add_act_photo(act, picture(5), source="camera", view="wide")
        return {"act": act}

    async def revision(self, site: str) -> dict[str, str]:
        work = self.work
        act = (await work.begin_site_act(site, "revision")).id
        await work.set_act_text(act, "conditions", "4.1 inches of rain in 24 hours.")
        await work.set_act_text(act, "inadequate", "Water runs around both ends of the silt fence.")
        due = (work.day() + timedelta(days=2)).isoformat()
        await work.set_revision_device(act, 0, "A sediment trap at the low corner", due, "17:00")
        await work.set_act_met(act, 0, "Dana Whitfield", "site superintendent", True)
        return {"act": act}

    async def sign_act(self, act: str) -> None:
        if self.work.site_act(act).far is not None:
            await self.work.set_report_far_reason(act, "Seen from the bridge.")
        await self.work.sign_site_act(act, PIN)

    async def correction(self, fact: str) -> dict[str, str]:
        return {"draft": (await self.work.begin_correction(fact)).id}

    async def discard(self, draft: str) -> None:
        await self.work.discard_draft(draft)

    async def affix(self, site: str, number: str) -> dict[str, str]:
        """Begin to put up an order that the office issued, once it has come down."""
        while not any(one.number == number and one.can_affix for one in self.work.site(site).orders):
            self.work.send_now()
            await asyncio.sleep(0.3)
        return {"draft": (await self.work.begin_affixing(number)).id}

    async def lock(self) -> None:
        await self.work.leave()
        self.shell.enter("locked")

    async def unlock(self, person: str) -> None:
        self.shell.unlocked(await self.work.unlock(person, PIN))

    async def forget(self, person: str) -> None:
        """The question for a forgotten PIN, as if it had been chosen on the pad."""
        await self.work.ask_for_pin(person, "161803", "161803")
        self.shell.redraw()

    async def refuse(self, code: str, words: str) -> None:
        """As after a tap that was refused."""
        self.shell.refuse(Problem(code, words))

    async def phase(self, name: str) -> None:
        """What is shown before or instead of all work."""
        self.shell.phase = name
        self.shell.redraw()

    async def withdrawn(self) -> None:
        """Once the tablet has heard that the office withdrew it."""
        while self.shell.phase != "withdrawn":
            self.work.send_now()
            await asyncio.sleep(0.3)


async def led(shell: Window) -> None:
    _context_page.set(shell.page)
    tour, loop, done = Tour(shell), asyncio.get_running_loop(), 0
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        asked = json.loads(line)
        try:
            said: dict[str, Any] = await getattr(tour, asked.pop("do"))(**asked) or {}
            for _turn in range(12):  # what was changed goes out first, then the title that says so
                await asyncio.sleep(0)
            done += 1
            shell.page.title = said["title"] = f"Siltwatch {done}"
            shell.page.update()
        except Exception:
            said = {"failed": traceback.format_exc()}
        print(json.dumps(said), flush=True)


if __name__ == "__main__":
    ask = argparse.ArgumentParser()
    ask.add_argument("--clock", type=Path, required=True)
    clock = TabletClock(ask.parse_args().clock)

    async def main(page: ft.Page) -> None:
        hardware = await this_hardware(page, clock=clock)
        shell = open_window(page, hardware, lambda store, box: Work(store, box, hardware, server=hardware.server))
        shell.start_task(led(shell))

    ft.run(main, no_cdn=True)

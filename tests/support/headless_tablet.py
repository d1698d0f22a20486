"""A tablet as a process of its own, without a screen: the real use cases on real files, real HTTP to the real server.

``python -m tests.support.headless_tablet --folder F --server URL --clock FILE`` reads one JSON command a line and
answers each with a line; `HeadlessTablet` starts it, talks to it and kills it. Its whole state is the folder: a copied
folder is a copied tablet.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from sync.client.transports.native import NativeTransport

ROOT = Path(__file__).resolve().parents[2]


class HeadlessTablet:
    """`say` gives a command and waits for its answer; a command that fails raises with what the tablet said."""

    def __init__(self, folder: Path, server: str, clock: Path) -> None:
        self.folder, self.server, self.clock = folder, server, clock
        self._process: subprocess.Popen | None = None

    def start(self) -> HeadlessTablet:
        self.folder.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "-m", "tests.support.headless_tablet", "--folder", str(self.folder), "--server",
                   self.server, "--clock", str(self.clock)]  # fmt: skip
        with (self.folder.with_name(self.folder.name + ".log")).open("ab") as log:
            self._process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                             stderr=log)  # fmt: skip
        return self

    def ask(self, do: str, **given: Any) -> None:
        """Gives the command and does not wait."""
        self._process.stdin.write(json.dumps({"do": do, **given}).encode() + b"\n")
        self._process.stdin.flush()

    def hear(self) -> dict[str, Any]:
        """The answer to the oldest command that was not answered yet."""
        line = self._process.stdout.readline()
        assert line, f"the tablet ended: {self.folder.with_name(self.folder.name + '.log').read_text()[-3000:]}"
        said = json.loads(line)
        assert "failed" not in said, said["failed"]
        return said

    def say(self, do: str, **given: Any) -> dict[str, Any]:
        self.ask(do, **given)
        return self.hear()

    def kill(self) -> None:
        """As the system kills an app."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process.stdin.close()
            self._process.stdout.close()
            self._process = None

    def copy(self, folder: Path) -> HeadlessTablet:
        """A tablet with the same storage as this one has now."""
        shutil.copytree(self.folder, folder, ignore=shutil.ignore_patterns("*.lock"))
        return HeadlessTablet(folder, self.server, self.clock)

    def __enter__(self) -> HeadlessTablet:
        return self if self._process else self.start()

    def __exit__(self, *_: object) -> None:
        self.kill()


# --- the process ------------------------------------------------------------------------------------------------------
class Counting(NativeTransport):
    """The real transport; counts the answers to questions for news."""

    pulls = 0

    async def send(self, target: Any, request: Any, body: Any = None, progress: Any = None) -> Any:
        reply = await super().send(target, request, body, progress)
        Counting.pulls += request.purpose == "pull" and reply.status == 200
        return reply


async def serve(folder: Path, server: str, clock_file: Path) -> None:
    from field_app.hardware.clock import SystemIds
    from field_app.store.memory import Medium
    from field_app.work.app import Work
    from tests.support.field_desk import PIN, ROUNDS, Bench, SetPosition
    from tests.support.tablet_process import TabletClock

    clock = TabletClock(clock_file)
    desk = Bench(city=None, clock=clock, network=None, position=SetPosition(clock), ids=SystemIds(),
                 box_folder=folder / "evidence", store_folder=folder / "store", medium=Medium(), saved={})
    transport = Counting()
    hardware = replace(desk.hardware(), transport=lambda _server: transport, server=server)
    store = await desk.open_store()
    work = Work(store, await desk.open_box(), hardware, server=server, pin_rounds=ROUNDS)
    await work.start()
    if store.locked:
        await work.unlock(work.lock_view().person, PIN)
    loop = asyncio.get_running_loop()
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        asked = json.loads(line)
        try:
            said = await COMMANDS[asked.pop("do")](work, **asked)
        except Exception as error:
            said = {"failed": f"{type(error).__name__}: {error}"}
        print(json.dumps(said or {}), flush=True)
    await work.stop_sync()
    await store.close()


async def enrol(work: Any, code: str, personal: str) -> dict[str, Any]:
    from tests.support.field_desk import PIN

    await work.enrol(code)
    if await work.sign_in(personal) is not None:
        await work.set_pin(PIN, PIN)
    return await sync(work)


async def sync(work: Any, patience: float = 90.0) -> dict[str, Any]:
    """Until nothing is left to send, everything came down, and the tablet has its code and its numbers."""
    before = Counting.pulls
    work.start_sync()
    work.send_now()
    async with asyncio.timeout(patience):
        while Counting.pulls == before or not _at_rest(work):
            await asyncio.sleep(0.05)
    await work.stop_sync()
    return state(work)


def _at_rest(work: Any) -> bool:
    view, desk = work._desk.outbox.view(), work._desk
    link = desk.link()
    settled = all(row.whole or (row.known and row.answer != "applied") for row in view.facts)
    settled = settled and all(row.held for row in view.files)
    # Where the server has something to say about the tablet, it is not over with the last record.
    return bool(link and link.up and settled and view.cursor.seq and view.lease_free >= 50 and not view.copied
                and (desk.recoding is None or desk.recoding.done()))  # fmt: skip


async def inspect(work: Any, site: str = "site-01") -> dict[str, Any]:
    from tests.support.field_desk import PIN
    from tests.support.field_steps import nothing_else, soil_on_the_road

    view = await work.begin_inspection(site)
    await soil_on_the_road(work, view.id)
    await nothing_else(work, view.id)
    return {"fact": (await work.sign_inspection(view.id, PIN)).fact}


async def order(work: Any) -> dict[str, Any]:
    """An inspection with a failure, and an order on it that is put up and signed."""
    from tests.support.field_desk import PIN
    from tests.support.field_steps import written_order

    fact = (await inspect(work))["fact"]
    # One may stand on the site already: this one is beside it.
    made = await written_order(work, work.signed(fact), how="beside", reason="Another part of the site.")
    await work.make_placard(made)
    await work.placard_is_up(made)
    await work.post_order(made, PIN)
    return {"fact": fact, "order": made, "number": work.placard(made).number}


async def now(work: Any) -> dict[str, Any]:
    return state(work)


def state(work: Any) -> dict[str, Any]:
    view = work._desk.outbox.view()
    return {"code": view.code, "epoch": view.epoch, "free": view.lease_free, "highest": view.lease_highest,
            "facts": {row.id: [row.counter, row.state, row.text] for row in view.facts},
            "files": {row.sha256: row.held for row in view.files}}  # fmt: skip


COMMANDS = {"enrol": enrol, "sync": sync, "inspect": inspect, "order": order, "now": now}


if __name__ == "__main__":
    ask = argparse.ArgumentParser()
    ask.add_argument("--folder", type=Path, required=True)
    ask.add_argument("--server", required=True)
    ask.add_argument("--clock", type=Path, required=True)
    given = ask.parse_args()
    asyncio.run(serve(given.folder, given.server, given.clock))

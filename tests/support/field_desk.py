"""A tablet in one process: the real use cases on the real store, evidence box and records, and a real city behind it.

Hardware is small and real: a clock that is set, a position that is set, Pillow, hashlib. The network is a call into
the server's own application, and can be down. `reopen` is a killed and restarted app on the same storage.
"""

from __future__ import annotations

import asyncio
import io
import random
from collections.abc import Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import httpx
from PIL import Image
from starlette.applications import Starlette
from starlette.routing import Mount

from field_app.hardware.crypto import NativeCrypto
from field_app.hardware.images_pillow import PillowImages
from field_app.hardware.ports import Fix, Hardware, NoFix
from field_app.photos.fetched import open_fetched
from field_app.photos.native import open_native_box
from field_app.store.memory import Medium, open_memory
from field_app.store.native import open_native
from field_app.work.app import Work
from sync.client.calls import LOCAL, OFFLINE, Reply, Request, Target
from sync.records.facts import Fact
from sync.records.problems import Problem
from sync.server.api.service import guarded_api
from sync.server.casework.city import City
from sync.server.casework.enrolment import create_enrolment_code, create_personal_code
from tests.support.city import memory_city
from tests.support.clock import StoppedClock

SERVER = "http://office.test"
PIN = "274915"
ROUNDS = 200


class FieldClock(StoppedClock):
    """The tablet's clock: stands still until it is moved, and is the office's clock too."""

    boot = "b007b007b007b007"

    def __init__(self, at: str = "2026-08-27T14:00:00-05:00") -> None:
        super().__init__(at)
        self._start = self.now()

    def monotonic_ms(self) -> int:
        return max(0, round((self.now() - self._start).total_seconds() * 1000))


class SeededIds:
    """Random bytes that are the same in every run."""

    def __init__(self, seed: int = 3) -> None:
        self._random = random.Random(seed)

    def random_bytes(self, count: int) -> bytes:
        return self._random.randbytes(count)


class SetPosition:
    """Says where it was told to be."""

    def __init__(self, clock: FieldClock) -> None:
        self.clock = clock
        self.place: tuple[int, int, int] | None = (43_073_100, -89_401_200, 500)

    async def fix(self, wait: float = 15.0) -> Fix | NoFix:
        return Fix(*self.place, fixed_at=self.clock.now()) if self.place else NoFix("denied")


class Network:
    """The way from the tablet to the city's own API; `up` False: the server is stopped."""

    def __init__(self, city: City) -> None:
        app = Starlette(routes=[Mount("/api/v1", guarded_api(city))])
        self._http = httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url=SERVER)
        # The city is a database in memory with one connection: one call at a time.
        self.one = asyncio.Lock()
        self.up = True
        self.lose_replies = 0
        self.sent: list[Request] = []

    async def send(self, target: Target, request: Request, body: Any = None, progress: Any = None) -> Reply:
        if not self.up:
            return Reply(failure=OFFLINE, detail="the server is stopped")
        self.sent.append(request)
        try:
            content = request.body if body is None else (body if isinstance(body, bytes) else body.read())
        except OSError as unreadable:
            return Reply(failure=LOCAL, detail=str(unreadable))
        finally:
            if body is not None and not isinstance(body, bytes):
                body.close()
        if request.part is not None and content is not None:
            content = content[request.part[0] : sum(request.part)]
        # A call that the tablet gives up goes on at the server, which is done with it before the next one.
        answer = await asyncio.shield(
            asyncio.ensure_future(self._ask(request, target.headers(request), content)),
        )
        if self.lose_replies:
            self.lose_replies -= 1
            return Reply(failure=OFFLINE, detail="the reply was lost")
        headers = {name.lower(): value for name, value in answer.headers.items()}
        return Reply(answer.status_code, headers, answer.content)

    async def download(self, target: Target, request: Request, sink: Any, room: Any) -> Reply:
        if not self.up:
            return Reply(failure=OFFLINE, detail="the server is stopped")
        self.sent.append(request)
        answer = await asyncio.shield(asyncio.ensure_future(self._ask(request, target.headers(request), None)))
        headers = {name.lower(): value for name, value in answer.headers.items()}
        expected = room(answer.status_code, headers)
        if expected is None:
            return Reply(answer.status_code, headers, answer.content)
        sink.write(answer.content[:expected])
        return Reply(answer.status_code, headers)

    async def _ask(self, request: Request, headers: dict[str, str], content: bytes | None) -> httpx.Response:
        async with self.one:
            return await self._http.request(request.method, request.path, headers=headers, content=content)


class KeptOutgoing:
    """The outgoing port: the file ends up in `saved` under its name, unless the person cancels."""

    def __init__(self, name: str, saved: dict[str, bytes], cancel: bool) -> None:
        self._name, self._saved, self._cancel = name, saved, cancel
        self.made, self.largest = bytearray(), 0

    async def write(self, data: bytes) -> None:
        self.made += data
        self.largest = max(self.largest, len(data))

    async def add(self, body: Any) -> None:
        with body:
            self.made += body.read()

    async def save(self) -> bool:
        if not self._cancel:
            self._saved[self._name] = bytes(self.made)
        return not self._cancel

    async def drop(self) -> None:
        self.made = bytearray()


class NoCamera:
    available = False


@dataclass(slots=True)
class Bench:
    """What outlives an app: storage, clock, network, city. `work()` opens the app on it."""

    city: City
    clock: FieldClock
    network: Network
    position: SetPosition
    ids: SeededIds
    box_folder: Path
    store_folder: Path | None
    medium: Medium
    saved: dict[str, bytes]
    cancel: bool = False
    link_code: str | None = None
    codes_used: int = 0

    def hardware(self) -> Hardware:
        async def take() -> str | None:
            code, self.link_code = self.link_code, None
            return code

        def used() -> None:
            self.codes_used += 1

        async def save(name: str, data: bytes, media: str) -> bool:
            self.saved[name] = data
            return True

        async def outgoing(name: str, media: str) -> KeptOutgoing:
            return KeptOutgoing(name, self.saved, self.cancel)

        return Hardware(
            kind="native",
            clock=self.clock,
            ids=self.ids,
            images=PillowImages(),
            camera=NoCamera(),
            position=self.position,
            picker=None,
            crypto=NativeCrypto(),
            another_tab=None,
            updates=None,
            visibility=None,
            server=SERVER,
            open_store=self.open_store,
            open_box=self.open_box,
            open_files=self.open_files,
            transport=lambda server: self.network,
            take_enrol_code=take,
            enrol_code_used=used,
            save_file=save,
            outgoing=outgoing,
        )

    async def open_store(self) -> Any:
        ciphers = NativeCrypto()
        return await (open_native(self.store_folder, ciphers) if self.store_folder
                      else open_memory(self.medium, ciphers))

    async def open_box(self) -> Any:
        return await open_native_box(self.box_folder, PillowImages())

    async def open_files(self) -> Any:
        return await open_fetched(self.box_folder.with_name("fetched"))

    @asynccontextmanager
    async def work(self, *, unlock: bool = True):
        """The app, started, and unlocked by who worked last; closed (as by a kill: nothing is flushed on the way) at
        the end."""
        store = await self.open_store()
        try:
            work = Work(store, await self.open_box(), self.hardware(), server=SERVER, pin_rounds=ROUNDS)
            await work.start()
            if unlock and store.locked and (last := work.lock_view().person):
                await work.unlock(last, PIN)
            yield work
            await work.stop_sync()
        finally:
            await store.close()

    async def office(self, act: Callable[..., Any], *arguments: Any) -> Any:
        """Something done in the office while tablets may be calling: `act(city, *arguments)`, between two calls."""
        async with self.network.one:
            return act(self.city, *arguments)

    def enrolment_code(self) -> str:
        return create_enrolment_code(self.city, "keeper")

    def personal_code(self, person: str) -> str:
        return create_personal_code(self.city, "keeper", person)


def bench(
    folder: Path, *, at: str = "2026-08-27T14:00:00-05:00", native: bool = False, of: Bench | None = None,
    clock: FieldClock | None = None,
) -> Bench:
    """A furnished city and an empty tablet; with `of` a second tablet of that one's city, on the same clock."""
    clock = clock or (of.clock if of else FieldClock(at))
    city = of.city if of else memory_city(clock)
    return Bench(
        city=city,
        clock=clock,
        network=of.network if of else Network(city),
        position=SetPosition(clock),
        ids=SeededIds(4 if of else 3),
        box_folder=folder / "evidence",
        store_folder=folder / "store" if native else None,
        medium=Medium(),
        saved={},
    )


async def until(met: Callable[[], bool]) -> None:
    """Let the loop run until something is so; fails when it does not come about."""
    for _ in range(2000):
        if met():
            return
        await asyncio.sleep(0.005)
    raise AssertionError("it did not come about")


def signed_facts(work: Work, kind: str) -> list[Fact]:
    """The records of that kind that are on the tablet."""
    return [work._desk.fact(row) for row in work._desk.store.table("facts").all() if row["kind"] == kind]


async def refused(call: Awaitable[Any]) -> str:
    """The code with which it is refused; fails when it is not."""
    try:
        await call
    except Problem as problem:
        return problem.code
    raise AssertionError("it was not refused")


async def settle(work: Work, met: Callable[[], bool] = lambda: True) -> None:
    """Run the sync driver until nothing more is to be sent, sites are here and `met` is so."""
    work.start_sync()
    work.send_now()
    await until(lambda: work.status().online and work.status().waiting == 0 and work.sites().total > 0 and met())


async def ready(bench: Bench, work: Work, person: str = "ada") -> None:
    """Enrol the tablet, sign the person in, set the PIN, and let everything come down."""
    await work.enrol(bench.enrolment_code())
    await sign_in(bench, work, person)
    await settle(work)
    await work.stop_sync()


async def sign_in(bench: Bench, work: Work, person: str) -> None:
    if await work.sign_in(bench.personal_code(person)) is not None:
        await work.set_pin(PIN, PIN)


def jpeg(seed: int = 1, size: tuple[int, int] = (64, 48)) -> bytes:
    """A small real JPEG, another for each seed."""
    image = Image.new("RGB", size, (seed * 37 % 256, seed * 71 % 256, seed * 113 % 256))
    out = io.BytesIO()
    image.save(out, "JPEG", quality=85)
    return out.getvalue()


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text)

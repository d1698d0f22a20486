"""A tablet's sending in a real Chromium against the real server: one page, one worker, measured from outside."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import sync_playwright
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from sync.records.facts import Evidence
from sync.server.api.service import guarded_api
from tests.support.chromium import FLAGS, executable
from tests.support.city import FieldTablet, field_tablet, inspection_body, memory_city
from tests.support.clock import StoppedClock
from tests.support.pyodide_page import HTML, WORKER, WorkerPage, archive, pyodide_folder
from tests.support.serve import free_socket, serving

PROJECT = ("field_app/__init__.py", "field_app/store", "field_app/photos", "field_app/hardware", "field_app/work",
           "field_app/capture", "sync/__init__.py", "sync/where.py", "sync/records", "sync/client", "sync/ordinance",
           "sync/documents", "tests/contract", "tests/support/sync_sim.py")  # fmt: skip
PHOTO_BYTES = 2_000_000


class BrowserTablet:
    """``send`` takes photos of `PHOTO_BYTES` through the tablet's own driver, three to a record."""

    def __init__(self, worker: WorkerPage, tablet: FieldTablet) -> None:
        self._worker, self.tablet = worker, tablet

    def send(self, count: int) -> dict[str, Any]:
        """{heap: bytes of the WASM heap afterwards, longest_ms and longest_of: the driver's longest step}."""
        names = self._worker.run(f"await tablet.photos({PHOTO_BYTES}, {count})")
        items = []
        for at in range(0, count, 3):
            files = tuple(Evidence(name, "photo", PHOTO_BYTES, "image/jpeg") for name in names[at : at + 3])
            item = self.tablet.item(self.tablet.fact("inspection_signed", inspection_body(), evidence=files))
            items.append({"fact": item.text, "mac": item.mac, "credential": item.credential})
        return self._worker.run(f"await tablet.send(json.loads({json.dumps(json.dumps(items))}))")

    def longest_step(self) -> dict[str, Any]:
        """{longest_ms, longest_of} of the engine alone, while 1,000 records with 2,000 photos go out."""
        return self._worker.run("upload_world.longest_step()")


@contextmanager
def browser_tablet() -> Iterator[BrowserTablet]:
    """A tablet in a new profile, enrolled at a furnished city; page and interface are one origin, as in the field."""
    city = memory_city(StoppedClock())
    tablet = field_tablet(city, "ada")
    files = {"/index.html": (HTML, "text/html"), "/worker.mjs": (WORKER.replace("WARM", '""'), "text/javascript"),
             "/project.zip": (archive(*PROJECT), "application/zip")}  # fmt: skip

    async def file(request: Any) -> Response:
        content, media = files[request.url.path]
        return Response(content, media_type=media)

    app = Starlette(routes=[
        *(Route(path, file) for path in files), Mount("/pyodide", StaticFiles(directory=pyodide_folder())),
        Mount("/api/v1", guarded_api(city)),
    ])
    with serving(app, free_socket()) as origin, sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=executable(), headless=True, args=list(FLAGS))
        try:
            page = chromium.new_page()
            page.on("console", lambda message: print("page:", message.text))
            page.goto(f"{origin}/index.html")
            worker = WorkerPage(page)
            told = (origin, tablet.enrolled.device_token, tablet.tablet.receipt_key.hex(), tablet.enrolled.epoch)
            worker.run("import json\nfrom tests.contract import upload_world\ntablet = upload_world.Tablet()\n"
                       f"await tablet.open(*{told!r})\n'null'")
            yield BrowserTablet(worker, tablet)
        finally:
            chromium.close()

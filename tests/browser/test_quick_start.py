"""Later starts come from an image of Python's memory and from kept bytecode, and never at the price of safety."""

import json
from pathlib import Path

import pytest

from field_app.packaging import web
from tests.support.chromium import browser, by_id
from tests.support.static_server import Served, free_port

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]
ROOT = Path(__file__).resolve().parents[2]
APP = '''
import json, random
import flet as ft, flet.controls.page, js, msgpack

async def main(page):
    async def tap(_):
        answer.value = "answered"
        page.update()
    answer = ft.Text("waiting")
    page.add(answer, ft.Semantics(identifier="tap", content=ft.Button("Tap", on_click=tap)))
    js.pagePort.postMessage(js.JSON.parse('{"kind": "ready"}'))
    js.pagePort.postMessage(js.JSON.parse('{"kind": "store-opened"}'))
    # A module that was compiled here has the date of its source in its bytecode; a kept one has a flag instead.
    with open(flet.controls.page.__cached__, "rb") as file:
        flags = file.read(8)[4]
    print("FACTS", json.dumps({"random": random.random(), "msgpack": msgpack.Packer.__module__, "flags": flags}))

ft.run(main)
'''


def test_an_image_and_bytecode_are_kept_used_checked_and_thrown_away_when_damaged(tmp_path):
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / "main.py").write_text(APP)
    web.build(tmp_path / "web", cache=ROOT / "build" / "cache" / "wheels", app=tmp_path / "app")
    with Served(tmp_path / "web", free_port()) as served, browser(tmp_path / "profile") as one:
        page = one.open()

        def start(go) -> dict:
            """How the start came about, once a tap was answered."""
            one.said.clear()
            go()
            by_id(page, "tap").locator("xpath=descendant-or-self::*[@role='button']").first.click(timeout=90_000)
            page.get_by_text("answered").first.wait_for(state="attached", timeout=30_000)
            script = "({image: !!self.quickStart, bytecode: !!self.bytecodeHeld})"
            found = next(worker.evaluate(script) for worker in page.workers if "python-worker" in worker.url)
            while not (lines := [line for line in one.said if line.startswith("FACTS ")]):
                page.wait_for_timeout(100)  # what a worker prints comes on a way of its own
            return {**found, **json.loads(lines[0][6:])}

        def until_kept():
            page.locator("html[data-quick=ready]").wait_for(state="attached", timeout=90_000)

        def until_good():
            script = "caches.open('siltwatch:/app/:quick').then((c) => c.match('/app/__tries__')).then((r) => r.text())"
            while page.evaluate(script) != "0":
                page.wait_for_timeout(100)

        first = start(lambda: page.goto(served.address))
        assert (first["image"], first["bytecode"]) == (False, False)
        assert first["flags"] == 0
        assert first["msgpack"] == "msgpack._cmsgpack", "the compiled one"
        until_kept()
        kept = """async () => {
          const held = await (await caches.open("siltwatch:/app/:quick")).match("/app/__bytecode__");
          return held ? (await held.arrayBuffer()).byteLength : 0;
        }"""
        for _ in range(2400):
            if page.evaluate(kept) > 1_000_000:
                break
            page.wait_for_timeout(100)
        assert page.evaluate(kept) > 1_000_000, "\n".join(one.said)
        page.locator("html[data-offline=ready]").wait_for(state="attached", timeout=60_000)
        served.stop()

        second = start(page.reload)
        assert (second["image"], second["bytecode"], second["flags"]) == (True, True, 1)
        assert second["msgpack"] == first["msgpack"]
        assert second["random"] != first["random"]
        until_good()
        third = start(page.reload)
        assert third["image"] is True
        assert third["random"] != second["random"], "the generator's state must not come out of the image"
        until_good()

        # One byte of the image is wrong: it is not used, the app starts all the same, and a new one is made.
        page.evaluate("""async () => {
          const cache = await caches.open("siltwatch:/app/:quick");
          const held = await cache.match("/app/__image__");
          const bytes = new Uint8Array(await held.arrayBuffer());
          bytes[5000000] ^= 255;
          await cache.put("/app/__image__", new Response(bytes, { headers: held.headers }));
        }""")
        damaged = start(page.reload)
        assert damaged["image"] is False
        until_kept()
        assert start(page.reload)["image"] is True

        # Two starts that were never reported as good (written from a page without the app): the next goes without.
        served.start()
        page.goto(served.address.replace("/app/", "/outside"))
        page.evaluate("""async () => {
          const cache = await caches.open("siltwatch:/app/:quick");
          await cache.put("/app/__tries__", new Response("2"));
        }""")
        assert start(lambda: page.goto(served.address)) | {"random": 0} == first | {"random": 0}

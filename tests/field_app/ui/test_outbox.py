"""The outbox screen by taps: the answer, what waits and until when, photos and Wi-Fi, the file and the receipts."""

import asyncio
from dataclasses import replace
from pathlib import Path

from field_app.hardware.ports import NetworkState, Picked
from sync.server.casework.importing import take_in
from tests.support.field_desk import bench
from tests.support.field_steps import failing_inspection
from tests.support.tablet_window import window


class Air:
    """What the platform says of the network."""

    def __init__(self, metered):
        self._state, self._heard = NetworkState(True, metered), []

    def state(self):
        return self._state

    def listen(self, heard):
        self._heard.append(heard)
        return lambda: self._heard.remove(heard)

    def become(self, **more):
        self._state = replace(self._state, **more)
        for heard in list(self._heard):
            heard(self._state)


def test_by_file_to_the_office_and_back(tmp_path: Path):
    async def go():
        import io

        desk = bench(tmp_path)
        async with window(desk) as w:
            await w.set_up()
            desk.network.up = False
            await failing_inspection(w.work)
            w.shell.aside("outbox")
            await w.appears("out-waiting")
            assert w.screen.shows("Safe to hand in this tablet: not yet")
            assert w.screen.shows("Save what is not safe: 1 signed item with 3 files")
            await w.press("export")
            await w.until(lambda: desk.saved, "the file")
            await w.until(lambda: w.screen.shows("Saved to siltwatch-T01"), "it says so")
            (data,) = desk.saved.values()
            taken = take_in(desk.city, "carol", io.BytesIO(data))
            receipts: list[Picked] = [Picked("receipts.json", taken.receipts.to_bytes())]
            await w.shell.hardware.files.choose(Picked("cat.jpg", b"\xff\xd8\xff"))
            await w.until(lambda: w.screen.shows("receipts-malformed"), "what is none is refused")
            await w.shell.hardware.files.choose(*receipts)
            await w.appears("out-safe")
            assert w.screen.shows("Safe to hand in this tablet: yes") and w.screen.shows("receipts for 1 record and")
            assert "status-safe" in w.screen.ids() and "problem" not in w.screen.ids()
            assert "export-drafts" not in w.screen.ids()
            await w.work.begin_inspection("site-01")
            await w.appears("export-drafts")  # a file holds what is signed alone, and says so

    asyncio.run(go())


def test_photos_wait_for_wifi_and_go_once_when_asked(tmp_path: Path):
    async def go():
        desk, air = bench(tmp_path), Air(metered=True)
        async with window(desk, width=412, height=915, network=air) as w:
            await w.set_up()
            await failing_inspection(w.work)
            w.shell.aside("outbox")
            await w.appears("photos-waiting")
            await w.until(lambda: "out-received" in w.screen.ids(), "the record is there, its photos wait")
            assert w.screen.shows("waits for Wi-Fi") and w.screen.shows("This network costs money")
            await w.press("photos-now")
            await w.appears("out-safe")
            await w.press("photos-any")
            await w.until(lambda: w.screen.shows("Photos go over any network"), "the choice is kept")
            assert not w.work.outbox().photos.wifi_only
            await w.press("photos-wifi")
            await w.until(lambda: w.work.outbox().photos.wifi_only, "and taken back")

    asyncio.run(go())


def test_a_long_list_is_shown_in_windows_what_needs_a_look_first(tmp_path: Path):
    async def go():
        desk = bench(tmp_path)
        async with window(desk) as w:
            await w.set_up()
            desk.network.up = False
            await failing_inspection(w.work)
            store = w.work._desk.store
            async with store.change() as tx:
                one = dict(store.table("facts").get(w.work.outbox().rows[0].fact))
                for n in range(60):
                    ident = f"{n:032x}"
                    parked = {"code": "fact-malformed", "detail": ""} if n == 7 else None
                    tx.put("facts", ident, {
                        **one, "id": ident, "counter": 1000 + n, "evidence": [],
                        "text": one["text"].replace(one["id"], ident), "sync": {**one["sync"], "parked": parked}})
            w.shell.aside("outbox")
            await w.appears("outbox-more")
            assert len([i for i in w.screen.ids() if i in ("out-waiting", "out-parked")]) == 25
            assert w.screen.ids().index("out-parked") < w.screen.ids().index("out-waiting")
            assert w.screen.shows("could not read this record") and f"again-{7:032x}" in w.screen.ids()
            await w.press("outbox-more")
            await w.until(lambda: len([i for i in w.screen.ids() if i.startswith("out-w")]) == 49, "one window more")

    asyncio.run(go())


def test_all_is_sent_and_the_server_is_gone_the_bar_says_both_in_both_languages(tmp_path: Path):
    async def go():
        desk = bench(tmp_path)
        async with window(desk, width=412, height=915) as w:
            await w.set_up()
            await failing_inspection(w.work)
            await w.until(lambda: w.work.status().level == "safe", "all of it is sent")
            assert not w.work.status().lost
            desk.network.up = False
            desk.clock.advance(seconds=20)  # the next look at what changed finds nobody
            w.work.send_now()
            await w.until(lambda: w.work.status().lost, "a try has failed")
            assert w.screen.texts("status-safe")[0] == (
                "Everything signed is safe on the server. No connection since 2:00 PM.")
            w.shell.aside("outbox")
            for language, said in (("es", "Sin conexión (desde"), ("en", "No connection since")):
                await w.work.set_language(language)
                w.shell.dress()
                await w.until(lambda said=said: said in w.screen.texts("status-safe")[0], said)
                assert "failed-part" not in w.screen.ids()
            desk.network.up = True
            desk.clock.advance(seconds=20)
            w.work.send_now()
            await w.until(lambda: not w.work.status().lost, "it is back")

    asyncio.run(go())

"""Tries every port of the browser's hardware in the real worker, and prints what came of it as JSON lines."""

import asyncio
import base64
import hashlib
import json
from dataclasses import asdict

import flet as ft

from field_app.hardware import this_hardware
from field_app.hardware.page_port import page_port
from field_app.hardware.ports import Taken
from field_app.hardware.system_camera import take_with_system_camera
from field_app.photos.outside import Outside
from field_app.scan import read_code
from sync.records.pictures import look as look_at
from sync.records.problems import Problem
from sync.records.recordings import listen


def say(what, **values):
    print("PROBE", json.dumps({"what": what, **values}))


async def main(page: ft.Page):
    hardware = await this_hardware(page)
    store = {}

    async def refusal(call):
        try:
            await call
        except Problem as problem:
            return problem.code
        return "taken"

    async def look(picked):
        for file in picked:
            code = await refusal(hardware.images.dimensions(file.data))
            sha, outside = hashlib.sha256(bytes(file.data)).hexdigest(), isinstance(file.data, Outside)
            say("picked", name=file.name, sha=sha, size=len(file.data), code=code, outside=outside)
            if code == "taken":
                small = await hardware.images.thumbnail(file.data, 320)
                say(
                    "thumbnail",
                    name=file.name,
                    whole=await hardware.images.dimensions(file.data),
                    small=await hardware.images.dimensions(small),
                    bytes=len(small),
                    jpeg=base64.b64encode(small).decode() if len(small) < 6_000 else "",
                )

    async def shoot(_):
        place.content = hardware.camera.control()
        page.update()
        await hardware.camera.start()
        data = await hardware.camera.take()
        say("camera", size=await hardware.images.dimensions(data), jpeg=data[:3].hex())
        width, height, grey = await hardware.images.grey(data, 720)
        began = hardware.clock.monotonic_ms()
        text = read_code(grey, width, height)
        say("code", text=text, width=width, ms=hardware.clock.monotonic_ms() - began)
        while isinstance(await hardware.camera.snap(), Taken):  # the preview stands still for a while after a picture
            await asyncio.sleep(0.5)
        shots = [await hardware.camera.snap() for _ in range(4)]
        read = [await shot.read() for shot in shots]
        say("burst", held=[type(shot).__name__ for shot in shots], whole=[look_at(one).whole for one in read],
            size=await hardware.images.dimensions(read[-1]), again=await refusal(shots[0].read()))
        await hardware.camera.woke()
        say("camera again", size=await hardware.images.dimensions(await hardware.camera.take()))
        await hardware.camera.stop()
        place.content = None
        page.update()
        say("camera stopped")

    async def locate(_):
        found = await hardware.position.fix(10)
        say("position", kind=type(found).__name__, **{name: str(getattr(found, name)) for name in found.__slots__})

    async def count(_):
        made = await hardware.crypto.pin_verifier("1234", b"salt of sixteen.", 20_000)
        say("pin", made=made.hex(), sha=hardware.crypto.sha256(b"abc"))

    async def save(_):
        say("saved", saved=await hardware.save_file("placard.pdf", b"%PDF-1.7 of the probe", "application/pdf"))

    async def hold(_):
        try:
            store["open"] = await hardware.open_store()
        except Problem as problem:
            say("store", code=problem.code)
            return

        async def release():
            await store.pop("open").close()
            words.value = "open in another tab"
            page.update()
            say("released", page=ft.context.page is page)

        hardware.another_tab.hold(release)
        await hardware.updates.store_opened()
        say("store", code="opened")

    async def take(_):
        say("take over", done=await hardware.another_tab.take_over(5))
        await hold(None)

    async def record(_):
        await hardware.recorder.start()
        await asyncio.sleep(1)
        data = await hardware.recorder.stop()
        seen = listen(data)
        await hardware.play_sound(data, seen.media)
        await hardware.play_sound(b"", "")
        say("recorded", media=seen.media, whole=seen.whole, size=len(data))
        await hardware.recorder.start()
        await hardware.recorder.cancel()
        say("recording stopped", code=await refusal(hardware.recorder.stop()))

    async def system(_):
        got = await take_with_system_camera(page_port())
        told = got and {"name": got[0].name, "sha": hashlib.sha256(bytes(got[0].data)).hexdigest(), "fresh": got[1]}
        say("system camera", **(told or {"name": ""}))

    hardware.picker.listen(look)
    updates = hardware.updates

    def tell_updates():
        say("updates", ready=updates.offline_ready, page=ft.context.page is page)

    updates.listen(tell_updates)
    if updates.offline_ready is not None:  # a slow machine: the copy was made before Python ran
        tell_updates()
    hardware.visibility.listen(lambda visible: say("visible", visible=visible))
    place = ft.Container(width=320, height=240)
    words = ft.Text("ready")
    buttons = {"camera": shoot, "position": locate, "pin": count, "save": save, "hold": hold, "take": take}
    buttons |= {"record": record, "system": system}
    choose = hardware.picker.action(multiple=True)
    page.add(
        words,
        place,
        ft.Row(
            [ft.Semantics(identifier=name, content=ft.Button(name, on_click=act)) for name, act in buttons.items()]
            + [ft.Semantics(identifier="pick", content=ft.Button("pick", action=choose))],
            wrap=True,
        ),
    )
    ids = hardware.ids
    clock = hardware.clock
    before = clock.monotonic_ms()
    await asyncio.sleep(0.02)
    say(
        "started",
        kind=hardware.kind,
        server=hardware.server,
        code=await hardware.take_enrol_code(),
        again=await hardware.take_enrol_code(),
        storage=asdict(await hardware.storage.look()),
        install=asdict(await hardware.install.look()),
        asked_to_keep=await hardware.storage.ask_to_keep(),
        utc=clock.now().utcoffset().total_seconds(),
        ticks=clock.monotonic_ms() - before,
        random=len({ids.random_bytes(16) for _ in range(100)}),
    )


ft.run(main)

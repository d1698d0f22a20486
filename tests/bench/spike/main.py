"""Spike: what the tablet needs from a browser, reached from Python inside the Flet web worker.

The yardstick of the webstart benchmark: the smallest Flet app that touches the same things. Built the same way.
"""

import time

import flet as ft
import flet_camera
import flet_geolocator
import js
from pyodide.ffi import to_js


def options(**values):
    return js.JSON.parse(__import__("json").dumps(values))


async def durable_append(say):
    """OPFS: a synchronous, flushed append; survives reload and kill; a second tab is refused."""
    root = await js.navigator.storage.getDirectory()
    handle = await (await root.getFileHandle("journal.bin", options(create=True))).createSyncAccessHandle()
    took = []
    for _ in range(200):
        start = time.perf_counter()
        handle.write(to_js(b"x" * 400), options(at=handle.getSize()))
        handle.flush()
        took.append(time.perf_counter() - start)
    took.sort()
    say(f"append+flush median {took[100] * 1e3:.2f} ms, size now {handle.getSize()}")
    handle.close()


async def main(page: ft.Page):
    def say(text):
        print(text)

    camera = flet_camera.Camera(expand=True)
    geolocator = flet_geolocator.Geolocator()
    picker = ft.FilePicker()

    async def shoot(_):
        page.add(ft.Container(camera, width=400, height=300))
        first = (await camera.get_available_cameras())[0]
        await camera.initialize(first, flet_camera.ResolutionPreset.HIGH, enable_audio=False)
        say(f"camera {len(await camera.take_picture())} bytes")

    async def locate(_):
        await geolocator.request_permission()
        say(f"position {await geolocator.get_current_position()}")

    async def pick(_):
        files = await picker.pick_files(with_data=True, file_type=ft.FilePickerFileType.IMAGE)
        say(f"picked {files[0].size} bytes")

    async def tap(_):
        answer.value = "answered"
        page.update()

    answer = ft.Text("waiting")
    page.add(
        ft.Text("Spike"),
        answer,
        ft.Semantics(identifier="first-tap", content=ft.Button("Tap", on_click=tap)),
        ft.Button("Camera", on_click=shoot),
        ft.Button("Position", on_click=locate),
        ft.Button("Pick", on_click=pick),
    )
    await durable_append(say)
    js.pagePort.postMessage(options(kind="ready"))
    js.pagePort.postMessage(options(kind="store-opened"))
    say("ready")


ft.run(main)

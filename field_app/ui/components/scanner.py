"""The camera as a reader of one code: a live picture and one big button that takes a picture and has it read.

Nothing of the picture is kept. Where there is no camera a picture can be chosen, and the reason is said.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import flet as ft

from field_app.ui import theme
from field_app.ui.components.buttons import action
from field_app.ui.components.layout import line, text
from field_app.ui.components.live import LivePicture
from field_app.ui.components.marks import marked
from field_app.ui.guard import safe_component
from field_app.ui.words import _

Read = Callable[[bytes], Awaitable[Any]]


@safe_component
def Scanner(shell: Any, read: Read, width: float) -> ft.Control:
    """`read` gets one picture; what it raises is shown as a banner, and the camera goes on."""
    hardware = shell.hardware
    state, set_state = ft.use_state("opening" if hardware.camera.available else "none")
    reason, set_reason = ft.use_state("")
    latest = ft.use_ref(lambda: None)
    latest.current = read
    stop_hearing = ft.use_ref(lambda: None)

    async def open_camera() -> None:
        stop_hearing.current = hardware.picker.listen(picked)
        if not hardware.camera.available:
            return
        try:
            await hardware.camera.start()
            set_state("open")
        except Exception as failure:
            set_reason(getattr(failure, "detail", None) or str(failure))
            set_state("none")

    async def close_camera() -> None:
        if stop_hearing.current is not None:
            stop_hearing.current()
        if hardware.camera.available:
            await hardware.camera.stop()

    async def picked(files: list[Any]) -> None:
        if files:
            await shell.attempt(lambda: latest.current(files[0].data), once="scan")

    ft.use_effect(open_camera, dependencies=[], cleanup=close_camera)

    async def shoot(_e: ft.Event) -> None:
        async def act() -> None:
            await latest.current(await (await hardware.camera.snap()).read())
        await shell.attempt(act, once="scan")

    running = shell.busy("scan")
    pick = action(_("Choose a picture"), None, id="scan-pick", icon=ft.Icons.PHOTO_LIBRARY, kind="secondary",
                  client=hardware.picker.action(multiple=False), expand=True)
    if state == "none":
        none = _("The camera cannot be used here. Choose a picture of the code, or type it.")
        said = " ".join(w for w in (none, reason) if w)
        return ft.Column([
            marked("scan-no-camera", content=ft.Container(
                padding=14, bgcolor=theme.WARN.ground, border_radius=theme.RADIUS,
                border=ft.Border.all(1.5, theme.WARN.solid),
                content=line(ft.Icons.NO_PHOTOGRAPHY, said, ink=theme.WARN.ink))),
            ft.Row([pick]),
        ], spacing=theme.GAP, tight=True, horizontal_alignment=ft.CrossAxisAlignment.STRETCH)
    height = max(200.0, min(width * 0.75, shell.height * (0.32 if shell.narrow else 0.42)))
    return ft.Column([
        ft.Container(LivePicture(hardware.camera, "scan-preview", key="live"), height=height, key="scan-picture"),
        ft.Row([action(_("Reading ...") if running else _("Read the code"), shoot, id="scan", height=theme.TOUCH + 8,
                       icon=ft.Icons.QR_CODE_SCANNER, disabled=running or state != "open", expand=True)]),
    ], spacing=theme.GAP, tight=True, horizontal_alignment=ft.CrossAxisAlignment.STRETCH)


@safe_component
def OfficeCode(shell: Any, read: Read, hint: str, width: float) -> ft.Control:
    """A code that the office shows: the camera opens with a tap. `hint` says where the code stands."""
    open_, set_open = ft.use_state(False)
    if not open_:
        return ft.Row([action(_("Scan the code"), lambda e: set_open(True), id="scan-open", kind="secondary",
                              icon=ft.Icons.QR_CODE_SCANNER, expand=True)])
    return ft.Column([
        text(hint, soft=True, size=theme.SMALL),
        Scanner(shell, read, width, key="scanner"),
        action(_("Close the camera"), lambda e: set_open(False), id="scan-close", kind="quiet", icon=ft.Icons.CLOSE),
    ], spacing=theme.GAP, tight=True, horizontal_alignment=ft.CrossAxisAlignment.STRETCH)

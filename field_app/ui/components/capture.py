"""The in-app camera with its shutter, and the chooser for pictures beside it.

The shutter keeps shooting: each picture is kept before the next can be taken, and the camera stays open until the
screen is left. Where there is no camera the chooser alone is offered and the reason is said.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import flet as ft

from field_app.ui import theme
from field_app.ui.components.answers import choices_grid
from field_app.ui.components.buttons import action
from field_app.ui.components.layout import line, text
from field_app.ui.components.marks import marked
from field_app.ui.guard import safe_component
from field_app.ui.words import _
from field_app.work.views import Choice

Keep = Callable[[bytes, str, str, str | None], Awaitable[Any]]  # data, source, view, file name


@safe_component
def Preview(camera: Any) -> ft.Control:
    """The live picture. Drawn once, whatever the size: the camera control must stay the same one."""
    return marked(
        "camera-preview", image=True, label=_("What the camera sees"),
        content=ft.Container(camera.control(), bgcolor="#000000", border_radius=theme.RADIUS, expand=True,
                             clip_behavior=ft.ClipBehavior.HARD_EDGE, alignment=ft.Alignment.CENTER),
    )


PreviewMemo = ft.memo(Preview)


@safe_component
def Capture(shell: Any, keep: Keep, views: Sequence[Choice], suggested: str, width: float, count: int) -> ft.Control:
    """Camera, choice of view, shutter, chooser. `keep` stores one picture; `count` is how many are kept already."""
    hardware = shell.hardware
    state, set_state = ft.use_state("opening" if hardware.camera.available else "none")
    reason, set_reason = ft.use_state("")
    chosen, set_chosen = ft.use_state("")
    latest = ft.use_ref(lambda: {})
    view = chosen or suggested
    latest.current = {"keep": keep, "view": view}

    async def open_camera() -> None:
        stop_hearing = hardware.picker.listen(picked)
        latest_stop.current = stop_hearing
        if not hardware.camera.available:
            return
        try:
            await hardware.camera.start()
            set_state("open")
        except Exception as failure:
            set_reason(getattr(failure, "detail", None) or str(failure))
            set_state("none")

    async def close_camera() -> None:
        if latest_stop.current is not None:
            latest_stop.current()
        if hardware.camera.available:
            await hardware.camera.stop()

    async def picked(files: list[Any]) -> None:
        for file in files:
            now = latest.current
            await shell.attempt(lambda f=file, n=now: n["keep"](f.data, "gallery", n["view"], f.name), once="shot")
        set_chosen("")

    latest_stop = ft.use_ref(lambda: None)
    ft.use_effect(open_camera, dependencies=[], cleanup=close_camera)

    async def shoot(_e: ft.Event) -> None:
        async def act() -> None:
            data = await hardware.camera.take()
            await keep(data, "camera", view, None)
        await shell.attempt(act, once="shot")
        set_chosen("")

    async def choose_view(value: str) -> None:
        set_chosen(value)

    running, space = shell.busy("shot"), shell.work.room()
    beside = not shell.narrow and state != "none"  # on a wide screen the controls stand beside the picture
    room = width * 0.62 if beside else width
    height = max(220.0, min(room * 0.75, shell.height * (0.42 if shell.narrow else 0.5)))
    parts: list[ft.Control] = []
    if state == "none":
        parts.append(marked("camera-none", content=ft.Container(
            padding=14, bgcolor=theme.WARN.ground, border_radius=theme.RADIUS,
            border=ft.Border.all(1.5, theme.WARN.solid),
            content=line(ft.Icons.NO_PHOTOGRAPHY, " ".join(w for w in (
                _("The camera cannot be used here. Choose a picture instead."), reason) if w),
                ink=theme.WARN.ink))))
    if not space.photos:
        parts.append(marked("no-room", live_region=True, content=ft.Container(
            padding=14, bgcolor=theme.BAD.ground, border_radius=theme.RADIUS,
            border=ft.Border.all(1.5, theme.BAD.solid),
            content=line(ft.Icons.SD_CARD_ALERT, space.refusal, ink=theme.BAD.ink))))
    if len(views) > 1:
        parts.append(choices_grid(views, view, choose_view, id="view",
                                  width=width - room - theme.EDGE if beside else width))
    choose = hardware.picker.action(multiple=False) if space.photos else None
    pick = action(_("Choose a picture"), None, id="pick-photo", icon=ft.Icons.PHOTO_LIBRARY, kind="secondary",
                  client=choose, disabled=not space.photos, expand=True, height=theme.TOUCH + 8)
    if state == "none":
        parts.append(ft.Row([pick]))
    else:
        shutter = action(_("Keeping ...") if running else _("Take the photo"), shoot, id="shutter",
                         icon=ft.Icons.CAMERA, kind="danger", expand=True,
                         disabled=running or state != "open" or not space.photos, height=theme.TOUCH + 8)
        parts += [ft.Row([shutter]), ft.Row([pick])] if beside else [ft.Row([shutter, pick], spacing=theme.GAP)]
    parts.append(marked(f"photos-kept-{count}", live_region=True, content=text(
        _("{count} photos kept on this tablet").format(count=count) if count != 1 else
        _("1 photo kept on this tablet"), bold=True)))
    controls = ft.Container(
        ft.Column(parts, spacing=theme.GAP, horizontal_alignment=ft.CrossAxisAlignment.STRETCH, tight=True),
        width=width - room - theme.EDGE if beside else width, key="capture-controls",
    )
    if state == "none":
        return controls
    # The same row at every size: a camera that is moved to another parent goes black when the tablet is turned.
    return ft.Row(
        [ft.Container(PreviewMemo(hardware.camera, key="preview"), width=room, height=height, key="capture-preview"),
         controls],
        wrap=True, spacing=theme.EDGE, run_spacing=theme.GAP, vertical_alignment=ft.CrossAxisAlignment.START,
    )

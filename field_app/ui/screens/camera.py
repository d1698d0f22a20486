"""Photos for one item: the in-app camera, what is still wanted, and those that are kept."""

from __future__ import annotations

from typing import Any

import flet as ft

from field_app.ui import theme
from field_app.ui.components.buttons import action
from field_app.ui.components.capture import Capture, in_burst, leave_camera
from field_app.ui.components.far import FarReason
from field_app.ui.components.frame import frame, safe_screen
from field_app.ui.components.layout import heading, line, panel, panel_width, text
from field_app.ui.components.photos import photo_strip
from field_app.ui.words import _
from field_app.work.views import PhotoCaptureView


@safe_screen
def CameraScreen(shell: Any, beat: int, draft: str, item: str) -> ft.Control:
    """Draws `PhotoCaptureView`."""
    view: PhotoCaptureView = shell.work.photo_capture(draft, item)

    async def keep(data: bytes, source: str, wanted: str, name: str | None) -> str:
        if source == "camera":  # the next shot must not wait for a position
            return await shell.work.shoot(draft, item, data, view=wanted)
        kept = await shell.work.add_photo(draft, item, data, source=source, view=wanted, name=name)
        return kept.suggested_view

    async def done(_e: ft.Event) -> None:
        await leave_camera(shell)

    async def remove(sha256: str) -> None:
        await shell.attempt(lambda: shell.work.remove_photo(draft, item, sha256))

    async def retake(sha256: str) -> None:
        gone = await shell.attempt(lambda: shell.work.remove_photo(draft, item, sha256, retake=True))
        if gone is not None:
            shell.say(_("Taken off. Take it again now."))

    async def far_reason(why: str) -> None:
        await shell.attempt(lambda: shell.work.set_details(draft, far_reason=why))

    width = panel_width(shell)
    body: list[ft.Control] = [panel([
        text(view.question, bold=True),
        *[line(ft.Icons.PHOTO_CAMERA, wish, ink=theme.WARN.ink) for wish in view.ask],
        Capture(shell, keep, view.views, view.suggested_view, width, len(view.kept), key="capture"),
        line(ft.Icons.MY_LOCATION, shell.work.position_words(), size=theme.SMALL),
        text(view.picture_limit, soft=True, size=theme.SMALL),
    ])]
    if view.far is not None:
        body.append(FarReason(shell, view.far, far_reason, width, key="far"))
    if in_burst(shell):
        body.append(panel([heading(_("Kept")), line(ft.Icons.HOURGLASS_TOP, _(
            "The photos show here as soon as all are saved."))]))
    elif view.kept:
        body.append(panel([heading(_("Kept")), photo_strip(
            shell, view.kept, id="kept", on_remove=lambda sha: shell.start_task(remove(sha)),
            on_retake=(lambda sha: shell.start_task(retake(sha))) if shell.hardware.camera.available else None,
            on_mark=lambda sha: shell.aside("marks", draft=draft, photo=sha))]))
    body.append(ft.Container(height=24))
    return frame(shell, view.title, body, bottom=[
        action(_("Done"), done, id="camera-done", icon=ft.Icons.CHECK, kind="good", expand=True),
    ])

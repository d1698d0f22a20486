"""Photos of an unfinished report about a site: camera, what is kept, what was taken off, why far off."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import flet as ft

from field_app.ui.components.buttons import action
from field_app.ui.components.capture import Capture, in_burst
from field_app.ui.components.far import FarReason
from field_app.ui.components.layout import heading, line, panel
from field_app.ui.components.photos import photo_strip
from field_app.ui.words import _
from field_app.work.views import Choice


def report_photos(shell: Any, view: Any, head: ft.Control, views: Sequence[Choice], width: float, *, add: Any,
                  remove: Any, mark: Callable[[str], Any]) -> list[ft.Control]:
    """`view` is a `ReportView` or `SiteActView`; `add`, `remove` its use cases; `head` stands above the camera."""
    work = shell.work

    async def keep(data: bytes, source: str, wanted: str, name: str | None) -> str:
        if source == "camera":  # the next shot must not wait for a position
            return await work.shoot_report(view.id, data, view=wanted)
        await add(view.id, data, source=source, view=wanted, name=name)
        return "close"

    def off(retake: bool) -> Callable[[str], None]:
        async def taken_off(sha256: str) -> None:
            gone = await shell.attempt(lambda: remove(view.id, sha256, retake=retake))
            if gone is not None and retake:
                shell.say(_("Taken off. Take it again now."))
        return lambda sha256: shell.start_task(taken_off(sha256))

    async def put_back(_e: ft.Event) -> None:
        await shell.attempt(lambda: work.put_report_photo_back(view.id), once="put-back")

    async def far_reason(why: str) -> None:
        await shell.attempt(lambda: work.set_report_far_reason(view.id, why))

    body: list[ft.Control] = [panel([head, Capture(
        shell, keep, views, "close" if view.photos else "wide", width, len(view.photos), key="capture"),
        line(ft.Icons.MY_LOCATION, work.position_words())])]
    if view.far is not None:
        body.append(FarReason(shell, view.far, far_reason, width, key="far"))
    if in_burst(shell):
        body.append(panel([heading(_("Kept")), line(ft.Icons.HOURGLASS_TOP, _(
            "The photos show here as soon as all are saved."))]))
        return body
    kept: list[ft.Control] = []
    if view.photos:
        kept.append(photo_strip(shell, view.photos, id="kept", on_remove=off(False), on_mark=mark,
                                on_retake=off(True) if shell.hardware.camera.available else None))
    if view.can_put_back:
        kept.append(ft.Row([action(_("Put the last photo back"), put_back, id="photo-back", kind="quiet",
                                   icon=ft.Icons.UNDO, disabled=shell.busy("put-back"))], wrap=True))
    if kept:
        body.append(panel([heading(_("Kept")), *kept]))
    return body

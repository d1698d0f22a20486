"""Photos of a placard that is up. Each is kept at once and signed as a record of its own, after the posting.

The camera keeps shooting. What still waits when the person is done is signed here with the PIN, or later: it stays on
the tablet, and the app says so wherever unfinished work stands.
"""

from __future__ import annotations

from typing import Any

import flet as ft

from field_app.ui import theme
from field_app.ui.components.buttons import action
from field_app.ui.components.capture import Capture, all_kept, in_burst, leave_camera
from field_app.ui.components.far import FarReason
from field_app.ui.components.frame import frame, safe_screen
from field_app.ui.components.layout import heading, line, panel, panel_width, text
from field_app.ui.components.photos import photo_strip
from field_app.ui.components.pin import PinPad
from field_app.ui.words import _
from field_app.work.views import Choice
from field_app.work.views.photos import PlacardPhotosView


@safe_screen
def OrderPhotosScreen(shell: Any, beat: int, number: str) -> ft.Control:
    """Draws `PlacardPhotosView`: the camera for the placard of one order, then what is to be signed."""
    view: PlacardPhotosView = shell.work.order_photos(number)
    # Photos of another day wait: what is owed comes first, the camera is one tap away.
    signing, sign_now = ft.use_state(view.needs_pin)
    width = panel_width(shell)
    if signing and view.waiting:
        return signing_frame(shell, view, width, lambda: sign_now(False))

    async def keep(data: bytes, source: str, wanted: str, name: str | None) -> str:
        shell.work.hold_order_photos(number)  # it may be drawn on before it is signed
        if source == "camera":  # the next shot must not wait for a position
            return await shell.work.shoot_order(number, data, view=wanted)
        kept = await shell.work.add_order_photo(number, data, source=source, view=wanted, name=name)
        return kept.suggested_view

    def draw_on(sha256: str) -> None:
        shell.work.hold_order_photos(number)
        shell.aside("placard_marks", number=number, report=view.row, photo=sha256)

    async def done(_e: ft.Event) -> None:
        await all_kept(shell)
        now: PlacardPhotosView = shell.work.order_photos(number)
        if now.needs_pin or lacks_reason(now):
            sign_now(True)
            return
        await shell.attempt(lambda: shell.work.sign_order_photos(number))
        await leave_camera(shell)

    count = len(view.waiting) + len(view.signed)
    views = (Choice("wide", _("Wide view")), Choice("close", _("Close view")))
    body: list[ft.Control] = [panel([
        text(_("One from afar that shows where it is up, one from near that can be read.")),
        Capture(shell, keep, views, view.suggested_view, width, count, key="capture"),
        line(ft.Icons.MY_LOCATION, shell.work.position_words(), size=theme.SMALL)])]
    if view.far is not None:
        body.append(far_part(shell, view, width))
    if view.waiting and not in_burst(shell):
        body.append(panel([heading(_("Kept")), photo_strip(shell, view.waiting, id="kept", on_mark=draw_on)]))
    if view.signed and not in_burst(shell):
        body.append(panel([heading(_("Signed")), photo_strip(shell, view.signed, id="signed-photos")]))
    return frame(shell, _("Photo of the placard"), [*body, ft.Container(height=24)], subtitle=number, bottom=[
        action(_("Done"), done, id="camera-done", icon=ft.Icons.CHECK, kind="good", expand=True),
    ])


def lacks_reason(view: PlacardPhotosView) -> bool:
    """Whether it was not said yet why some were taken far from the site."""
    return view.far is not None and not view.far.reason.strip()


def far_part(shell: Any, view: PlacardPhotosView, width: float) -> ft.Control:
    """Why photos were taken far from the site."""

    async def keep(why: str) -> None:
        await shell.attempt(lambda: shell.work.set_order_far_reason(view.number, why))

    return FarReason(shell, view.far, keep, width, key="far")


def signing_frame(shell: Any, view: PlacardPhotosView, width: float, more: Any) -> ft.Control:
    """What is kept and not signed yet, and the PIN that signs it; or later."""

    async def sign(pin: str | None = None) -> None:
        left: PlacardPhotosView = await shell.work.sign_order_photos(view.number, pin)
        if not left.waiting:
            shell.back()

    async def sign_without(_e: ft.Event) -> None:
        await shell.attempt(sign, once="sign-photo")

    head = heading(_("Kept on this tablet, not signed yet"), id="placard-waiting")
    body: list[ft.Control] = [far_part(shell, view, width)] if view.far is not None else []
    if lacks_reason(view):
        body.append(panel([head, line(theme.WARN.icon, _("Say why first; then they are signed."), ink=theme.WARN.ink)]))
    elif view.needs_pin:
        body.append(panel([head, text(view.statement, id="statement"), ft.Row([
            PinPad(shell, _("Your PIN signs these photos"), _("Sign"), sign, wait=view.pin_wait, act="sign-photo",
                   key="photo-pad")], alignment=ft.MainAxisAlignment.CENTER)]))
    else:
        body.append(panel([head, text(view.statement, id="statement"), ft.Row([
            action(_("Sign"), sign_without, id="sign-photos", icon=ft.Icons.DRAW, kind="good", expand=True,
                   disabled=shell.busy("sign-photo"))])]))
    body.append(panel([photo_strip(shell, view.waiting, id="waiting")]))
    return frame(shell, _("Photos of the placard"), [*body, ft.Container(height=24)], subtitle=view.number, bottom=[
        action(_("Take another photo"), lambda e: more(), id="more-photos", icon=ft.Icons.PHOTO_CAMERA,
               kind="secondary", expand=True),
        action(_("Later"), lambda e: shell.back(), id="sign-later", icon=ft.Icons.SCHEDULE, kind="quiet", expand=True),
    ], part="sign")

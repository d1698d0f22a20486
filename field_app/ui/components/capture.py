"""The in-app camera with its shutter, and the chooser for pictures beside it.

The shutter answers at once and keeps shooting: a press is counted and shown before the picture is taken, and each
picture is kept behind it, one after the other. What stands there as saved is on the medium. Where there is no camera
the chooser alone is offered and the reason is said.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import flet as ft

from field_app.ui import theme
from field_app.ui.components.answers import choices_grid
from field_app.ui.components.buttons import action
from field_app.ui.components.layout import line, text
from field_app.ui.components.live import LivePicture
from field_app.ui.components.marks import marked
from field_app.ui.guard import safe_component
from field_app.ui.words import _, counted
from field_app.work.burst import AHEAD, MOST_WAITING, Burst, Closed
from field_app.work.views import Choice

Keep = Callable[[bytes, str, str, str | None], Awaitable[Any]]
"""(data, source, view, file name); when it returns the picture is durable. It may give the view suggested next."""

LULL_S = 0.4
"""Seconds without a press after which a burst is over for the screen."""
BURST = "burst"  # where the shell keeps the burst of the camera that is open: who measures looks here
VOLUME_KEYS = ("Audio Volume Up", "Audio Volume Down")


def kept_so_far(count: int) -> ft.Control:
    """How many photos of this round are durable."""
    words = counted(count, "1 photo kept on this tablet", "{count} photos kept on this tablet")
    return marked(f"photos-kept-{count}", live_region=True, content=text(words, bold=True))


@safe_component
def Shutter(shell: Any, press: Callable[[], bool], counts: Callable[[], tuple[int, int, bool]], ready: bool, kept: int,
            hear: Callable[[Callable[[], None]], None]) -> ft.Control:
    """The button and its counter. It draws itself alone, so that an answer to a press never waits for a screen."""
    _beat, set_beat = ft.use_state(0)
    hear(lambda: set_beat(lambda n: n + 1))
    asked, saved, full = counts()
    waiting = asked - saved

    def pressed(_e: ft.Event) -> None:
        press()

    words = _("Take the photo") if not waiting else _("Take another one")
    if full:
        words = _("One moment ...")
    button = action(words, pressed, id="shutter", icon=ft.Icons.CAMERA, kind="danger", disabled=not ready or full,
                    expand=True, height=theme.TOUCH + 24)
    lines: list[ft.Control] = [kept_so_far(kept)]
    if waiting:
        lines.append(marked(f"shots-waiting-{waiting}", live_region=True, content=ft.Container(
            bgcolor=theme.WAIT.ground, border=ft.Border.all(2, theme.WAIT.solid), border_radius=theme.RADIUS, padding=8,
            content=line(ft.Icons.HOURGLASS_TOP, counted(
                asked, "1 taken now, not saved yet", "{count} taken now, {waiting} of them not saved yet",
                waiting=waiting), ink=theme.WAIT.ink))))
    counter = marked(f"shots-asked-{asked}", content=ft.Column(lines, spacing=6, tight=True))
    return ft.Column([ft.Row([button]), counter], spacing=theme.GAP, tight=True,
                     horizontal_alignment=ft.CrossAxisAlignment.STRETCH)


@safe_component
def Capture(shell: Any, keep: Keep, views: Sequence[Choice], suggested: str, width: float, count: int,
            most: int = MOST_WAITING) -> ft.Control:
    """Camera, choice of view, shutter, chooser. `keep` stores one picture; `count` is how many are kept already; `most`
    how many presses may wait."""
    hardware = shell.hardware
    state, set_state = ft.use_state("opening" if hardware.camera.available else "none")
    reason, set_reason = ft.use_state("")
    chosen, set_chosen = ft.use_state("")
    latest = ft.use_ref(lambda: {"redraw": lambda: None, "stop": lambda: None, "next": "", "seen": (0, "")})
    if latest.current["seen"] != (count, suggested):
        latest.current.update(seen=(count, suggested), next=suggested)
    latest.current |= {"keep": keep, "chosen": chosen}

    def changed() -> None:
        if shell.work is not None:
            shell.work.shooting(burst.busy)
        latest.current["redraw"]()
        if not burst.busy:
            shell.start_task(rest())

    async def rest() -> None:
        """What is kept is shown once nobody has pressed for a moment: the answer to the next press goes first."""
        burst.resting, pressed = True, burst.presses
        await asyncio.sleep(LULL_S)
        if not burst.busy and burst.presses == pressed:
            burst.resting = False
            shell.redraw()

    def failed(failure: Exception, given_up: int) -> None:
        if given_up > 1 or isinstance(failure, Closed):
            lost = given_up if isinstance(failure, Closed) else given_up - 1
            shell.say(counted(lost, "1 photo was not taken.", "{count} photos were not taken."))
        if not isinstance(failure, Closed):
            shell.refuse(failure)

    async def keep_shot(data: bytes) -> None:
        now = latest.current
        following = await now["keep"](data, "camera", now["chosen"] or now["next"], None)
        if isinstance(following, str) and following:
            now["next"] = following

    burst: Burst = ft.use_ref(lambda: Burst(
        lambda: hardware.camera.snap(), keep_shot, now_ms=hardware.clock.monotonic_ms, changed=changed, failed=failed,
        most=most, ahead=most if hardware.kind == "browser" else min(most, AHEAD))).current

    def press() -> bool:
        taken = burst.press()
        changed()
        return taken

    def key_pressed(event: Any) -> None:
        if event.key in VOLUME_KEYS:
            press()

    async def open_camera() -> None:
        latest.current["stop"] = hardware.picker.listen(picked)
        shell.work.ask_position()  # so that one is there when the first photo is
        shell.memory[BURST] = burst
        shell.page.on_keyboard_event = key_pressed
        if not hardware.camera.available:
            return
        try:
            await hardware.camera.start()
            set_state("open")
        except Exception as failure:
            set_reason(getattr(failure, "detail", None) or str(failure))
            set_state("none")

    async def close_camera() -> None:
        latest.current["stop"]()
        shell.page.on_keyboard_event = None
        await burst.close()
        burst.resting = False
        if hardware.camera.available:
            await hardware.camera.stop()

    async def picked(files: list[Any]) -> None:
        for file in files:
            now = latest.current
            await shell.attempt(lambda f=file, n=now: n["keep"](f.data, "gallery", n["chosen"] or n["next"], f.name),
                                once="shot")

    async def system_camera(_e: ft.Event) -> None:
        async def act() -> None:
            got = await hardware.system_camera()
            if got is None:
                return
            picture, fresh = got
            now = latest.current
            await now["keep"](picture.data, "system camera" if fresh else "gallery", now["chosen"] or now["next"],
                              picture.name)

        await shell.attempt(act, once="shot")

    ft.use_effect(open_camera, dependencies=[], cleanup=close_camera)

    async def choose_view(value: str) -> None:
        set_chosen("" if value == chosen else value)

    def hear(redraw: Callable[[], None]) -> None:
        latest.current["redraw"] = redraw

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
    space = shell.work.room()
    if not space.photos:
        parts.append(marked("no-room", live_region=True, content=ft.Container(
            padding=14, bgcolor=theme.BAD.ground, border_radius=theme.RADIUS,
            border=ft.Border.all(1.5, theme.BAD.solid),
            content=line(ft.Icons.SD_CARD_ALERT, space.refusal, ink=theme.BAD.ink))))
    if len(views) > 1:
        parts.append(choices_grid(views, chosen or suggested, choose_view, id="view",
                                  width=width - room - theme.EDGE if beside else width))
    pick = action(_("Choose a picture"), None, id="pick-photo", icon=ft.Icons.PHOTO_LIBRARY, kind="secondary",
                  client=hardware.picker.action(multiple=False) if space.photos else None,
                  disabled=not space.photos, expand=True, height=theme.TOUCH + 8)
    if state != "none":
        parts.append(Shutter(shell, press, lambda: (burst.asked, burst.saved, burst.full),
                             state == "open" and space.photos, count, hear,
                             key="shutter-part"))
    else:
        parts.append(kept_so_far(count))
    if hardware.system_camera is not None:
        parts.append(ft.Row([action(_("The tablet's own camera"), system_camera, id="system-camera",
                                    icon=ft.Icons.PHOTO_CAMERA_BACK, kind="secondary", expand=True)]))
    parts.append(ft.Row([pick]))
    controls = ft.Container(
        ft.Column(parts, spacing=theme.GAP, horizontal_alignment=ft.CrossAxisAlignment.STRETCH, tight=True),
        width=width - room - theme.EDGE if beside else width, key="capture-controls",
    )
    if state == "none":
        return controls
    # The same row at every size: a camera that is moved to another parent goes black when the tablet is turned.
    return ft.Row(
        [ft.Container(LivePicture(hardware.camera, "camera-preview", key="preview"), width=room, height=height,
                      key="capture-preview"),
         controls],
        wrap=True, spacing=theme.EDGE, run_spacing=theme.GAP, vertical_alignment=ft.CrossAxisAlignment.START,
    )


def in_burst(shell: Any) -> bool:
    """A burst runs, or may go on in a moment: what can be drawn later is drawn later."""
    burst = shell.memory.get(BURST)
    return burst is not None and (burst.busy or burst.resting)


async def all_kept(shell: Any) -> None:
    """Until everything that the camera was asked for is kept."""
    burst = shell.memory.get(BURST)
    if burst is not None:
        await burst.drain()


async def leave_camera(shell: Any) -> None:
    """Back from the camera once everything that was asked for is kept."""
    await all_kept(shell)
    shell.back()

"""The in-app camera through Flet's camera control, on both kinds.

Invariants: the microphone is never asked for; a camera that lost its life with a hidden page is opened again at the
next `take`; every call has a time limit, because Flet's own has none.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

import flet as ft
import flet_camera as fc

from field_app.hardware.ports import Shot, Taken
from sync.records.problems import Problem

OPEN_SECONDS = 60.0  # the person may have to answer the system's question first
SHOT_SECONDS = 15.0
PRESETS = (fc.ResolutionPreset.ULTRA_HIGH, fc.ResolutionPreset.HIGH)


class FletCamera:
    """The camera port. Tell it of RESUME through `woke`."""

    def __init__(self, page, grab: Callable[[], Awaitable[Shot | None]] | None = None) -> None:
        """`grab` takes the frame that the preview shows now, where the page can do that: at once, and kept there."""
        self._page, self._grab = page, grab
        self._control: fc.Camera | None = None
        self._facing = "back"
        self._open = False
        platform = page.platform
        self.available = bool(page.web) or platform in (ft.PagePlatform.ANDROID, ft.PagePlatform.IOS)

    def control(self) -> fc.Camera:
        """The preview; the same control until `stop`."""
        if self._control is None:
            self._control = fc.Camera(expand=True)
        return self._control

    async def start(self, *, facing: str = "back") -> None:
        """Open the camera that looks `facing` ("back" or "front"), else the first there is. Raises Problem."""
        self._facing = facing
        if not self.available:
            raise Problem("camera-unavailable", "This computer has no camera that the app can use.")
        control = self.control()
        cameras = await self._limited(self._when_shown(control), SHOT_SECONDS)
        if not cameras:
            raise Problem("camera-unavailable", "No camera was found.")
        wanted = {"back": fc.CameraLensDirection.BACK, "front": fc.CameraLensDirection.FRONT}[facing]
        chosen = next((camera for camera in cameras if camera.lens_direction == wanted), cameras[0])
        for last, preset in ((False, PRESETS[0]), (True, PRESETS[1])):
            try:
                await self._limited(control.initialize(chosen, preset, enable_audio=False), OPEN_SECONDS)
                break
            except Problem:
                if last:
                    raise
        self._open = True

    async def take(self) -> bytes:
        """One JPEG. Opens the camera again first when the page was away. Raises Problem."""
        if not self._open:
            await self.start(facing=self._facing)
        try:
            data = await self._limited(self.control().take_picture(), SHOT_SECONDS)
        except Problem:
            self._open = False  # the next tap starts anew
            raise
        if not data:
            raise Problem("camera-unavailable", "The camera gave an empty picture.")
        return bytes(data)

    async def snap(self) -> Shot:
        """The picture of this moment. In the browser it waits in the page until it is read."""
        if self._open and self._grab is not None:
            try:
                shot = await self._grab()
            except (TimeoutError, RuntimeError):
                shot = None  # the slow way then
            if shot is not None:
                return shot
        return Taken(await self.take())

    async def stop(self) -> None:
        """Let go of the camera. The control must leave the screen too: that is what frees the device."""
        control, self._control, was_open, self._open = self._control, None, self._open, False
        if control is not None and was_open:
            with suppress(Problem):
                await self._limited(control.pause_preview(), 3.0)

    async def woke(self) -> None:
        """The app is in front again: a camera that was open is opened anew, quietly."""
        if self._control is not None and self._open:
            self._open = False
            with suppress(Problem):
                await self.start(facing=self._facing)

    async def _when_shown(self, control: fc.Camera):
        # The screen that holds the control may be drawn a moment after this call.
        while True:
            try:
                return await control.get_available_cameras()
            except RuntimeError as error:
                if "added to the page" not in str(error):
                    raise
                await asyncio.sleep(0.05)

    async def _limited(self, call, seconds: float):
        try:
            return await asyncio.wait_for(call, seconds)
        except TimeoutError:
            raise Problem("camera-unavailable", f"The camera did not answer within {seconds:.0f} seconds.") from None
        except Problem:
            raise
        except Exception as error:  # the plugin's own words: permission, in use, not found
            raise Problem("camera-unavailable", f"The camera cannot be used: {error}") from error

"""The voice recorder through Flet's audio recorder, on both kinds.

Invariants: the microphone is asked for by the first recording and by nothing else; what `stop` gives is the finished
file as the recorder wrote it, untouched; no copy of it stays outside the evidence box. Every call has a time limit,
because Flet's own has none.
"""

import asyncio
import os
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path

import flet as ft
import flet_audio_recorder as far

from sync.records.problems import Problem

START_SECONDS = 60.0  # the person may have to answer the system's question first
CALL_SECONDS = 15.0
ENCODERS = (far.AudioEncoder.OPUS, far.AudioEncoder.AACLC, far.AudioEncoder.WAV)
NATIVE_ENCODERS = (far.AudioEncoder.AACLC,)  # into an MP4 container on Android and iOS alike
RATE, BITS = 16_000, 32_000
"""Speech, one channel: a quarter of a megabyte a minute, except as WAV (2 MB a minute)."""

Read = Callable[[str], Awaitable[bytes]]


class FletRecorder:
    """The recorder port. `read` gives the bytes of what the recorder named, and lets go of it; `folder` is where a
    native recorder writes meanwhile (None in the browser). One service per page: Flet drops services nobody holds."""

    def __init__(self, page, read: Read, *, folder: Path | None = None) -> None:
        self._page, self._read, self._folder = page, read, folder
        # In server mode (native code, screen in a browser) the sound would lie where this process cannot reach it.
        mobile = page.platform in (ft.PagePlatform.ANDROID, ft.PagePlatform.IOS)
        self.available = folder is None or (mobile and not page.web)
        self._service: far.AudioRecorder | None = None
        self._running = False

    async def start(self) -> None:
        """Begin to record. Raises Problem "microphone-unavailable"."""
        if not self.available:
            raise Problem("microphone-unavailable", "The app cannot record sound on this computer.")
        if self._running:
            raise Problem("microphone-unavailable", "Another voice note is being recorded.")
        if self._service is None:
            self._service = far.AudioRecorder()
        service = self._service
        if not await self._limited(service.has_permission(), START_SECONDS):
            raise Problem("microphone-unavailable", "The tablet does not let the app use the microphone.")
        encoder = await self._encoder(service)
        path = None
        if self._folder is not None:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            path = str(self._folder / f"note-{os.urandom(6).hex()}.m4a")
        settings = far.AudioRecorderConfiguration(
            encoder=encoder, channels=1, sample_rate=RATE, bit_rate=BITS, suppress_noise=True, auto_gain=True
        )
        if not await self._limited(service.start_recording(path, settings), START_SECONDS):
            raise Problem("microphone-unavailable", "The recording could not be started.")
        self._running = True

    async def stop(self) -> bytes:
        """End it and give the finished file. Raises Problem "microphone-unavailable"."""
        if self._service is None or not self._running:
            raise Problem("microphone-unavailable", "Nothing is being recorded.")
        self._running = False
        place = await self._limited(self._service.stop_recording(), CALL_SECONDS)
        data = await self._limited(self._read(place), CALL_SECONDS) if place else b""
        if not data:
            raise Problem("microphone-unavailable", "The recorder gave an empty recording.")
        return data

    async def cancel(self) -> None:
        """Throw away what is being recorded. Never raises."""
        was, self._running = self._running, False
        if was and self._service is not None:
            with suppress(Problem):
                await self._limited(self._service.cancel_recording(), CALL_SECONDS)

    async def _encoder(self, service: far.AudioRecorder) -> far.AudioEncoder:
        for encoder in NATIVE_ENCODERS if self._folder is not None else ENCODERS:
            if await self._limited(service.is_supported_encoder(encoder), CALL_SECONDS):
                return encoder
        raise Problem("microphone-unavailable", "The tablet records in no way that the app knows.")

    async def _limited(self, call, seconds: float):
        try:
            return await asyncio.wait_for(call, seconds)
        except TimeoutError:
            raise Problem("microphone-unavailable", "The microphone did not answer in time.") from None
        except Problem:
            raise
        except Exception as error:  # the plugin's own words: refused, in use, not found
            raise Problem("microphone-unavailable", f"The microphone cannot be used: {error}") from error


async def read_file(place: str) -> bytes:
    """A native recording, which then lies nowhere but with us."""

    def take() -> bytes:
        data = Path(place).read_bytes()
        Path(place).unlink(missing_ok=True)
        return data

    return await asyncio.to_thread(take)


def clear_left(folder: Path) -> None:
    """Removes what a killed app left half recorded."""
    if folder.is_dir():
        for left in folder.glob("note-*"):
            left.unlink(missing_ok=True)

"""The hardware of a native process: Android, iOS, desktop, and server mode (the same code behind a browser)."""

import asyncio
import os
from collections.abc import Awaitable, Callable
from pathlib import Path

import flet as ft

from field_app.hardware.camera import FletCamera
from field_app.hardware.clock import SystemClock, SystemIds
from field_app.hardware.crypto import NativeCrypto
from field_app.hardware.images_pillow import PillowImages
from field_app.hardware.network import FletNetwork
from field_app.hardware.outgoing_file import FileOutgoing
from field_app.hardware.picker import FletPicker
from field_app.hardware.ports import SHARED, Clock, Hardware, Stop
from field_app.hardware.position import FletPosition
from field_app.hardware.recorder import FletRecorder, clear_left, read_file
from field_app.hardware.storage import DiskStorage

DEFAULT_SERVER = "http://127.0.0.1:8000"
SHOWN = (ft.AppLifecycleState.SHOW, ft.AppLifecycleState.RESUME, ft.AppLifecycleState.RESTART)
GONE = (ft.AppLifecycleState.HIDE, ft.AppLifecycleState.PAUSE, ft.AppLifecycleState.DETACH)


def data_folder(given: str | None = None) -> Path:
    """Where a native process keeps its data: given, $SILTWATCH_TABLET_DATA, Flet's own folder, or ~/.siltwatch."""
    place = given or os.environ.get("SILTWATCH_TABLET_DATA") or os.environ.get("FLET_APP_STORAGE_DATA")
    folder = Path(place) if place else Path.home() / ".siltwatch" / "tablet"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


class ProcessTabs:
    """The another-tab port within one process.

    Android keeps the process when the app is left with "back" and starts a second session in it; in server mode two
    browser tabs are two sessions. Another process cannot be asked: it must be closed by hand.
    """

    _holders: dict[str, Callable[[], Awaitable[None]]] = {}  # noqa: RUF012 shared on purpose: one per process

    def __init__(self, folder: Path) -> None:
        self._place = str(folder.resolve())

    def hold(self, release: Callable[[], Awaitable[None]]) -> None:
        """This session holds the store from now on."""
        self._holders[self._place] = release

    async def take_over(self, wait: float = 10.0) -> bool:
        """Ask the session that holds the store; True when it let go."""
        release = self._holders.pop(self._place, None)
        if release is None:
            return False
        try:
            await asyncio.wait_for(release(), wait)
        except TimeoutError:
            return False
        return True


class NoUpdates:
    """Native apps are updated by their shop, and start without a network by nature."""

    waiting = False
    offline_ready: bool | None = True

    def listen(self, changed: Callable[[], None]) -> Stop:
        """Nothing ever changes."""
        return lambda: None

    def drafts(self, open_drafts: int) -> None:
        """Not needed here."""

    async def store_opened(self) -> None:
        """Not needed here."""

    async def apply(self) -> bool:
        """There is nothing to apply."""
        return False


class PageLife:
    """The visibility port on Flet's life-cycle events. It takes the page's one handler for itself."""

    def __init__(self, page) -> None:
        self._heard: list[Callable[[bool], None]] = []
        page.on_app_lifecycle_state_change = self._changed

    def listen(self, heard: Callable[[bool], None]) -> Stop:
        """Be told when the app comes to the front and when it goes."""
        self._heard.append(heard)
        return lambda: self._heard.remove(heard) if heard in self._heard else None

    def _changed(self, event) -> None:
        if event.state in SHOWN or event.state in GONE:
            for heard in list(self._heard):
                heard(event.state in SHOWN)


async def native_hardware(page, *, clock: Clock | None = None, folder: str | None = None) -> Hardware:
    """All ports for one page of a native process."""
    home = data_folder(folder)
    clock = clock or SystemClock()
    camera = FletCamera(page)
    images = PillowImages()
    ciphers = NativeCrypto()
    picker = FletPicker(page)
    visibility = PageLife(page)

    def woke(visible: bool) -> None:
        if visible:
            page.run_task(camera.woke)

    visibility.listen(woke)

    async def open_store():
        from field_app.store.native import open_native

        return await open_native(home / "store", ciphers)

    async def open_box():
        from field_app.photos.native import open_native_box

        return await open_native_box(home / "evidence", images)

    async def open_files():
        from field_app.photos.fetched import open_fetched

        return await open_fetched(home / "fetched")

    def transport(server: str):
        from sync.client.transports.native import NativeTransport

        return NativeTransport()

    async def take_enrol_code() -> str | None:
        return os.environ.pop("SILTWATCH_ENROL", None)

    async def save_file(name: str, data: bytes, media: str) -> bool:
        saved = await picker.service.save_file(file_name=name, src_bytes=data)
        if saved and not page.web and not Path(saved).exists():
            await asyncio.to_thread(Path(saved).write_bytes, data)
        return bool(saved) or bool(page.web)

    async def share_file(name: str, data: bytes, media: str) -> str:
        shared = await ft.Share().share_files([ft.ShareFile.from_bytes(data, mime_type=media, name=name)])
        return "" if shared.status == ft.ShareResultStatus.DISMISSED else SHARED

    async def outgoing(name: str, media: str) -> FileOutgoing:
        return FileOutgoing(page, picker.service, home / "outgoing", name, media)

    network = FletNetwork(page)
    clear_left(home / "recording")

    return Hardware(
        kind="native",
        clock=clock,
        ids=SystemIds(),
        images=images,
        camera=camera,
        position=FletPosition(page, clock),
        picker=picker,
        crypto=ciphers,
        another_tab=ProcessTabs(home),
        updates=NoUpdates(),
        visibility=visibility,
        server=os.environ.get("SILTWATCH_SERVER", DEFAULT_SERVER),
        open_store=open_store,
        open_box=open_box,
        open_files=open_files,
        transport=transport,
        take_enrol_code=take_enrol_code,
        save_file=save_file,
        share_file=share_file if page.platform.is_mobile() and not page.web else None,
        storage=DiskStorage(home),
        network=network,
        outgoing=outgoing,
        files=FletPicker(page, ft.FilePickerFileType.ANY),
        recorder=FletRecorder(page, read_file, folder=home / "recording"),
    )

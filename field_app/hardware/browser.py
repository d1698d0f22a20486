"""The hardware of the installable web app: Python in a worker, the page beside it, the browser's own services."""

from collections.abc import Callable

import flet as ft

from field_app.hardware.camera import FletCamera
from field_app.hardware.clock import SystemClock, SystemIds
from field_app.hardware.frames import grabber
from field_app.hardware.images_canvas import CanvasImages
from field_app.hardware.installing import PageInstall
from field_app.hardware.network import PageNetwork
from field_app.hardware.outgoing_blob import BlobOutgoing
from field_app.hardware.page_port import PagePort, page_port
from field_app.hardware.picked_outside import chosen_pictures
from field_app.hardware.picker import FletPicker
from field_app.hardware.ports import SAVED, SHARED, Clock, Hardware, Picked, Stop
from field_app.hardware.position import FletPosition
from field_app.hardware.recorder import FletRecorder
from field_app.hardware.sounds import player, read_blob
from field_app.hardware.storage import PageStorage
from field_app.hardware.system_camera import take_with_system_camera
from field_app.hardware.tabs import BrowserTabs
from field_app.hardware.webcrypto import WebCrypto

STORE = "store"


class PageUpdates:
    """The updates port: the page knows the service worker, Python knows the drafts."""

    def __init__(self, port: PagePort) -> None:
        self._port = port
        self._changed: list[Callable[[], None]] = []
        self.waiting = False
        self.offline_ready: bool | None = None
        port.listen("update-waiting", self._update)
        port.listen("offline-copy", self._offline)

    def listen(self, changed: Callable[[], None]) -> Stop:
        """Be told when `waiting` or `offline_ready` changed."""
        self._changed.append(changed)
        return lambda: self._changed.remove(changed) if changed in self._changed else None

    def drafts(self, open_drafts: int) -> None:
        """Pass the number of open drafts on to the page."""
        self._port.tell("drafts", open=open_drafts)

    async def store_opened(self) -> None:
        """The version before may go, and the app is ready to become an offline copy."""
        self._port.tell("ready")
        self._port.tell("store-opened")  # nobody waits for the service worker: the screen comes first

    async def apply(self) -> bool:
        """Start the waiting version; on success the page reloads a moment later."""
        try:
            return bool((await self._port.ask("apply-update", wait=30.0)).get("applied"))
        except (TimeoutError, RuntimeError):
            return False

    def _update(self, _: dict) -> None:
        self._set(True, self.offline_ready)

    def _offline(self, message: dict) -> None:
        self._set(self.waiting, bool(message["ready"]))

    def _set(self, waiting: bool, offline_ready: bool | None) -> None:
        if (waiting, offline_ready) == (self.waiting, self.offline_ready):
            return
        self.waiting, self.offline_ready = waiting, offline_ready
        for changed in list(self._changed):
            changed()


class PageVisibility:
    """The visibility port: the page sees what its worker cannot."""

    def __init__(self, port: PagePort) -> None:
        self._heard: list[Callable[[bool], None]] = []
        port.listen("visibility", lambda message: self._tell(bool(message["visible"])))
        port.listen("online", lambda _: self._tell(True))

    def listen(self, heard: Callable[[bool], None]) -> Stop:
        """Be told when the app comes to the front (or online), and when it goes."""
        self._heard.append(heard)
        return lambda: self._heard.remove(heard) if heard in self._heard else None

    def _tell(self, visible: bool) -> None:
        for heard in list(self._heard):
            heard(visible)


async def browser_hardware(page, *, clock: Clock | None = None) -> Hardware:
    """All ports for one page in the browser."""
    port = page_port()
    clock = clock or SystemClock()
    camera = FletCamera(page, grabber(port))
    images = CanvasImages()
    ciphers = WebCrypto()

    def woke(message: dict) -> None:
        if message["visible"]:
            page.run_task(camera.woke)

    port.listen("visibility", woke)

    async def open_store():
        from field_app.store.opfs import open_opfs

        return await open_opfs(STORE, ciphers=ciphers)

    async def open_box():
        from field_app.photos.opfs import open_opfs_box

        return await open_opfs_box("evidence", images)

    async def open_files():
        from field_app.photos.fetched_opfs import open_opfs_fetched

        return await open_opfs_fetched()

    def transport(server: str):
        from sync.client.transports.browser import BrowserTransport

        return BrowserTransport()

    async def take_enrol_code() -> str | None:
        return (await port.ask("take-enrol-code")).get("code") or None

    def enrol_code_used() -> None:
        port.tell("enrol-code-used")

    async def take_signin_code() -> str | None:
        return (await port.ask("take-signin-code")).get("code") or None

    def signin_code_used() -> None:
        port.tell("signin-code-used")

    def links(heard: Callable[[], None]) -> Stop:
        return port.listen("link", lambda _: heard())

    async def save_file(name: str, data: bytes, media: str) -> bool:
        return bool((await port.ask("save-file", wait=60.0, name=name, media=media, bytes=data)).get("saved"))

    async def share_file(name: str, data: bytes, media: str) -> str:
        an_hour = 3600.0  # so long may the sheet stand open
        said = await port.ask("share-file", wait=an_hour, name=name, media=media, bytes=data)
        return SHARED if said.get("shared") else SAVED if said.get("saved") else ""

    async def keep_tiles(paths: list[str]) -> int:
        an_hour = 3600.0  # over a slow line
        return int((await port.ask("keep-tiles", wait=an_hour, paths=paths)).get("held") or 0)

    async def outgoing(name: str, media: str) -> BlobOutgoing:
        return BlobOutgoing(port, name, media)

    async def system_camera() -> tuple[Picked, bool] | None:
        return await take_with_system_camera(port)

    network, updates = PageNetwork(port), PageUpdates(port)  # what the page has said already waits for its listeners
    await network.begin()
    port.tell("started")  # Python came up well, whatever comes next
    return Hardware(
        kind="browser",
        clock=clock,
        ids=SystemIds(),
        images=images,
        camera=camera,
        position=FletPosition(page, clock),
        picker=FletPicker(page, held=chosen_pictures(port)),
        crypto=ciphers,
        another_tab=BrowserTabs(port.facts["base"]),
        updates=updates,
        visibility=PageVisibility(port),
        server=port.facts["origin"],
        open_store=open_store,
        open_box=open_box,
        open_files=open_files,
        transport=transport,
        take_enrol_code=take_enrol_code,
        enrol_code_used=enrol_code_used,
        take_signin_code=take_signin_code,
        signin_code_used=signin_code_used,
        links=links,
        save_file=save_file,
        share_file=share_file if port.facts.get("shares") else None,
        keep_tiles=keep_tiles,
        storage=PageStorage(port),
        install=PageInstall(port),
        network=network,
        outgoing=outgoing,
        files=FletPicker(page, ft.FilePickerFileType.ANY),
        recorder=FletRecorder(page, read_blob),
        play_sound=player(port),
        system_camera=system_camera if page.platform in (ft.PagePlatform.ANDROID, ft.PagePlatform.IOS) else None,
    )

"""The ports of the tablet's hardware, and the small values they give. Standard library only.

Each port has one implementation for the browser and one for a native process, or one for both where Flet hides the
difference. A port never waits without a time limit, and says why something is not there instead of giving a guess.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from field_app.store.ciphers import Ciphers

SHARED, SAVED = "shared", "saved"
Stop = Callable[[], None]


class Clock(Protocol):
    """The tablet's clocks. Nothing else in the app asks the system for the time."""

    boot: str
    """Names this run of the process (hex): `monotonic_ms` of two different boots cannot be compared."""

    def now(self) -> datetime:
        """The wall clock, aware, in UTC."""

    def monotonic_ms(self) -> int:
        """Milliseconds that never go back within one boot."""


class Ids(Protocol):
    """Randomness fit for ids and secrets."""

    def random_bytes(self, count: int) -> bytes:
        """`count` bytes from the system's secure source."""


class Images(Protocol):
    """Looks at pictures. Never changes an original."""

    async def dimensions(self, data: bytes) -> tuple[int, int]:
        """Width and height in pixels as the picture is shown (EXIF orientation applied).

        Raises Problem "evidence-not-an-image" or "evidence-too-many-pixels" (more than 100 megapixels).
        """

    async def thumbnail(self, data: bytes, longest: int, *, stay: bool = False, stamp: Sequence[str] = ()) -> bytes:
        """A JPEG whose longer side has at most `longest` pixels, upright. Raises as `dimensions` does. `stay`: it may
        stay outside of Python's memory (`field_app.photos.outside`). `stamp`: lines along its lower edge."""

    async def grey(self, data: bytes, longest: int) -> tuple[int, int, bytes]:
        """Width, height and one byte a pixel (0 black, 255 white), the longer side at most `longest`. Raises alike."""


@dataclass(frozen=True, slots=True)
class Fix:
    """Where the tablet was: microdegrees, radius of 68 % confidence in centimetres, and when (aware, our clock).

    ``gps_at``: the time that came with the position, where the platform gives one with its offset. ``mocked``: the
    platform says that an app set it, not a receiver.
    """

    lat_udeg: int
    lon_udeg: int
    accuracy_cm: int
    fixed_at: datetime
    gps_at: datetime | None = None
    mocked: bool = False


@dataclass(frozen=True, slots=True)
class NoFix:
    """Why there is no position: "denied", "off", "timeout", "implausible", "unsupported" or "failed"."""

    reason: str


class Position(Protocol):
    """Asks the tablet where it is."""

    async def fix(self, wait: float = 15.0) -> Fix | NoFix:
        """A fresh position, or the reason why there is none after at most `wait` seconds. Never raises."""


class Shot(Protocol):
    """A picture that was taken; its bytes wait outside of Python where they can."""

    async def read(self) -> bytes:
        """The JPEG, once; in the browser an `Outside`. Raises Problem "camera-unavailable"."""


@dataclass(slots=True)
class Taken:
    """A shot whose bytes are here already."""

    data: bytes

    async def read(self) -> bytes:
        data, self.data = self.data, b""
        return data


class Camera(Protocol):
    """The in-app camera. `control` goes into the screen first, then `start`, then `take` as often as wanted."""

    available: bool
    """False where Flet has no camera at all (Windows, macOS, Linux): offer the picker alone."""

    def control(self) -> Any:
        """The Flet control with the preview; the same one until `stop`."""

    async def start(self, *, facing: str = "back") -> None:
        """Open the camera without sound. Raises Problem "camera-unavailable" with the reason."""

    async def take(self) -> bytes:
        """One JPEG as the camera gave it. Raises Problem "camera-unavailable"."""

    async def snap(self) -> Shot:
        """The same for a burst: the picture of this moment, to be read when its turn comes."""

    async def stop(self) -> None:
        """Let go of the camera; the control is of no more use. Never raises."""


@dataclass(frozen=True, slots=True)
class Picked:
    """A file a person chose: its name, its bytes (in the browser a picture's are an `Outside`), and nothing about where
    it lay."""

    name: str
    data: bytes


class Recorder(Protocol):
    """The voice recorder: `start`, then `stop` for the file or `cancel` for nothing."""

    available: bool
    """False where the app cannot record at all."""

    async def start(self) -> None:
        """Begin; the first time the system asks the person. Raises Problem "microphone-unavailable"."""

    async def stop(self) -> bytes:
        """The finished recording: Opus in WebM or Ogg, AAC in MP4, or WAV. Raises Problem "microphone-unavailable"."""

    async def cancel(self) -> None:
        """Throw it away. Never raises."""


class Picker(Protocol):
    """Chooses pictures from the tablet. On a phone or tablet the system offers its own camera there too."""

    def action(self, *, multiple: bool = False) -> Any:
        """A Flet client action for a button: opens the chooser within the tap, which iPads insist on.

        What is chosen arrives at the listeners.
        """

    def listen(self, heard: Callable[[list[Picked]], Awaitable[None]]) -> Stop:
        """Be told of what was chosen through `action`. Returns the function that ends it."""

    async def pick(self, *, multiple: bool = False) -> list[Picked]:
        """Open the chooser by itself and wait for it (not on iPads). Nothing chosen: an empty list."""


class Crypto(Ciphers, Protocol):
    """The arithmetic that differs: in the browser WebCrypto does it."""

    def sha256(self, data: bytes) -> str:
        """The SHA-256 of some bytes, in hex."""


class AnotherTab(Protocol):
    """Two tabs (or windows) of one tablet: only one may hold the store."""

    def hold(self, release: Callable[[], Awaitable[None]]) -> None:
        """Say that this tab holds the store. `release` is awaited when another one asks for it: it must close the
        store and show that the app went on elsewhere."""

    async def take_over(self, wait: float = 10.0) -> bool:
        """Ask the tab that holds the store to let go of it. True: it did, open the store now. False: nobody
        answered within `wait` seconds; the other tab must be closed by hand."""


class Updates(Protocol):
    """New versions of the app (browser only; native apps are updated by their shop)."""

    waiting: bool
    """True when a whole, verified newer version is on the tablet and not yet in use."""

    offline_ready: bool | None
    """Whether the app starts without a network: None while that is not known yet."""

    def listen(self, changed: Callable[[], None]) -> Stop:
        """`changed` is called when one of the two above changed."""

    def drafts(self, open_drafts: int) -> None:
        """How many drafts are open now. Until this was said, and while it is not 0, no version is swapped."""

    async def store_opened(self) -> None:
        """The store was opened by this version: the version before may go."""

    async def apply(self) -> bool:
        """Start the waiting version now (the page reloads). False: a draft is open, or none is waiting."""


class Visibility(Protocol):
    """Whether somebody can see the app."""

    def listen(self, heard: Callable[[bool], None]) -> Stop:
        """`heard(True)` when the app comes to the front or the network comes back, `heard(False)` when it goes."""


@dataclass(frozen=True, slots=True)
class NetworkState:
    """What the platform says of the network, None where it does not tell: ``online`` whether there is one, ``metered``
    whether it costs money (mobile data, or the person asked the system to save data). ``kind`` as it names it."""

    online: bool | None = None
    metered: bool | None = None
    kind: str = ""


class Network(Protocol):
    """The network the tablet is on."""

    def state(self) -> NetworkState:
        """What was said last; nothing before the platform said anything."""

    def listen(self, heard: Callable[[NetworkState], None]) -> Stop:
        """Be told when it changed. Returns the function that ends it."""


@dataclass(frozen=True, slots=True)
class StorageState:
    """Room for this app, in bytes, None where the system does not tell: ``free`` what can still be written, ``used``
    what we take. ``kept``: whether it promised to clear nothing by itself; None where there is nothing to promise."""

    free: int | None = None
    used: int | None = None
    kept: bool | None = None


class Storage(Protocol):
    """The place where all is kept."""

    async def look(self) -> StorageState:
        """How it stands now. Never raises."""

    async def ask_to_keep(self) -> bool | None:
        """Ask for the promise. True: it is given; False: refused; None: there is nobody to ask. Never raises."""


@dataclass(frozen=True, slots=True)
class InstallState:
    """``installed``: the app runs from the home screen. ``way`` how this device puts it there: "ios", "android" or
    "desktop". ``offers``: the browser can ask the person by itself."""

    installed: bool
    way: str
    offers: bool


class Install(Protocol):
    """Puts the web app on the home screen."""

    async def look(self) -> InstallState | None:
        """How it stands; None: not known. Never raises."""

    async def install(self) -> bool:
        """Let the browser ask the person. True: it is installed now. Never raises."""


class Outgoing(Protocol):
    """A large file that is made piece by piece and then given to the person; never whole in the memory of Python."""

    async def write(self, data: bytes) -> None:
        """Adds bytes. Raises Problem "store-full"."""

    async def add(self, body: Any) -> None:
        """Adds a whole file, as `EvidenceBox.upload_body` gives it; natively it is closed afterwards."""

    async def save(self) -> bool:
        """Gives it to the person (a dialog, a share sheet, a download). False: it was cancelled."""

    async def drop(self) -> None:
        """Forgets what is left of it here. May be called at any time. Never raises."""


@dataclass(frozen=True, slots=True)
class Hardware:
    """All ports of the place we run in. `kind` is "browser" or "native"."""

    kind: str
    clock: Clock
    ids: Ids
    images: Images
    camera: Camera
    position: Position
    picker: Picker
    crypto: Crypto
    another_tab: AnotherTab
    updates: Updates
    visibility: Visibility
    server: str
    """The address of the central server that a tablet not enrolled yet should ask: in the browser, its origin."""
    open_store: Callable[[], Awaitable[Any]]
    """Opens the store. Raises Problem "store-busy", "store-damaged", "store-newer"."""
    open_box: Callable[[], Awaitable[Any]]
    """Opens the evidence box that lies beside the store."""
    open_files: Callable[[], Awaitable[Any]]
    """Opens the box of files that came down and can be fetched again: apart from evidence, which is never cleared."""
    transport: Callable[[str], Any]
    """The sync client's transport to a server address."""
    take_enrol_code: Callable[[], Awaitable[str | None]]
    """The enrolment code of the link the app was opened with: once in a start, then None."""
    save_file: Callable[[str, bytes, str], Awaitable[bool]]
    """(name, bytes, media type) to wherever the person keeps files. False: it was cancelled."""
    enrol_code_used: Callable[[], None] | None = None
    """The tablet is enrolled: the code of that link need not outlive another start. None: it never does."""
    take_signin_code: Callable[[], Awaitable[str | None]] | None = None
    """The same for the personal code of such a link; None: the app is never opened with one."""
    signin_code_used: Callable[[], None] | None = None
    """Somebody signed in: that code need not outlive another start."""
    links: Callable[[Callable[[], None]], Stop] | None = None
    """Be told that such a link was opened while the app runs; its code can be taken then. Returns the function that
    ends it. None: it never happens."""
    share_file: Callable[[str, bytes, str], Awaitable[str]] | None = None
    """The same to the sheet with which the device prints and shares: `SHARED`; `SAVED` where the sheet failed and the
    file was saved instead; "" when it was cancelled. None: the device has no such sheet."""
    keep_tiles: Callable[[list[str]], Awaitable[int]] | None = None
    """Keeps these pieces of the server's map (paths) for when there is no network, and says how many are here; None:
    the map part keeps by itself what it has shown, as far as it does."""
    network: Network | None = None
    """What the platform says of the network; None: nothing, ever."""
    install: Install | None = None
    """Puts the app on the home screen; None: it is an app already."""
    storage: Storage | None = None
    """Where all is kept; None: nothing is known of it, ever."""
    outgoing: Callable[[str, str], Awaitable[Outgoing]] | None = None
    """(name, media type): a large file to be made and given to the person."""
    files: Picker | None = None
    """Chooses a file of any kind."""
    recorder: Recorder | None = None
    """Records voice notes; None: never."""
    system_camera: Callable[[], Awaitable[tuple[Picked, bool] | None]] | None = None
    """Opens the tablet's own camera app, which writes EXIF; within the tap. Gives the picture and whether it was taken
    just now (else it was chosen, whatever the button said). None: nothing came. No port: there is none."""
    play_sound: Callable[[bytes, str], Awaitable[None]] | None = None
    """(bytes, media type): begin to play a recording, and end the one before; no bytes: silence. None: the length is
    all that can be shown."""

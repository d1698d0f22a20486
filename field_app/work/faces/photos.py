"""Photos: kept first, looked at afterwards.

One part of `Work`; what holds for all of them stands in `field_app/work/app.py`.
"""

from __future__ import annotations

from field_app.work import photographing, placard_photos, plans
from field_app.work.desk import Desk
from field_app.work.views import PhotoCaptureView
from field_app.work.views.photos import PlacardPhotosView


class PhotosFace:
    """Photos: kept first, looked at afterwards."""

    _desk: Desk

    def photo_capture(self, draft: str, key: str = "") -> PhotoCaptureView:
        """For an item of an inspection, or with key "" for the inspection itself."""
        return photographing.capture_view(self._desk, draft, key)

    async def add_photo(
        self, draft: str, key: str, data: bytes, *, source: str, view: str = "other", name: str | None = None
    ) -> PhotoCaptureView:
        """Keep a picture (source "camera" | "system camera" | "gallery"): hashed and durable before
        anything else looks at it. Asks the position port itself. Problem "photo-..." when it is no picture
        or too large."""
        return await photographing.add_photo(self._desk, draft, key, data, source=source, view=view, name=name)

    async def shoot(self, draft: str, key: str, data: bytes, *, view: str = "other") -> str:
        """One shot of the in-app camera: durable when this returns, its position comes behind it. Gives the view that
        is suggested for the next one. For bursts, which must not wait for a position."""
        return await photographing.shoot(self._desk, draft, key, data, view=view)

    def shooting(self, now: bool) -> None:
        """Whether a burst runs: previews wait for its end."""
        if self._desk.shooting != now:
            self._desk.shooting = now
            if not now and self._desk.darkroom is not None:
                self._desk.darkroom.wake()

    def ask_position(self) -> None:
        """The camera opens: so that a position is there when the first photo is."""
        self._desk.locating.ask()

    def position_words(self) -> str:
        """How old the last position is, in words."""
        return photographing.position_words(self._desk)

    async def remove_photo(self, draft: str, key: str, sha256: str, *, retake: bool = False) -> PhotoCaptureView:
        """Take a photo off the item before signing, because it is of no use or to take it again. The original stays in
        the evidence box for a while, its trace for good; see `tidying.py`."""
        return await photographing.remove_photo(self._desk, draft, key, sha256, retake=retake)

    def order_photos(self, number: str) -> PlacardPhotosView:
        """Photos of a placard that is up: those that wait to be signed, and those that are."""
        return placard_photos.view(self._desk, number)

    def hold_order_photos(self, number: str) -> None:
        """Photos of this placard are being taken and drawn on: none is signed before `sign_order_photos` or
        `let_go_order_photos`."""
        placard_photos.hold(self._desk, number)

    async def let_go_order_photos(self) -> None:
        """The person has left the photos of a placard: what lacks nothing is signed, while the PIN holds."""
        await placard_photos.let_go(self._desk)

    async def shoot_order(self, number: str, data: bytes, *, view: str = "wide") -> str:
        """One shot of the in-app camera of the placard that is up, whoever put it up: durable when this returns, its
        position comes behind it, and then it is signed as a record of its own. The PIN that signed the posting holds
        for 15 minutes; after that the photo waits for `sign_order_photos`. Gives the view suggested next."""
        await placard_photos.add(self._desk, number, data, source="camera", view=view, name=None, wait=False)
        return placard_photos.view(self._desk, number).suggested_view

    async def add_order_photo(
        self, number: str, data: bytes, *, source: str, view: str = "wide", name: str | None = None,
        pin: str | None = None,
    ) -> PlacardPhotosView:
        """The same for any picture, with its position there when this returns; with a PIN it is signed then."""
        await placard_photos.add(self._desk, number, data, source=source, view=view, name=name, wait=True)
        if pin is not None:
            await placard_photos.sign(self._desk, number, pin)
        return placard_photos.view(self._desk, number)

    async def set_order_far_reason(self, number: str, reason: str) -> None:
        """Why photos of this placard were taken far from the site."""
        await placard_photos.set_far_reason(self._desk, number, reason)

    async def sign_order_photos(self, number: str, pin: str | None = None) -> PlacardPhotosView:
        """Signs what waits and lacks nothing; without a PIN while the last one holds. Problem "pin-needed"."""
        await placard_photos.sign(self._desk, number, pin)
        return placard_photos.view(self._desk, number)

    async def no_picture_words(self, sha256: str) -> str:
        """Why `thumbnail` gave none: the original is here and nothing here can decode it (HEIC), or it is not here."""
        return await photographing.no_picture_words(self._desk, sha256)

    async def thumbnail(self, sha256: str, longest: int = 320) -> bytes | None:
        """A small JPEG of a photo, made once and kept, or the one that came down with an open finding; None when
        neither the original nor that is here."""
        small = await photographing.thumbnail(self._desk, sha256, longest)
        return small if small is not None else await plans.small_picture(self._desk, sha256)

"""The key ring: the one part of the store that is not sealed, because it holds the wrapped keys to the rest.

The tablet's key seals what everybody who works here may read (what came down, what was signed); each person's key seals
what that person has begun. A person's PIN wraps the person's key, that key wraps the tablet's, and a box to the city's
public half lets the office help out. Until the first PIN is set the tablet's key lies open, for there is nothing yet to
wrap it with. Wrong PINs are counted here, before they are tried, and never destroy a key.

Invariants: the ring is in two files, written one after the other, so a whole one is always there; a ring is never made
anew over sealed records; a key leaves the ring only through `forget`.
"""

from __future__ import annotations

import asyncio
import base64
import copy
import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from field_app.store import frames
from field_app.store.ciphers import KEY_BYTES, Cipher, Ciphers, Forged
from field_app.store.disk import JOURNALS, KEYS, SNAPSHOTS, Disk, DiskFull
from field_app.store.problems import StoreDamaged, StoreFull, StoreValue
from sync.records import boxes
from sync.records.macs import derive
from sync.records.recovery import user_key_label

Doc = dict[str, Any]
TABLET_KEY = 1
NAMED = 2
"""A box for the city that says whose key it holds; one of an older app is made anew."""


@dataclass(frozen=True, slots=True)
class HeldKey:
    """A key that is open now: what it seals of records, of other keys, and of evidence files."""

    id: int
    raw: bytes = field(repr=False)
    records: Cipher = field(repr=False)
    keys: Cipher = field(repr=False)
    files: Cipher = field(repr=False)


def text(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def data_of(said: str) -> bytes:
    return base64.b64decode(said, validate=True)


class KeyRing:
    """``doc`` is what is on the medium; it is replaced as a whole by `write`."""

    def __init__(self, disk: Disk, ciphers: Ciphers, doc: Doc, version: int) -> None:
        self._disk, self.ciphers, self.doc, self._version = disk, ciphers, doc, version
        self._one = asyncio.Lock()
        self.tablet: HeldKey | None = None
        self.own: HeldKey | None = None
        self.person: str | None = None
        """Whose key `own` is."""

    # --- on the medium ---

    @classmethod
    async def open(cls, disk: Disk, ciphers: Ciphers) -> KeyRing:
        """The ring on an open disk, made when there is none. Raises StoreDamaged, StoreNewer, StoreFull."""
        found = [one for name in KEYS if (one := _read(disk, name))]
        if found:
            version, doc = max(found, key=lambda one: one[0])
            ring = cls(disk, ciphers, doc, version)
            if len(found) < len(KEYS) or found[0] != found[1]:
                with suppress(StoreFull):  # then the next opening makes up for it: a whole one is there
                    await ring.write(lambda doc: None)  # a crash between the two
        else:
            if _sealed(disk):
                raise StoreDamaged("the keys to the records are missing or cannot be read", where=disk.where)
            empty = not any(disk.read(name) for name in JOURNALS + SNAPSHOTS)
            ring = cls(disk, ciphers, {"people": {}, "next": TABLET_KEY + 1, "tablet": {}, "sealed": empty}, 0)
            await ring.write(lambda doc: doc["tablet"].update(key=os.urandom(KEY_BYTES).hex()))
        if key := ring.doc["tablet"].get("key"):
            ring.tablet = await ring._held(TABLET_KEY, bytes.fromhex(key))
        return ring

    async def write(self, change: Callable[[Doc], None]) -> None:
        """Changes the ring, durably. Raises StoreFull; then it is as before."""
        async with self._one:
            doc = copy.deepcopy(self.doc)
            change(doc)
            version = self._version + 1
            frame = frames.pack(frames.RING, version, frames.dumps(doc).encode("ascii"))
            # The older of the two first. Then the other as well, so that a key that was unwrapped is gone from both.
            for name in (KEYS[version % 2], KEYS[(version + 1) % 2]):
                try:
                    new = self._disk.replace(name)
                    try:
                        new.write(frame)
                        await new.commit()
                    except BaseException:
                        new.abandon()
                        raise
                except DiskFull as error:
                    if self._version == version:
                        break  # one of them is there, and the next opening makes up for the other
                    raise StoreFull(str(error)) from error
                self.doc, self._version = doc, version

    # --- keys ---

    async def _held(self, ident: int, raw: bytes) -> HeldKey:
        records, keys, files = [await self.ciphers.cipher(derive(raw, "siltwatch", purpose))
                                for purpose in ("records", "keys", "files")]
        return HeldKey(ident, raw, records, keys, files)

    def entry(self, person: str) -> Doc | None:
        """What the ring holds of a person; None for one without a PIN here."""
        return self.doc["people"].get(person)

    async def _wrapping(self, pin: str, salt: bytes, rounds: int) -> Cipher:
        return await self.ciphers.cipher(derive(await self.ciphers.pin_verifier(pin, salt, rounds), "siltwatch", "pin"))

    async def fits(self, person: str, pin: str) -> bytes | None:
        """The person's key when the PIN is right, else None. Counts nothing."""
        entry = self.doc["people"][person]
        cipher = await self._wrapping(pin, data_of(entry["salt"]), entry["rounds"])
        try:
            return await cipher.open(data_of(entry["key"]), _about("pin", person, entry["id"]))
        except Forged:
            return None

    async def take(self, person: str, raw: bytes) -> None:
        """The person's key is open from now on, and with it the tablet's. Raises StoreDamaged."""
        entry = self.doc["people"][person]
        own = await self._held(entry["id"], raw)
        try:  # also where the tablet's is open already: another key is not taken for this person's
            key = await own.keys.open(data_of(entry["tablet"]), _about("tablet", person, TABLET_KEY))
        except Forged:
            raise StoreDamaged("the tablet's key does not open", where=self._disk.where) from None
        if self.tablet is None:
            self.tablet = await self._held(TABLET_KEY, key)
        self.own, self.person = own, person
        with suppress(StoreFull):  # then the next time
            await self._box_up()

    def put_down(self) -> None:
        """The person's key is closed. The tablet's stays open: what is signed goes on its way."""
        self.own = self.person = None

    async def add(self, person: str, name: str, pin: str, rounds: int) -> None:
        """A first PIN: the person gets a key of their own, open at once, and the tablet's lies open no more."""
        if self.tablet is None or self.entry(person) is not None:
            raise StoreValue("a first PIN needs an open store, and a person without one", where=person)
        own = await self._held(self.doc["next"], os.urandom(KEY_BYTES))
        entry = {"id": own.id, "name": name, **await self._wrapped(person, own, pin, rounds)}
        entry["tablet"] = text(await own.keys.seal(self.tablet.raw, _about("tablet", person, TABLET_KEY)))
        if box := await self._boxed(person, own):
            entry["recovery"] = box

        def change(doc: Doc) -> None:
            doc["next"], doc["last"] = own.id + 1, person
            doc["people"][person] = entry
            doc["tablet"].pop("key", None)

        await self.write(change)
        self.own, self.person = own, person

    async def _wrapped(self, person: str, own: HeldKey, pin: str, rounds: int) -> Doc:
        salt = os.urandom(16)
        cipher = await self._wrapping(pin, salt, rounds)
        sealed = await cipher.seal(own.raw, _about("pin", person, own.id))
        return {"salt": text(salt), "rounds": rounds, "key": text(sealed), "tries": None}

    async def change_pin(self, person: str, pin: str, rounds: int) -> None:
        """Another PIN for the person whose key is open. The key itself stays."""
        if self.own is None or self.person != person:
            raise StoreValue("a PIN is changed by the person at work", where=person)
        wrapped = await self._wrapped(person, self.own, pin, rounds)
        await self.write(lambda doc: doc["people"][person].update(wrapped, ask=None))

    async def note_tries(self, person: str, tries: Doc | None) -> None:
        """How often the PIN was wrong in a row, and when last: durable before the PIN is tried."""
        await self.write(lambda doc: doc["people"][person].update(tries=tries))

    async def forget(self, person: str) -> None:
        """Destroys the person's key here: what it seals can never be read again. The caller has made sure."""
        if self.person == person:
            self.put_down()
        left = [one for one in self.doc["people"] if one != person]

        def change(doc: Doc) -> None:
            del doc["people"][person]
            if not left and self.tablet is not None:  # else nobody could ever open the tablet again
                doc["tablet"]["key"] = self.tablet.raw.hex()

        if not left and self.tablet is None:
            raise StoreValue("the only key that opens this tablet", where=person)
        await self.write(change)

    # --- what the office can open ---

    async def trust(self, public: bytes) -> None:
        """The public half of the city's recovery key. Keys that are open are boxed up for it at once, the others when
        they are opened the next time."""
        if self.doc.get("city") != public.hex():
            await self.write(lambda doc: doc.update(city=public.hex()))
        await self._box_up()

    async def _box_up(self) -> None:
        if self.own is None or self.person is None or not self.doc.get("city"):
            return
        person, box = self.person, self.doc["people"][self.person].get("recovery") or {}
        wanted = boxes.key_id(bytes.fromhex(self.doc["city"])), NAMED
        if (box.get("for"), box.get("v")) != wanted and (box := await self._boxed(person, self.own)):
            await self.write(lambda doc: doc["people"][person].update(recovery=box))

    async def _boxed(self, person: str, own: HeldKey) -> Doc | None:
        if not self.doc.get("city"):
            return None
        public = bytes.fromhex(self.doc["city"])
        box = await seal_box(self.ciphers, public, own.raw, user_key_label(person))
        return {"for": boxes.key_id(public), "v": NAMED, "box": text(box)}


async def seal_box(ciphers: Ciphers, public: bytes, content: bytes, label: str) -> bytes:
    """A box to a public half. Raises Forged for a public half that is none."""
    private, ephemeral = await ciphers.new_pair()
    secret = await ciphers.agree(private, public)
    cipher = await ciphers.cipher(boxes.key_of(secret, ephemeral, public, label))
    return boxes.pack(ephemeral, await cipher.seal(content, label.encode()))


async def open_box(ciphers: Ciphers, private: bytes, public: bytes, box: bytes, label: str) -> bytes:
    """The content of a box to ``public``. Raises Forged, Problem "recovery-malformed"."""
    ephemeral, sealed = boxes.unpack(box)
    secret = await ciphers.agree(private, ephemeral)
    cipher = await ciphers.cipher(boxes.key_of(secret, ephemeral, public, label))
    return await cipher.open(sealed, label.encode())


def _about(what: str, person: str, ident: int) -> bytes:
    return f"siltwatch {what} {ident} {person}".encode()


def _read(disk: Disk, name: str) -> tuple[int, Doc] | None:
    data = disk.read(name)
    found = frames.unpack(data, 0, where=f"{disk.where}/{name}") if data else None
    if found is None or found[0].kind != frames.RING or found[1] != len(data):
        return None
    return found[0].seq, found[0].value()


def _sealed(disk: Disk) -> bool:
    """Whether anything in the store is sealed. Only asked where there is no ring: once in the life of a store."""
    for name in JOURNALS + SNAPSHOTS:
        data, at = disk.read(name), 0
        while found := frames.unpack(data, at, where=f"{disk.where}/{name}"):
            frame, at = found
            if frame.key_id != frames.CLEAR:
                return True
    return False

"""The evidence box's contract: what every backend keeps, as plain coroutines that need no test framework.

Each check takes a ``World`` with one place for a box. pytest runs them on native files, a page runs the same on
OPFS in Chromium. ``CHECKS`` lists them all by name.
"""

import asyncio
import hashlib
from typing import Protocol

from field_app.photos import EvidenceBox, look
from sync.records.problems import Problem
from tests.contract.pictures import TURNED_JPEG, WEBP, png

CHECKS = {}
PAPER = b"%PDF-1.7 a placard"
OTHER = "0" * 64


class World(Protocol):
    """One place where a box may be, empty at first."""

    async def open(self) -> EvidenceBox: ...

    async def spoil(self, sha: str, data: bytes) -> None:
        """Replaces the bytes of an original behind the box's back."""

    async def leave_half(self) -> None:
        """Leaves what a crash in the middle of ``keep`` leaves."""

    async def names(self) -> set[str]:
        """The names of all files in the box, derived ones too."""

    async def body(self, body) -> bytes:
        """The bytes of an upload body, which is closed if it must be."""


def check(function):
    CHECKS[function.__name__] = function
    return function


def sha_of(data):
    return hashlib.sha256(data).hexdigest()


async def refuses(code, awaitable):
    """Awaiting raises a Problem with that code."""
    try:
        await awaitable
    except Problem as problem:
        assert problem.code == code, f"{problem.code} instead of {code}"
        return
    raise AssertionError(f"{code} was not raised")


@check
async def what_is_kept_is_read_back(world):
    box = await world.open()
    for data in (TURNED_JPEG, WEBP, png(), PAPER, b"any bytes \0\xff"):
        sha = await box.keep(data)
        assert sha == sha_of(data) and await box.has(sha) and await box.check(sha)
        assert await box.read(sha) == data and await box.size(sha) == len(data)
    again = await world.open()
    assert await again.read(sha_of(WEBP)) == WEBP
    assert await again.shas() == sorted(map(sha_of, (TURNED_JPEG, WEBP, png(), PAPER, b"any bytes \0\xff")))


@check
async def keeping_twice_is_keeping_once(world):
    box = await world.open()
    first = await box.keep(TURNED_JPEG, photo=True)
    before = await world.names()
    assert await box.keep(bytearray(TURNED_JPEG), photo=True) == first
    shas = await asyncio.gather(*(box.keep(data) for data in (PAPER, TURNED_JPEG, PAPER, WEBP, PAPER)))
    assert shas == [sha_of(PAPER), first, sha_of(PAPER), sha_of(WEBP), sha_of(PAPER)]
    assert await world.names() - before == {sha_of(PAPER), sha_of(WEBP)}


@check
async def empty_and_cut_off_files_are_refused_with_nothing_kept(world):
    box = await world.open()
    await refuses("evidence-empty", box.keep(b""))
    for whole in (TURNED_JPEG, WEBP, png()):
        for length in (len(whole) - 1, len(whole) // 2, 40):
            await refuses("evidence-truncated", box.keep(whole[:length]))
    await refuses("evidence-not-an-image", box.keep(PAPER, photo=True))
    assert await box.shas() == [] and await world.names() == set()


@check
async def what_is_not_there_is_said_to_be_unknown(world):
    box = await world.open()
    assert not await box.has(OTHER) and not await box.check(OTHER)
    await refuses("evidence-unknown", box.read(OTHER))
    await refuses("evidence-unknown", box.size(OTHER))
    await refuses("evidence-unknown", box.upload_body(OTHER))
    await refuses("evidence-unknown", box.thumbnail(OTHER))
    await box.delete(OTHER)


@check
async def only_a_hash_is_a_name(world):
    box = await world.open()
    for name in ("", "../store/journal-0", OTHER[:-1], OTHER.replace("0", "A"), OTHER[:-1] + "/", OTHER + "0"):
        for ask in (box.read, box.size, box.has, box.check, box.delete, box.upload_body, box.thumbnail):
            await refuses("evidence-hash-malformed", ask(name))


@check
async def damage_is_noticed_and_keeping_again_repairs_it(world):
    box = await world.open()
    sha = await box.keep(TURNED_JPEG)
    for spoilt in (TURNED_JPEG[:100], TURNED_JPEG[:-1] + b"x", b""):
        await world.spoil(sha, spoilt)
        assert not await box.check(sha)
        await refuses("evidence-damaged", box.read(sha))
        assert await box.keep(TURNED_JPEG) == sha
        assert await box.check(sha) and await box.read(sha) == TURNED_JPEG


@check
async def what_a_crash_left_is_cleared(world):
    box = await world.open()
    sha = await box.keep(PAPER)
    await world.leave_half()
    assert await world.names() != {sha}
    box = await world.open()
    assert await world.names() == {sha} and await box.shas() == [sha]


@check
async def deleting_takes_what_was_derived_with_it(world):
    box = await world.open()
    sha, other = await box.keep(TURNED_JPEG), await box.keep(PAPER)
    await box.thumbnail(sha, 8)
    await box.thumbnail(sha, 16)
    await box.delete(sha)
    assert not await box.has(sha) and await world.names() == {other}
    await box.delete(sha)
    assert await box.keep(TURNED_JPEG) == sha


@check
async def an_upload_body_is_the_bytes(world):
    box = await world.open()
    data = png(300, 200) + bytes(range(256)) * 12_000
    sha = await box.keep(data)
    assert await world.body(await box.upload_body(sha)) == data and await box.check(sha)


@check
async def a_thumbnail_is_small_upright_and_made_once(world):
    box = await world.open()
    sha = await box.keep(TURNED_JPEG, photo=True)
    small = await box.thumbnail(sha, 8)
    picture = look(small)
    assert (picture.media, picture.width, picture.height, picture.whole) == ("image/jpeg", 4, 8, True)
    assert await box.thumbnail(sha, 8) == small
    assert await box.read(sha) == TURNED_JPEG, "the original was touched"


@check
async def a_stamp_stands_on_small_copies_alone(world):
    box = await world.open()
    sha = await box.keep(TURNED_JPEG, photo=True)
    stamp = ("Aug 27, 2026 at 2:03 PM", "412 Mill Street")
    stamped, plain = await box.thumbnail(sha, 24, stamp), await box.thumbnail(sha, 24)
    for picture in (look(stamped), look(await box.smaller(sha, 24, stamp))):
        assert (picture.media, picture.width, picture.height, picture.whole) == ("image/jpeg", 12, 24, True)
    assert stamped != plain and await box.thumbnail(sha, 24) == plain and await box.thumbnail(sha, 24, stamp) == stamped
    assert await box.read(sha) == TURNED_JPEG, "the original was touched"
    await box.delete(sha)
    assert await world.names() == set()


@check
async def a_smaller_copy_is_upright_a_whole_jpeg_and_not_kept(world):
    box = await world.open()
    sha = await box.keep(TURNED_JPEG, kind="photo")
    before = await world.names()
    for longest, size in ((8, (4, 8)), (1_280, (12, 24))):
        picture = look(await box.smaller(sha, longest))
        assert (picture.media, picture.width, picture.height, picture.whole) == ("image/jpeg", *size, True)
    assert await world.names() == before and await box.read(sha) == TURNED_JPEG
    webp = await box.keep(WEBP, kind="photo")
    assert look(await box.smaller(webp, 8)).whole
    await refuses("evidence-unknown", box.smaller(OTHER, 8))
    await refuses("evidence-not-an-image", box.smaller(await box.keep(PAPER), 8))


@check
async def a_kind_is_what_the_bytes_must_be(world):
    box = await world.open()
    for kind, code in (("photo", "evidence-not-an-image"), ("voice_note", "evidence-not-a-recording"),
                       ("signature", "evidence-not-a-signature"), ("annotation", "evidence-not-an-annotation"),
                       ("placard", "evidence-truncated"), ("preview", "evidence-not-an-image")):
        await refuses(code, box.keep(PAPER, kind=kind))
    assert await box.shas() == [] and await world.names() == set()
    drawn = b'{"signature":1,"width":9,"height":9,"strokes":[[[1,1,0],[2,2,9]]]}'
    assert await box.read(await box.keep(drawn, kind="signature")) == drawn


@check
async def what_cannot_be_shown_is_still_kept(world):
    box = await world.open()
    broken = TURNED_JPEG[:-8] + b"\0" * 6 + b"\xff\xd9"
    nonsense = b"\xff\xd8\xff\xda\0\x02nothing\xff\xd9"
    for data in (PAPER, nonsense):
        sha = await box.keep(data)
        await refuses("evidence-not-an-image", box.thumbnail(sha))
        assert await box.read(sha) == data
    sha = await box.keep(broken)
    assert await box.read(sha) == broken

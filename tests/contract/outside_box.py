"""What the browser's evidence box keeps of bytes that lie outside of Python's memory: the very same. On OPFS alone.

`OUTSIDE_CHECKS` lists the checks by name; they get a ``World`` as those of `sealed_box` do.
"""

from field_app.photos import look, read_exif
from field_app.photos.outside import WINDOW, Outside
from sync.records.evidence_files import check_file
from tests.contract.box_contract import refuses, sha_of
from tests.contract.pictures import TURNED_JPEG, WEBP, png
from tests.contract.sealed_box import LARGE

OUTSIDE_CHECKS = {}


def check(function):
    OUTSIDE_CHECKS[function.__name__] = function
    return function


def held(data: bytes) -> Outside:
    """The bytes in the browser's memory."""
    from pyodide.ffi import to_js

    return Outside(to_js(data))


@check
async def outside_is_read_like_bytes(_world):
    data = bytes(range(256)) * 1_000
    outside = held(data)
    assert len(outside) == len(data) and bytes(outside) == data and held(b"")[0:5] == b""
    for first, end in ((0, 3), (5, 5), (9, 2), (WINDOW - 2, WINDOW + 2), (3, 100_000), (-4, None), (255_999, 999_999)):
        assert outside[first:end] == data[first:end], (first, end)
    for at in (0, 255_999, -1, 70_000, 3):
        assert outside[at] == data[at]
    for at in (256_000, -256_001):
        try:
            outside[at]
        except IndexError:
            continue
        raise AssertionError(at)


@check
async def what_lies_outside_is_judged_and_kept_like_bytes(world):
    box = await world.open()
    jpeg = TURNED_JPEG[:-2] + b"\0" * 150_000 + b"\xff\xd9"  # longer than a window
    for data in (jpeg, TURNED_JPEG, png(300, 200), WEBP):
        outside = held(data)
        assert look(outside) == look(data) and read_exif(outside) == read_exif(data)
        assert check_file("photo", outside) == check_file("photo", data)
        assert await box.keep(outside, photo=True) == sha_of(data)
        assert await box.read(sha_of(data)) == data and await box.size(sha_of(data)) == len(data)
        assert await box.keep(data, photo=True) == sha_of(data)
    assert await box.keep(held(LARGE)) == sha_of(LARGE) and await box.read(sha_of(LARGE)) == LARGE
    assert await box.check(sha_of(LARGE)) and await box.thumbnail(sha_of(TURNED_JPEG), 8)
    before = await world.names()
    await refuses("evidence-truncated", box.keep(held(jpeg[:-1]), photo=True))
    await refuses("evidence-not-an-image", box.keep(held(b"no picture"), photo=True))
    await refuses("evidence-empty", box.keep(held(b""), photo=True))
    assert await world.names() == before


@check
async def a_smaller_copy_stays_outside_and_can_be_kept(world):
    box = await world.open()
    sha = await box.keep(held(png(300, 200)), photo=True)
    small = await box.smaller(sha, 100)
    assert isinstance(small, Outside) and (look(small).width, look(small).height) == (100, 67)
    assert await box.read(await box.keep(small, kind="preview")) == bytes(small)

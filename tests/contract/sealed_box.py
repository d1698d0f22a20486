"""What a sealed evidence box keeps beyond the box's contract: the same checks on native files and on OPFS.

A ``World`` here also has ``keys`` (a key ring of two people, ada at work), ``raw(name)`` as a file lies on the medium,
``slice(body, first, end)``, and ``can_move`` files. ``SEALED_CHECKS`` lists them all by name.
"""

from field_app.photos import sealed
from field_app.photos.pieces import pieces
from field_app.store.keyring import KeyRing
from field_app.store.memory import Medium, MemoryDisk
from sync.records.problems import Problem
from tests.contract.box_contract import refuses, sha_of
from tests.contract.pictures import TURNED_JPEG, png

SEALED_CHECKS = {}
LARGE = png(300, 200) + bytes(range(256)) * 3_000
assert len(LARGE) > 2 * sealed.PIECE


def check(function):
    SEALED_CHECKS[function.__name__] = function
    return function


async def key_ring(ciphers) -> KeyRing:
    """Two people; ada is at work."""
    keys = await KeyRing.open(MemoryDisk(Medium()), ciphers)
    await keys.add("ben", "Ben Okafor", "314159", 10)
    await keys.add("ada", "Ada Lindqvist", "271828", 10)
    return keys


async def at_work(keys, person, pin):
    await keys.take(person, await keys.fits(person, pin))


def flipped(data, at):
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]


@check
async def nothing_of_it_lies_open(world):
    box = await world.open()
    text = b"%PDF-1.7 soil on Elm Street"
    shas = [await box.keep(data) for data in (TURNED_JPEG, text, LARGE)]
    await box.thumbnail(shas[0], 8)
    await box.release(shas)
    names = await world.names()
    assert len(names) == 4
    for name in names:
        raw = await world.raw(name)
        assert raw.startswith(sealed.MAGIC) and b"Elm Street" not in raw and LARGE[:8] not in raw
        assert TURNED_JPEG[:8] not in raw and TURNED_JPEG[20:60] not in raw and LARGE[-600_000:-599_000] not in raw


@check
async def another_person_reads_nothing_before_it_is_released(world):
    box = await world.open()
    sha = await box.keep(TURNED_JPEG)
    await box.thumbnail(sha, 8)
    for person, pin in (("ben", "314159"), (None, "")):
        world.keys.put_down()
        if person:
            await at_work(world.keys, person, pin)
        for ask in (box.read, box.upload_body, box.thumbnail):
            await refuses("evidence-locked", ask(sha))
        assert await box.has(sha) and await box.size(sha) == len(TURNED_JPEG) and not await box.check(sha)
    await at_work(world.keys, "ada", "271828")
    assert await box.read(sha) == TURNED_JPEG
    await box.release([sha, "0" * 64])
    before = await world.raw(sha)
    await (await world.open()).release([sha])
    assert await world.raw(sha) == before, "once is enough"
    world.keys.put_down()
    assert await box.read(sha) == TURNED_JPEG and await box.check(sha) and await box.thumbnail(sha, 8)


@check
async def what_is_kept_while_nobody_is_at_work_is_the_tablets(world):
    box = await world.open()
    world.keys.put_down()
    sha = await box.keep(TURNED_JPEG)
    await at_work(world.keys, "ben", "314159")
    assert await box.read(sha) == TURNED_JPEG


@check
async def the_same_photo_of_two_people_is_there_for_both(world):
    box = await world.open()
    sha = await box.keep(TURNED_JPEG)
    await at_work(world.keys, "ben", "314159")
    assert await box.keep(TURNED_JPEG) == sha and await box.read(sha) == TURNED_JPEG
    await at_work(world.keys, "ada", "271828")
    assert await box.read(sha) == TURNED_JPEG


@check
async def any_slice_is_read_without_the_rest(world):
    box = await world.open()
    sha = await box.keep(LARGE)
    for first, end in ((0, 10), (sealed.PIECE - 3, sealed.PIECE + 3), (100, 2 * sealed.PIECE + 7), (0, len(LARGE)),
                       (len(LARGE) - 5, len(LARGE)), (sealed.PIECE, 2 * sealed.PIECE)):
        assert await world.slice(await box.upload_body(sha), first, end) == LARGE[first:end], (first, end)
    assert b"".join([piece async for piece in pieces(await box.upload_body(sha), 100_000)]) == LARGE
    # Damage of one piece is met where it lies, and nowhere else.
    raw = await world.raw(sha)
    await world.spoil(sha, flipped(raw, sealed.HEAD_BYTES + 2 * (sealed.PIECE + sealed.TAG) + 9))
    assert await world.slice(await box.upload_body(sha), 5, sealed.PIECE) == LARGE[5 : sealed.PIECE]
    try:
        await world.slice(await box.upload_body(sha), 2 * sealed.PIECE, len(LARGE))
        raise AssertionError("it was read")
    except (Problem, OSError) as refused:
        assert getattr(refused, "code", "evidence-damaged") == "evidence-damaged"


@check
async def changed_cut_and_exchanged_files_are_damaged_and_kept_again(world):
    box = await world.open()
    sha, other = await box.keep(LARGE), await box.keep(LARGE[:-1] + b"!")
    raw = await world.raw(sha)
    step, begin = sealed.PIECE + sealed.TAG, sealed.HEAD_BYTES
    exchanged = raw[:begin] + raw[begin + step : begin + 2 * step] + raw[begin : begin + step] + raw[begin + 2 * step :]
    for spoilt in (flipped(raw, begin + 5), raw[:-1], raw[: begin + 10], raw[:begin], exchanged,
                   flipped(raw, 20), flipped(raw, 40), await world.raw(other)):
        await world.spoil(sha, spoilt)
        assert not await box.check(sha)
        try:
            await box.read(sha)
            raise AssertionError("it was read")
        except Exception as refused:
            assert getattr(refused, "code", "") in ("evidence-damaged", "evidence-locked"), refused
        assert await box.keep(LARGE) == sha and await box.read(sha) == LARGE


@check
async def files_from_before_there_were_keys_are_read_and_then_sealed(world):
    old = await world.open(sealed=False)
    shas = [await old.keep(data) for data in (TURNED_JPEG, LARGE)]
    small = await old.thumbnail(shas[0], 8)
    box = await world.open()
    assert await box.read(shas[0]) == TURNED_JPEG and await box.check(shas[1])
    assert await box.seal_old() == (2 if world.can_move else 0) and await box.seal_old() == 0
    if not world.can_move:
        assert await box.read(shas[1]) == LARGE
        return
    for sha, data in zip(shas, (TURNED_JPEG, LARGE), strict=True):
        assert (await world.raw(sha)).startswith(sealed.MAGIC) and await box.read(sha) == data
    assert await world.names() == set(shas), "a small picture that lay open is gone"
    assert await box.thumbnail(shas[0], 8) == small
    world.keys.put_down()
    assert await box.read(shas[1]) == LARGE, "whose it was nobody knows any more"


@check
async def what_came_down_is_sealed_under_the_tablets_key(world):
    await world.open()
    old = await world.fetched(sealed=False)
    for data in (LARGE, TURNED_JPEG):
        sha = sha_of(data)
        sink = await old.sink(sha, 0)
        world.pour(sink, data)
        sink.close()
        assert await old.finish(sha) and await old.read(sha) == data
    files = await world.fetched()
    text = b"%PDF-1.7 soil on Elm Street" * 20_000
    sink = await files.sink(sha_of(text), 0)
    world.pour(sink, text)
    sink.close()
    assert await files.finish(sha_of(text)) and await files.parts() == []
    assert await files.seal_old() == (2 if world.can_move else 0)
    world.keys.put_down()
    sealed_now = (text, LARGE, TURNED_JPEG) if world.can_move else (text,)
    for data in (text, LARGE, TURNED_JPEG):
        assert await files.read(sha_of(data)) == data
    for data in sealed_now:
        raw = await world.raw_fetched(sha_of(data))
        assert raw.startswith(sealed.MAGIC) and data[:24] not in raw
    assert await files.shas() == sorted(map(sha_of, (text, LARGE, TURNED_JPEG)))
    await files.delete(sha_of(text))
    await refuses("evidence-unknown", files.read(sha_of(text)))


@check
async def a_body_goes_on_while_its_file_is_released(world):
    box = await world.open()
    sha = await box.keep(LARGE)
    body = await box.upload_body(sha)
    await box.release([sha])
    assert await world.slice(body, 3, 300_000) == LARGE[3:300_000] and sha == sha_of(LARGE)

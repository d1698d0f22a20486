"""The process apart makes durable what `LocalBlobs` would; what it does not do is given back undone, so nothing is lost
when it ends.
"""

import asyncio
import hashlib
import os
import signal

from sync.records.evidence_files import check_file
from sync.server.blobs.apart import SLOT, SLOTS, Apart
from sync.server.blobs.local import LocalBlobs
from tests.support.evidence_files import pdf, wav
from tests.support.pictures import picture

PHOTO = picture(200_000, seed=1)


def sha(data):
    return hashlib.sha256(data).hexdigest()


def test_files_are_kept_under_their_hash_and_told_what_they_are_and_others_are_left_undone(tmp_path):
    blobs, apart = LocalBlobs(tmp_path / "evidence"), Apart(tmp_path / "evidence")
    files = [("photo", PHOTO), ("preview", picture(70_000, seed=2)), ("placard", pdf(bytes(range(1, 30)) * 4000)),
             ("voice_note", wav(bytes(100_000)))]

    async def run():
        await ready(apart)
        assert apart.slot(SLOT + 1) is None
        assert await asyncio.gather(*(kept(apart, kind, data) for kind, data in files)) == [
            check_file(kind, data) for kind, data in files]
        held = sorted(sha(data) for _, data in files)
        assert sorted(blobs.names()) == held and all(blobs.read(sha(data)) == data for _, data in files)
        assert await kept(apart, "photo", PHOTO) == check_file("photo", PHOTO), "again the same"
        assert await kept(apart, "photo", PHOTO[:-1], sha(PHOTO)) is None, "other bytes"
        assert await kept(apart, "photo", b"no picture" * 9_000) is None
        assert await kept(apart, "invoice", PHOTO) is None
        assert sorted(blobs.names()) == held and blobs.sweep() == 0
        slots = [apart.slot(10) for _ in range(SLOTS)]
        assert None not in slots and apart.slot(10) is None
        for one in slots:
            one.free()
        assert apart.slot(10) is not None
        process = apart._process
        apart.close()
        assert await asyncio.to_thread(process.wait, 60) == 0

    asyncio.run(run())


def test_what_it_has_in_hand_when_it_is_killed_is_given_back_undone_and_later_another_is_started(tmp_path):
    blobs, apart = LocalBlobs(tmp_path / "evidence"), Apart(tmp_path / "evidence")

    async def run():
        await ready(apart)
        apart._process.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, apart._process.pid, os.WSTOPPED)
        under_way = [asyncio.ensure_future(kept(apart, "photo", picture(90_000, seed=seed))) for seed in range(3)]
        await asyncio.sleep(0)
        apart._process.kill()
        assert await asyncio.gather(*under_way) == [None] * 3
        assert apart.slot(10) is None, "not at once"
        apart._not_before = 0.0
        await ready(apart)
        assert await kept(apart, "photo", PHOTO) == check_file("photo", PHOTO) and blobs.read(sha(PHOTO)) == PHOTO
        apart.close()

    asyncio.run(run())


async def ready(apart):
    """Waits until the process has begun."""
    while (slot := apart.slot(10)) is None:
        await asyncio.sleep(0.01)
    slot.free()


async def kept(apart, kind, data, name=None):
    """What is said of it, once it is durable; None: it was left undone."""
    slot, told = apart.slot(len(data)), asyncio.get_running_loop().create_future()
    slot.room[:] = data
    assert slot.keep(name or sha(data), kind, told.set_result)
    try:
        return await told
    finally:
        slot.free()

"""Where a shot was taken: asked for behind the shutter, once for many photos, a fresh one at once, none made up."""

import asyncio
from dataclasses import replace

from field_app.work.photo_keeping import NOT_YET
from tests.field_app.work.test_photos import with_draft
from tests.support.field_desk import jpeg
from tests.support.field_steps import INLET


class Slow:
    """A position that comes when it is let."""

    def __init__(self, real) -> None:
        self.real, self.asked, self.going = real, 0, asyncio.Event()

    async def fix(self, wait: float = 15.0):
        self.asked += 1
        await self.going.wait()
        return await self.real.fix(wait)


def records(work, draft):
    return list(work._desk.store.table("drafts").get(draft)["photos"].values())


def test_one_answer_places_all_photos_that_wait_for_it(tmp_path):
    async def job(desk, work, draft):
        slow = Slow(desk.position)
        work._desk.hardware = replace(work._desk.hardware, position=slow)
        for seed in range(3):
            await work.shoot(draft, INLET, jpeg(seed), view="other")
        assert [r["no_position"] for r in records(work, draft)] == [NOT_YET] * 3 and slow.asked == 1
        assert work.position_words() == "No position yet."
        slow.going.set()
        await work._desk.locating.settled()
        assert all(r["position"] and r["no_position"] is None for r in records(work, draft))
        assert work.position_words() == "Position known to 17 ft, just now."

    with_draft(tmp_path, job)


def test_a_fresh_position_stands_at_once_with_its_own_time_and_an_old_one_never(tmp_path):
    async def job(desk, work, draft):
        work.ask_position()
        await work._desk.locating.settled()
        desk.clock.advance(seconds=8)
        await work.shoot(draft, INLET, jpeg(1), view="other")
        (first,) = records(work, draft)
        assert first["position"]["fixed_at"][17:19] == "00" and first["taken"]["wall"][17:19] == "08"
        await work._desk.locating.settled()
        desk.clock.advance(seconds=95)
        assert work.position_words() == "Position known to 17 ft, 95 seconds ago."
        desk.position.place = None
        await work.shoot(draft, INLET, jpeg(2), view="other")
        await work._desk.locating.settled()
        second = records(work, draft)[1]
        assert second["position"] is None and second["no_position"] == "the tablet may not tell its position"
        desk.clock.advance(minutes=7)
        assert work.position_words() == "Last position 8 minutes ago, known to 17 ft."

    with_draft(tmp_path, job)


def test_a_position_that_comes_too_late_changes_nothing_that_is_gone(tmp_path):
    async def job(desk, work, draft):
        slow = Slow(desk.position)
        work._desk.hardware = replace(work._desk.hardware, position=slow)
        await work.shoot(draft, INLET, jpeg(1), view="other")
        sha = records(work, draft)[0]["sha256"]
        await work.remove_photo(draft, INLET, sha)
        await work.shoot(draft, INLET, jpeg(2), view="other")
        await work.discard_draft(draft)
        slow.going.set()
        await work._desk.locating.settled()
        assert work._desk.store.table("drafts").get(draft) is None
        work.ask_position()
        await work.stop_sync()
        assert work._desk.locating.last is not None

    with_draft(tmp_path, job)

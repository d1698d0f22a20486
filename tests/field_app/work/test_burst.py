"""The burst: presses are counted at once, photos are taken and kept one after the other, nothing saved is lost."""

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from field_app.work.burst import MOST_WAITING, Burst, Closed


class Scene:
    """A camera and a box that take their time, and remember how many photos were in memory at once, and in hand."""

    def __init__(self, *, break_take: int = 0, break_keep: int = 0, most: int = MOST_WAITING,
                 ahead: int = 3) -> None:
        self.kept, self.in_memory, self.largest, self.shots, self.in_hand = [], 0, 0, 0, 0
        self.break_take, self.break_keep = break_take, break_keep
        self.failures, self.changes = [], 0
        self.burst = Burst(self.take, self.keep, now_ms=lambda: self.changes, changed=self.change,
                           failed=lambda failure, lost: self.failures.append((type(failure), lost)),
                           most=most, ahead=ahead)

    def change(self) -> None:
        self.changes += 1
        assert self.burst.saved == len(self.kept), "only what is kept is counted as saved"

    async def take(self) -> "Held":
        await asyncio.sleep(0)
        self.shots += 1
        if self.shots == self.break_take:
            raise OSError("the camera broke")
        self.in_hand = max(self.in_hand, self.shots - len(self.kept))
        return Held(self, self.shots)

    async def keep(self, data: bytes) -> None:
        await asyncio.sleep(0)
        if data[0] == self.break_keep:
            raise MemoryError("full")
        await asyncio.sleep(0)
        self.kept.append(data)
        self.in_memory -= 1


class Held:
    """A picture that waits outside until it is read."""

    def __init__(self, scene: Scene, number: int) -> None:
        self.scene, self.number = scene, number

    async def read(self) -> bytes:
        self.scene.in_memory += 1
        self.scene.largest = max(self.scene.largest, self.scene.in_memory)
        return bytes([self.number])


def test_presses_are_answered_before_anything_is_taken_and_one_photo_is_in_memory_at_a_time():
    async def go():
        scene = Scene()
        assert all(scene.burst.press() for _ in range(5))
        assert (scene.burst.asked, scene.burst.saved, scene.shots) == (5, 0, 0)
        await scene.burst.drain()
        assert scene.kept == [bytes([n]) for n in range(1, 6)] and scene.largest == 1
        assert (scene.burst.asked, scene.burst.taken, scene.burst.saved) == (5, 5, 5)
        assert all(s.asked_ms <= s.taken_ms <= s.saved_ms for s in scene.burst.shots)
    asyncio.run(go())


def test_no_more_wait_than_may_and_pressing_goes_on_when_there_is_room():
    async def go():
        scene = Scene(most=3)
        assert [scene.burst.press() for _ in range(5)] == [True, True, True, False, False]
        assert scene.burst.full
        await scene.burst.drain()
        assert scene.burst.press()
        await scene.burst.drain()
        assert len(scene.kept) == 4 and not scene.burst.busy
    asyncio.run(go())


@pytest.mark.parametrize("ahead", [1, 3, 8])
def test_pictures_are_taken_ahead_of_keeping_as_far_as_they_may(ahead):
    async def go():
        scene = Scene(ahead=ahead)
        for _ in range(8):
            scene.burst.press()
        await scene.burst.drain()
        assert scene.kept == [bytes([n]) for n in range(1, 9)] and scene.largest == 1
        assert scene.in_hand <= ahead and (ahead == 1 or scene.in_hand > 1)
    asyncio.run(go())


@pytest.mark.parametrize(("breaks", "kept", "lost"), [({"break_take": 3}, 2, 2), ({"break_keep": 2}, 1, 3)])
def test_a_failure_gives_up_what_waits_says_how_many_and_the_shutter_works_again(breaks, kept, lost):
    async def go():
        scene = Scene(**breaks)
        for _ in range(4):
            scene.burst.press()
        await scene.burst.drain()
        assert len(scene.kept) == kept and scene.failures[0][1] == lost
        assert scene.burst.asked == scene.burst.saved == kept and not scene.burst.busy
        scene.in_memory = 0
        assert scene.burst.press()
        await scene.burst.drain()
        assert len(scene.kept) == kept + 1
    asyncio.run(go())


def test_closing_keeps_what_was_taken_and_gives_up_the_rest():
    async def go():
        scene = Scene(ahead=2)
        for _ in range(5):
            scene.burst.press()
        while scene.burst.taken < 2:
            await asyncio.sleep(0)
        await scene.burst.close()
        taken = len(scene.kept)
        assert 2 <= taken < 5 and scene.failures == [(Closed, 5 - taken)]
        assert not scene.burst.press()
    asyncio.run(go())


@settings(max_examples=50, deadline=None, derandomize=True)
@given(st.lists(st.sampled_from("pt"), max_size=40), st.integers(0, 9), st.integers(0, 9),
       st.integers(1, 8))
def test_whatever_is_pressed_when_what_was_saved_is_there(moves, break_take, break_keep, ahead):
    async def go():
        scene = Scene(break_take=break_take, break_keep=break_keep, ahead=ahead)
        for move in moves:
            if move == "p":
                scene.burst.press()
            else:
                await asyncio.sleep(0)
        await scene.burst.drain()
        assert scene.burst.saved == len(scene.kept) == len(set(scene.kept))
        assert scene.burst.saved + sum(lost for _kind, lost in scene.failures) == scene.burst.presses
    asyncio.run(go())

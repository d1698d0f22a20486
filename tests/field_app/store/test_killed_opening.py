"""A kept store of every format is opened, written to and tidied by a process that is killed at one write after another.

There are 200 drafts in it. Killed for real (SIGKILL), before or in the middle of each operation that reaches the
disk: what the old app had saved is there after every kill, and so is every change that
was acknowledged. A store from before there were keys is sealed on the way.
"""

import asyncio
import json
import shutil

import pytest

from field_app.store.native import open_native
from tests.field_app.store.test_fixtures import FIXTURES, FOLDERS, content, opened
from tests.support.killed_process import die_at_operation, forked

DRAFTS = 200


async def _update(folder, acknowledge):
    """What an app does after its update: opens the store, writes, tidies, writes again."""
    store = await opened(folder)
    for number in range(3):
        async with store.change() as tx:
            tx.put("settings", "updated", {"step": number})
        acknowledge(number)
        if number == 1:
            await store.compact()
    await store.close()


def dies_at(folder, operation):
    """Runs the update in a process that kills itself at its n-th operation on the disk (in the middle of a write).

    Gives whether it came that far, and the last step that it acknowledged (-1: none).
    """

    def update(acknowledge):
        die_at_operation(operation)
        asyncio.run(_update(folder, acknowledge))

    died, acknowledged = forked(update)
    return died, acknowledged[-1] if acknowledged else -1


async def _drafts(folder):
    store = await (open_native(folder) if folder.parent.name.endswith("-1") else opened(folder))
    async with store.change() as tx:
        for number in range(DRAFTS):
            answers = {"TRK-06": {"answer": "no", "note": "é" * 40}}
            tx.put("drafts", f"d{number}", {"id": f"d{number}", "answers": answers})
    found = content(store)
    await store.close()
    return found


@pytest.mark.parametrize("name", FOLDERS)
def test_killed_at_every_operation_of_an_update(name, tmp_path):
    before = tmp_path / name / "before"
    shutil.copytree(FIXTURES / name, before)
    expected = asyncio.run(_drafts(before))
    assert expected.items() >= {k: v for k, v in json.loads((FIXTURES / f"{name}.json").read_text()).items()
                                if k != "drafts"}.items()  # fmt: skip
    kills = 0
    for operation in range(1, 200):
        folder = tmp_path / f"store-{operation}"
        shutil.copytree(before, folder)
        died, step = dies_at(folder, operation)

        async def look(folder=folder):
            store = await opened(folder)
            found = content(store)
            await store.close()
            return found

        found = asyncio.run(look())
        there = found.get("settings", {}).pop("updated", {"step": -1})["step"]
        if not found.get("settings", True):
            del found["settings"]
        assert found == expected, f"killed at operation {operation}"
        assert there in (step, step + 1), f"killed at operation {operation}: {there} is there, {step} was acknowledged"
        if not died:
            assert there == 2
            break
        kills += 1
    assert not died and kills >= 10, "it was never in the middle of anything"

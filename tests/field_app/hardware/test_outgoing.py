"""A large file natively: made in pieces, then where the person wanted it, and nothing left behind by one given up."""

import asyncio
import io
from types import SimpleNamespace

import flet as ft

from field_app.hardware.outgoing_file import FileOutgoing


class Dialog:
    """The save dialog of a desktop: says where the person wants the file."""

    def __init__(self, to=None):
        self.to, self.asked = to, []

    async def save_file(self, *, file_name, src_bytes=None):
        self.asked.append((file_name, src_bytes))
        return self.to


def outgoing(tmp_path, dialog, web=False):
    page = SimpleNamespace(web=web, platform=ft.PagePlatform.LINUX)
    return FileOutgoing(page, dialog, tmp_path / "outgoing", "a.zip", "application/zip")


async def fill(file):
    await file.write(b"head ")
    body = io.BytesIO(b"body " * 1000)
    await file.add(body)
    assert body.closed
    await file.write(b"end")


WHOLE = b"head " + b"body " * 1000 + b"end"


def test_it_lies_where_the_person_wanted_it(tmp_path):
    async def job():
        dialog = Dialog(str(tmp_path / "stick.zip"))
        file = outgoing(tmp_path, dialog)
        await fill(file)
        assert await file.save()
        await file.drop()
        assert (tmp_path / "stick.zip").read_bytes() == WHOLE and dialog.asked == [("a.zip", None)]

    asyncio.run(job())


def test_behind_a_browser_it_is_a_download(tmp_path):
    async def job():
        dialog = Dialog()
        file = outgoing(tmp_path, dialog, web=True)
        await fill(file)
        assert await file.save() and dialog.asked == [("a.zip", WHOLE)]

    asyncio.run(job())


def test_one_that_is_given_up_leaves_nothing_and_a_cancelled_dialog_says_so(tmp_path):
    async def job():
        file = outgoing(tmp_path, Dialog())
        await file.write(b"half")
        await file.drop()
        assert not file.place.exists()
        file = outgoing(tmp_path, Dialog(None))
        await fill(file)
        assert not await file.save()
        await outgoing(tmp_path, Dialog()).drop()  # the next one clears what was left

    asyncio.run(job())
    assert list((tmp_path / "outgoing").iterdir()) == []

"""The hint about the home screen: before the code on an iPad, once below the status bar, for good in the settings."""

import asyncio
from pathlib import Path

import pytest

from field_app.hardware.installing import from_page
from field_app.hardware.ports import InstallState
from tests.support.field_desk import bench
from tests.support.tablet_window import window


class Device:
    """A device that runs the web app in its browser."""

    def __init__(self, way: str, offers: bool = False) -> None:
        self.state = InstallState(False, way, offers)

    async def look(self) -> InstallState:
        return self.state

    async def install(self) -> bool:
        self.state = InstallState(True, self.state.way, False)
        return True


def test_on_an_ipad_it_comes_before_the_code(tmp_path: Path):
    async def go():
        async with window(bench(tmp_path), install=Device("ios")) as w:
            await w.appears("install-part")
            ids = w.screen.ids()
            assert ids.index("install-part") < ids.index("enrol-code")
            assert w.screen.shows("first put the app on the home screen, then enter the code there")
            await w.set_up()
            await w.press("open-settings")
            await w.appears("install-part")
            assert w.screen.shows("begins empty: send everything first")

    asyncio.run(go())


def test_elsewhere_it_is_said_once_and_the_browser_can_do_it(tmp_path: Path):
    async def go():
        async with window(bench(tmp_path), install=Device("android", offers=True)) as w:
            await w.appears("install-part")
            ids = w.screen.ids()
            assert ids.index("install-part") > ids.index("enrol-code")
            await w.set_up()
            await w.appears("warning-install")
            await w.press("warning-install")  # one line until it is unfolded
            await w.appears("read-install")
            await w.press("read-install")
            await w.until(lambda: "warning-install" not in w.screen.ids(), "it was read")
        async with window(w.bench, install=Device("android", offers=True)) as again:
            await again.until(lambda: again.shell.phase == "work", "open")
            await again.press("open-settings")
            await again.appears("install-part")
            assert "warning-install" not in again.screen.ids()
            await again.press("install")
            await again.until(lambda: "install-part" not in again.screen.ids(), "it is on the home screen")

    asyncio.run(go())


@pytest.mark.parametrize("way", ["ios", "android", "desktop"])
def test_every_way_has_its_steps(tmp_path: Path, way):
    async def go():
        async with window(bench(tmp_path), install=Device(way)) as w:
            await w.appears("install-part")
            assert len(w.work.install_hint().steps) == 3

    asyncio.run(go())


def test_the_answer_of_the_page():
    assert from_page({"installed": True, "way": "ios", "offers": False}) == InstallState(True, "ios", False)
    assert from_page({"way": "amiga"}) == InstallState(False, "desktop", False)

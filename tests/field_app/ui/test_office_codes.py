"""The codes that the office shows, scanned: a tablet is set up and a person signs in without typing."""

import asyncio
from pathlib import Path

from tests.support.city import PUBLIC_URL
from tests.support.codes import jpeg_of, seen
from tests.support.field_desk import bench
from tests.support.tablet_window import window


def show(w, text):
    """What the camera sees from now on."""
    async def take():
        return jpeg_of(seen(text, turned=4))
    w.camera.take = take


def test_a_tablet_is_set_up_and_a_person_signed_in_by_scanning(tmp_path: Path):
    async def go():
        desk = bench(tmp_path)
        enrol = f"{PUBLIC_URL}/app/#enrol={desk.enrolment_code()}"
        async with window(desk, width=412, height=915) as w:
            await w.press("scan-open")
            await w.until(lambda: w.camera.running, "the camera is open")
            show(w, f"{PUBLIC_URL}/app/#signin=ABCD")
            await w.press("scan")
            await w.until(lambda: w.screen.shows("This is not the code that is asked for"), "the refusal")
            desk.network.up = False
            show(w, enrol)
            await w.press("scan")
            await w.until(lambda: w.screen.value("enrol-code") == enrol.partition("=")[2], "the code is in the field")
            await w.until(lambda: not w.shell.busy("scan") and w.shell.problem is not None, "no network")
            desk.network.up = True
            await w.press("scan")
            await w.appears("sign-in-code")
            await w.until(lambda: not w.camera.running and not w.shell.busy("scan"), "the camera is closed")
            show(w, f"{PUBLIC_URL}/app/#signin={desk.personal_code('ada')}")
            await w.press("scan-open")
            await w.until(lambda: w.camera.running, "the camera is open again")
            await w.press("scan")
            await w.appears("pin-pad")
    asyncio.run(go())


def test_the_link_of_a_person_who_signs_in_brings_the_code_along(tmp_path: Path):
    async def go():
        desk = bench(tmp_path)
        used = []

        async def take():
            return None if used else desk.personal_code("ben")

        async with window(desk, take_signin_code=take, signin_code_used=lambda: used.append(True)) as w:
            await w.type("enrol-code", desk.enrolment_code())
            await w.press("enrol")
            await w.appears("sign-in-code")
            assert w.screen.value("sign-in-code") and w.screen.enabled("sign-in")
            await w.press("sign-in")
            await w.appears("pin-pad")
            assert used and not w.shell.work.sign_in_view().code
    asyncio.run(go())


def test_a_link_that_leads_nowhere_any_more_is_forgotten(tmp_path: Path):
    async def go():
        desk = bench(tmp_path)
        forgotten = []

        async def take():
            return None if forgotten else "an-old-code"

        async with window(desk, take_signin_code=take, signin_code_used=lambda: forgotten.append(True)) as w:
            await w.type("enrol-code", desk.enrolment_code())
            await w.press("enrol")
            await w.appears("sign-in-code")
            await w.press("sign-in")
            await w.appears("problem")
            assert forgotten and not w.shell.work.sign_in_view().code
    asyncio.run(go())


def test_it_leads_to_the_signing_in_also_where_somebody_else_works(tmp_path: Path):
    async def go():
        desk = bench(tmp_path)
        async with window(desk) as w:
            await w.set_up("ada")

        async def take():
            return desk.personal_code("ben")

        async with window(desk, take_signin_code=take) as w:
            await w.appears("sign-in-code")
            await w.until(lambda: w.screen.value("sign-in-code"), "the code is in the field")
    asyncio.run(go())


def test_a_link_that_is_opened_while_the_app_runs_leads_to_the_signing_in_and_back_with_nothing_lost(tmp_path: Path):
    async def go():
        desk = bench(tmp_path)
        heard, codes = [], []

        async def take():
            return codes.pop() if codes else None

        def links(listener):
            heard.append(listener)
            return heard.clear

        async with window(desk, take_signin_code=take, links=links) as w:
            await w.set_up("ada")
            w.shell.go("rain")
            await w.type("rain-gauge", "city yar")
            codes.append(desk.personal_code("ben"))
            await w.screen.type("rain-gauge", "city yard")
            heard[0]()
            await w.appears("sign-in-code")
            await w.until(lambda: w.screen.value("sign-in-code"), "the code is in the field")
            await w.press("back")
            await w.until(lambda: w.screen.value("rain-gauge") == "city yard", "what was typed is there")
    asyncio.run(go())


def test_without_a_camera_it_is_said_and_the_code_can_be_typed(tmp_path: Path):
    async def go():
        async with window(bench(tmp_path), camera=False) as w:
            await w.press("scan-open")
            await w.appears("scan-no-camera")
            await w.press("scan-close")
            await w.until(lambda: "scan-no-camera" not in w.screen.ids(), "closed again")
            assert "enrol-code" in w.screen.ids() and "scan-open" in w.screen.ids()
    asyncio.run(go())

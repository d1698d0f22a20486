"""The browser's hardware, all ports in one start of a probe app: Python in the real worker, in a real Chromium."""

import base64
import hashlib
import io
import json
import os
import time
from pathlib import Path

import pytest
from PIL import Image

from field_app.packaging import web
from field_app.packaging.stage import stage
from tests.field_app.hardware.test_images_native import SEEN, corners, corners_seen
from tests.support.chromium import browser, by_id
from tests.support.codes import jpeg_of, seen
from tests.support.static_server import Served, free_port

pytestmark = pytest.mark.browser
ROOT = Path(__file__).resolve().parents[3]
LINK = "https://siltwatch.example/o/SW-2026-T07-0061-Q?t=0123456789abcdef0123456789abcdef"


@pytest.fixture(scope="module")
def probe(tmp_path_factory):
    home = tmp_path_factory.mktemp("probe")
    stage(home / "app")
    (home / "app" / "main.py").write_bytes((Path(__file__).parent / "probe" / "main.py").read_bytes())
    web.build(home / "web", cache=ROOT / "build" / "cache" / "wheels", app=home / "app")
    film = home / "placard.mjpeg"
    film.write_bytes(jpeg_of(seen(LINK, size=(640, 480), share=0.8, turned=9)) * 3)
    with Served(home / "web", free_port()) as served, browser(home / "profile", film=film) as one:
        yield Probe(one, served, home)


class Probe:
    """The probe app in its browser; `said` waits for what it prints."""

    def __init__(self, one, served, home):
        self.browser, self.served, self.home = one, served, home
        self.page = one.open()
        self.page.goto(served.address + "#enrol=CODE-7")
        self.taken = set()
        self.first = self.said("started", 120)

    def said(self, what: str, seconds: float = 60, page=None, **like) -> dict:
        """The first line about `what` that was not taken yet and says all of `like` (lines may come in any order)."""
        wanted = {"what": what, **like}.items()
        for _ in range(int(seconds * 10)):
            for at, line in enumerate(self.browser.said):
                if at in self.taken or not line.startswith("PROBE "):
                    continue
                told = json.loads(line[6:])
                if all(told.get(key) == value for key, value in wanted):
                    self.taken.add(at)
                    return told
            (page or self.page).wait_for_timeout(100)
        raise AssertionError(f"the probe never said {what!r}; its last words: {self.browser.said[-8:]}")

    def press(self, name: str, page=None):
        part = by_id(page or self.page, name)
        part.wait_for(timeout=60_000)
        part.locator("xpath=descendant-or-self::*[@role='button']").first.click()


def picture(width: int, height: int, **save) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (width, height), "#667788").save(out, "JPEG", quality=40, **save)
    return out.getvalue()


def test_it_starts_with_its_own_clocks_ids_and_enrolment_code(probe):
    first = probe.first
    assert (first["kind"], first["server"]) == ("browser", probe.served.address.removesuffix("/app/"))
    assert (first["code"], first["again"]) == ("CODE-7", None)
    assert first["utc"] == 0 and first["ticks"] >= 15 and first["random"] == 100
    assert first["storage"]["kept"] in (True, False)
    assert first["storage"]["free"] > 1_000_000 and first["storage"]["used"] >= 0
    assert first["install"] == {"installed": False, "way": "desktop", "offers": first["install"]["offers"]}
    assert first["asked_to_keep"] in (True, False)  # Chromium decides by itself and says which
    assert "enrol" not in probe.page.url


def test_the_camera_gives_a_jpeg_and_comes_back_after_the_app_was_away(probe):
    probe.press("camera")
    shot = probe.said("camera")
    assert shot["jpeg"] == "ffd8ff" and min(shot["size"]) > 0
    # What the camera saw was read in the worker: green of the canvas, plain Python, no network.
    code = probe.said("code")
    assert code["text"] == LINK and 0 < code["width"] <= 720
    burst = probe.said("burst")
    assert burst["held"] == ["BlobShot"] * 4, "taken by the page at once, and kept there until they are read"
    assert burst["whole"] == [True] * 4 and burst["size"] == shot["size"] and burst["again"] == "camera-unavailable"
    assert probe.said("camera again")["size"] == shot["size"]
    probe.said("camera stopped")


def test_a_voice_note_is_finished_sound_that_the_page_can_play(probe):
    probe.press("record")
    note = probe.said("recorded")
    assert note["media"] in ("audio/webm", "audio/ogg", "audio/mp4") and note["whole"] is True and note["size"] > 500
    assert probe.said("recording stopped")["code"] == "microphone-unavailable"


def test_the_position_comes_in_microdegrees_and_a_refusal_has_its_reason(probe):
    probe.press("position")
    found = probe.said("position")
    assert (found["kind"], found["lat_udeg"], found["lon_udeg"]) == ("Fix", "43073100", "-89401200")
    assert found["accuracy_cm"] == "500"
    probe.browser.context.set_geolocation({"latitude": 0, "longitude": 0, "accuracy": 5})
    probe.press("position")
    assert probe.said("position")["reason"] == "implausible"
    probe.browser.context.clear_permissions()
    probe.press("position")
    assert probe.said("position")["reason"] in ("denied", "timeout")


def test_picked_photos_arrive_byte_for_byte_and_are_scaled_by_the_canvas(probe):
    exif = Image.Exif()
    exif[0x0112] = 6
    files = {
        "upright.jpg": picture(4032, 3024),
        "turned.jpg": picture(1600, 1200, exif=exif),
        "note.txt.jpg": b"this is no picture",
        "cut.jpg": picture(800, 600)[:600],
        "broken-exif.jpg": corners(6).replace(b"\x01\x12\x00\x03", b"\x01\x12\x7f\xff", 1),
    } | {f"exif-{turn}.jpg": corners(turn) for turn in SEEN}
    for name, data in files.items():
        (probe.home / name).write_bytes(data)
    with probe.page.expect_file_chooser() as chooser:
        probe.press("pick")
    chooser.value.set_files([probe.home / name for name in files])
    seen, upright = {}, {}
    for name, data in files.items():
        picked = probe.said("picked", name=name)
        assert (picked["sha"], picked["size"]) == (hashlib.sha256(data).hexdigest(), len(data))
        assert picked["outside"], "the bytes stay with the browser"
        seen[name] = picked["code"]
        if picked["code"] == "taken":
            seen[name] = probe.said("thumbnail", name=name)
            upright[name] = base64.b64decode(seen[name]["jpeg"])
    assert seen["upright.jpg"]["whole"] == [4032, 3024] and seen["upright.jpg"]["small"] == [320, 240]
    assert seen["turned.jpg"]["whole"] == [1200, 1600] and seen["turned.jpg"]["small"] == [240, 320]
    for turn, expected in SEEN.items():
        assert corners_seen(upright[f"exif-{turn}.jpg"]) == expected, f"EXIF orientation {turn}"
    assert seen["broken-exif.jpg"]["small"] == [320, 160] or seen["broken-exif.jpg"]["small"] == [160, 320]
    assert seen["note.txt.jpg"] == "evidence-not-an-image"
    assert seen["cut.jpg"] == "evidence-not-an-image" or seen["cut.jpg"]["small"]


def test_the_tablets_own_camera_gives_the_file_as_it_is_and_an_older_one_counts_as_chosen(probe):
    data = picture(800, 600)
    for name, age, fresh in (("new.jpg", 0, True), ("old.jpg", 3600, False)):
        with probe.page.expect_file_chooser() as chooser:
            probe.press("system")
        (probe.home / name).write_bytes(data)
        os.utime(probe.home / name, (time.time() - age,) * 2)
        chooser.value.set_files(probe.home / name)
        told = probe.said("system camera")
        assert told == {"what": "system camera", "name": name, "sha": hashlib.sha256(data).hexdigest(), "fresh": fresh}


def test_the_pin_arithmetic_is_the_same_as_in_a_native_process(probe):
    probe.press("pin")
    made = probe.said("pin")
    assert made["made"] == hashlib.pbkdf2_hmac("sha256", b"1234", b"salt of sixteen.", 20_000, 32).hex()
    assert made["sha"] == hashlib.sha256(b"abc").hexdigest()


def test_a_saved_file_leaves_the_browser_whole(probe):
    with probe.page.expect_download() as download:
        probe.press("save")
    assert probe.said("saved")["saved"] is True
    assert Path(download.value.path()).read_bytes() == b"%PDF-1.7 of the probe"


def test_a_second_tab_is_refused_and_can_take_over(probe):
    probe.press("hold")
    assert probe.said("store")["code"] == "opened"
    second = probe.browser.another()
    second.goto(probe.served.address)
    probe.said("started", 120, second)
    probe.press("hold", second)
    assert probe.said("store", page=second)["code"] == "store-busy"
    tries = "caches.match('/app/__tries__').then((held) => held ? held.text() : 'nothing yet')"
    for _ in range(100):  # the page writes it beside the start of the app
        if (counted := second.evaluate(tries)) == "0":
            break
        second.wait_for_timeout(100)
    assert counted == "0", "a tab that may not open the store is no failed start"
    probe.press("take", second)
    assert probe.said("released", page=second)["page"] is True, "Flet's context is there, or nothing would be drawn"
    assert probe.said("take over", page=second)["done"] is True
    assert probe.said("store", page=second)["code"] == "opened"
    probe.page.get_by_text("open in another tab").wait_for(timeout=60_000)
    second.close()


def test_what_the_page_says_by_itself_comes_in_flets_context_and_once(probe):
    probe.page.locator("html[data-offline=ready]").wait_for(state="attached", timeout=60_000)
    for _ in range(100):  # Python hears of it a moment after the page
        if any('"what": "updates"' in line for line in probe.browser.said):
            break
        probe.page.wait_for_timeout(200)
    lines = [json.loads(line[6:]) for line in probe.browser.said if line.startswith("PROBE ")]
    updates = [line for line in lines if line["what"] == "updates"]
    assert updates, "the offline copy was made after the store was opened"
    assert all(line == {"what": "updates", "ready": True, "page": True} for line in updates)
    assert len(updates) <= 2, "once for each of the two tabs"


def test_nothing_was_asked_of_any_other_host_and_no_policy_was_broken(probe):
    assert probe.browser.foreign(probe.served.address) == []
    assert [line for line in probe.browser.said if "Content Security Policy" in line] == []

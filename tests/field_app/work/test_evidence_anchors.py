"""What went wrong with others' photos and files, as the study of rival apps tells it ("anchors" B and E, the row named
in each docstring), asked of the real use cases against the real server."""

import asyncio
import io
import json
import struct
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest
from PIL import Image
from sqlalchemy import func, select

from sync.client.calls import Reply
from sync.client.rows import PARKED, SAFE
from sync.records.evidence_files import check_file
from sync.records.facts import parse
from sync.server.casework import queries
from sync.server.console.previews import make_preview
from sync.server.db import schema
from tests.contract.tiff import SHORT, block
from tests.field_app.work.test_darkroom import large_photo, row, run, server_holds, signed
from tests.support.field_desk import jpeg, until

ROOT = Path(__file__).resolve().parents[3]


def count(desk, table):
    with desk.city.db.read() as tx:
        return tx.execute(select(func.count()).select_from(table)).scalar_one()


async def wait_a_while(desk, work, minutes=10, steps=20):
    for _ in range(steps):
        await asyncio.sleep(0.03)
        desk.clock.advance(minutes=minutes / steps)
        work._desk.driver.wake("item")


def test_b1_lost_replies_make_no_second_record_and_lose_no_photo(tmp_path):
    """Anchor B1 (Survey123 #389, #305): a retry made a second record, some with 0, 1 or 2 of the photos."""

    async def job(desk, work, draft):
        await work.add_photo(draft, "", jpeg(1), source="camera")
        await work.add_photo(draft, "", jpeg(2), source="camera")
        fact = await signed(work, draft)
        work.start_sync()
        desk.network.lose_replies = 4
        await wait_a_while(desk, work)
        await until(lambda: row(work, fact).state == SAFE)
        assert count(desk, schema.facts) == 1 and count(desk, schema.evidence) == 2
        assert desk.network.lose_replies == 0

    run(tmp_path, job)


def test_b1_a_photo_that_fails_leaves_one_incomplete_record(tmp_path):
    """Anchor B1: failure on photo 2 of 2 gives one record, "1 of 2", and never a second copy."""

    async def job(desk, work, draft):
        await work.add_photo(draft, "", jpeg(1), source="camera")
        await work.add_photo(draft, "", jpeg(2), source="camera")
        fact = await signed(work, draft)
        second = row(work, fact).evidence[1]
        through = desk.network.send

        async def failing(target, request, body=None, progress=None):
            if request.evidence == second:
                body.close()
                return Reply(failure="cut")
            return await through(target, request, body, progress)

        desk.network.send = failing
        work.start_sync()
        await wait_a_while(desk, work)
        [listed] = queries.inspection_list(desk.city)
        assert (listed["id"], listed["files"], listed["files_held"]) == (fact, 2, 1)
        assert row(work, fact).state != SAFE and await work._desk.box.has(second)
        desk.network.send = through
        await wait_a_while(desk, work)
        await until(lambda: row(work, fact).state == SAFE)
        assert count(desk, schema.facts) == 1

    run(tmp_path, job)


FOREIGN = [
    Reply(200, {"content-type": "text/html"}, b"<html>Welcome to the hotel</html>"),
    Reply(200, {}, b""),
    Reply(201, {"content-type": "application/json"}, b'{"id": 7}'),
    Reply(302, {"location": "http://login.example"}, b""),
    Reply(200, {"siltwatch-protocol": "1", "siltwatch-epoch": "e"}, b'{"text": "{}", "mac": "00"}'),
]


@pytest.mark.parametrize("reply", FOREIGN, ids=["page", "empty", "foreign body", "redirect", "forged receipt"])
def test_b5_nothing_but_a_receipt_lets_a_photo_go(tmp_path, reply):
    """Anchor B5 (ODK #1017): files were deleted although sending had failed; only a receipt that names every photo
    lets anything go, and only after the keeping time."""

    async def job(desk, work, draft):
        sha = (await work.add_photo(draft, "", jpeg(1), source="camera")).kept[0].sha256
        fact = await signed(work, draft)
        through = desk.network.send

        async def stranger(target, request, body=None, progress=None):
            if request.evidence is None:
                return await through(target, request, body, progress)
            body.close()
            return reply

        desk.network.send = stranger
        work.start_sync()
        await wait_a_while(desk, work)
        await work.stop_sync()
        assert row(work, fact).answer == "applied" and row(work, fact).state != SAFE
        desk.clock.advance(days=400)
        await work.start()
        assert row(work, fact) is not None and await work._desk.box.has(sha)

    run(tmp_path, job)


def test_b7_two_signatures_in_the_same_moment_are_both_kept(tmp_path):
    """Anchor B7 (Enketo #1043): a form with two signatures lost one of the images; here 200 times two, at once."""

    async def job(desk, work, draft):
        def drawn(n):
            strokes = [[[n, 1, 0], [n + 1, 9, 16]]]
            return json.dumps({"signature": 1, "width": 600, "height": 200, "strokes": strokes}).encode()

        box, named = work._desk.box, []
        for n in range(0, 400, 2):
            both = (box.keep(drawn(one), kind="signature") for one in (n, n + 1))
            named += await asyncio.gather(*both)
        kept = await box.shas()
        assert len(set(named)) == 400 and kept == sorted(named)
        for sha in named[:: 40]:
            assert check_file("signature", await box.read(sha)).media.endswith("signature+json")

    run(tmp_path, job)


def test_b9_an_empty_or_cut_photo_is_refused_where_it_is_taken(tmp_path):
    """Anchor B9 (QField #4341): 0-byte and cut images reached the server. `tests/sync/records` cuts every kind of file
    at every byte; here at the shutter, and what was damaged on the tablet later does not leave it."""

    async def job(desk, work, draft):
        for data in (b"", jpeg(1)[:-2], jpeg(1)[:100]):
            with pytest.raises(Exception, match="evidence-"):
                await work.add_photo(draft, "", data, source="camera")
        sha = (await work.add_photo(draft, "", jpeg(1), source="camera")).kept[0].sha256
        fact = await signed(work, draft)
        place = work._desk.box._place(sha)
        place.write_bytes(place.read_bytes()[:-40] + bytes(40))
        work.start_sync()
        await wait_a_while(desk, work, minutes=60, steps=40)
        item = next(one for one in work.outbox().rows if one.fact == fact)
        assert item.state == PARKED and "cannot be read on this tablet" in item.reason and server_holds(desk) == set()

    run(tmp_path, job)


def test_b20_thirty_previews_take_no_more_memory_than_three():
    """Anchor B20 (ODK #672): out of memory after some photos. Photos of 24 megapixels, one after the other."""
    said = subprocess.run([sys.executable, "-c", _PREVIEWS], cwd=ROOT, capture_output=True, text=True, check=True)
    after_three, after_all, sizes = json.loads(said.stdout)
    assert max(max(size) for size in sizes) == 1_280 and len(sizes) == 18
    assert after_all <= 1.2 * after_three


_PREVIEWS = """
import asyncio, io, json, resource, tempfile
from PIL import Image
from field_app.hardware.images_pillow import PillowImages
from field_app.photos.native import open_native_box
from sync.records.evidence_files import check_file

async def main():
    out = io.BytesIO()
    Image.radial_gradient("L").resize((6_000, 4_000)).convert("RGB").save(out, "JPEG", quality=90)
    sizes, memory = [], []
    with tempfile.TemporaryDirectory() as folder:
        box = await open_native_box(folder, PillowImages())
        for number in range(18):
            sha = await box.keep(out.getvalue() + bytes([number]), kind="photo")
            seen = check_file("preview", await box.smaller(sha, 1_280))
            sizes.append((seen.width, seen.height))
            memory.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
            await box.delete(sha)
    print(json.dumps([memory[2], memory[-1], sizes]))

asyncio.run(main())
"""


UNDONE_BY = {1: None, 2: 0, 3: 3, 4: 1, 5: 5, 6: 2, 7: 6, 8: 4}
"""By EXIF orientation the turn (of Pillow) that an upright picture is stored with."""


def stored_turned(orientation):
    """A large JPEG, blue above and red below when it is shown as its orientation says."""
    upright = Image.new("RGB", (900, 1200), (200, 30, 30))
    upright.paste((30, 30, 200), (0, 0, 900, 600))
    turn = UNDONE_BY[orientation]
    out = io.BytesIO()
    (upright if turn is None else upright.transpose(Image.Transpose(turn))).save(out, "JPEG", quality=92)
    segment = b"Exif\0\0" + block({0x112: (SHORT, orientation)})
    head = out.getvalue()[:2] + b"\xff\xe1" + struct.pack(">H", len(segment) + 2) + segment
    return head + out.getvalue()[2:] + bytes(250_000)


def test_b23_every_orientation_is_upright_in_the_preview_and_the_original_stays(tmp_path):
    """Anchor B23 (ODK #4571): portrait photos sideways, turned twice, or small pictures that cannot be opened."""

    async def job(desk, work, draft):
        for orientation in UNDONE_BY:
            data = stored_turned(orientation)
            kept = (await work.add_photo(draft, "", data, source="system camera")).kept
            small = await work._desk.box.smaller(kept[-1].sha256, 1_280)
            check_file("preview", small)
            for seen in (small, make_preview(small)):
                with Image.open(io.BytesIO(seen)) as picture:
                    assert picture.height > picture.width, orientation
                    middle, plain = picture.width // 2, picture.convert("RGB")
                    top, bottom = (plain.getpixel((middle, picture.height * n // 4)) for n in (1, 3))
                assert top[2] > 150 > top[0] and bottom[0] > 150 > bottom[2], orientation
            assert await work._desk.box.read(kept[-1].sha256) == data

    run(tmp_path, job)


def test_b25_a_photo_without_a_position_arrives_without_one(tmp_path):
    """Anchor B25 (kcigeospatial #50): cleanings at 0,0 or at headquarters. No fix travels as null with its reason."""

    async def job(desk, work, draft):
        desk.position.place = None
        await work.add_photo(draft, "", jpeg(1), source="camera")
        fact = await signed(work, draft)
        work.start_sync()
        await until(lambda: row(work, fact).state == SAFE)
        [photo] = queries.inspection_page(desk.city, fact)["photos"]
        assert photo["position"] is None and photo["no_position"] and photo["held"]

    run(tmp_path, job)


def test_b31_a_name_in_any_script_and_form_travels_as_it_is_and_names_no_file(tmp_path):
    """Anchor B31 (ODK Central #433, KoboCAT #546): é, emoji or Arabic in a file name lost the attachment; NFC and NFD
    did not match. The name is a word about the photo; the file lies under its hash."""
    name = "fîlé 😂 صادق (1)%+.jpg"
    names = [unicodedata.normalize(form, name) for form in ("NFC", "NFD")]
    assert names[0] != names[1]

    async def job(desk, work, draft):
        shas = [(await work.add_photo(draft, "", jpeg(n), source="gallery", name=one)).kept[-1].sha256
                for n, one in enumerate(names)]
        fact = await signed(work, draft)
        work.start_sync()
        await until(lambda: row(work, fact).state == SAFE)
        photos = {photo["sha256"]: photo for photo in queries.inspection_page(desk.city, fact)["photos"]}
        assert [photos[sha]["name"] for sha in shas] == names and all(photos[sha]["held"] for sha in shas)
        assert set(desk.city.blobs.names()) == set(shas)
        assert [one["name"] for one in parse(row(work, fact).text).body["photos"]] == names

    run(tmp_path, job)


def test_e_content_addressed_from_the_shutter_to_the_office(tmp_path):
    """Anchors E, last row: no rival uses the hash of the content end to end. The hash made at the shutter is the one in
    the signed statement's record, in the receipt, on the server's disk and in the office."""

    async def job(desk, work, draft):
        import hashlib

        data = large_photo()
        sha = (await work.add_photo(draft, "", data, source="camera")).kept[0].sha256
        assert sha == hashlib.sha256(data).hexdigest()
        fact = await signed(work, draft)
        work.start_sync()
        await until(lambda: row(work, fact).state == SAFE)
        receipt = json.loads(work._desk.store.table("facts").get(fact)["sync"]["receipt"]["text"])
        assert receipt["evidence"] == {sha: True}
        assert sha[:12] in parse(row(work, fact).text).body["signed"]["statement"]
        assert hashlib.sha256(desk.city.blobs.read(sha)).hexdigest() == sha

    run(tmp_path, job)

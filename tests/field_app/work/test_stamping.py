"""What is printed on small copies says what the photo's record says; the original stays as it was taken."""

import io

from PIL import Image, ImageStat

from field_app.work.stamping import stamp_of
from tests.field_app.work.test_darkroom import files, large_photo, row, run, signed
from tests.support.field_desk import jpeg, until
from tests.support.field_steps import failing_inspection, posted_order


def test_a_preview_bears_date_and_place_and_waits_for_the_position(tmp_path):
    async def job(desk, work, draft):
        photo = large_photo(1)
        sha = (await work.add_photo(draft, "", photo, source="camera", view="wide")).kept[0].sha256
        lines = stamp_of(work._desk, sha, 1_280)
        assert lines == ("Thu Aug 27, 2026 at 2:00 PM", "Lot 1, 100 Mill Street",
                         "43.073100, -89.401200 (within 17 ft)")
        assert stamp_of(work._desk, sha, 320) == ("2026-08-27 14:00", "100 Mill Street")
        desk.position.place = None
        desk.clock.advance(minutes=1)
        bare = (await work.add_photo(draft, "", large_photo(2), source="camera")).kept[1].sha256
        assert stamp_of(work._desk, bare, 1_280)[2] == "no position: the tablet may not tell its position"
        small = await work.thumbnail(sha)
        assert small != await work._desk.box.thumbnail(sha, 320) and await work._desk.box.read(sha) == photo
        fact = await signed(work, draft)
        assert stamp_of(work._desk, sha, 1_280) == lines, "signed, it says the same"
        work._desk.darkroom.start()
        await until(lambda: any(doc.get("of") == sha for doc in files(work)))
        preview = await work._desk.box.read(next(doc["sha256"] for doc in files(work) if doc.get("of") == sha))
        plain = Image.open(io.BytesIO(await work._desk.box.smaller(sha, 1_280))).convert("L")
        stamped = Image.open(io.BytesIO(preview)).convert("L")
        width, height = plain.size
        edge = (0, height - 16, 8, height)  # beside the words
        light, before = (ImageStat.Stat(one.crop(edge)).mean[0] for one in (stamped, plain))
        assert stamped.size == plain.size and light < 0.75 * before, "shaded along the lower edge"
        assert stamped.crop((0, 0, width, height // 2)).tobytes() == plain.crop((0, 0, width, height // 2)).tobytes()
        assert row(work, fact).evidence

    run(tmp_path, job)


def test_a_photo_of_a_placard_bears_the_number_of_its_order(tmp_path):
    async def job(desk, work, draft):
        number = (await posted_order(work, await failing_inspection(work))).number
        view = await work.add_order_photo(number, jpeg(8), source="camera")
        (photo,) = (*view.signed, *view.waiting)
        assert stamp_of(work._desk, photo.sha256, 1_280)[1] == f"Stop-work order {number}"

    run(tmp_path, job)

"""Photos of a draft: kept first, refused with nothing kept, with their place or the reason why there is none."""

import asyncio
import io
from dataclasses import replace

import pytest
from PIL import Image

from field_app.work.stamping import stamp_of
from sync.documents.evidence import position_words
from sync.records.facts import parse
from sync.records.problems import Problem
from tests.support.field_desk import PIN, bench, jpeg, ready
from tests.support.field_steps import INLET, nothing_else


def with_draft(tmp_path, job):
    async def all_of_it():
        desk = bench(tmp_path)
        async with desk.work() as work:
            await ready(desk, work)
            await job(desk, work, (await work.begin_inspection("site-01")).id)

    asyncio.run(all_of_it())


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "evidence-empty"),
        (b"this is no picture at all", "evidence-not-an-image"),
        (jpeg(1)[:-40], "evidence-truncated"),
        (jpeg(1).replace(b"\x00\x30\x00\x40", b"\x3a\x98\x3a\x98", 1), "evidence-too-many-pixels"),
    ],
    ids=["empty", "text", "cut off", "225 megapixels"],
)
def test_what_is_no_usable_picture_is_refused_and_not_kept(tmp_path, data, code):
    async def job(desk, work, draft):
        with pytest.raises(Problem) as caught:
            await work.add_photo(draft, INLET, data, source="gallery")
        assert caught.value.code == code
        assert work.photo_capture(draft, INLET).kept == ()
        assert await work._desk.box.shas() == []

    with_draft(tmp_path, job)


def test_a_photo_far_from_the_site_is_flagged_and_taken(tmp_path):
    async def job(desk, work, draft):
        desk.position.place = (43_078_100, -89_401_200, 2_000)
        view = await work.add_photo(draft, INLET, jpeg(1), source="camera", view="wide")
        assert view.kept[0].flags == ("0.3 mi from the site",)
        assert view.far.words == "1 photo was taken 0.3 mi from the site. Why?"
        desk.position.place = (43_074_000, -89_401_200, 2_000)
        view = await work.add_photo(draft, INLET, jpeg(2), source="camera", view="close")
        assert view.kept[1].flags == ()

    with_draft(tmp_path, job)


def test_without_a_position_the_reason_is_signed(tmp_path):
    async def job(desk, work, draft):
        desk.position.place = None
        view = await work.add_photo(draft, "", jpeg(1), source="camera")
        assert view.kept[0].place == "the tablet may not tell its position"
        view = await work.add_photo(draft, "", jpeg(2), source="gallery", name="IMG_7.jpg")
        assert view.kept[1].flags == ("not taken in the app",)
        assert view.kept[0].taken == "Thu Aug 27, 2026 at 2:00 PM"
        assert view.kept[1].taken == "chosen Thu Aug 27, 2026 at 2:00 PM; when it was taken is not known"
        await nothing_else(work, draft)
        signed = await work.sign_inspection(draft, PIN)
        body = parse(work._desk.store.table("facts").get(signed.fact)["text"]).body
        assert [p["no_position"] is not None and p["position"] is None for p in body["photos"]] == [True, True]
        assert body["photos"][1]["name"] == "IMG_7.jpg" and body["outcome"] == "compliant"

    with_draft(tmp_path, job)


def test_one_photo_for_two_items_is_sent_once(tmp_path):
    async def job(desk, work, draft):
        await work.add_photo(draft, INLET, jpeg(1), source="camera", view="wide")
        await work.add_photo(draft, "TRK-06", jpeg(1), source="camera", view="wide")
        await work.add_photo(draft, "TRK-06", jpeg(1), source="camera", view="wide")
        assert len(work.review(draft).photos) == 1
        await work.remove_photo(draft, INLET, work.review(draft).photos[0].sha256)
        assert len(work.review(draft).photos) == 1
        await work.remove_photo(draft, "TRK-06", work.review(draft).photos[0].sha256)
        assert work.review(draft).photos == ()

    with_draft(tmp_path, job)


def test_the_wanted_views_are_named(tmp_path):
    async def job(desk, work, draft):
        for part, value in (("barrier", "none"), ("runoff", "yes"), ("rain_due", "no")):
            await work.answer(draft, INLET, part, value)
        view = work.photo_capture(draft, INLET)
        assert view.suggested_view == "wide" and len(view.ask) == 2
        view = await work.add_photo(draft, INLET, jpeg(1), source="camera", view="wide")
        assert view.suggested_view == "close" and len(view.ask) == 1

    with_draft(tmp_path, job)


def test_a_thumbnail_is_a_small_jpeg_and_the_original_stays(tmp_path):
    async def job(desk, work, draft):
        data = jpeg(1, (900, 600))
        sha = (await work.add_photo(draft, INLET, data, source="camera")).kept[0].sha256
        small = await work.thumbnail(sha, 200)
        assert small[:3] == b"\xff\xd8\xff" and len(small) < len(data)
        assert await work._desk.box.read(sha) == data
        assert await work.thumbnail("0" * 64) is None

    with_draft(tmp_path, job)


def test_a_photo_for_an_item_that_is_not_asked_is_refused(tmp_path):
    async def job(desk, work, draft):
        with pytest.raises(Problem) as caught:
            await work.add_photo(draft, "NO-99", jpeg(1), source="camera")
        assert caught.value.code == "item-unknown"
        assert await work._desk.box.shas() == []

    with_draft(tmp_path, job)


def says(taken, offset):
    """A picture whose EXIF says that it was taken then."""
    exif = Image.Exif()
    exif.get_ifd(0x8769).update({0x9003: taken} | ({0x9011: offset} if offset else {}))
    out = io.BytesIO()
    Image.new("RGB", (64, 48), "brown").save(out, "JPEG", exif=exif.tobytes())
    return out.getvalue()


def test_a_gallery_picture_from_the_end_of_all_days_is_one_that_does_not_say_when(tmp_path):
    async def job(desk, work, draft):
        view = await work.add_photo(draft, "", says("9999:12:31 23:59:59", "-05:00"), source="gallery")
        (photo,) = view.kept
        assert photo.taken.endswith("when it was taken is not known")
        async with work._desk.store.change() as tx:  # kept by a version that took the year for one
            doc = tx.get("drafts", draft)
            kept = {**doc["photos"][photo.sha256], "exif": {"taken": "9999-12-31T23:59:59-05:00"}}
            tx.put("drafts", draft, {**doc, "photos": {photo.sha256: kept}})
        assert work.photo_capture(draft).kept[0].taken == photo.taken
        await work.remove_photo(draft, "", photo.sha256)

    with_draft(tmp_path, job)


@pytest.mark.parametrize("offset", ["-05:00", None])
def test_a_gallery_picture_that_says_when_it_was_taken_is_captioned_with_that(tmp_path, offset):
    async def job(desk, work, draft):
        view = await work.add_photo(draft, "", says("2026:08:25 09:12:00", offset), source="gallery")
        assert view.kept[0].taken == "Tue Aug 25, 2026 at 9:12 AM, as the picture itself says"

    with_draft(tmp_path, job)


def test_a_gallery_picture_of_another_zone_says_one_time_in_caption_and_stamp(tmp_path):
    async def job(desk, work, draft):
        view = await work.add_photo(draft, "", says("2026:08:25 14:12:00", "+00:00"), source="gallery")
        assert view.kept[0].taken == "Tue Aug 25, 2026 at 9:12 AM, as the picture itself says"
        assert stamp_of(work._desk, view.kept[0].sha256, 320)[0] == "2026-08-25 09:12"

    with_draft(tmp_path, job)


def test_far_from_the_site_both_positions_and_the_reason_are_signed(tmp_path):
    async def job(desk, work, draft):
        desk.position.place = (43_078_100, -89_401_200, 2_000)
        await work.add_photo(draft, "", jpeg(1), source="camera")
        await work.shoot(draft, "", jpeg(2), view="close")
        desk.position.place = (43_075_000, -89_401_200, 2_000)
        await work.add_photo(draft, "", jpeg(3), source="camera")
        assert work.inspection(draft).details.far.words.startswith(
            "2 photos were taken far from the site, up to 0.3 mi")
        await nothing_else(work, draft)
        lacking = [m.sentence for m in work.inspection(draft).missing]
        assert lacking == ["Say why photos were taken far from the site."]
        with pytest.raises(Problem) as caught:
            await work.sign_inspection(draft, PIN)
        assert caught.value.code == "inspection-incomplete"
        await work.set_details(draft, far_reason="From the bridge")
        signed = await work.sign_inspection(draft, PIN)
        far, shot, near = parse(work._desk.store.table("facts").get(signed.fact)["text"]).body["photos"]
        assert (far["site_m"], far["far_reason"], shot["far_reason"]) == (557, "From the bridge", "From the bridge")
        assert far["site_position"] == {"lat_udeg": 43_073_100, "lon_udeg": -89_401_201}
        assert far["position"]["lat_udeg"] == 43_078_100
        assert near["site_m"] == 212 and near["position"] is not None

    with_draft(tmp_path, job)


def test_a_zeroed_position_in_a_picture_is_none(tmp_path):
    async def job(desk, work, draft):
        exif = Image.Exif()
        gps = exif.get_ifd(0x8825)
        gps |= {1: "N", 2: (0.0, 0.0, 0.0), 3: "W", 4: (0.0, 0.0, 0.0)}
        out = io.BytesIO()
        Image.new("RGB", (64, 48)).save(out, "JPEG", exif=exif)
        await work.add_photo(draft, "", out.getvalue(), source="gallery")
        (record,) = work._desk.store.table("drafts").get(draft)["photos"].values()
        assert not record["exif"].keys() & {"lat_udeg", "lon_udeg"} and record["position"] is None

    with_draft(tmp_path, job)


def test_a_position_that_an_app_set_is_kept_as_such_and_said(tmp_path):
    async def job(desk, work, draft):
        real = desk.position.fix

        async def set_by_an_app(wait=15.0):
            return replace(await real(wait), mocked=True)

        desk.position.fix = set_by_an_app
        (photo,) = (await work.add_photo(draft, "", jpeg(5), source="camera")).kept
        assert "position set by an app, not measured" in photo.flags
        record = work._desk.store.table("drafts").get(draft)["photos"][photo.sha256]
        assert record["position"]["mocked"] is True
        assert position_words(record, str) == "43.073100, -89.401200 (within 17 ft); set by an app, not measured"
        desk.position.fix = real
        desk.clock.advance(minutes=1)
        other = (await work.add_photo(draft, "", jpeg(6), source="camera")).kept[1]
        assert not other.flags
        assert "mocked" not in work._desk.store.table("drafts").get(draft)["photos"][other.sha256]["position"]

    with_draft(tmp_path, job)

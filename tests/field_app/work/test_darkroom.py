"""Behind the screens: previews first, photos on their way while the inspection goes on, smaller copies of what is too
large. The real use cases against the real server, one process."""

import asyncio
import io
import struct
from dataclasses import replace
from functools import lru_cache

from PIL import Image
from sqlalchemy import select

from field_app.work.smaller import NONE
from field_app.work.tidying import tidy
from sync.client.calls import Reply
from sync.client.rows import PARKED, SAFE
from sync.records.facts import parse
from sync.server.casework import evidence, queries
from sync.server.casework.lost import missing_from
from sync.server.db import schema
from sync.server.db.files import previews, smaller_copies
from tests.contract.pictures import png
from tests.support.evidence_files import heic
from tests.support.field_desk import PIN, Network, bench, jpeg, ready, settle, until
from tests.support.field_steps import nothing_else

EACH_WAY = ("put", "patch")


@lru_cache(maxsize=8)
def large_photo(seed=1, size=(900, 700)):
    """A photo that is no preview of itself: some 400 kB that no packing makes smaller; another for each seed."""
    picture = Image.effect_noise(size, 90 + seed).convert("RGB")
    out = io.BytesIO()
    picture.save(out, "JPEG", quality=92)
    return out.getvalue()


def run(tmp_path, job, **limits):
    async def all_of_it():
        desk = bench(tmp_path)
        if limits:
            allow(desk, **limits)
        async with desk.work() as work:
            await ready(desk, work)
            await job(desk, work, (await work.begin_inspection("site-01")).id)

    asyncio.run(all_of_it())


def allow(desk, **limits):
    """The server is started anew with another largest file."""
    desk.city = replace(desk.city, **limits)
    desk.network = Network(desk.city)


def files(work):
    return work._desk.store.table("evidence").all()


def sent(desk):
    """(kind, SHA-256) of each file in the order in which it was finished."""
    return [(request.headers.get("Siltwatch-Evidence-Kind", ""), request.ids[0]) for request in desk.network.sent
            if request.purpose in EACH_WAY]  # fmt: skip


def server_holds(desk, table=schema.evidence, column="sha256"):
    with desk.city.db.read() as tx:
        return set(tx.execute(select(table.c[column])).scalars())


async def signed(work, draft):
    await nothing_else(work, draft)
    return (await work.sign_inspection(draft, PIN)).fact


def row(work, fact):
    return work._desk.outbox.view().fact(fact)


def test_previews_of_all_that_waits_go_before_any_original(tmp_path):
    async def job(desk, work, draft):
        for seed in range(3):
            await work.add_photo(draft, "", large_photo(seed), source="camera")
        fact = await signed(work, draft)
        work.start_sync()
        await until(lambda: row(work, fact).state == SAFE)
        kinds = [kind for kind, _ in sent(desk)]
        assert kinds[:3] == ["preview"] * 3 and "preview" not in kinds[3:]
        assert server_holds(desk, previews, "original") == set(row(work, fact).evidence)
        assert server_holds(desk, previews) & server_holds(desk) == set(), "a preview is never evidence"
        await until(lambda: all(doc["kind"] == "photo" for doc in files(work)))
        assert await work._desk.box.shas() == sorted(row(work, fact).evidence), "previews are cleared away afterwards"

    run(tmp_path, job)


def test_a_photo_is_on_its_way_while_the_inspection_goes_on(tmp_path):
    """The bar set by Fulcrum: media start uploading as soon as they are added; no record is needed for it."""

    async def job(desk, work, draft):
        work.start_sync()
        sha = (await work.add_photo(draft, "", large_photo(), source="camera")).kept[0].sha256
        await until(lambda: sha in server_holds(desk))
        with desk.city.db.read() as tx:
            assert tx.execute(select(schema.facts.c.id)).first() is None
        other = bench(tmp_path / "other", of=desk)
        async with other.work() as second:
            await ready(other, second, "ben")
        for read in (lambda: evidence.evidence_for_office(desk.city, sha),
                     lambda: evidence.evidence_for_tablet(desk.city, tablet_of(desk, "T02"), sha)):
            assert_unknown(read)
        assert evidence.evidence_for_tablet(desk.city, tablet_of(desk, "T01"), sha).sha256 == sha
        assert work.status().level == "safe", "a draft is nobody's unfinished business"
        calls = len(sent(desk))
        fact = await signed(work, draft)
        await until(lambda: row(work, fact).state == SAFE)
        assert len(sent(desk)) == calls, "it was there already"
        assert evidence.evidence_for_office(desk.city, sha).sha256 == sha

    run(tmp_path, job)


def tablet_of(desk, code):
    from sync.server.casework.enrolment import Tablet, receipt_key

    with desk.city.db.read() as tx:
        found = tx.execute(select(schema.tablets).where(schema.tablets.c.code == code)).one()
    return Tablet(found.id, found.code, found.status, receipt_key(desk.city, found.id))


def assert_unknown(read):
    from sync.records.problems import Problem

    try:
        read()
    except Problem as problem:
        assert problem.code == "evidence-unknown"
    else:
        raise AssertionError("it was shown to somebody whom it does not concern")


def test_a_photo_that_leaves_its_draft_stops_and_leaves_a_trace(tmp_path):
    async def job(desk, work, draft):
        kept = (await work.add_photo(draft, "", large_photo(1), source="camera")).kept[0].sha256
        gone = (await work.add_photo(draft, "", large_photo(2), source="camera")).kept[-1].sha256
        desk.network.up = False
        work.start_sync()
        await until(lambda: len([doc for doc in files(work) if doc.get("draft")]) == 2)
        await work.remove_photo(draft, "", gone)
        await until(lambda: not doc_of(work, gone)["draft"])
        desk.network.up = True
        desk.clock.advance(minutes=1)
        work.send_now()
        await until(lambda: kept in server_holds(desk))
        assert gone not in server_holds(desk)
        left = doc_of(work, gone)["removed"]
        assert (left["draft"], left["at"]) == (draft, "2026-08-27T14:00:00-05:00")
        assert await work._desk.box.has(gone), "the original stays"
        await work.add_photo(draft, "", large_photo(2), source="camera")
        await until(lambda: gone in server_holds(desk))
        assert doc_of(work, gone)["draft"] == draft and doc_of(work, gone)["removed"] is None
        body = parse(row(work, await signed(work, draft)).text).body
        assert "removed_photos" not in body and len(body["photos"]) == 2

    run(tmp_path, job)


def test_a_photo_taken_off_before_signing_is_named_by_the_signed_record(tmp_path):
    """Retake and delete leave a trace: its hash, when it was taken, when it was taken off. It needs no network."""

    async def job(desk, work, draft):
        kept = (await work.add_photo(draft, "", jpeg(1), source="camera")).kept[0].sha256
        gone = (await work.add_photo(draft, "", jpeg(2), source="camera")).kept[-1].sha256
        desk.clock.advance(minutes=2)
        await work.remove_photo(draft, "", gone)
        fact = await signed(work, draft)
        [trace] = parse(row(work, fact).text).body["removed_photos"]
        assert (trace["sha256"], trace["removed_at"]) == (gone, "2026-08-27T14:02:00-05:00")
        assert trace["taken"]["wall"] == "2026-08-27T14:00:00-05:00"
        assert row(work, fact).evidence == (kept,) and await work._desk.box.has(gone)
        work.start_sync()
        await until(lambda: row(work, fact).state == SAFE)
        assert queries.inspection_page(desk.city, fact)["body"]["removed_photos"] == [trace]
        assert server_holds(desk) == {kept}

    run(tmp_path, job)


def doc_of(work, sha):
    return work._desk.store.table("evidence").get(sha)


def test_what_cannot_be_decoded_goes_without_a_preview_and_holds_up_nothing(tmp_path):
    """HEIC is kept, hashed and sent unaltered; nothing on this tablet can make a picture of it."""

    async def job(desk, work, draft):
        data = heic(pixels=bytes(250_000))
        sha = (await work.add_photo(draft, "", data, source="gallery", name="IMG_0001.HEIC")).kept[0].sha256
        frame = b"\xff\xc0" + struct.pack(">HBHHB", 11, 8, 480, 640, 1) + b"\1\x11\0"
        scan = b"\xff\xda" + struct.pack(">HB", 8, 1) + b"\1\0\0\x3f\0"
        broken = b"\xff\xd8" + frame + scan + b"\x55" * 250_000 + b"\xff\xd9"  # a JPEG without its tables
        await work.add_photo(draft, "", broken, source="gallery")
        fact = await signed(work, draft)
        work.start_sync()
        await until(lambda: row(work, fact).state == SAFE)
        assert [kind for kind, _ in sent(desk)] == ["photo", "photo"] and server_holds(desk, previews) == set()
        assert desk.city.blobs.read(sha) == data
        assert evidence.held_files(desk.city, [sha])[sha].media == "image/heic"

    run(tmp_path, job)


def test_a_small_photo_is_its_own_preview(tmp_path):
    async def job(desk, work, draft):
        await work.add_photo(draft, "", jpeg(1), source="camera")
        fact = await signed(work, draft)
        work.start_sync()
        await until(lambda: row(work, fact).state == SAFE)
        assert [kind for kind, _ in sent(desk)] == ["photo"]

    run(tmp_path, job)


def test_too_large_travels_as_a_smaller_copy_and_the_original_never_turns_green(tmp_path):
    async def job(desk, work, draft):
        data = large_photo(size=(1600, 1200))
        assert len(data) > 300_000
        sha = (await work.add_photo(draft, "", data, source="camera")).kept[0].sha256
        await work.add_photo(draft, "", jpeg(1), source="camera")
        fact = await signed(work, draft)
        work.start_sync()
        await until(lambda: len(work._desk.outbox.view().facts) == 2)
        [copy] = [row for row in work._desk.outbox.view().facts if row.kind == "smaller_copy_added"]
        await until(lambda: row(work, copy.id).state == SAFE)
        await asyncio.sleep(0.2)
        said = parse(copy.text)
        assert said.needs == (fact,) and said.body["about"] == {"fact": fact}
        assert said.body["original"] == {"sha256": sha, "size": len(data), "media": "image/jpeg"}
        small = said.body["copy"]
        assert small["size"] <= 300_000 and said.body["limit"] == 300_000 and "pixels" in said.body["made"]
        with Image.open(io.BytesIO(desk.city.blobs.read(small["sha256"]))) as picture:
            assert picture.size == (small["width"], small["height"])
        # The original: here alone, untouched, never tried, never green; the screen and the office both say why.
        assert all(name != sha for _, name in sent(desk)) and await work._desk.box.read(sha) == data
        item = next(one for one in work.outbox().rows if one.fact == fact)
        assert item.state == PARKED
        assert "The original is too large for the server: it stays on this tablet." in item.reason
        assert work.status().level == "attention" and not row(work, fact).whole
        page = queries.inspection_page(desk.city, fact)
        away = next(photo for photo in page["photos"] if photo["sha256"] == sha)
        assert not away["held"] and away["smaller"]["sha256"] == small["sha256"] and away["smaller"]["tablet"] == "T01"
        assert missing_from(desk.city, "T01").copied == (sha,)
        # The limit is raised: the original goes by itself, once the tablet hears of it.
        await work.stop_sync()
        allow(desk, evidence_bytes=10_000_000)
        work._desk.hardware = desk.hardware()
        work.start_sync()
        await until(lambda: row(work, fact).state == SAFE)
        assert desk.city.blobs.read(sha) == data and missing_from(desk.city, "T01").nothing
        assert server_holds(desk, smaller_copies, "original") == {sha}, "what was done stays on record"

    run(tmp_path, job, evidence_bytes=300_000)


def test_a_proxy_that_lets_no_photo_through_gets_one_copy_and_no_copy_of_the_copy(tmp_path):
    """Something on the way answers 413 to every file, however small: the record goes on, and nothing has no end."""

    async def job(desk, work, draft):
        await work.add_photo(draft, "", large_photo(), source="camera")
        fact = await signed(work, draft)
        through = desk.network.send

        async def narrow(target, request, body=None, progress=None):
            if request.evidence is not None:
                body.close()
                desk.network.sent.append(request)
                return Reply(413, {"content-type": "text/html"}, b"<html>413 Request Entity Too Large</html>")
            return await through(target, request, body, progress)

        desk.network.send = narrow
        work.start_sync()
        for _ in range(12):
            await asyncio.sleep(0.1)
            desk.clock.advance(minutes=6)
            work._desk.driver.wake("item")
        await until(lambda: len(work._desk.outbox.view().facts) == 2)
        for _ in range(12):
            await asyncio.sleep(0.1)
            desk.clock.advance(minutes=6)
            work._desk.driver.wake("item")
        tries = len(sent(desk))
        desk.clock.advance(days=2)
        await asyncio.sleep(0.3)
        facts = work._desk.outbox.view().facts
        assert [row.kind for row in facts] == ["inspection_signed", "smaller_copy_added"]
        assert all(row.answer == "applied" and not row.whole for row in facts) and len(sent(desk)) == tries
        item = next(one for one in work.outbox().rows if one.fact == fact)
        assert item.state == PARKED and "does not let so large a file through" in item.reason

    run(tmp_path, job)


def test_without_a_decoder_there_is_no_smaller_copy_and_nothing_is_tried_again(tmp_path):
    async def job(desk, work, draft):
        sha = (await work.add_photo(draft, "", heic(pixels=bytes(400_000)), source="gallery")).kept[0].sha256
        fact = await signed(work, draft)
        work.start_sync()
        await until(lambda: (doc_of(work, sha) or {}).get("smaller") == NONE)
        assert row(work, fact).state != SAFE and sent(desk) == []
        assert missing_from(desk.city, "T01").large == (sha,)

    run(tmp_path, job, evidence_bytes=300_000)


def test_the_darkroom_goes_on_after_a_kill(tmp_path):
    """What was being made when the app was killed is made at the next start."""

    async def all_of_it():
        desk = bench(tmp_path)
        async with desk.work() as work:
            await ready(desk, work)
            draft = (await work.begin_inspection("site-01")).id
            await work.add_photo(draft, "", large_photo(), source="camera")
            fact = await signed(work, draft)
            task = asyncio.ensure_future(work._desk.box.smaller(row(work, fact).evidence[0], 1280))
            await asyncio.sleep(0)
            task.cancel()
        async with desk.work() as work:
            work.start_sync()
            await until(lambda: row(work, fact).state == SAFE)
            assert [kind for kind, _ in sent(desk)] == ["preview", "photo"]

    asyncio.run(all_of_it())


def test_a_picture_of_claimed_size_is_not_unpacked_for_its_preview(tmp_path):
    """A small file that claims 10,000 x 10,000 pixels: what it claims is looked at, not made."""
    claims = png(10, 10).replace(struct.pack(">II", 10, 10), struct.pack(">II", 10_001, 10_001), 1)
    claims = claims[:-12] + struct.pack(">I", 300_000) + b"junk" + bytes(300_004) + claims[-12:]

    async def job(desk, work, draft):
        await work.add_photo(draft, "", claims, source="gallery")
        fact = await signed(work, draft)
        work.start_sync()
        await until(lambda: row(work, fact).state == SAFE)
        assert [kind for kind, _ in sent(desk)] == ["photo"]

    run(tmp_path, job)


def test_a_preview_that_fails_for_no_known_reason_holds_up_no_other_one(tmp_path):
    """It is tried once, and again when the app starts anew."""

    async def all_of_it():
        desk = bench(tmp_path)
        async with desk.work() as work:
            await ready(desk, work)
            draft = (await work.begin_inspection("site-01")).id
            for seed in range(2):
                await work.add_photo(draft, "", large_photo(seed), source="camera")
            failing, other = sorted(photo.sha256 for photo in work.photo_capture(draft, "").kept)
            box, tried = work._desk.box, []
            make = box.smaller

            async def smaller(sha, *rest):
                tried.append(sha)
                if sha == failing:
                    raise KeyError("nobody expects this")
                return await make(sha, *rest)

            box.smaller = smaller
            work._desk.darkroom.start()
            await until(lambda: previewed(work) == {other})
            work._desk.darkroom.wake()
            await asyncio.sleep(0.05)
            assert tried == [failing, other]
        desk.network.up = False
        async with desk.work() as work:
            work.start_sync()
            await until(lambda: previewed(work) == {failing, other})

    asyncio.run(all_of_it())


def previewed(work):
    return {doc["of"] for doc in files(work) if doc.get("of")}


def test_the_person_sees_at_once_that_a_photo_is_too_large(tmp_path):
    async def job(desk, work, draft):
        view = await work.add_photo(draft, "", large_photo(), source="camera")
        assert view.kept[0].flags == ("too large for the server: it stays here, a smaller copy goes",)
        view = await work.add_photo(draft, "", jpeg(1), source="camera")
        assert view.kept[1].flags == ()

    run(tmp_path, job, evidence_bytes=300_000)


def test_what_was_taken_off_goes_after_two_weeks_and_leaves_its_trace(tmp_path):
    """Never before, never by a clock of its own, never what a record or a draft names or one tap brings back."""

    async def job(desk, work, draft):
        shas = [(await work.add_photo(draft, "", jpeg(n), source="camera")).kept[-1].sha256 for n in range(4)]
        off, again, _signed, last = shas
        await work.remove_photo(draft, "", off)
        await work.remove_photo(draft, "", again, retake=True)
        await work.remove_photo(draft, "", last)
        box, table = work._desk.box, work._desk.store.table("evidence")

        async def after(days):
            desk.clock.advance(days=days)
            await settle(work)
            await work.stop_sync()
            await tidy(work._desk)
            return [await box.has(sha) for sha in shas]

        assert await after(13) == [True] * 4
        assert await after(2) == [False, False, True, True], "one tap still brings the last one back"
        assert table.get(off)["cleared"] and table.get(off)["removed"]["taken"]
        await nothing_else(work, draft)
        fact = (await work.sign_inspection(draft, PIN)).fact
        body = parse(work._desk.store.table("facts").get(fact)["text"]).body
        gone = {one["sha256"]: one.get("why") for one in body["removed_photos"]}
        assert gone == {off: None, again: "retaken", last: None}
        assert await after(1) == [False, False, True, False]

    run(tmp_path, job)

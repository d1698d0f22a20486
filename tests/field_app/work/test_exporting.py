"""No network for weeks: everything into one file, taken in at the office as if sent, and the answer back."""

import asyncio
import io
import random
import zipfile

import pytest
from sqlalchemy import select

from sync.records.exports import MANIFEST, SEAL, read_manifest
from sync.records.problems import Problem
from sync.records.wire import decode, encode
from sync.server.casework import audit
from sync.server.casework.importing import look_into, take_in
from sync.server.db.schema import facts
from tests.support.field_desk import bench, ready, settle
from tests.support.field_steps import failing_inspection, posted_order


def on_a_tablet(tmp_path, job, native=False):
    async def all_of_it():
        desk = bench(tmp_path, native=native)
        async with desk.work() as work:
            await ready(desk, work)
            desk.network.up = False
            await job(desk, work)

    asyncio.run(all_of_it())


async def exported(desk, work, everything=False):
    made = await work.export(everything)
    return io.BytesIO(desk.saved[made.name])


def rows(work):
    return [row.state for row in work.outbox().rows]


def test_everything_travels_in_the_file_and_the_receipts_turn_it_green(tmp_path):
    async def job(desk, work):
        signed = await failing_inspection(work)
        placard = await posted_order(work, signed)
        made = await work.export()
        assert (made.facts, made.files, made.unread) == (2, 4, 0)
        assert made.name == "siltwatch-T01-2026-08-27-1400.zip" and made.size == len(desk.saved[made.name])
        file = io.BytesIO(desk.saved[made.name])
        kept = {doc["text"] for doc in work._desk.store.table("facts").all()}
        with zipfile.ZipFile(file) as opened:
            assert {opened.read(n).decode() for n in opened.namelist() if n.startswith("facts/")} == kept
        assert rows(work) == ["waiting", "waiting"]  # a file is no receipt
        assert "Saved to" in work.outbox().way_out.last and not work.outbox().hand_in.yes

        inside = look_into(desk.city, file)
        assert (len(inside.records), inside.files, inside.files_here, inside.files_missing) == (2, 4, 0, 0)
        assert [one.fact.kind for one in inside.records] == ["inspection_signed", "order_posted"]
        assert not any(one.here for one in inside.records)
        taken = take_in(desk.city, "carol", file)
        assert (taken.tablet, taken.records, taken.files) == ("T01", {"applied": 2}, 4)
        assert all(one.here for one in look_into(desk.city, file).records)

        told = await work.take_receipts(taken.receipts.to_bytes())
        assert (told.facts, told.files, told.passed_over) == (2, 4, 0)
        assert rows(work) == ["safe", "safe"] and work.outbox().hand_in.yes and work.status().level == "safe"
        assert "register number" in work.outbox().rows[0].words
        again = await work.take_receipts(taken.receipts.to_bytes())
        assert (again.facts, again.files) == (0, 0)
        desk.network.up = True
        await settle(work, lambda: work.site("site-01").orders[0].status == "in_force")
        assert work.site("site-01").orders[0].number == placard.number
        purposes = [request.purpose for request in desk.network.sent]
        assert "push" not in purposes and "put" not in purposes  # nothing of it was sent once more

    on_a_tablet(tmp_path, job)


@pytest.mark.parametrize("native", [False, True], ids=["memory", "files"])
def test_without_the_receipts_file_the_next_contact_says_the_same(tmp_path, native):
    async def job(desk, work):
        await failing_inspection(work)
        taken = take_in(desk.city, "keeper", await exported(desk, work))
        assert taken.records == {"applied": 1}
        desk.network.up = True
        await settle(work)
        assert rows(work) == ["safe"]

    on_a_tablet(tmp_path, job, native)


def test_what_is_safe_already_stays_out_unless_everything_is_asked_for(tmp_path):
    async def job(desk, work):
        desk.network.up = True
        await failing_inspection(work)
        await settle(work)
        await work.stop_sync()
        desk.network.up = False
        assert work.outbox().way_out.words == "" and work.outbox().way_out.all_words.startswith("1 signed item with")
        await failing_inspection(work)
        view = work.outbox().way_out
        assert view.words.startswith("1 signed item, ") and view.all_words.startswith("2 signed items with 3 files")
        small = await exported(desk, work)
        inside = look_into(desk.city, small)
        # The second inspection names the same three photos, which the server holds: they need not travel.
        assert (len(inside.records), inside.files, inside.files_here, inside.files_missing) == (1, 3, 3, 0)
        assert take_in(desk.city, "carol", small).records == {"applied": 1}
        whole = await exported(desk, work, True)
        with zipfile.ZipFile(whole) as opened:
            assert len([n for n in opened.namelist() if n.startswith("evidence/")]) == 3
        assert take_in(desk.city, "carol", whole).records == {"applied": 2}

    on_a_tablet(tmp_path, job)


def test_a_photo_that_cannot_be_read_any_more_does_not_spoil_the_rest(tmp_path):
    async def job(desk, work):
        await failing_inspection(work)
        shas = await work._desk.box.shas()
        gone, changed = (desk.box_folder / sha[:2] / sha for sha in shas[:2])
        gone.unlink()
        changed.write_bytes(b"other bytes")
        made = await work.export()
        assert (made.facts, made.files, made.unread) == (1, 1, 2)
        assert "2 files could not be read" in work.outbox().way_out.last
        inside = look_into(desk.city, io.BytesIO(desk.saved[made.name]))
        assert inside.files_missing == 2
        taken = take_in(desk.city, "carol", io.BytesIO(desk.saved[made.name]))
        await work.take_receipts(taken.receipts.to_bytes())
        assert rows(work) == ["received"] and not work.outbox().hand_in.yes

    on_a_tablet(tmp_path, job)


def test_a_dialog_that_was_cancelled_saved_nothing(tmp_path):
    async def job(desk, work):
        await failing_inspection(work)
        desk.cancel = True
        assert await work.export() is None and not desk.saved and work.outbox().way_out.last == ""

    on_a_tablet(tmp_path, job)


def test_no_secret_of_the_tablet_is_in_the_file(tmp_path):
    async def job(desk, work):
        await failing_inspection(work)
        data = (await exported(desk, work)).getvalue()
        secrets = work._desk.store.table("secrets").get("tablet")
        keys = [secrets["device_token"], secrets["receipt_key"], secrets["secret"],
                *(doc["key"] for doc in work._desk.store.table("credentials").all())]
        assert all(key.encode() not in data and bytes.fromhex(key) not in data for key in keys if len(key) == 64)
        assert secrets["device_token"].encode() not in data

    on_a_tablet(tmp_path, job)


def test_a_power_cut_in_the_middle_of_taking_in_costs_nothing(tmp_path):
    """The server dies after each number of steps; whoever takes the file in again ends with the same."""

    async def job(desk, work):
        await failing_inspection(work)
        file = await exported(desk, work)
        for steps in range(4):
            left, true = [steps], desk.city.blobs.incoming

            def incoming(left=left, true=true):
                if left[0] == 0:
                    raise KeyboardInterrupt  # as a kill: nothing of ours runs any more
                left[0] -= 1
                return true()

            object.__setattr__(desk.city.blobs, "incoming", incoming)
            try:
                take_in(desk.city, "keeper", file)
            except KeyboardInterrupt:
                pass
            object.__setattr__(desk.city.blobs, "incoming", true)
        taken = take_in(desk.city, "keeper", file)
        assert taken.records == {"applied": 1} and taken.files == 3
        with desk.city.db.read() as tx:
            assert len(tx.execute(select(facts)).all()) == 1
        audit.verify(desk.city)

    on_a_tablet(tmp_path, job)


# --- what is refused ---


def repacked(file, change):
    """The file with its entries changed by ``change(entries)``, packed as a tablet would."""
    from datetime import datetime
    from zlib import crc32

    from sync.records.archive import Archive

    with zipfile.ZipFile(file) as opened:
        entries = {name: opened.read(name) for name in opened.namelist()}
    change(entries)
    out, made = io.BytesIO(), Archive(datetime(2026, 1, 1))
    for name, data in entries.items():
        out.write(made.begin(name, len(data), crc32(data)) + data)
    out.write(made.end())
    return out


def manifest_with(**changes):
    def change(entries):
        entries[MANIFEST] = encode({**decode(entries[MANIFEST]), **changes})
    return change


def without(prefix):
    def change(entries):
        del entries[next(name for name in entries if name.startswith(prefix))]
    return change


def other_bytes(prefix):
    def change(entries):
        name = next(name for name in entries if name.startswith(prefix))
        entries[name] = entries[name][:-1] + b" "
    return change


@pytest.mark.parametrize(("change", "code"), [
    (manifest_with(city="otherville"), "export-other-city"),
    (manifest_with(siltwatch_export=2), "export-newer"),
    (manifest_with(siltwatch_export="1"), "export-malformed"),
    (manifest_with(at="2026-08-28"), "export-forged"),
    (manifest_with(tablet="0" * 32), "export-forged"),
    (manifest_with(facts=[]), "export-forged"),
    (manifest_with(facts=[{"name": "../../etc/passwd", "id": "x"}]), "export-malformed"),
    (manifest_with(files=7), "export-malformed"),
    (without("facts/"), "export-damaged"),
    (without("evidence/"), "export-damaged"),
    (without(MANIFEST), "export-malformed"),
    (without(SEAL), "export-malformed"),
    (other_bytes("facts/"), "export-damaged"),
    (other_bytes("evidence/"), "export-damaged"),
    (other_bytes(SEAL), "export-forged"),
    (lambda entries: entries.update({"facts/000009-x.json": b"{}"}), "export-malformed"),
    (lambda entries: entries.update({MANIFEST: b"not json"}), "export-malformed"),
    (lambda entries: entries.update({SEAL: b"[1]"}), "export-forged"),
], ids=lambda part: part if isinstance(part, str) else "change")  # fmt: skip
def test_what_is_not_as_the_tablet_wrote_it_is_refused_and_nothing_is_taken(tmp_path, change, code):
    async def job(desk, work):
        await failing_inspection(work)
        bad = repacked(await exported(desk, work), change)
        before = state(desk.city)
        for act in (lambda: look_into(desk.city, bad), lambda: take_in(desk.city, "keeper", bad)):
            with pytest.raises(Problem) as caught:
                act()
            assert caught.value.code == code, caught.value
        assert state(desk.city) == before

    on_a_tablet(tmp_path, job)


def state(city):
    with city.db.read() as tx:
        records = len(tx.execute(select(facts)).all())
    return records, sorted(city.blobs.names()), audit.verify(city)


def test_any_changed_byte_and_any_cut_is_noticed(tmp_path):
    async def job(desk, work):
        await failing_inspection(work)
        whole = (await exported(desk, work)).getvalue()
        before, rng = state(desk.city), random.Random(5)
        readme = whole.index(b"Siltwatch\n")
        end = whole.index(b"PK\x03\x04", readme)
        for _ in range(60):
            cut = whole[: rng.randrange(len(whole))]
            at = rng.randrange(end, whole.index(b"PK\x01\x02"))
            flipped = whole[:at] + bytes([whole[at] ^ (1 << rng.randrange(8))]) + whole[at + 1 :]
            for bad in (cut, flipped):
                if bad[at : at + 1] == whole[at : at + 1] and bad is flipped:
                    continue
                try:
                    take_in(desk.city, "keeper", io.BytesIO(bad))
                except Problem as problem:
                    assert problem.code.startswith("export-"), problem
                else:
                    # The time of an entry says nothing: all that counts was there, and is the same.
                    assert bad is flipped and whole[at - 13 : at].rfind(b"PK\x03\x04") >= 0, at
                    before = state(desk.city)
        assert state(desk.city)[:2] == before[:2]

    on_a_tablet(tmp_path, job)


def test_receipts_of_another_tablet_another_life_or_nobody_turn_nothing_green(tmp_path):
    async def job(desk, work):
        await failing_inspection(work)
        taken = take_in(desk.city, "carol", await exported(desk, work))
        data = taken.receipts.to_bytes()
        raw = decode(data)
        for changed, code in (({"tablet": "0" * 32}, "receipts-other-tablet"), ({"city": "x"}, "receipts-other-tablet"),
                              ({"epoch": "other"}, "receipts-other-epoch"), ({"facts": 1}, "receipts-malformed"),
                              ({"siltwatch_receipts": 9}, "receipts-malformed")):
            with pytest.raises(Problem) as caught:
                await work.take_receipts(encode({**raw, **changed}))
            assert caught.value.code == code
        for junk in (b"", b"[]", b"{", b"\xff\xd8\xff"):
            with pytest.raises(Problem) as caught:
                await work.take_receipts(junk)
            assert caught.value.code == "receipts-malformed"
        forged = [{**one, "text": one["text"].replace("applied", "applied ")} for one in raw["facts"]]
        told = await work.take_receipts(encode({**raw, "facts": [*forged, {"x": 1}], "files": [{"text": 1}]}))
        assert (told.facts, told.files) == (0, 0) and rows(work) == ["waiting"]

    on_a_tablet(tmp_path, job)


def test_only_who_administers_may_take_it_in_and_the_record_says_who(tmp_path):
    async def job(desk, work):
        await failing_inspection(work)
        file = await exported(desk, work)
        with pytest.raises(Problem) as caught:
            take_in(desk.city, "ada", file)
        assert caught.value.code == "no-authority"
        take_in(desk.city, "carol", file)
        with desk.city.db.read() as tx:
            from sync.server.db.schema import audit as entries
            acts = [(row.who, row.what, row.subject) for row in tx.execute(select(entries))]
        assert ("carol", "export_begun", "tablet:T01") in acts and ("carol", "export_taken_in", "tablet:T01") in acts

    on_a_tablet(tmp_path, job)


def test_a_withdrawn_tablets_file_goes_into_quarantine_like_its_calls(tmp_path):
    from sync.server.casework.enrolment import withdraw_tablet

    async def job(desk, work):
        await failing_inspection(work)
        file = await exported(desk, work)
        await desk.office(withdraw_tablet, "carol", "T01", "Lost on the way.")
        taken = take_in(desk.city, "carol", file)
        assert taken.records == {"quarantined": 1}
        await work.take_receipts(taken.receipts.to_bytes())
        assert rows(work) == ["held"] and work.outbox().hand_in.yes

    on_a_tablet(tmp_path, job)


def test_the_file_holds_what_its_manifest_says(tmp_path):
    async def job(desk, work):
        await failing_inspection(work)
        file = await exported(desk, work)
        with zipfile.ZipFile(file) as opened:
            manifest = read_manifest(opened.read(MANIFEST))
            assert manifest.tablet_code == "T01" and manifest.city == "demo"
            assert all(len(opened.read(one.name)) == one.size for one in (*manifest.facts, *manifest.files))
            assert b"not encrypted" in opened.read("READ-ME.txt")

    on_a_tablet(tmp_path, job)

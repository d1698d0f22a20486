"""What the office changes while somebody is at work: a new ordinance, a site that is no longer seen, a sign-in that is
ended. The draft goes on with what it began with, and a store that fails at any write keeps what it had."""

import asyncio

import pytest

from field_app.store.holding import HELD
from field_app.store.memory import Crashed, Medium, open_memory
from field_app.store.outbox import StoreOutbox
from field_app.store.problems import StoreFull
from field_app.work.clearing import old_packs
from sync.client.marks import Change, Pulled
from sync.client.results import read_page
from sync.client.rows import Cursor
from sync.records.facts import parse
from sync.records.problems import Problem
from sync.server.casework import founding, scope, standings
from sync.server.casework.city import pack_sha256
from sync.where import pack_files
from tests.support.field_desk import PIN, bench, ready, settle, until
from tests.support.field_steps import failing_inspection, nothing_else, soil_on_the_road, unprotected_inlet


def newer(version="2026.2"):
    """The demo city's ordinance with other words, under the next version."""
    files = dict(pack_files("demo"))
    files["pack.toml"] = files["pack.toml"].replace('version = "2026.1"', f'version = "{version}"')
    assert pack_sha256(files) != pack_sha256(pack_files("demo"))
    return files


def on_a_tablet(tmp_path, job):
    async def all_of_it():
        desk = bench(tmp_path)
        async with desk.work() as work:
            await ready(desk, work)
            await job(desk, work)

    asyncio.run(all_of_it())


async def pulled(work, met):
    work.start_sync()
    work.send_now()
    await until(met)


def test_a_new_ordinance_changes_no_draft_and_goes_for_what_begins_after_it(tmp_path):
    async def job(desk, work):
        draft = await work.begin_inspection("site-01")
        await desk.office(lambda city: founding.update_pack(city, newer()))
        await pulled(work, lambda: work._desk.pack().ref == "demo@2026.2")
        assert work._desk.store.table("drafts").get(draft.id)["pack"] == "demo@2026.1"
        assert work._desk.pack("demo@2026.1").ref == "demo@2026.1"
        await soil_on_the_road(work, draft.id)
        await unprotected_inlet(work, draft.id)
        await nothing_else(work, draft.id)
        signed = await work.sign_inspection(draft.id, PIN)
        row = work._desk.store.table("facts").get(signed.fact)
        assert parse(row["text"]).pack == "demo@2026.1"
        await settle(work)
        assert next(one.state for one in work.outbox().rows if one.fact == signed.fact) == "safe"
        after = await work.begin_inspection("site-02")
        assert work._desk.store.table("drafts").get(after.id)["pack"] == "demo@2026.2"
        # As long as a record on the tablet names it, the former text stays.
        await work.start()
        assert work._desk.store.table("packs").ids() == ["demo", "demo@2026.1"]
        async with work._desk.store.change() as tx:
            tx.delete("facts", signed.fact)
        assert old_packs(work._desk) == ["demo@2026.1"]
        await work.start()
        assert work._desk.store.table("packs").ids() == ["demo"]

    on_a_tablet(tmp_path, job)


def test_an_ordinance_whose_hash_is_wrong_or_that_cannot_be_read_leaves_the_old_one(tmp_path):
    async def job(desk, work):
        doc = work._desk.store.table("packs").get("demo")
        seq = work._desk.outbox.view().cursor
        page = {"items": [{"seq": seq.seq + 1, "kind": "pack", "id": "demo", "doc": {
            **doc, "version": "2026.3", "files": {**doc["files"], "extra.toml": "x = 1"}}}],
            "next": {"epoch": seq.epoch, "scope": seq.scope, "seq": seq.seq + 1}, "more": False, "restart": False}
        read = read_page(page, seq)
        assert read.pulled.changes == () and "hash" in read.pulled.unread[0]["problem"]
        await work._desk.outbox.mark([read.pulled])
        assert work._desk.pack().ref == "demo@2026.1"
        files = {**doc["files"], "pack.toml": "this is no TOML ["}
        bad = {**doc, "version": "2026.3", "files": files, "sha256": pack_sha256(files)}
        await work._desk.outbox.mark([Pulled((Change("pack", "demo", bad),), read.pulled.cursor)])
        assert work._desk.pack().ref == "demo@2026.1", "an app too old for the new text works on with the old one"
        assert await failing_inspection(work)

    on_a_tablet(tmp_path, job)


def test_a_site_that_goes_out_of_sight_stays_until_its_inspection_is_signed(tmp_path):
    async def job(desk, work):
        draft = await work.begin_inspection("site-01")
        await soil_on_the_road(work, draft.id)
        code = work._desk.tablet()["tablet_code"]
        before = work._desk.outbox.view().cursor.scope
        await desk.office(lambda city: scope.set_sites(city, "carol", code, "assigned", ["site-02"]))
        await pulled(work, lambda: work._desk.outbox.view().cursor.scope not in ("", before))
        assert len(work._desk.store.table("meta").get(HELD)["items"]) >= 4
        assert {row.id for row in work.sites().rows} == {"site-01", "site-02"}
        await unprotected_inlet(work, draft.id)
        await nothing_else(work, draft.id)
        signed = await work.sign_inspection(draft.id, PIN)
        await settle(work)
        await work.start()
        assert {row.id for row in work.sites().rows} == {"site-02"}
        assert work._desk.store.table("meta").get(HELD)["items"] == []
        assert next(one.state for one in work.outbox().rows if one.fact == signed.fact) == "safe"

    on_a_tablet(tmp_path, job)


def test_what_is_seen_again_meanwhile_is_not_taken_back_later(tmp_path):
    async def job(desk, work):
        draft = await work.begin_inspection("site-01")
        code = work._desk.tablet()["tablet_code"]
        for sites in (["site-02"], ["site-01", "site-02"]):
            before = work._desk.outbox.view().cursor.scope
            await desk.office(lambda city, sites=sites: scope.set_sites(city, "carol", code, "assigned", sites))
            await pulled(work, lambda before=before: work._desk.outbox.view().cursor.scope not in ("", before))
        await settle(work)
        await until(lambda: work._desk.store.table("meta").get(HELD)["items"] == [])
        await work.discard_draft(draft.id)
        await work.start()
        assert {row.id for row in work.sites().rows} == {"site-01", "site-02"}
        assert work.site("site-01").inlets

    on_a_tablet(tmp_path, job)


def test_an_ended_sign_in_signs_nothing_more_until_a_new_code(tmp_path):
    async def job(desk, work):
        draft = await work.begin_inspection("site-01")
        await soil_on_the_road(work, draft.id)
        await unprotected_inlet(work, draft.id)
        await nothing_else(work, draft.id)
        code = work._desk.tablet()["tablet_code"]
        await desk.office(lambda city: standings.end_credential(city, "carol", code, "ada", "passed on"))
        await pulled(work, lambda: len(work._desk.store.table("standings").search(
            lambda doc: doc["state"] == "revoked")) == 1)
        with pytest.raises(Problem, match="credential-ended"):
            await work.sign_inspection(draft.id, PIN)
        assert work._desk.store.table("drafts").get(draft.id), "nothing is lost"
        assert (await work.start()).screen == "sign_in" and work.sign_in_view().people == ()
        with pytest.raises(Problem, match="credential-ended"):
            await work.switch_person("ada")
        await work.sign_in(await desk.office(lambda city: desk.personal_code("ada")))
        assert (await work.sign_inspection(draft.id, PIN)).fact

    on_a_tablet(tmp_path, job)


def test_powers_end_with_the_person_s_last_day(tmp_path):
    async def job(desk, work):
        assert work._desk.may("post")
        await desk.office(lambda city: founding_people(city, last="2026-08-26"))
        await pulled(work, lambda: not work._desk.may("post"))

    on_a_tablet(tmp_path, job)


def founding_people(city, last):
    from datetime import date

    from sync.server.casework import people

    city.db.write(lambda tx: people.keep_person(
        tx, city, "ada", name="Ada Lindqvist", title="Erosion Control Inspector", credential_no="SC-1001",
        valid_from=date(2026, 1, 1), valid_until=date.fromisoformat(last), grants=[]))


# --- the store fails while a page is written ---

SITE = {"id": "s1", "name": "Lot 1", "address": "1 Mill Street", "parcel": "1"}
FIRST = Pulled((Change("site", "s1", SITE), Change("site", "s2", {**SITE, "id": "s2"})), Cursor("e", "1", 5))
SECOND = Pulled(
    (Change("site", "s1", {**SITE, "name": "Lot 1 (east)"}), Change("site", "s2", None)), Cursor("e", "1", 9))


def state(store):
    return {name: {doc.doc_id: dict(doc) for doc in store.table(name).all()} for name in ("sites", "meta")}


async def page_on(medium):
    """A store on ``medium`` that has the first page; the state with it and with the second."""
    store = await open_memory(medium)
    await StoreOutbox(store, None).mark([FIRST])
    before = state(store)
    await StoreOutbox(store, None).mark([SECOND])
    after = state(store)
    await store.close()
    return before, after


def copy_of(medium):
    other = Medium()
    other.files = dict(medium.files)
    return other


async def first_only():
    medium = Medium()
    store = await open_memory(medium)
    await StoreOutbox(store, None).mark([FIRST])
    await store.close()
    return medium


def test_a_page_that_does_not_fit_leaves_the_old_data_and_the_old_cursor():
    async def job():
        before, after = await page_on(Medium())
        medium, failed = await first_only(), 0
        for more in range(0, 3_000, 50):
            copy = copy_of(medium)
            store = await open_memory(copy)
            outbox = StoreOutbox(store, None)
            copy.room = copy.used() + more
            try:
                await outbox.mark([SECOND])
            except StoreFull:
                failed += 1
                assert state(store) == before and outbox.view().cursor == FIRST.cursor
                copy.room = None
                await outbox.mark([SECOND])
            assert state(store) == after and outbox.view().cursor == SECOND.cursor
            await store.close()
        assert 3 < failed < 50

    asyncio.run(job())


def test_a_page_that_a_power_cut_meets_is_there_whole_or_not_at_all():
    async def job():
        before, after = await page_on(Medium())
        medium, seen = await first_only(), []
        for operation in range(12):
            for seed in range(5):
                copy = copy_of(medium)
                store = await open_memory(copy)
                copy.random.seed(seed)
                copy.crash_in = operation
                try:
                    await StoreOutbox(store, None).mark([SECOND])
                except Crashed:
                    seen.append(operation)
                else:
                    copy.crash_in = None
                    await store.close()
                again = await open_memory(copy)
                found = state(again)
                assert found in (before, after)
                cursor = StoreOutbox(again, None).view().cursor
                assert cursor == (FIRST if found == before else SECOND).cursor, "page and cursor are one"
                await StoreOutbox(again, None).mark([SECOND])
                assert state(again) == after
        assert seen, "the power was cut while it was written"

    asyncio.run(job())


def test_a_document_that_was_deleted_does_not_come_back(tmp_path):
    """MerginMaps/mobile #4335. The page that deletes comes twice after a lost answer, and an older page comes late."""

    async def job():
        store = await open_memory(Medium())
        outbox = StoreOutbox(store, None)
        await outbox.mark([FIRST])
        await outbox.mark([SECOND])
        await outbox.mark([SECOND])
        assert store.table("sites").get("s2") is None
        late = {"items": [{"seq": 5, "kind": "site", "id": "s2", "doc": {**SITE, "id": "s2"}}],
                "next": {"epoch": "e", "scope": "1", "seq": 5}, "more": False, "restart": False}
        assert read_page(late, outbox.view().cursor).pulled is None, "it goes backwards: not applied"
        other = {**late, "next": {"epoch": "e", "scope": "2", "seq": 12}}
        assert read_page(other, outbox.view().cursor).pulled is None, "another scope that does not say so: not applied"
        # Absence never deletes: a page that begins anew and names nothing leaves everything.
        anew = read_page({"items": [], "next": {"epoch": "e", "scope": "2", "seq": 12}, "more": False, "restart": True},
                         outbox.view().cursor)
        await outbox.mark([anew.pulled])
        assert store.table("sites").ids() == ["s1"]

    asyncio.run(job())

"""Plans on the tablet: added in the office, fetched when nothing of the tablet's own waits, looked at with no network;
within the space that the person gave, only where the tablet sees the site, and never in place of evidence."""

import asyncio
import io

import pytest
from fpdf import FPDF
from PIL import Image

from field_app.work import fetching
from sync.records.problems import Problem
from sync.records.protocol import FILES
from sync.server.casework import scope
from sync.server.casework.plans import add_plan, withdraw_plan
from tests.support.field_desk import bench, ready, settle, until
from tests.support.field_steps import failing_inspection


def pdf(sheets=2):
    paper = FPDF(unit="in", format=(11, 8.5))
    for number in range(1, sheets + 1):
        paper.add_page()
        paper.set_font("helvetica", size=20)
        paper.text(1, 1, f"Erosion control plan, sheet {number}")
    return bytes(paper.output())


PLAN = pdf()


def noise(seed, size=(700, 500)):
    out = io.BytesIO()
    Image.effect_noise(size, 40 + seed).save(out, "JPEG", quality=90)
    return out.getvalue()


def added(city, data=PLAN, site="site-01", title="Erosion control plan", **more):
    file = city.blobs.incoming()
    file.write(data)
    return add_plan(city, "carol", site, file, title=title, kind="erosion_control_plan", version="Rev A", **more)


def asked_for(desk):
    """The parts that were asked for: (SHA-256, first byte)."""
    return [(one.path.removeprefix(FILES), int(one.headers["Range"].removeprefix("bytes=").partition("-")[0]))
            for one in desk.network.sent if one.path.startswith(FILES)]


def on_a_tablet(tmp_path, job):
    async def all_of_it():
        desk = bench(tmp_path)
        async with desk.work() as work:
            await ready(desk, work)
            await job(desk, work)

    asyncio.run(all_of_it())


def here(work, site="site-01"):
    if work._desk.store.table("sites").get(site) is None:
        return False
    rows = work.plans(site).current
    return bool(rows) and all(row.here for row in rows)


async def fetched(desk, work, site="site-01"):
    work.start_sync()
    work.send_now()
    await until(lambda: here(work, site))


def test_a_plan_comes_down_by_itself_and_opens_without_a_network(tmp_path):
    async def job(desk, work):
        assert work.plans("site-01").empty == "The office has added no plans to this site."
        ident = await desk.office(lambda city: added(city, permit="permit-01", name="mill.pdf"))
        await fetched(desk, work)
        (row,) = work.plans("site-01").current
        assert (row.id, row.title, row.version, row.permit, row.pages, row.status, row.fetching) == (
            ident, "Erosion control plan", "Rev A", "EC-2026-014", 2, "current", "")
        await until(lambda: work.open_plan(ident).can_save)
        desk.network.up = False
        view = work.open_plan(ident)
        assert [(page.number, page.here) for page in view.pages] == [(1, True), (2, True)]
        for page in view.pages:
            drawn = Image.open(io.BytesIO(await work.plan_page(ident, page.number)))
            assert drawn.size == (page.width, page.height)
        assert await work.save_plan(ident) and desk.saved["mill.pdf"] == PLAN
        with pytest.raises(Problem, match="subject-unknown"):
            await work.plan_page(ident, 3)
        assert "MB on this tablet" in work.file_space().words

    on_a_tablet(tmp_path, job)


def test_a_replaced_plan_stays_readable_and_names_the_newer_one(tmp_path):
    async def job(desk, work):
        old = await desk.office(added)
        await fetched(desk, work)
        new = await desk.office(lambda city: added(city, noise(1), title="Erosion control plan B", replaces=old))
        work.send_now()
        await until(lambda: work.plans("site-01").replaced != () and here(work))
        assert [row.id for row in work.plans("site-01").current] == [new]
        assert work.open_plan(old).newer.id == new and work.open_plan(old).row.here
        await desk.office(lambda city: withdraw_plan(city, "carol", new, "Drawn wrong"))
        work.send_now()
        await until(lambda: work.open_plan(new).row.status == "withdrawn")
        assert await work.plan_page(old, 1) and await work.plan_page(new, 1)

    on_a_tablet(tmp_path, job)


def test_nothing_is_fetched_while_anything_of_the_tablet_s_own_waits(tmp_path):
    async def job(desk, work):
        await settle(work)
        await work.stop_sync()
        await desk.office(added)
        await failing_inspection(work)
        desk.network.sent.clear()
        work.start_sync()
        await until(lambda: here(work))
        first_file = next(at for at, request in enumerate(desk.network.sent) if request.path.startswith(FILES))
        own = [at for at, one in enumerate(desk.network.sent) if one.purpose in ("push", "put", "open", "patch")]
        assert own and max(own) < first_file
        assert fetching.ready(work._desk) == "all"

    on_a_tablet(tmp_path, job)


def test_a_broken_connection_goes_on_where_it_broke_and_a_restart_too(tmp_path):
    async def all_of_it():
        desk = bench(tmp_path)
        async with desk.work() as work:
            await ready(desk, work)
            ident = await desk.office(added, noise(2, (3000, 2000)))
            work.start_sync()
            await until(lambda: len(asked_for(desk)) >= 2)
            desk.network.up = False
        before = asked_for(desk)
        desk.network.up = True
        async with desk.work() as work:
            work.start_sync()
            await until(lambda: here(work))
            assert len(await work.plan_page(ident, 1)) > 256 * 1024
            name, first = asked_for(desk)[len(before)]
            assert name == before[-1][0] and 0 < first, "it goes on behind what came"
            begun = [first for one, first in asked_for(desk) if one == name]
            assert begun == sorted(begun) and begun.count(0) == 1

    asyncio.run(all_of_it())


def test_the_space_is_kept_to_and_the_least_wanted_goes(tmp_path):
    async def job(desk, work):
        first = await desk.office(added, noise(3))
        await fetched(desk, work)
        other = await desk.office(lambda city: added(city, noise(4), site="site-02", title="Grading plan"))
        await fetched(desk, work, "site-02")
        kept = await work._desk.box.shas()
        weights = {ident: sum(page["size"] for page in work._desk.store.table("plans").get(ident)["pages"])
                   for ident in (first, other)}
        room = max(weights.values()) + 1000
        work._desk.fetcher._ledger.budget = lambda: room
        await work.want_plan(other)
        await until(lambda: not here(work))
        assert here(work, "site-02")
        (row,) = work.plans("site-01").current
        assert row.fetching.startswith("Not on this tablet yet")
        with pytest.raises(Problem, match="file-not-here"):
            await work.plan_page(first, 1)
        files = await work._desk.files()
        assert sum(doc["size"] for doc in work._desk.store.table("fetched").all()) <= room
        assert set(work._desk.store.table("fetched").ids()) <= set(await files.shas())
        assert await work._desk.box.shas() == kept, "evidence never goes"
        await work.want_plan(first)
        await until(lambda: here(work) and not here(work, "site-02"))

    on_a_tablet(tmp_path, job)


def test_the_space_is_a_setting(tmp_path):
    async def job(desk, work):
        assert work.file_space().budget_mb == 200
        assert (await work.set_file_space(50)).budget_mb == work.file_space().budget_mb == 50
        with pytest.raises(Problem, match="body-malformed"):
            await work.set_file_space(7)

    on_a_tablet(tmp_path, job)


def test_a_damaged_copy_is_never_shown_and_is_fetched_again(tmp_path):
    async def job(desk, work):
        ident = await desk.office(added)
        await fetched(desk, work)
        sha256 = work._desk.store.table("plans").get(ident)["pages"][0]["sha256"]
        file = tmp_path / "fetched" / sha256
        file.write_bytes(b"\0" + file.read_bytes()[1:])
        with pytest.raises(Problem, match="damaged"):
            await work.plan_page(ident, 1)
        await until(lambda: here(work))
        assert Image.open(io.BytesIO(await work.plan_page(ident, 1)))

    on_a_tablet(tmp_path, job)


def test_a_site_that_is_not_seen_any_more_takes_its_plans_with_it(tmp_path):
    async def job(desk, work):
        ident = await desk.office(added)
        await fetched(desk, work)
        code = work._desk.tablet()["tablet_code"]
        await desk.office(lambda city: scope.set_sites(city, "carol", code, "assigned", ["site-02"]))
        work.send_now()
        await until(lambda: len(work._desk.store.table("fetched")) == 0)
        assert [row.id for row in work.sites().rows] == ["site-02"]
        await until(lambda: list((tmp_path / "fetched").iterdir()) == [])
        with pytest.raises(Problem, match="subject-unknown"):
            work.open_plan(ident)
        await desk.office(lambda city: scope.set_sites(city, "carol", code, "all"))
        await fetched(desk, work)

    on_a_tablet(tmp_path, job)


def test_an_open_finding_shows_its_photo_on_another_tablet(tmp_path):
    async def all_of_it():
        desk = bench(tmp_path)
        async with desk.work() as work:
            await ready(desk, work)
            await failing_inspection(work)
            await settle(work)
        other = bench(tmp_path / "other", of=desk)
        async with other.work() as work:
            await ready(other, work, "ben")
            work.start_sync()
            found = [one for one in work.site("site-01").findings if one.photo]
            assert found
            photos = {one.photo for one in found}
            await until(lambda: len(work._desk.store.table("fetched")) >= len(photos))
            other.network.up = False
            for photo in photos:
                small = Image.open(io.BytesIO(await work.thumbnail(photo)))
                assert small.format == "JPEG" and max(small.size) <= 320
            assert await work._desk.box.shas() == [], "the originals stay where they are"

    asyncio.run(all_of_it())

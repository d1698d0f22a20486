"""Enrolment, sign-in and PIN: safe to repeat, wrong PINs wait and never lose anything, people change places."""

import asyncio

import pytest
from sqlalchemy import select

from field_app.work import pins
from sync.records.problems import Problem
from sync.server.db.schema import facts
from tests.support.field_desk import PIN, bench, jpeg, ready, settle, sign_in, until
from tests.support.field_steps import failing_inspection, nothing_else, soil_on_the_road


def run(job):
    asyncio.run(job())


async def refused(code, call):
    with pytest.raises(Problem) as caught:
        await call
    assert caught.value.code == code
    return caught.value


def test_a_lost_reply_burns_no_code(tmp_path):
    """Enrolment and sign-in whose replies are lost, the app killed in between, then repeated: one tablet."""

    async def killed_after_the_lost_reply(desk, call, purpose):
        """The server did it, the answer never came, and the app is killed before it asks again."""
        desk.network.lose_replies = 1
        task = asyncio.ensure_future(call)
        await until(lambda: desk.network.lose_replies == 0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        assert task.cancelled() and desk.network.sent[-1].purpose == purpose

    async def job():
        desk = bench(tmp_path)
        code = desk.enrolment_code()
        async with desk.work() as work:
            await killed_after_the_lost_reply(desk, work.enrol(code), "enrol")
        async with desk.work() as work:
            assert (await work.start()).screen == "enrol"
            assert (await work.enrol(f" {code} ")).tablet == "T01"
            personal = desk.personal_code("ada")
            await killed_after_the_lost_reply(desk, work.sign_in(personal), "signin")
            assert (await work.sign_in(personal)).name == "Ada Lindqvist"
            assert len(work._desk.store.table("credentials")) == 1
        secrets = {request.body for request in desk.network.sent if request.purpose == "enrol"}
        assert len(secrets) == 1
        assert [r.purpose for r in desk.network.sent].count("enrol") == 2

    run(job)


def test_a_full_tablet_opens_for_the_right_pin_and_counts_wrong_ones_all_the_same(tmp_path, monkeypatch):
    waited = []

    async def slowly():
        waited.append(pins.SLOW_S)

    monkeypatch.setattr(pins, "_slowly", slowly)

    async def job():
        desk = bench(tmp_path)
        async with desk.work() as work:
            await ready(desk, work)
            draft = (await work.begin_inspection("site-01")).id
            desk.medium.room = 0
            await work.leave()
            await work.unlock("ada", PIN)
            assert waited and work.inspection(draft).site == "site-01"
            await refused("store-full", work.note(draft, "TRK-06", "No room for this."))
        async with desk.work(unlock=False) as work:
            before = len(waited)
            for _ in range(pins.FREE_TRIES):
                await refused("pin-wrong", work.unlock("ada", "111222"))
            assert len(waited) == before + pins.FREE_TRIES
            await refused("pin-wait", work.unlock("ada", PIN))
            desk.clock.advance(seconds=5)
            await work.unlock("ada", PIN)
            assert work.inspection(draft).site == "site-01"
            desk.medium.room = None
            await work.note(draft, "TRK-06", "There is room again.")
            await work.leave()
            await refused("pin-wrong", work.unlock("ada", "111222"))
            assert work._desk.store.keys.entry("ada")["tries"]["wrong"] == 1, "written down again"

    run(job)


def test_a_link_fills_in_the_code_once(tmp_path):
    async def job():
        desk = bench(tmp_path)
        desk.link_code = desk.enrolment_code()
        async with desk.work() as work:
            code = work.enrol_view().code
            assert code
            await work.enrol(code)
            assert work.enrol_view().code == ""
            assert desk.codes_used == 1, "it need not outlive another start"

    run(job)


def test_a_wrong_code_is_refused_in_words(tmp_path):
    async def job():
        desk = bench(tmp_path)
        async with desk.work() as work:
            problem = await refused("code-unknown", work.enrol("ZZZZ-ZZZZ-ZZZZ"))
            view = work.problem_view(problem)
            assert view.code == "code-unknown" and view.sentence and view.advice
            await refused("code-unknown", work.enrol("  "))
            await refused("not-enrolled", work.sign_in("ABC"))
            assert (await work.start()).screen == "enrol"

    run(job)


def test_the_screens_before_the_first_site(tmp_path):
    async def job():
        desk = bench(tmp_path)
        async with desk.work() as work:
            await work.enrol(desk.enrolment_code())
            assert (await work.start()).screen == "sign_in"
            pin = await work.sign_in(desk.personal_code("ada"))
            assert pin == work.pin_view() and (await work.start()).screen == "set_pin"
            await refused("pin-weak", work.set_pin("1234", "1234"))
            for weak in ("111111", "123456", "654321", "890123", "121212", "123123", "112233", "100000", "9876543210"):
                assert (await refused("pin-weak", work.check_new_pin(weak))).detail.startswith("That PIN "), weak
                await refused("pin-weak", work.set_pin(weak, weak))
            for good in (PIN, "202122", "131415", "750001"):
                await work.check_new_pin(good)
            await refused("pin-weak", work.set_pin("12345a", "12345a"))
            await refused("pin-differs", work.set_pin("190456", "190457"))
            await work.set_pin(PIN, PIN)
            assert (await work.start()).screen == "sites"
            assert work.sites().empty and work.sites().total == 0
            await refused("pin-needed", work.set_pin("640917", "640917"))
            await refused("pin-wrong", work.set_pin("640917", "640917", old="999999"))
            await work.set_pin("640917", "640917", old=PIN)
            assert work.settings().has_pin

    run(job)


def test_wrong_pins_wait_and_never_wipe(tmp_path):
    """After three wrong ones 5 s, 10 s, 20 s ...; killing the app or turning the clock back does not shorten it."""

    async def job():
        desk = bench(tmp_path)
        async with desk.work() as work:
            await ready(desk, work)
            draft = (await work.begin_inspection("site-01")).id
            await soil_on_the_road(work, draft)
            await nothing_else(work, draft)
            for _ in range(2):
                await refused("pin-wrong", work.sign_inspection(draft, "000001"))
                assert work.review(draft).pin_wait == 0
            await refused("pin-wrong", work.sign_inspection(draft, "000001"))
            assert work.review(draft).pin_wait == 5
            await refused("pin-wait", work.sign_inspection(draft, PIN))
        async with desk.work(unlock=False) as work:
            def wait():
                return work.lock_view().people[0].wait

            assert work.where().screen == "locked" and wait() == 5
            await refused("pin-wait", work.unlock("ada", PIN))
            desk.clock.advance(days=-400)
            assert wait() == 5
            desk.clock.advance(days=400, seconds=5)
            assert wait() == 0
            await refused("pin-wrong", work.unlock("ada", "000001"))
            assert wait() == 10 and work.where().screen == "locked"
            desk.clock.advance(seconds=10)
            await work.unlock("ada", PIN)
            assert work.review(draft).pin_wait == 0
            for _ in range(3):
                await refused("pin-wrong", work.sign_inspection(draft, "000001"))
            assert work.review(draft).pin_wait == 5
            desk.clock.advance(seconds=5)
            await refused("pin-wrong", work.sign_inspection(draft, "000001"))
            assert work.review(draft).pin_wait == 10
            assert len(work._desk.store.table("facts")) == 0
            desk.clock.advance(seconds=10)
            assert (await work.sign_inspection(draft, PIN)).fact
            assert pins.pin_doc(work._desk, "ada")["wrong"] == 0

    run(job)


@pytest.mark.parametrize(("wrong", "seconds"), [(0, 0), (2, 0), (3, 5), (4, 10), (5, 20), (9, 300), (10_000, 300)])
def test_the_wait_grows_to_five_minutes(wrong, seconds):
    assert pins.wait_after(wrong) == seconds


def test_two_people_share_a_tablet(tmp_path):
    """Each signs with the own credential; a draft belongs to who began it; one session sends the other's items."""

    async def job():
        desk = bench(tmp_path)
        async with desk.work() as work:
            await ready(desk, work)
            await sign_in(desk, work, "ben")
            names = [(p.name, p.has_pin) for p in work.sign_in_view().people]
            assert names == [("Ada Lindqvist", True), ("Ben Okafor", True)]
            desk.network.up = False
            bens = (await work.begin_inspection("site-01")).id
            await nothing_else(work, bens)
            assert await work.switch_person("ada") is None and work.where().screen == "locked"
            await refused("pin-needed", work.begin_inspection("site-02"))
            await work.unlock("ada", PIN)
            adas = await failing_inspection(work)
            await refused("draft-unknown", work.sign_inspection(bens, PIN))
            await work.unlock("ben", PIN)
            await work.sign_inspection(bens, PIN)
            rows = {row["id"]: row for row in work._desk.store.table("facts").all()}
            assert {row["user"] for row in rows.values()} == {"ada", "ben"} and rows[adas.fact]["user"] == "ada"
            assert len({row["credential"] for row in rows.values()}) == 2
            await refused("not-signed-in", work.switch_person("carol"))

    run(job)


def test_signing_out_with_seven_unsent_items_loses_and_shows_nothing(tmp_path):
    """They stay queued and encrypted; the next person sees none of what the first has begun; all seven arrive under the
    right name, sent by the next person's session. Nothing of any of it can be read in the files."""
    ben_pin = "314159"

    async def job():
        desk = bench(tmp_path, native=True)
        async with desk.work() as work:
            await ready(desk, work)
            desk.network.up = False
            for number in range(7):
                draft = (await work.begin_inspection(f"site-0{number % 2 + 1}")).id
                await nothing_else(work, draft)
                await work.sign_inspection(draft, PIN)
            begun = (await work.begin_inspection("site-01")).id
            await work.note(begun, "WST-01", "behind the blue container")
            photo = jpeg(7)
            sha = (await work.add_photo(begun, "", photo, source="camera")).kept[0].sha256
            await work.leave()
            assert work.where().screen == "locked" and len(work._desk.store.table("facts")) == 7
            await refused("pin-needed", work.begin_inspection("site-02"))
            desk.network.up = True
            assert (await work.sign_in(desk.personal_code("ben"))).name == "Ben Okafor"
            await work.set_pin(ben_pin, ben_pin)
            desk.network.up = False
            await refused("draft-unknown", work.sign_inspection(begun, ben_pin))
            assert not work._desk.store.table("drafts").all() and begun not in str(work.today())
            assert work.outbox().drafts == ("Begun by other persons on this tablet: 1",)
            raw = {place: place.read_bytes() for place in tmp_path.rglob("*") if place.is_file()}
            assert len(raw) > 5
            known = [b"behind the blue container", b"inspection_signed", PIN.encode(), ben_pin.encode(), photo[:12],
                     b"site-01", *(site.address.encode() for site in work.sites().rows if site.address)]
            found = {(place.name, text) for place, data in raw.items() for text in known if text in data}
            assert len(known) >= 8 and not found
            names = {place.name for place, data in raw.items() if b"Lindqvist" in data}
            assert names == {"keys-0", "keys-1"}, "who may unlock it, and nothing else"
        async with desk.work(unlock=False) as work:
            assert work.where().screen == "locked" and {p.id for p in work.lock_view().people} == {"ada", "ben"}
            await refused("store-locked", work.begin_inspection("site-02"))
            assert (await work.unlock("ben", ben_pin)).screen == "sites"
            desk.network.up = True
            await settle(work)
            with desk.city.db.read() as tx:
                arrived = [row.person for row in tx.execute(select(facts).where(facts.c.kind == "inspection_signed"))]
            assert arrived == ["ada"] * 7 and work.status().waiting == 0
            await work.unlock("ada", PIN)
            assert [doc["id"] for doc in work._desk.store.table("drafts").all()] == [begun]
            assert await work._desk.box.read(sha) == photo

    run(job)

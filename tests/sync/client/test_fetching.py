"""Which files are wanted, in which order; what fits; what is let go. And the loop: parts that go on where they broke
off, bytes that are checked, strangers that leave nothing behind."""

import asyncio
import hashlib
import random

from hypothesis import given, settings
from hypothesis import strategies as st

from field_app.photos.fetched import open_fetched
from sync.client.calls import CUT, OFFLINE, Reply, Target
from sync.client.fetcher import Fetcher, FetchPolicy, room
from sync.client.fetching import EXTRA, PAGE, SMALL, Wanted, choose, let_go, wanted_files


def sha(name):
    return hashlib.sha256(name.encode()).hexdigest()


def file(name, size=100):
    return {"sha256": sha(name), "size": size, "media": "image/png"}


def plan(ident, site="s1", *, pages=1, **more):
    return {"id": ident, "site": site, "title": ident, **file(f"{ident}-pdf", 1000), "media": "application/pdf",
            "pages": [file(f"{ident}-{n}") for n in range(1, pages + 1)], "status": "current",
            "added_on": "2026-08-01", **more}


def finding(ident, site="s1", found_on="2026-08-20", **more):
    return {"id": ident, "site": site, "status": "open", "found_on": found_on, "thumbnail": file(f"{ident}-small", 20),
            **more}


SITES = [{"id": "s1", "inspectors": ["ben"]}, {"id": "s2", "inspectors": ["ada"]}]


def order(**more):
    return [one.sha256 for one in wanted_files(SITES, **more)]


def test_assigned_sites_first_small_before_large_new_before_old():
    found = order(
        plans=[plan("far"), plan("near-old", "s2"), plan("near-new", "s2", added_on="2026-08-20", pages=2)],
        findings=[finding("far"), finding("near-old", "s2", "2026-08-01"), finding("near-new", "s2")],
        people=frozenset({"ada"}))
    assert found == [sha(name) for name in (
        "near-new-small", "near-old-small", "near-new-1", "near-new-2", "near-old-1", "far-small", "far-1",
        "near-new-pdf", "near-old-pdf", "far-pdf")]


def test_what_was_asked_for_comes_before_everything_also_when_it_is_old():
    plans = [plan("new"), plan("old", status="replaced", pages=2)]
    found = order(plans=plans, findings=[finding("f")], asked=("old",))
    assert found[:3] == [sha("old-1"), sha("old-2"), sha("f-small")]
    assert order(plans=plans, findings=[]) == [sha(n) for n in ("new-1", "old-1", "old-2", "new-pdf", "old-pdf")]


def test_a_site_with_unfinished_work_counts_as_assigned():
    assert order(plans=[plan("one"), plan("two", "s2")], findings=[], busy=frozenset({"s2"}))[0] == sha("two-1")


def test_closed_findings_and_documents_of_a_newer_server_want_nothing():
    odd = [finding("a", status="corrected"), finding("b", thumbnail=None), finding("c", thumbnail={"sha256": "x"}),
           finding("d", thumbnail={"sha256": sha("d"), "size": "many"}), finding("e", found_on="soon")]
    assert order(plans=[], findings=odd) == [sha("e-small")]


FILES = st.lists(st.builds(
    lambda n, size: Wanted(sha(f"f{n}"), size, PAGE, (n,)), st.integers(0, 30), st.integers(1, 50)),
    unique_by=lambda one: one.sha256, max_size=12)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(FILES, st.integers(0, 200), st.sets(st.integers(0, 40), max_size=12))
def test_the_budget_is_kept_and_only_the_least_wanted_go(files, budget, here):
    wanted = sorted(files, key=lambda one: one.rank)
    held = {sha(f"f{n}"): next((w.size for w in wanted if w.sha256 == sha(f"f{n}")), 7) for n in here}
    chosen = choose(wanted, budget)
    assert sum(one.size for one in chosen) <= budget
    gone = set(let_go(held, wanted, chosen, budget))
    names = {one.sha256: one for one in wanted}
    assert {name for name in held if name not in names} <= gone <= held.keys()
    assert not gone & {one.sha256 for one in chosen}
    after = {name for name in held if name not in gone} | {one.sha256 for one in chosen}
    assert sum(names[name].size for name in after) <= budget
    # Everything that did not fit is larger than what was left when its turn came.
    left = budget
    for one in wanted:
        assert (one in chosen) == (one.size <= left)
        left -= one.size if one in chosen else 0


def test_an_answer_is_kept_only_when_it_is_ours_and_the_part_that_was_asked_for():
    ours = {"siltwatch-protocol": "1"}
    assert room(206, {**ours, "content-range": "bytes 5-9/20"}, 5, 9, 20) == 5
    assert room(200, {**ours, "content-length": "20"}, 0, 9, 20) == 20
    for status, headers in (
        (206, {"content-range": "bytes 5-9/20"}), (206, {**ours, "content-range": "bytes 0-4/20"}),
        (206, {**ours, "content-range": "bytes 5-9/21"}), (200, {**ours, "content-length": "20"}), (404, ours),
        (302, ours), (206, {**ours, "content-range": "bytes 5-9/20", "content-encoding": "gzip"}),
    ):
        assert room(status, headers, 5, 9, 20) is None


# --- the loop -------------------------------------------------------------------------------------------------------


class Clock:
    now = 0

    def monotonic_ms(self):
        return self.now


class Notes:
    """A ledger in memory."""

    def __init__(self, box, files, budget=10**9):
        self._box, self.files, self.room, self.rows = box, files, budget, {}

    def wanted(self):
        return tuple(Wanted(hashlib.sha256(data).hexdigest(), len(data), sort, (n,))
                     for n, (data, sort) in enumerate(self.files))

    def budget(self):
        return self.room

    def held(self):
        return dict(self.rows)

    async def box(self):
        return self._box

    async def have(self, sha256, size):
        self.rows[sha256] = size

    async def forget(self, shas):
        for sha256 in shas:
            self.rows.pop(sha256, None)


class Server:
    """Gives files in parts; ``next`` holds what goes wrong with the coming calls."""

    def __init__(self, *files):
        self.files = {hashlib.sha256(data).hexdigest(): data for data in files}
        self.next, self.asked = [], []

    async def download(self, target, request, sink, room):
        first, last = (int(n) for n in request.headers["Range"].removeprefix("bytes=").split("-"))
        name = request.path.rpartition("/")[2]
        self.asked.append((name, first, last))
        data = self.files.get(name)
        wrong = self.next.pop(0) if self.next else ""
        ours = {"siltwatch-protocol": "1", "siltwatch-epoch": "e"}
        if wrong == "offline":
            return Reply(failure=OFFLINE)
        if wrong == "portal":
            page = b"<html>log in</html>"
            headers = {"content-type": "text/html", "content-length": str(len(page))}
            assert room(200, headers) is None
            return Reply(200, headers, page)
        if data is None or wrong == "gone":
            return Reply(404, ours, b'{"code": "file-unknown", "detail": ""}')
        if wrong == "shorter":
            return Reply(416, ours, b'{"code": "range-malformed", "detail": ""}')
        part = data[first : last + 1]
        expected = room(206, {**ours, "content-range": f"bytes {first}-{last}/{len(data)}"})
        assert expected == len(part)
        if wrong == "cut":
            sink.write(part[: len(part) // 2])
            return Reply(failure=CUT)
        if wrong == "changed":
            part = bytes([part[0] ^ 1]) + part[1:]
        sink.write(part)
        return Reply(206, ours)


async def play(folder, server, *files, budget=10**9, ready="all", steps=200, notes=None, clock=None):
    """Steps until nothing is left to do; time passes as the fetcher wishes. Gives the notes and how long it took."""
    clock = clock or Clock()
    notes = notes or Notes(await open_fetched(folder), files, budget)
    fetcher = Fetcher(lambda _: server, lambda: Target("https://x", "t"), notes, clock, lambda: ready,
                      FetchPolicy(part_first=40, part_least=10, part_most=80))
    for _ in range(steps):
        until = await fetcher.step()
        if until is None:
            return notes, clock.now
        clock.now = max(clock.now, until)
    raise AssertionError("it does not come to rest")


ONE, TWO = random.Random(1).randbytes(500), random.Random(2).randbytes(90)


def run(coroutine):
    return asyncio.run(coroutine)


async def holds(notes, *files):
    box = await notes.box()
    assert sorted(notes.rows) == await box.shas() == sorted(hashlib.sha256(data).hexdigest() for data in files)
    for data in files:
        assert await box.read(hashlib.sha256(data).hexdigest()) == data


def test_files_come_in_parts_and_the_parts_grow(tmp_path):
    async def job():
        server = Server(ONE, TWO)
        notes, _ = await play(tmp_path, server, (ONE, PAGE), (TWO, PAGE))
        await holds(notes, ONE, TWO)
        assert [(first, last) for _, first, last in server.asked[:3]] == [(0, 39), (40, 119), (120, 199)]
        assert len(server.asked) == 9
        await play(tmp_path, server, notes=notes)
        assert len(server.asked) == 9, "what is here is not fetched again"
    run(job())


def test_a_cut_costs_at_most_what_was_under_way(tmp_path):
    async def job():
        server = Server(ONE)
        server.next = ["", "cut", "offline", "", "cut", "cut", "offline"]
        notes, took = await play(tmp_path, server, (ONE, PAGE))
        await holds(notes, ONE)
        begun = [first for _, first, _ in server.asked]
        assert begun == sorted(begun), "it never goes back behind what came"
        assert took >= 5 * 2_000
    run(job())


def test_one_that_is_woken_in_the_moment_in_which_it_is_ended_ends(tmp_path):
    """It waits for its next try, as after every cut."""
    async def job():
        server = Server(ONE)
        server.next = ["offline"] * 1000
        for turns in range(6):
            notes = Notes(await open_fetched(tmp_path), [(ONE, PAGE)])
            fetcher = Fetcher(lambda _: server, lambda: Target("https://x", "t"), notes, Clock(), lambda: "all")
            task = asyncio.ensure_future(fetcher.run())
            for _ in range(2_000):
                await asyncio.sleep(0)
            fetcher.wake()
            for _ in range(turns):
                await asyncio.sleep(0)
            task.cancel()
            done, _ = await asyncio.wait([task], timeout=5)
            assert done, f"woken {turns} turns of the loop before, it went on"
    run(job())


def test_another_run_goes_on_with_the_part(tmp_path):
    async def job():
        server = Server(ONE)
        server.next = ["", "", "cut"] + ["offline"] * 1000
        notes = Notes(await open_fetched(tmp_path), [(ONE, PAGE)])
        fetcher = Fetcher(lambda _: server, lambda: Target("https://x", "t"), notes, Clock(), lambda: "all",
                          FetchPolicy(part_first=40, part_least=10, part_most=80))
        for _ in range(3):
            await fetcher.step()
        came = await (await notes.box()).part_size(hashlib.sha256(ONE).hexdigest())
        assert came == 40 + 80 + 40
        server.next, server.asked = [], []
        again = Notes(await open_fetched(tmp_path), [(ONE, PAGE)])
        await play(tmp_path, server, notes=again)
        assert server.asked[0][1] == came
        await holds(again, ONE)
    run(job())


def test_changed_bytes_never_count_and_do_not_hold_up_the_rest(tmp_path):
    async def job():
        server = Server(ONE, TWO)
        server.next = ["changed"]
        clock = Clock()
        notes, _ = await play(tmp_path, server, (ONE, PAGE), (TWO, PAGE), clock=clock)
        assert clock.now >= FetchPolicy().refused_ms, "the damaged one is fetched again, later"
        assert list(notes.rows) == [hashlib.sha256(TWO).hexdigest(), hashlib.sha256(ONE).hexdigest()]
        await holds(notes, ONE, TWO)
    run(job())


def test_a_log_in_page_leaves_nothing_behind(tmp_path):
    async def job():
        server = Server(TWO)
        server.next = ["portal", "portal"]
        notes, _ = await play(tmp_path, server, (TWO, PAGE))
        await holds(notes, TWO)
        assert [first for _, first, _ in server.asked[:3]] == [0, 0, 0]
    run(job())


def test_what_the_server_does_not_give_waits_and_the_rest_comes(tmp_path):
    async def job():
        server = Server(ONE, TWO)
        server.next = ["gone"]
        notes, _ = await play(tmp_path, server, (ONE, PAGE), (TWO, PAGE))
        assert next(iter(notes.rows)) == hashlib.sha256(TWO).hexdigest()
        await holds(notes, ONE, TWO)
    run(job())


def test_a_part_that_does_not_fit_begins_anew(tmp_path):
    async def job():
        server = Server(ONE)
        server.next = ["", "shorter"]
        notes, _ = await play(tmp_path, server, (ONE, PAGE))
        assert [first for _, first, _ in server.asked[:3]] == [0, 40, 0]
        await holds(notes, ONE)
    run(job())


def test_less_room_lets_the_least_wanted_go_and_keeps_what_fits(tmp_path):
    async def job():
        server = Server(ONE, TWO)
        notes, _ = await play(tmp_path, server, (TWO, PAGE), (ONE, PAGE))
        notes.room = 400
        await play(tmp_path, server, notes=notes)
        await holds(notes, TWO)
        notes.files = ()
        await play(tmp_path, server, notes=notes)
        await holds(notes)
    run(job())


def test_only_small_pictures_where_the_network_costs_money_and_nothing_when_not_ready(tmp_path):
    async def job():
        server = Server(ONE, TWO)
        notes, _ = await play(tmp_path, server, (ONE, PAGE), (TWO, SMALL), ready="small")
        await holds(notes, TWO)
        await play(tmp_path, server, notes=notes, ready="")
        await holds(notes, TWO)
        await play(tmp_path, server, notes=notes)
        await holds(notes, TWO, ONE)
        assert EXTRA > PAGE > SMALL
    run(job())


def test_after_a_crash_notes_and_files_are_brought_together(tmp_path):
    async def job():
        server = Server(ONE, TWO)
        notes, _ = await play(tmp_path, server, (ONE, PAGE), (TWO, PAGE))
        one, two = (hashlib.sha256(data).hexdigest() for data in (ONE, TWO))
        del notes.rows[one]  # killed between the file and its note
        box = await notes.box()
        await box.delete(two)  # the system cleared it
        with open(tmp_path / ("ab" * 32), "wb") as stray:
            stray.write(b"of a plan that is gone")
        (tmp_path / f"{'cd' * 32}.partial").write_bytes(b"a part of it")
        server.asked = []
        await play(tmp_path, server, notes=notes)
        await holds(notes, ONE, TWO)
        assert {name for name, _, _ in server.asked} == {two}
        assert await box.parts() == []
    run(job())

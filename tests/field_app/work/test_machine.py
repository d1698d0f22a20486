"""A tablet used in any order, killed and cut off at any moment: what holds after every step, and that all arrives.

Always: counters without gap or repetition, a number for one order only, frozen bytes that never change, every file of
a signed item in the box. At the end, with the server back: everything signed is applied there, byte for byte.
"""

import asyncio
import tempfile
from pathlib import Path

from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from sqlalchemy import select

from field_app.store.memory import Crashed
from sync.records.facts import parse
from sync.records.macs import fingerprint
from sync.records.problems import Problem
from sync.server.db.schema import facts as city_facts
from tests.support.field_desk import PIN, bench, jpeg, ready, settle
from tests.support.field_steps import INLET, failing_inspection, nothing_else, soil_on_the_road

CUTS = st.sampled_from([None, None, 0, 1, 2, 4, 7])
SITES = st.sampled_from(["site-01", "site-02"])


class Tablet(RuleBasedStateMachine):
    """Rules are what people and the world do; a refused tap is an answer like any other."""

    @initialize()
    def enrolled(self):
        self.runner = asyncio.Runner()
        self.folder = tempfile.TemporaryDirectory()
        self.desk = bench(Path(self.folder.name))
        self.app = self.work = None
        self.open()
        self.runner.run(ready(self.desk, self.work))
        self.frozen: dict[str, str] = {}
        self.photos = 10
        self.runner.run(failing_inspection(self.work))

    def open(self):
        self.app = self.desk.work()
        self.work = self.runner.run(self.app.__aenter__())

    def close(self):
        self.runner.run(self.app.__aexit__(None, None, None))

    def do(self, call):
        """One tap. A refusal changes nothing; a power cut in the middle ends the process, which is started again."""
        try:
            return self.runner.run(call)
        except Problem:
            return None
        except Crashed:
            self.open()
            return None

    def table(self, name):
        return self.work._desk.store.table(name).all()

    def drafts(self):
        return sorted(doc["id"] for doc in self.table("drafts"))

    @staticmethod
    def is_open(doc):
        return doc["stage"] not in ("done", "abandoned")

    def orders(self):
        return sorted(doc["id"] for doc in self.table("order_drafts") if self.is_open(doc))

    def signed(self):
        return sorted(row["id"] for row in self.table("facts") if row["kind"] == "inspection_signed")

    def posted(self):
        docs = self.table("order_drafts")
        return sorted(doc["number"] for doc in docs if doc.get("signed_as") == "order_posted")

    # --- the inspector ---

    @rule(site=SITES, steps=st.sampled_from([4, 4, 4, 2, 3]), pin=st.sampled_from([PIN] * 5 + ["000001"]), cut=CUTS)
    def inspect(self, site, steps, pin, cut):
        """Begin, or go on with what was begun; fail an item, answer the rest, sign; or stop somewhere in between.
        `cut`: the power goes at that write to the medium, if there are so many."""
        self.desk.medium.crash_in = cut
        self.do(self.work.begin_inspection(site))
        draft = next((doc["id"] for doc in self.table("drafts") if doc["site"] == site), None)
        if draft is None:
            return
        for step in (
            lambda: soil_on_the_road(self.work, draft),
            lambda: nothing_else(self.work, draft),
            lambda: self.work.sign_inspection(draft, pin),
        )[: steps - 1]:
            self.do(step())

    @precondition(lambda self: self.drafts())
    @rule(data=st.data(), key=st.sampled_from(["", INLET, "TRK-06"]))
    def photograph(self, data, key):
        draft = data.draw(st.sampled_from(self.drafts()))
        self.photos += 1
        self.do(self.work.add_photo(draft, key, jpeg(self.photos), source="camera", view="close"))

    @precondition(lambda self: self.signed())
    @rule(
        data=st.data(),
        steps=st.sampled_from([5, 5, 5, 4, 3]),
        recommend=st.sampled_from([False, False, True]),
        cut=CUTS,
    )
    def order(self, data, steps, recommend, cut):
        """An order on a signed inspection, up to some step; `cut` as above."""
        self.desk.medium.crash_in = cut
        signed = data.draw(st.sampled_from(self.signed()))
        work, site = self.work, self.work.signed(signed).site
        self.do(work.begin_order(site, signed, how="beside", reason="Another part of the site."))
        order = next((d["id"] for d in self.table("order_drafts") if d["site"] == site and self.is_open(d)), None)
        if order is None:
            return
        self.do(self.work.set_nobody_present(order, True))
        if recommend and steps == 5:
            self.do(self.work.recommend_order(order, PIN))
            return
        for step in (
            lambda: self.work.make_placard(order),
            lambda: self.work.placard_is_up(order),
            lambda: self.work.post_order(order, PIN),
        )[: steps - 2]:
            self.do(step())

    @precondition(lambda self: self.orders())
    @rule(data=st.data(), act=st.sampled_from(["edit", "print", "up", "not_up", "post", "abandon"]))
    def go_on_with_an_order(self, data, act):
        order, work = data.draw(st.sampled_from(self.orders())), self.work
        self.do(
            {
                "edit": lambda: work.set_order_text(order, "must_stop", "All grading."),
                "print": lambda: work.make_placard(order),
                "up": lambda: work.placard_is_up(order),
                "not_up": lambda: work.placard_not_up(order),
                "post": lambda: work.post_order(order, PIN),
                "abandon": lambda: work.abandon_order(order, "made safe"),
            }[act]()
        )

    @precondition(lambda self: self.posted())
    @rule(data=st.data())
    def photograph_a_placard(self, data):
        number = data.draw(st.sampled_from(self.posted()))
        self.photos += 1
        self.do(self.work.add_order_photo(number, jpeg(self.photos), source="camera", pin=PIN))

    # --- the world ---

    @rule(hours=st.sampled_from([0, 0.01, 30]))
    def killed(self, hours):
        self.close()
        self.desk.clock.advance(hours=hours)
        self.open()

    @rule(lost=st.integers(0, 3), up=st.booleans())
    def sync_a_little(self, lost, up):
        self.desk.network.up = up

        async def a_moment():
            self.desk.network.lose_replies = lost
            self.work.start_sync()
            self.work.send_now()
            for _ in range(20):
                await asyncio.sleep(0)
            await self.work.stop_sync()
            self.desk.network.lose_replies = 0

        self.do(a_moment())

    # --- what always holds ---

    @invariant()
    def the_power_is_back(self):
        self.desk.medium.crash_in = None

    @invariant()
    def counters_numbers_and_bytes(self):
        rows = sorted(self.table("facts"), key=lambda row: row["counter"])
        assert [row["counter"] for row in rows] == list(range(1, len(rows) + 1))
        for row in rows:
            assert self.frozen.setdefault(row["id"], row["text"]) == row["text"]
        assert set(self.frozen) == {row["id"] for row in rows}
        used = {row["number"]: row["used"] for row in self.table("lease") if row["used"]}
        assert {doc["number"]: doc["id"] for doc in self.table("order_drafts")} == used
        done = {doc["fact"] for doc in self.table("order_drafts") if doc["stage"] == "done"}
        assert done == {row["id"] for row in rows if row["kind"].startswith("order_")}

    @invariant()
    def every_file_is_here(self):
        for row in self.table("evidence"):
            data = self.runner.run(self.work._desk.box.read(row["sha256"]))
            assert (fingerprint(data), len(data)) == (row["sha256"], row["size"])

    def teardown(self):
        if not hasattr(self, "work"):
            return
        self.desk.network.up, self.desk.network.lose_replies = True, 0
        self.runner.run(settle(self.work))

        def read(city):
            with city.db.read() as tx:
                return {row.id: row for row in tx.execute(select(city_facts))}

        held = self.runner.run(self.desk.office(read))
        assert set(held) == set(self.frozen)
        for ident, text in self.frozen.items():
            assert (held[ident].text, held[ident].state) == (text, "applied"), held[ident].reason
        assert {row.state for row in self.work.outbox().rows} <= {"safe"}
        for row in self.table("facts"):
            assert set(parse(row["text"]).needs) <= set(self.frozen)
        self.close()
        self.runner.close()
        self.folder.cleanup()


TestTablet = Tablet.TestCase
TestTablet.settings = settings(
    max_examples=10,
    stateful_step_count=22,
    deadline=None,
    derandomize=True,
    phases=(Phase.generate,),  # shrinking a whole day takes minutes
)

"""Any sequence of taps on an order, a site found and a site act leads to a valid draft, as on an inspection.

The same walk as in `test_any_taps`: taps, typing, turning, another language, kills. After each step the screen can be
drawn and the draft is what it was after a kill; in the end what misses can be given, and the record is a sound one.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from sync.records.facts import parse
from tests.support.field_desk import PIN, Bench, bench
from tests.support.field_steps import failing_inspection
from tests.support.flet_harness import SIZES
from tests.support.random_taps import act
from tests.support.tablet_window import Window, window

SITE = "site-01"
STEPS = ("tap",) * 8 + ("type",) * 4 + ("turn", "language", "kill")
# What leads elsewhere, throws the draft away, signs it or turns it into paper.
ELSEWHERE = ("back", "open-", "status-", "nav-", "turn-sun", "pick-", "export", "find-discard", "act-discard",
             "abandon", "save-", "sign", "pin-", "make-placard", "to-", "use-blank", "keep-blank", "nearby-",
             "camera")  # fmt: skip
WALKS, LENGTH = 2, 12
paths = st.lists(st.tuples(st.sampled_from(STEPS), st.integers(0, 10**6)), min_size=8, max_size=LENGTH)


@dataclass(frozen=True)
class Draft:
    """A kind of draft: its screen and what that is called there, its table, how it begins, is seen and is signed."""

    screen: str
    called: str
    table: str
    kind: str
    begin: Callable[[Any], Awaitable[Any]]
    view: Callable[[Any, str], Any]
    finish: Callable[[Any, str], Awaitable[Any]]


async def _finish_order(work: Any, order: str) -> None:
    view = work.order(order)
    if not [one for one in view.grounds if one.chosen]:
        view = await work.set_grounds(order, ["b"])
    for one in view.findings:
        await work.set_order_finding(order, one.fact, one.finding, True)
    for field in ("observed", "must_stop"):
        await work.set_order_text(order, field, "All grading.")
    if any(one.field == "outside" for one in work.order(order).missing):
        await work.set_order_text(order, "outside", "The north half.")
    view = await work.set_order_correction(order, len(work.order(order).corrections), "Sweep.", "2026-08-28", "17:00")
    for index, one in enumerate(view.corrections):
        await work.set_order_correction(order, index, one.text, "2026-08-28", "17:00")
    view = await work.set_nobody_present(order, True)
    assert view.missing == (), view.missing
    await work.make_placard(order)
    await work.placard_is_up(order)
    await work.post_order(order, PIN)


async def _finish_report(work: Any, report: str) -> None:
    for field in ("name", "address", "observed"):
        await work.set_report_text(report, field, "Across from 40 Oak Street")
    for one in work.report(report).questions:
        if one.kind == "choice" and one.value:
            await work.answer_need(report, one.id, one.value)  # taken back, so that all questions are asked
    for one in work.report(report).questions:
        if one.kind == "number":
            await work.answer_need(report, one.id, "")
        for area in reversed(one.areas):
            await work.set_need_area(report, area.index, "", "")
    view = await work.locate_report(report)
    assert view.missing == (), view.missing
    await work.save_report(report)


async def _finish_emergency(work: Any, ident: str) -> None:
    await work.set_act_text(ident, "condition", "The basin overflows.")
    await work.set_entered(ident, False)
    await work.set_act_approval(ident, how="")
    view = await work.set_act_text(ident, "no_approval", "The line is dead.")
    if not view.threatened:
        view = await work.set_threat(ident, "surface water")
    assert view.missing == (), view.missing
    await work.sign_site_act(ident, PIN)


async def _finish_revision(work: Any, ident: str) -> None:
    for field in ("conditions", "inadequate"):
        await work.set_act_text(ident, field, "4 inches of rain")
    view = await work.set_revision_device(ident, len(work.site_act(ident).devices), "A trap", "2026-08-29", "17:00")
    for index, one in enumerate(view.devices):
        await work.set_revision_device(ident, index, one.text, "2026-08-29", "17:00")
    view = await work.set_act_nobody(ident, True)
    assert view.missing == (), view.missing
    await work.sign_site_act(ident, PIN)


DRAFTS = {
    "order": Draft("order", "draft", "order_drafts", "order_posted", lambda work: work.begin_order(SITE),
                   lambda work, ident: work.order(ident), _finish_order),
    "find": Draft("find", "report", "reports", "site_reported", lambda work: work.begin_report(),
                  lambda work, ident: work.report(ident), _finish_report),
    "emergency": Draft("site_act", "draft", "reports", "emergency_reported",
                       lambda work: work.begin_site_act(SITE, "emergency"),
                       lambda work, ident: work.site_act(ident), _finish_emergency),
    "revision": Draft("site_act", "draft", "reports", "revision_recommended",
                      lambda work: work.begin_site_act(SITE, "revision"),
                      lambda work, ident: work.site_act(ident), _finish_revision),
}  # fmt: skip


async def step(w: Window, what: Draft, ident: str, kind: str, number: int) -> None:
    if w.shell.place.name != what.screen:
        w.shell.go(what.screen, **{what.called: ident})
        await w.screen.settle()
    await act(w, kind, number, ELSEWHERE)
    await w.screen.settle()


def kept(w: Window, what: Draft, ident: str) -> str:
    """The stored draft as text, after it was seen that it can be read and shown."""
    assert what.view(w.work, ident) is not None
    assert "failed-part" not in w.screen.ids(), w.screen.texts("failed-part")
    return json.dumps(w.work._desk.store.table(what.table).get(ident), sort_keys=True)


async def a_walk(desk: Bench, what: Draft, path: list[tuple[str, int]]) -> None:
    at, ident, before = 0, "", None
    while True:
        async with window(desk, width=SIZES[at % 3][0], height=SIZES[at % 3][1]) as w:
            await w.screen.settle()
            ident = ident or (await what.begin(w.work)).id
            w.shell.go(what.screen, **{what.called: ident})
            await w.screen.settle(30)
            assert before is None or kept(w, what, ident) == before, "the app was killed, and shows another draft"
            killed = False
            while at < len(path) and not killed:
                kind, number = path[at]
                at += 1
                killed = kind == "kill"
                if not killed:
                    await step(w, what, ident, kind, number)
                    before = kept(w, what, ident)
            if at >= len(path):
                facts = {row["id"] for row in w.work._desk.store.table("facts").all()}
                await what.finish(w.work, ident)
                [new] = [row for row in w.work._desk.store.table("facts").all() if row["id"] not in facts]
                assert parse(new["text"]).kind == what.kind == new["kind"]
                return


async def ready_tablet(folder: Path) -> Bench:
    desk = bench(folder)
    async with window(desk) as w:
        await w.set_up()
        desk.network.up = False
        await failing_inspection(w.work)
    return desk


def test_any_sequence_of_taps_leads_to_a_valid_draft(tmp_path: Path):
    desk = asyncio.run(ready_tablet(tmp_path))
    files = dict(desk.medium.files)

    @settings(max_examples=WALKS, deadline=None, derandomize=True, database=None, phases=(Phase.generate,),
              suppress_health_check=list(HealthCheck))
    @given(paths)
    def walks(path):
        for what in DRAFTS.values():
            desk.medium.files = dict(files)  # each walk begins as the first did
            desk.medium.held, desk.medium.life = False, desk.medium.life + 1
            asyncio.run(a_walk(desk, what, path))

    walks()

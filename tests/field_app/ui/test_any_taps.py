"""Any sequence of taps leads to a valid draft: whatever is tapped and typed, in whatever order, turned, killed, spoken.

A walk over the real screens: a step taps something that stands there, types into a field, turns the tablet, changes the
language, takes the last tap back, or kills the app. After each the draft must be one that the store and the form know,
and after a kill the very same; in the end it can always be finished and signed, and what was signed is a sound record.
"""

import asyncio
import json
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from field_app.capture import stored
from field_app.capture.draft import SPECIALS
from field_app.capture.head import DETAILS
from field_app.work import inspecting
from sync.records.bodies import SEVERITIES
from sync.records.facts import parse
from sync.records.problems import Problem
from tests.support.field_desk import PIN, Bench, bench
from tests.support.field_steps import nothing_else
from tests.support.flet_harness import SIZES
from tests.support.random_taps import act
from tests.support.tablet_window import Window, window

SITE = "site-01"
STEPS = ("tap",) * 12 + ("type",) * 4 + ("turn", "language", "undo", "undo", "kill")
# What leads out of the inspection, or throws it away; the walk would only come back.
ELSEWHERE = ("back", "open-", "status-", "nav-", "go-review", "turn-sun", "pick-", "export")
INSIDE = ("inspection", "camera")
WALKS, LENGTH = 4, 20

steps = st.lists(st.tuples(st.sampled_from(STEPS), st.integers(0, 10**6)), min_size=10, max_size=LENGTH)


async def step(w: Window, kind: str, number: int, draft: str) -> None:
    if w.shell.place.name not in INSIDE:
        w.shell.go("inspection", draft=draft)
        await w.screen.settle()
    if kind == "undo":
        await w.work.undo(draft)
    else:
        await act(w, kind, number, ELSEWHERE)
    await w.screen.settle()


def check(w: Window, draft: str) -> str:
    """The stored draft as text, after everything that a valid one is has been looked at."""
    desk = w.work._desk
    doc = json.loads(json.dumps(desk.store.table("drafts").get(draft)))
    one = stored.from_doc(doc)
    assert json.loads(json.dumps(stored.to_doc(one))) == {key: value for key, value in doc.items() if key != "undo"}
    form = inspecting.form_for(desk, one)
    for key, entry in one.entries.items():
        if key not in form.by_key:
            continue  # a place that was taken off; it may come back
        question = form.question(key)
        assert entry.special in ("", *SPECIALS), key
        assert set(entry.photos) <= set(one.photos), key
        assert entry.severity in ("", *SEVERITIES), key
        for part, value in entry.parts.items():
            field = question.part(part)
            if field.choices:
                assert set((value,) if isinstance(value, str) else value) <= {*field.choices, "none"}, (key, part)
    view = w.work.inspection(draft)
    assert view.done <= view.total and view.at_section
    assert "failed-part" not in w.screen.ids(), w.screen.texts("failed-part")
    return json.dumps(doc, sort_keys=True)


async def finished(w: Window, draft: str) -> None:
    """Whatever was tapped: what still misses can be given, and the inspection can be signed."""
    work = w.work
    if work.inspection(draft).missing:
        await work.set_details(draft, type="weekly", entry="permit condition", rain="0.1",
                               rain_source=DETAILS["rain_source"][0])
    for section in work.inspection(draft).sections:
        for item in (item for card in section.cards for item in card.items):
            if item.state == "incomplete":
                await work.answer_special(draft, item.key, "na")
            elif item.state == "fail":
                await work.note(draft, item.key, "Seen.")
                await work.set_no_photo(draft, item.key, "It rains too hard.")
                await work.set_correction(draft, item.key, "Sweep.")
                await work.set_due(draft, item.key, "2026-08-28", "17:00")
    view = await nothing_else(work, draft)
    assert view.can_review, view.missing
    try:
        signed = await work.sign_inspection(draft, PIN)
    except Problem as problem:
        raise AssertionError(f"{problem.code}: {problem.detail}") from problem
    fact = parse(work._desk.store.table("facts").get(signed.fact)["text"])
    assert fact.kind == "inspection_signed" and fact.body["site"] == SITE


async def a_walk(desk: Bench, path: list[tuple[str, int]]) -> None:
    at = 0
    while at < len(path) or at == 0:
        async with window(desk, width=SIZES[at % 3][0], height=SIZES[at % 3][1]) as w:
            await w.screen.settle()
            if at == 0:
                for left in list(w.work._desk.store.table("drafts").ids()):
                    await w.work.discard_draft(left)
                draft = (await w.work.begin_inspection(SITE)).id
                kept = None
            w.shell.go("inspection", draft=draft)
            await w.screen.settle(30)
            now = check(w, draft)
            assert kept is None or now == kept, "the app was killed, and shows another draft"
            killed = False
            while at < len(path) and not killed:
                kind, number = path[at]
                at += 1
                killed = kind == "kill"
                if not killed:
                    await step(w, kind, number, draft)
                    kept = check(w, draft)
            if at >= len(path):
                await finished(w, draft)
                return


async def ready_tablet(folder: Path) -> Bench:
    desk = bench(folder)
    async with window(desk) as w:
        await w.set_up()
    desk.network.up = False
    return desk


def test_any_sequence_of_taps_leads_to_a_valid_draft(tmp_path: Path):
    desk = asyncio.run(ready_tablet(tmp_path))

    @settings(max_examples=WALKS, deadline=None, derandomize=True, database=None,
              suppress_health_check=list(HealthCheck))
    @given(steps)
    def walks(path):
        asyncio.run(a_walk(desk, path))

    walks()

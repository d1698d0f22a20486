"""The report about the tablet: what it says, that nothing of anybody's is in it, and that it reaches the office."""

import asyncio
import json
import logging
from pathlib import Path

import pytest

from field_app.work import log_lines
from sync.records.problems import Problem
from sync.records.protocol import MAX_DIAGNOSIS_BYTES
from sync.server.casework.diagnoses import diagnoses_of
from tests.support.field_desk import bench, ready, settle
from tests.support.field_steps import failing_inspection, posted_order, soil_on_the_road

WRITTEN = "Mud by the Kowalski gate"


def texts(value) -> set[str]:
    """Every string in a document."""
    if isinstance(value, str):
        return {value}
    if isinstance(value, dict):
        return {text for part in value.values() for text in texts(part)}
    if isinstance(value, (list, tuple)):
        return {text for part in value for text in texts(part)}
    return set()


def test_it_says_how_things_stand_and_nothing_of_anybody(tmp_path: Path):
    async def go():
        desk = bench(tmp_path)
        async with desk.work() as work:
            await ready(desk, work)
            signed = await failing_inspection(work)
            await posted_order(work, signed)
            draft = await work.begin_inspection("site-02")
            await soil_on_the_road(work, draft.id)
            await work.note(draft.id, "TRK-06", WRITTEN)
            report = json.loads(work.diagnosis().text)
            assert report["tablet"] == "T01"
            assert report["outbox"]["records"] == {"waiting": 2}
            assert report["store"]["drafts"] == 1 and report["store"]["facts"] == 2
            assert report["clock"]["offset_ms"] == 0 and report["app"]["pack"] == "demo@2026.1"

            store = work._desk.store
            personal = {WRITTEN, signed.fact}
            tables = ("people", "sites", "findings", "drafts", "secrets", "credentials", "facts", "lease", "permits")
            for table in tables:
                for doc in store.table(table).all():
                    personal |= texts(doc)
            # Words of the program that stand in records and in lines of the log too, and the zone of the whole city.
            known = {"photo", "inspect", "inspection", "America/Chicago"}
            known |= {report["outbox"]["epoch"], report["app"]["pack"], *report["store"]}
            leaked = {one for one in personal - known if len(one) >= 5 and one in work.diagnosis().text}
            assert leaked == set()

    asyncio.run(go())


def test_it_is_sent_as_it_was_read_and_saved_where_there_is_no_network(tmp_path: Path):
    async def go():
        desk = bench(tmp_path)
        async with desk.work() as work:
            assert not work.diagnosis().can_send
            with pytest.raises(Problem, match="not-enrolled"):
                await work.send_diagnosis(work.diagnosis().text)
            await ready(desk, work)
            await settle(work)
            read = work.diagnosis().text
            assert work.diagnosis().can_send
            desk.network.lose_replies = 1  # it arrived, and the tablet does not know: sent again
            await work.send_diagnosis(read)
            (kept,) = await desk.office(diagnoses_of, "T01")
            assert kept.text == read
            assert work.diagnosis().sent
            await work.stop_sync()
            desk.network.up = False
            name = await work.save_diagnosis(read)
            assert desk.saved[name] == read.encode()

    asyncio.run(go())


def test_a_long_log_is_cut_to_what_the_server_takes(tmp_path: Path, monkeypatch):
    async def go():
        async with bench(tmp_path).work() as work:
            monkeypatch.setattr(log_lines, "lines", lambda: [f"{n} {'x' * 400}" for n in range(2000)])
            said = work.diagnosis().text
            assert len(said.encode()) <= MAX_DIAGNOSIS_BYTES
            assert json.loads(said)["log"][-1].startswith("1999 ")

    asyncio.run(go())


def test_a_line_keeps_numbers_codes_and_places_but_no_words_of_a_person():
    lines = log_lines.Lines()
    log = logging.Logger("siltwatch.test", logging.INFO)
    log.addHandler(lines)
    try:
        raise ValueError(WRITTEN)
    except ValueError:
        log.exception("site %s, try %d, file %s, by %s", "Kowalski", 3, "ab" * 32, Problem("offline", WRITTEN))
    log.info("a note: %s", WRITTEN)
    log.error(Problem("store-full", WRITTEN))
    first, second, third = lines.lines()
    assert "site ..., try 3, file " + "ab" * 32 + ", by offline | ValueError at test_diagnosing.py:" in first
    assert second.endswith("a note: ...") and third.endswith(": store-full")
    assert WRITTEN not in "".join(lines.lines()) and "Kowalski" not in "".join(lines.lines())


def test_only_the_newest_lines_are_kept():
    lines = log_lines.Lines()
    log = logging.Logger("siltwatch.test", logging.INFO)
    log.addHandler(lines)
    for n in range(log_lines.KEPT + 5):
        log.info("line %d", n)
    assert len(lines.lines()) == log_lines.KEPT and lines.lines()[0].endswith("line 5")

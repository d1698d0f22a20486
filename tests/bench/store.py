"""Benchmark of the store on native files: what one tap costs with 10,000 inspections on the tablet, and a start.

The store is encrypted, as the app has it; one that is not is measured beside it, for what that costs.

All ratios come from one run on one disk; what is compared is measured in turn, so that the machine's moods hit
both sides. Openings are measured each in a process of its own. Medians throughout.
"""

import asyncio
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median, quantiles

from tinydb import TinyDB
from tinydb.table import Document

from field_app.hardware.crypto import NativeCrypto
from field_app.store import journal
from field_app.store.native import open_native

ROOT = Path(__file__).resolve().parents[2]
MANY, FEW = 10_000, 10
SAVES = 400
STOCK_SAVES = 5
OPENINGS = 7

OPEN = """
import asyncio, sys, time
from field_app.hardware.crypto import NativeCrypto
from field_app.store.native import open_native
begun = time.perf_counter()
store = asyncio.run(open_native(sys.argv[1], NativeCrypto() if sys.argv[2:] == ["sealed"] else None))
took = time.perf_counter() - begun
print(took, len(store.table("facts")))
"""
LOAD = """
import gc, json, sys, time
from field_app.store import native  # The same modules are loaded on both sides.
with open(sys.argv[1], encoding="ascii") as file:
    text = file.read()
if sys.argv[2:] == ["nogc"]:
    gc.disable()
begun = time.perf_counter()
documents = json.loads(text)
took = time.perf_counter() - begun
print(took, len(documents["facts"]))
"""


def inspection(number: int) -> dict:
    """A signed inspection as the tablet keeps it: about 2.6 kB with 17 answers, a finding and two photos."""
    photos = [f"{number:032x}{side:032x}" for side in (1, 2)]
    return {
        "id": f"{number:032x}", "city": "demo", "tablet": "T07", "counter": number, "kind": "inspection_signed",
        "at": {"wall": "2026-08-27T14:03:22-05:00", "zone": "America/Chicago", "mono_ms": number * 1000,
               "offset_ms": 12},
        "body": {
            "site": f"s{number % 40}", "permit": f"p{number % 40}", "type": "weekly", "inspected_on": "2026-08-27",
            "answers": [
                {"item": f"{topic}-{item:02}",
                 "subject": {"kind": "inlet", "id": f"i{item}"} if topic == "INL" else None,
                 "answer": {"answer": "no" if item == 3 else "yes"}, "note": "mud on the street" if item == 3 else None}
                for topic, count in (("TRK", 7), ("INL", 6), ("WST", 4)) for item in range(1, count + 1)
            ],
            "findings": [
                {"id": f"{number:08x}", "item": "TRK-03", "subject": None, "severity": "major", "clause": "tracking",
                 "note": "Soil tracked onto the street over 40 feet, not swept", "grounds": ["b", "c"],
                 "correction": "Sweep the street and renew the stone pad", "photos": photos, "status": "open",
                 "due": {"on": "2026-08-28", "at": "17:00"}}
            ],
            "photos": [
                {"sha256": sha, "source": "camera", "view": view, "item": "TRK-03", "finding": f"{number:08x}",
                 "position": {"lat_udeg": 43073100 + number, "lon_udeg": -89401200, "accuracy_cm": 480}}
                for sha, view in zip(photos, ("wide", "close"), strict=True)
            ],
            "outcome": "correction", "signed": {"name": "R. Alvarez", "title": "Inspector", "credential_no": "E-113"},
        },
        "state": "sent",
    }  # fmt: skip


def draft(number: int) -> dict:
    """The draft of the inspection under way, after one more tap."""
    doc = inspection(number)
    return {"id": "d1", "site": "s1", "taps": number, "answers": doc["body"]["answers"], "note": f"tap {number}"}


def milliseconds(seconds) -> float:
    return round(seconds * 1000, 3)


async def filled(folder: Path, count: int, *, sealed: bool = False):
    """A store with so many inspections and a draft; ``sealed``: as the app has it, the draft under a person's key."""
    store = await open_native(folder, NativeCrypto() if sealed else None)
    if sealed:
        await store.keys.add("ada", "Ada Lindqvist", "271828", 1)
        # The opening is measured without the PIN, whose cost is wished: so the tablet's key lies open here.
        await store.keys.write(lambda doc: doc["tablet"].update(key=store.keys.tablet.raw.hex()))
    for start in range(0, count, 250):
        async with store.change() as tx:
            for number in range(start, min(start + 250, count)):
                tx.put("facts", f"{number:032x}", inspection(number))
    async with store.change() as tx:
        tx.put("drafts", "d1", draft(0))
    await store.compact()
    return store


async def save(store, number: int) -> float:
    doc = draft(number)
    begun = time.perf_counter()
    async with store.change() as tx:
        tx.put("drafts", "d1", doc)
    return time.perf_counter() - begun


def raw(fd: int, data: bytes) -> float:
    begun = time.perf_counter()
    os.write(fd, data)
    os.fsync(fd)
    return time.perf_counter() - begun


async def saves(folder: Path, many, few, plain) -> dict[str, list[float]]:
    """One save in the full store, one in the small one, one in a full one that is not encrypted, one raw append of the
    same bytes, in turn."""
    fd = os.open(folder / "raw", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    times: dict[str, list[float]] = {"many": [], "few": [], "plain": [], "raw": []}
    for number in range(SAVES):
        before = many._journal.pending_bytes
        times["many"].append(await save(many, number))
        size = many._journal.pending_bytes - before
        times["few"].append(await save(few, number))
        times["plain"].append(await save(plain, number))
        times["raw"].append(raw(fd, os.urandom(size)))
    os.close(fd)
    return times


def stock(folder: Path) -> list[float]:
    """The same save with TinyDB as it comes, on a file with the same documents."""
    with TinyDB(folder / "stock.json") as db:
        db.table("facts").insert_multiple(Document(inspection(n), n + 1) for n in range(MANY))
        db.table("drafts").insert(Document(draft(0), 1))
        times = []
        for number in range(STOCK_SAVES):
            doc = draft(number)
            begun = time.perf_counter()
            db.table("drafts").update(doc, doc_ids=[1])
            times.append(time.perf_counter() - begun)
    return times


async def compaction(store) -> tuple[float, float]:
    """Seconds that a whole compaction takes, and the longest time other work had to wait for it."""
    longest, stop = 0.0, False

    async def other() -> None:
        nonlocal longest
        while not stop:
            begun = time.perf_counter()
            await asyncio.sleep(0)
            longest = max(longest, time.perf_counter() - begun)

    watching = asyncio.ensure_future(other())
    await asyncio.sleep(0)
    begun = time.perf_counter()
    await store.compact()
    took = time.perf_counter() - begun
    stop = True
    await watching
    return took, longest


async def fill_journal(store) -> int:
    """Saves until the next one would reach the threshold; gives the journal's length in bytes."""
    number = 0
    while store._journal.pending_bytes < store._journal.compact_at - 8_000:
        number += 1
        await save(store, number)
    return store._journal.pending_bytes


def in_a_process(code: str, *arguments: str) -> float:
    command = [sys.executable, "-c", code, *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    took, count = done.stdout.split()
    if int(count) != MANY:
        raise RuntimeError(f"{count} documents instead of {MANY}")
    return float(took)


def openings(folder: Path) -> dict[str, list[float]]:
    """The store's opening and the parsing of the same documents as one JSON text, in turn."""
    times: dict[str, list[float]] = {"open": [], "plain": [], "json": [], "json without collector": []}
    for _ in range(OPENINGS):
        times["open"].append(in_a_process(OPEN, str(folder / "many"), "sealed"))
        times["plain"].append(in_a_process(OPEN, str(folder / "plain")))
        times["json"].append(in_a_process(LOAD, str(folder / "documents.json")))
        times["json without collector"].append(in_a_process(LOAD, str(folder / "documents.json"), "nogc"))
    return times


async def measure(folder: Path) -> dict:
    def say(text: str) -> None:
        print(f"store: {text}", flush=True)

    say(f"filling one store with {MANY} inspections, one with {FEW}")
    many, few = await filled(folder / "many", MANY, sealed=True), await filled(folder / "few", FEW, sealed=True)
    plain = await filled(folder / "plain", MANY)
    say(f"{SAVES} saves of one answer in each, and as many raw appends")
    times = await saves(folder, many, few, plain)
    say(f"{STOCK_SAVES} saves with stock TinyDB")
    stock_times = stock(folder)
    say("compaction")
    took, longest = await compaction(many)
    snapshot = many._journal.snapshot_bytes
    documents = {name: {doc.doc_id: doc for doc in many.table(name)} for name in ("facts", "drafts")}
    (folder / "documents.json").write_text(json.dumps(documents, separators=(",", ":")), "ascii")
    await many.close()
    await plain.compact()
    await plain.close()
    say(f"{OPENINGS} openings after compaction")
    compacted = openings(folder)
    say("filling the journal up to its threshold")
    many = await open_native(folder / "many", NativeCrypto())
    await many.unlock("ada", await many.keys.fits("ada", "271828"))
    length, threshold = await fill_journal(many), many._journal.compact_at
    await many.close()
    say(f"{OPENINGS} openings just before compaction")
    uncompacted = openings(folder)
    await few.close()

    mid = {name: median(values) for name, values in times.items()}
    return {
        "ratios": {
            "save_vs_raw": round(mid["many"] / mid["raw"], 2),
            "save_growth": round(mid["many"] / mid["few"], 2),
            "save_vs_plain": round(mid["many"] / mid["plain"], 2),
            "open_vs_plain": round(median(compacted["open"]) / median(compacted["plain"]), 2),
            "stock_vs_save": round(median(stock_times) / mid["many"], 1),
            "open_vs_json": round(median(compacted["open"]) / median(compacted["json"]), 2),
            "open_journal_vs_json": round(median(uncompacted["open"]) / median(uncompacted["json"]), 2),
        },
        "figures": {
            "save_ms": milliseconds(mid["many"]),
            "save_plain_ms": milliseconds(mid["plain"]),
            "open_plain_ms": milliseconds(median(compacted["plain"])),
            "save_p95_ms": milliseconds(quantiles(times["many"], n=20)[-1]),
            "raw_ms": milliseconds(mid["raw"]),
            "stock_ms": milliseconds(median(stock_times)),
            "open_ms": milliseconds(median(compacted["open"])),
            "open_journal_ms": milliseconds(median(uncompacted["open"])),
            "json_loads_ms": milliseconds(median(compacted["json"])),
            "json_loads_without_collector_ms": milliseconds(median(compacted["json without collector"])),
            # The same against a json.loads with the garbage collector off, as it is while the store opens.
            "open_vs_json_without_collector": round(
                median(compacted["open"]) / median(compacted["json without collector"]), 2
            ),
            "open_journal_vs_json_without_collector": round(
                median(uncompacted["open"]) / median(uncompacted["json without collector"]), 2
            ),
            "compaction_ms": milliseconds(took),
            "compaction_longest_wait_ms": milliseconds(longest),
            "inspections": MANY,
            "snapshot_bytes": snapshot,
            "journal_bytes": length,
            "journal_threshold_bytes": threshold,
            "threshold_rule": f"max({journal.COMPACT_AT}, snapshot / {journal.COMPACT_SHARE})",
        },
    }


def run() -> dict:
    """Ratios and figures of one run; about half a minute."""
    (ROOT / "build").mkdir(exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="bench-store-", dir=ROOT / "build"))
    try:
        return asyncio.run(measure(folder))
    finally:
        shutil.rmtree(folder)

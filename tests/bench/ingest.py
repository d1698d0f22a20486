"""How fast the server takes a day's work, against what the disk alone allows.

``ingest_1_vs_limit``, ``ingest_8_vs_limit``: inspections per second (a push of 2 kB and two photos of 300 kB, each
acknowledged), by 1 and by 8 clients, over the limit: sha256, write, fsync, fsync of the folder, same bytes, as many
threads. ``facts_vs_commits``: facts acknowledged per second in batches of 50 over SQLite commits of 2 kB per second.
Rounds are interleaved, each side's figure is its median.
"""

import hashlib
import json
import os
import sqlite3
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import perf_counter

from tests.bench._city import Inspection, Line, folder, inspection, served
from tests.support.remote_tablet import RemoteTablet
from tests.support.server import Server

INSPECTIONS, ROUNDS, BATCH, COMMITS = 500, 3, 50, 2_000


def together(count: int, work: Callable[[int], None]) -> float:
    """Seconds until ``count`` threads, started at once, have all done their ``work(number)``."""
    failures: list[BaseException] = []
    gate = threading.Barrier(count + 1)

    def run(number: int) -> None:
        gate.wait()
        try:
            work(number)
        except BaseException as err:
            failures.append(err)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    gate.wait()
    begun = perf_counter()
    for thread in threads:
        thread.join()
    spent = perf_counter() - begun
    if failures:
        raise failures[0]
    return spent


def write_safely(place: Path, data: bytes) -> None:
    name = hashlib.sha256(data).hexdigest()
    handle = os.open(place / name, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
    view = memoryview(data)
    while view:
        view = view[os.write(handle, view):]
    os.fsync(handle)
    os.close(handle)
    handle = os.open(place, os.O_RDONLY)
    os.fsync(handle)
    os.close(handle)


def limit(place: Path, shares: list[list[Inspection]]) -> float:
    """Inspections per second of the disk."""

    def work(number: int) -> None:
        mine = place / str(number)
        mine.mkdir()
        for one in shares[number]:
            for data in (one.fact, *(data for _, data in one.photos)):
                write_safely(mine, data)

    place.mkdir()
    return sum(map(len, shares)) / together(len(shares), work)


def taken(server: Server, tablets: list[RemoteTablet], shares: list[list[Inspection]]) -> float:
    """Inspections per second of the server, over one connection for each client, open when the clock starts."""
    lines = [Line(server, tablets[number]) for number in range(len(shares))]

    def work(number: int) -> None:
        line = lines[number]
        for one in shares[number]:
            line.push(one.push)
            for sha, data in one.photos:
                line.put(sha, data)

    spent = together(len(shares), work)
    for line in lines:
        line.close()
    return sum(map(len, shares)) / spent


def commits(place: Path, rows: list[bytes]) -> float:
    """SQLite commits per second, one row each, durable each."""
    base = sqlite3.connect(place, isolation_level=None)
    base.execute("PRAGMA journal_mode = WAL")
    base.execute("PRAGMA synchronous = FULL")
    base.execute("CREATE TABLE fact (id INTEGER PRIMARY KEY, data BLOB)")
    begun = perf_counter()
    for row in rows:
        base.execute("BEGIN IMMEDIATE")
        base.execute("INSERT INTO fact (data) VALUES (?)", (row,))
        base.execute("COMMIT")
    spent = perf_counter() - begun
    base.close()
    return len(rows) / spent


def batches(server: Server, tablet: RemoteTablet, facts: list[Inspection]) -> float:
    """Facts acknowledged per second, in batches, end to end."""
    line = Line(server, tablet)
    bodies = []
    for first in range(0, len(facts), BATCH):
        items = [json.loads(one.push)["items"][0] for one in facts[first : first + BATCH]]
        bodies.append((json.dumps({"items": items}).encode(), len(items)))
    begun = perf_counter()
    for body, count in bodies:
        line.push(body, count)
    spent = perf_counter() - begun
    line.close()
    return len(facts) / spent


def run() -> dict:
    found: dict[str, list[float]] = {}

    def note(name: str, value: float) -> float:
        found.setdefault(name, []).append(value)
        return value

    with folder() as place, served(place, 8) as (server, tablets):
        for number in range(ROUNDS):
            for clients in (1, 8):
                shares = [[inspection(tablets[who]) for _ in range(INSPECTIONS // clients)] for who in range(clients)]
                bare = note(f"limit_{clients}", limit(place / f"limit-{number}-{clients}", shares))
                ours = note(f"ingest_{clients}", taken(server, tablets, shares))
                print(f"ingest: {clients} client(s): {ours:.0f} of {bare:.0f} inspections/s", file=sys.stderr)
            facts = [inspection(tablets[0], photos=0) for _ in range(INSPECTIONS)]
            rows = [one.fact for one in facts] * (COMMITS // INSPECTIONS)
            base = note("commits", commits(place / f"commits-{number}", rows))
            pushed = note("facts", batches(server, tablets[0], facts))
            print(f"ingest: {pushed:.0f} facts/s in batches, {base:.0f} commits/s", file=sys.stderr)
    middle = {name: median(values) for name, values in found.items()}
    return {
        "ratios": {"ingest_1_vs_limit": round(middle["ingest_1"] / middle["limit_1"], 3),
                   "ingest_8_vs_limit": round(middle["ingest_8"] / middle["limit_8"], 3),
                   "facts_vs_commits": round(middle["facts"] / middle["commits"], 3)},
        "figures": {f"{name}_per_s": round(value, 1) for name, value in middle.items()},
    }

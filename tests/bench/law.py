"""How fast the law decides: one matter folded and decided, its text on demand, and the cost as matters pile up.

``decide_us``: folding the events of matter M06 and deciding all acts and duties. ``words_us``: the whole text of that
decision in one language. ``growth``: the cost per matter with 100,000 open matters over the cost with 1,000, every
matter's events held in memory. All on one CPython, in one run.
"""

import gc
import sys
import tomllib
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path
from statistics import median
from time import perf_counter, process_time

from sync.ordinance.acts import decide_all
from sync.ordinance.duties import owed
from sync.ordinance.events import Event
from sync.ordinance.given import Given, read_event
from sync.ordinance.matter import fold
from sync.ordinance.pack import load_pack
from sync.where import pack_files

CASES = Path(__file__).resolve().parents[1] / "cases" / "matters.toml"
FEW, MANY, SLICES = 1_000, 100_000, 50


def matter_m06() -> tuple[list[Event], date]:
    """The events of case M06, read the way the command reads them."""
    table = tomllib.loads(CASES.read_text(encoding="utf-8"), parse_float=Decimal)
    case = next(one for one in table["matter"] if one["id"] == "M06")
    events = [read_event(Given("M06", f"events[{place}]", one)) for place, one in enumerate(case["events"], 1)]
    return events, case["at"]


def best(work, rounds: int, repeats: int = 60) -> float:
    """Seconds per round: the best of some repeats, which is what the machine can do when nothing disturbs it."""
    found = []
    for _ in range(repeats):
        begun = perf_counter()
        for _ in range(rounds):
            work()
        found.append((perf_counter() - begun) / rounds)
    return min(found)


def matters_of(events: list[Event], count: int) -> list[list[Event]]:
    """``count`` open matters, each with events of its own."""
    return [[Event(one.what, one.on - timedelta(days=number % 5), one.order, one.data) for one in events]
            for number in range(count)]


def per_matter(pack, matters: list[list[Event]], at: date) -> float:
    """Seconds of processor time per matter for deciding all of ``matters`` in turn.

    The median over slices of FEW matters, so that what disturbs the machine for a moment counts for neither side.
    """
    spent = []
    for first in range(0, len(matters), FEW):
        rows = matters[first:first + FEW]
        decided = 0
        begun = process_time()
        for events in rows:
            matter = fold(pack, events, at)
            decided += sum(one.open for one in decide_all(matter).values()) + len(owed(matter))
        spent.append((process_time() - begun) / len(rows))
        if decided < len(rows):
            raise RuntimeError("every one of these matters has at least one act open")
    return median(spent)


def run() -> dict:
    pack = load_pack(pack_files("demo"))
    events, at = matter_m06()

    def decide() -> None:
        matter = fold(pack, events, at)
        decide_all(matter)
        owed(matter)

    matter = fold(pack, events, at)
    decisions, duties = decide_all(matter), owed(matter)

    def words() -> list[str]:
        return [one.explain("en") for one in decisions.values()] + [one.label("en") for one in duties]

    decide_us = best(decide, 200) * 1e6
    print(f"law: M06 decided in {decide_us:.1f} us", file=sys.stderr)
    words_us = best(words, 60) * 1e6
    print(f"law: its text in {words_us:.1f} us", file=sys.stderr)
    small = matters_of(events, FEW)
    before = median(per_matter(pack, small, at) for _ in range(SLICES))
    large = matters_of(events, MANY)
    many = per_matter(pack, large, at)
    del large
    gc.collect()
    after = median(per_matter(pack, small, at) for _ in range(SLICES))
    few = (before + after) / 2
    print(f"law: {few * 1e6:.1f} us a matter with {FEW}, {many * 1e6:.1f} us with {MANY}", file=sys.stderr)
    return {
        "ratios": {"growth": round(many / few, 3)},
        "figures": {"decide_us": round(decide_us, 1), "words_us": round(words_us, 1),
                    "matter_us_few": round(few * 1e6, 1), "matter_us_many": round(many * 1e6, 1)},
    }

"""Which files a tablet wants of those that come down, in which order, and which of those it has must make room.

Pure. Small pictures of open findings and the pages of plans in use come first, those of assigned sites before others
and the newest before older ones; then replaced plans and original files. What a person asked for goes before all of it.
Only files that can be fetched again are ever let go, and at once those that the tablet does not see any more.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

SMALL, PAGE, EXTRA = 0, 1, 2


@dataclass(frozen=True, slots=True)
class Wanted:
    """A file by its SHA-256, ``size`` in bytes. ``sort``: SMALL, PAGE, EXTRA. The lowest ``rank`` comes first."""

    sha256: str
    size: int
    sort: int
    rank: tuple[int, ...]


def wanted_files(
    sites: Iterable[Mapping[str, Any]],
    plans: Iterable[Mapping[str, Any]],
    findings: Iterable[Mapping[str, Any]],
    *,
    people: frozenset[str] = frozenset(),
    busy: frozenset[str] = frozenset(),
    asked: tuple[str, ...] = (),
) -> tuple[Wanted, ...]:
    """Every file that the documents name, the most wanted first, each once.

    ``people`` who are signed in here: sites assigned to one of them, and ``busy`` sites (with an unfinished piece of
    work), come before others. ``asked``: ids of plans that a person asked for, the latest first.
    """
    near = {site["id"] for site in sites if people & set(site.get("inspectors") or ())} | busy
    found: dict[str, Wanted] = {}

    def want(raw: Any, sort: int, *rank: int) -> None:
        file = _file(raw)
        if file is not None and (file[0] not in found or found[file[0]].rank > rank):
            found[file[0]] = Wanted(*file, sort, rank)

    for finding in findings:
        if finding.get("status", "open") == "open" and finding.get("thumbnail"):
            want(finding["thumbnail"], SMALL, 1, 0, finding["site"] not in near, SMALL, -_day(finding.get("found_on")))
    for plan in plans:
        current, far = plan.get("status", "current") == "current", plan["site"] not in near
        age = -_day(plan.get("added_on"))
        place = asked.index(plan["id"]) if plan["id"] in asked else None
        for number, page in enumerate(shown_pages(plan)):
            if place is not None:
                want(page, PAGE, 0, place, number)
            elif current:
                want(page, PAGE, 1, 0, far, PAGE, age, number)
            else:
                want(page, EXTRA, 1, 1, far, PAGE, age, number)
        want(plan, EXTRA, 1, 2 if current else 3, far, EXTRA, age)
    return tuple(sorted(found.values(), key=lambda one: (one.rank, one.sha256)))


def shown_pages(plan: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The pictures of a plan in order: its pages, or the file itself when it is one picture."""
    if plan.get("pages"):
        return list(plan["pages"])
    return [plan] if str(plan.get("media")).startswith("image/") else []


def _file(raw: Any) -> tuple[str, int] | None:
    """(SHA-256, size) where the document names a file that can be fetched; a newer server may say it otherwise."""
    if not isinstance(raw, Mapping):
        return None
    sha, size = raw.get("sha256"), raw.get("size")
    fits = isinstance(sha, str) and len(sha) == 64 and not set(sha) - set("0123456789abcdef")
    return (sha, size) if fits and isinstance(size, int) and size > 0 else None


def _day(text: Any) -> int:
    try:
        return date.fromisoformat(str(text)).toordinal()
    except ValueError:
        return 0


def choose(wanted: Iterable[Wanted], budget: int) -> tuple[Wanted, ...]:
    """What fits into ``budget`` bytes, the most wanted first; what is too large does not keep smaller files out."""
    chosen, left = [], budget
    for one in wanted:
        if one.size <= left:
            chosen.append(one)
            left -= one.size
    return tuple(chosen)


def let_go(held: Mapping[str, int], wanted: Iterable[Wanted], chosen: Iterable[Wanted], budget: int) -> tuple[str, ...]:
    """Which of the ``held`` files (size by SHA-256) go: those that nothing names any more, and of those that were not
    chosen the least wanted, as far as what was chosen needs their room."""
    order = {one.sha256: at for at, one in enumerate(wanted)}
    kept = {one.sha256: one.size for one in chosen}
    gone = sorted(sha for sha in held if sha not in order)
    spare = sorted((sha for sha in held if sha in order and sha not in kept), key=lambda sha: -order[sha])
    total = sum(kept.values()) + sum(held[sha] for sha in spare)
    for sha in spare:
        if total <= budget:
            break
        gone.append(sha)
        total -= held[sha]
    return tuple(gone)

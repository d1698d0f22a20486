"""``siltwatch law pack install``: puts the ordinance in a folder into force in a city, and ``list``: which it had.

What is installed is read and checked whole before anything is changed. The act is dated and stands in the audit record;
tablets get the new text with their next pull, and what was begun under the former one is finished under it, its
open clocks by the new calendars.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from sync.records.problems import Problem

DONE, REFUSED = 0, 2
DEMO_DATA = Path("demo-data")


def add_install(tasks: argparse._SubParsersAction) -> None:
    """Adds ``install`` and ``list`` to the commands about packs."""
    install = tasks.add_parser("install", help="put the ordinance in a folder into force in a city")
    install.add_argument("folder", type=Path, metavar="DIR")
    install.set_defaults(run=_install)
    shown = tasks.add_parser("list", help="every ordinance that a city had, and which is in force")
    shown.set_defaults(run=_list)
    for one in (install, shown):
        one.add_argument("--data", type=Path, default=DEMO_DATA, help=f"the city's data folder (default: {DEMO_DATA})")


def pack_folder(place: Path) -> dict[str, str]:
    """The TOML texts in a folder by file name. Raises Problem "pack-malformed"."""
    if not (place / "pack.toml").is_file():
        raise Problem("pack-malformed", f"{place} holds no pack.toml", where=str(place))
    try:
        return {one.name: one.read_text(encoding="utf-8") for one in sorted(place.glob("*.toml"))}
    except (OSError, UnicodeDecodeError) as error:
        raise Problem("pack-malformed", f"{place}: {error}", where=str(place)) from error


def _city(asked: argparse.Namespace) -> Any:
    from sync.server.clock import SystemClock
    from sync.server.opening import open_city

    return open_city(asked.data, SystemClock(), "http://localhost")


def _told(handler: Any, asked: argparse.Namespace) -> int:
    try:
        return handler(_city(asked), asked)
    except Problem as problem:
        where = f" ({problem.where})" if problem.where else ""
        print(f"siltwatch: {problem.detail}{where}. {problem.advice} [{problem.code}]", file=sys.stderr)
        return REFUSED


def _install(asked: argparse.Namespace) -> int:
    from sync.server.casework.founding import read_new_pack, update_pack

    def work(city: Any, asked: argparse.Namespace) -> int:
        files = pack_folder(asked.folder)
        pack = read_new_pack(city, files)
        if update_pack(city, files):
            print(f"{pack.ref} is in force from {city.today()}. What was begun under another version is finished "
                  "under that one.")
        else:
            print(f"{pack.ref} with this very text is in force already; nothing was changed.")
        return DONE

    return _told(work, asked)


def _list(asked: argparse.Namespace) -> int:
    from sync.server.casework.founding import pack_list

    def work(city: Any, asked: argparse.Namespace) -> int:
        for one in pack_list(city):
            mark = "in force" if one["in_force"] else ""
            print(f"{one['ref']:20} loaded {one['loaded_at'].astimezone(city.zone):%Y-%m-%d %H:%M}  "
                  f"{one['sha256'][:12]}  {mark}".rstrip())
        return DONE

    return _told(work, asked)

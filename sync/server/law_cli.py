"""``siltwatch law``: check case files, decide a permit need, print clocks with their derivation, validate a pack.

Reads files and prints; the law itself is in ``sync.ordinance``. ``add_law_commands(subparsers)`` hangs the commands
under a command line, each with ``run`` set to a handler that returns the exit code: 0 holds, 1 does not, 2 bad input.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from datetime import date
from decimal import Decimal, InvalidOperation
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from sync.ordinance.calendar import CalendarMissing
from sync.ordinance.cases import CaseError, evaluate, read_case_file
from sync.ordinance.dates import application_review, derive, extension_cap, order_dates, permit_life, statement
from sync.ordinance.given import Given, read_project
from sync.ordinance.need import DEWATERING, ROAD_WORK, STATE_PROJECT, Project, decide_need, say_need
from sync.ordinance.pack import Pack, PackError, load_pack
from sync.server.pack_cli import add_install
from sync.where import pack_files

HOLDS, DIFFERS, BAD_INPUT = 0, 1, 2


class BadInput(ValueError):
    """What was typed or named cannot be used; the message is for the person."""


def add_law_commands(subparsers: argparse._SubParsersAction) -> None:
    """Adds ``law`` with its own commands to a parser's subparsers; each sets ``run(arguments) -> exit code``."""
    law = subparsers.add_parser("law", help="the ordinance: check cases, permit need, clocks, packs")
    verbs = law.add_subparsers(dest="law_command", required=True, metavar="COMMAND")

    check = verbs.add_parser("check", help="hold case files against a pack")
    check.add_argument("files", nargs="+", metavar="FILE", help="case files (TOML)")
    _pack_option(check)
    check.set_defaults(run=_guarded(_check))

    need = verbs.add_parser("need", help="is a permit required? With flags, or answer the questions")
    _pack_option(need)
    _need_options(need)
    need.set_defaults(run=_guarded(_need))

    clocks = verbs.add_parser("clocks", help="the dates that follow from an order, a permit or an application")
    _pack_option(clocks)
    for name, said in (("posted", "the order was posted"), ("issued", "the order was issued in the office, if before"),
                       ("notice-issued", "the notice of intent was issued"),
                       ("received", "the application was received"), ("permit-issued", "the permit was issued"),
                       ("authorization-until", "the building permit or other authorization ends"),
                       ("base-expiry", "the permit ends without any extension; gives the cap of extensions")):
        clocks.add_argument(f"--{name}", type=_day, metavar="DATE", help=f"day on which {said}")
    clocks.add_argument("--permit", choices=("yes", "no", "unknown"), default="unknown", help="a permit is in force")
    clocks.add_argument("--language", choices=("en", "es"), default="en")
    clocks.set_defaults(run=_guarded(_clocks))

    pack = verbs.add_parser("pack", help="work with an ordinance pack")
    tasks = pack.add_subparsers(dest="pack_command", required=True, metavar="COMMAND")
    validate = tasks.add_parser("validate", help="read a pack folder and say what is wrong with it")
    validate.add_argument("folder", metavar="DIR")
    validate.set_defaults(run=_guarded(_validate))
    add_install(tasks)


def read_pack(name: str) -> Pack:
    """The shipped pack of that name, or the pack in a folder of that path. BadInput when it cannot be read."""
    try:
        files = _folder(Path(name)) if Path(name).is_dir() else pack_files(name)
        return load_pack(files)
    except (PackError, OSError, UnicodeDecodeError) as error:
        raise BadInput(str(error)) from None


def _spoken(pack: Pack, language: str) -> None:
    if language not in pack.languages:
        raise BadInput(f"--language {language}: the pack {pack.ref} is written in {', '.join(pack.languages)}")


def _known_zone(zone: str) -> None:
    """The tables of time zones are the machine's, so the pure reader of packs does not ask them. PackError."""
    try:
        ZoneInfo(zone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise PackError("pack.toml", "zone", f"{zone!r} is no time zone such as America/Chicago") from None


def _folder(place: Path) -> dict[str, str]:
    files = {}
    for one in sorted(place.glob("*.toml")):
        try:
            files[one.name] = one.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            raise PackError(one.name, "", "is not UTF-8 text") from None
    if "pack.toml" not in files:
        raise BadInput(f"{place} holds no pack.toml")
    return files


def _pack_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--pack", default="demo", metavar="NAME",
                        help="a shipped pack or a pack folder (default: demo)")


def _guarded(handler: Callable[[argparse.Namespace], int]) -> Callable[[argparse.Namespace], int]:
    def run(arguments: argparse.Namespace) -> int:
        try:
            code = handler(arguments)
            sys.stdout.flush()
            return code
        except BrokenPipeError:
            # Whoever read the output (head, a pager) has seen enough; the rest goes nowhere.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return DIFFERS
        except (BadInput, CalendarMissing, CaseError) as error:
            print(f"siltwatch law: {error}", file=sys.stderr)
            return BAD_INPUT
        except OverflowError:
            print("siltwatch law: the count runs to a day that no calendar has", file=sys.stderr)
            return BAD_INPUT
    return run


def _check(arguments: argparse.Namespace) -> int:
    pack = read_pack(arguments.pack)
    held = failed = unread = 0
    for name in arguments.files:
        try:
            file = read_case_file(Path(name).read_text(encoding="utf-8"))
        except CaseError as error:
            print(f"{name}: {error}", file=sys.stderr)
            unread += 1
            continue
        except UnicodeDecodeError:
            print(f"{name}: cannot be read: it is not UTF-8 text", file=sys.stderr)
            unread += 1
            continue
        except OSError as error:
            print(f"{name}: cannot be read: {error.strerror or error}", file=sys.stderr)
            unread += 1
            continue
        for error in file.errors:
            print(f"{name}: {error}", file=sys.stderr)
            unread += 1
        law = pack.with_closures(file.office_closed)
        for case in file.cases:
            try:
                result = evaluate(case, law)
            except CaseError as error:
                print(f"{name}: {error}", file=sys.stderr)
                unread += 1
                continue
            if result.holds:
                held += 1
            else:
                failed += 1
                print(result.line())
    print(f"{held} held, {failed} failed" + (f", {unread} could not be read" if unread else "") + f" ({pack.ref})")
    if unread:
        return BAD_INPUT
    return DIFFERS if failed else HOLDS


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no date such as 2026-08-27") from None


def _number(text: str) -> Decimal:
    try:
        number = Decimal(text)
    except InvalidOperation:
        raise BadInput(f"{text!r} is no number") from None
    if not number.is_finite() or number < 0:
        raise BadInput(f"{text!r} is no number of 0 or more")
    return number


_YES_NO = {"yes": True, "no": False}


def _need_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--ask", action="store_true", help="ask for what no flag gives (as without any flag)")
    parser.add_argument("--in-city", choices=_YES_NO)
    parser.add_argument("--agricultural-use", choices=_YES_NO, help="cropping or grazing itself, no building")
    parser.add_argument("--state-project", choices=STATE_PROJECT)
    parser.add_argument("--area", action="append", metavar="SIZE@SLOPE",
                        help="one sub-area: 3000sqft@5.5%%, 2acres@1:20, 700sqft@15deg, 8000sqft@? (may be repeated; "
                             "'none' for no disturbed area)")
    parser.add_argument("--cut", metavar="CU_YD")
    parser.add_argument("--fill", metavar="CU_YD")
    parser.add_argument("--strip", metavar="INxSQFT", help="topsoil stripped, such as 6x4000")
    parser.add_argument("--reused", choices=_YES_NO, help="the cut soil is placed as fill")
    parser.add_argument("--road-work", choices=ROAD_WORK)
    parser.add_argument("--utility", action="append", metavar="FT",
                        help="length of one trench segment (repeat; 0: none)")
    parser.add_argument("--dewatering", choices=DEWATERING)
    parser.add_argument("--language", choices=("en", "es"), default="en")


_QUESTIONS = (
    ("in_city", "Is the site in the city?", "yes/no"),
    ("agricultural_use", "Is the activity cropping or grazing itself?", "yes/no"),
    ("state_project", "Is it a state project?", "no/with_plan/without_plan"),
    ("area", "Disturbed areas, each SIZE@SLOPE, separated by blanks (none for none)", "such as 3000sqft@5.5%"),
    ("cut", "Soil cut", "cubic yards"),
    ("fill", "Soil filled", "cubic yards"),
    ("reused", "Is the cut soil placed as fill?", "yes/no"),
    ("road_work", "Street, highway, road or bridge work?", "none/local/county/state"),
    ("utility", "Lengths of underground pipe or cable, separated by blanks (0 for none)", "feet"),
    ("dewatering", "Dewatering?", "none/no_sediment/may_carry_sediment/unsure"),
)


def _need(arguments: argparse.Namespace) -> int:
    pack = read_pack(arguments.pack)
    typed = vars(arguments)
    named = [name for name, _, _ in _QUESTIONS if typed[name] is not None] or typed["strip"]
    if arguments.ask or not named:
        print("An empty answer means: not known.", file=sys.stderr)
        for name, question, form in _QUESTIONS:
            if typed[name] is None:
                print(f"{question} [{form}] ", end="", file=sys.stderr, flush=True)
                answer = sys.stdin.readline().strip()
                if answer:
                    typed[name] = answer.split() if name in ("area", "utility") else answer
    need = decide_need(pack, _project(typed))
    _spoken(pack, arguments.language)
    print(say_need(need, arguments.language))
    print(f"result: {need.result}" + (f"; triggers: {', '.join(need.triggers)}" if need.triggers else ""))
    for name, value in need.inputs:
        print(f"  {name}: {value}")
    print(f"  under {pack.ref}")
    return HOLDS


def _project(typed: dict) -> Project:
    """The flags or answers as the ``given`` table of a case, read by the same reader."""
    given: dict[str, object] = {}
    for name, key in (("in_city", "in_city"), ("agricultural_use", "agricultural_use"),
                      ("reused", "cut_reused_as_fill")):
        if typed[name] is not None:
            if typed[name] not in _YES_NO:
                raise BadInput(f"{name.replace('_', '-')}: answer yes or no, not {typed[name]!r}")
            given[key] = _YES_NO[typed[name]]
    for name in ("state_project", "road_work", "dewatering"):
        if typed[name] is not None:
            given[name] = typed[name]
    for name in ("cut", "fill"):
        if typed[name] is not None:
            given[f"{name}_cu_yd"] = _number(typed[name])
    if typed["strip"] is not None:
        depth, cross, area = typed["strip"].partition("x")
        if not cross:
            raise BadInput(f"strip: write depth in inches x square feet, such as 6x4000, not {typed['strip']!r}")
        given["strip"] = {"depth_in": _number(depth), "area_sq_ft": _number(area)}
    if typed["area"] is not None:
        given["areas"] = [] if typed["area"] == ["none"] else [_area(one) for one in typed["area"]]
    if typed["utility"] is not None:
        given["utility_segments_ft"] = [_number(one) for one in typed["utility"]]
    return read_project(Given("", "", given))


def _area(text: str) -> dict[str, object]:
    size, at, slope = text.partition("@")
    found: dict[str, object] = {}
    for unit, key in (("sqft", "area_sq_ft"), ("acres", "area_acres"), ("acre", "area_acres")):
        if size.endswith(unit):
            found[key] = _number(size.removesuffix(unit))
            break
    else:
        if size != "?":
            raise BadInput(f"area: write the size with its unit, such as 3000sqft or 2acres, not {size!r}")
    if not at or slope == "?":
        return found
    if slope.endswith("%"):
        found["slope_percent"] = _number(slope.removesuffix("%"))
    elif slope.endswith("deg"):
        found["slope_degrees"] = _number(slope.removesuffix("deg"))
    elif ":" in slope:
        found["slope_ratio"] = slope
    else:
        raise BadInput(f"area: write the slope with its unit, such as 5.5%, 15deg or 1:20, not {slope!r}")
    return found


def _clocks(arguments: argparse.Namespace) -> int:
    pack, said = read_pack(arguments.pack), arguments.language
    _spoken(pack, said)
    found = []
    if arguments.posted is not None and arguments.issued is not None and arguments.issued > arguments.posted:
        raise BadInput("--issued is after --posted: an order is issued before it is put up, or by putting it up")
    if arguments.posted is not None:
        permit = {"yes": True, "no": False, "unknown": None}[arguments.permit]
        found.extend(order_dates(pack, posted_on=arguments.posted, issued_on=arguments.issued, permit_in_force=permit))
    elif arguments.issued is not None:
        found.append(derive(pack, "K4", arguments.issued))
    if arguments.notice_issued is not None:
        found = [one for one in found if one.clock != "K7"]
        found.append(derive(pack, "K7", arguments.notice_issued))
    if arguments.received is not None:
        found.append(application_review(pack, arguments.received))
    if arguments.permit_issued is not None:
        found.append(permit_life(pack, arguments.permit_issued, arguments.authorization_until))
    if arguments.base_expiry is not None:
        found.append(extension_cap(pack, arguments.base_expiry))
    if not found:
        raise BadInput("name a day, such as --posted 2026-08-27 (see siltwatch law clocks --help)")
    for one in found:
        print(f"{one.clock} {one.label(said)}: {statement(one, said)}")
    return HOLDS


def _validate(arguments: argparse.Namespace) -> int:
    from sync.server.casework.founding import check_pack_size

    place = Path(arguments.folder)
    if not place.is_dir():
        raise BadInput(f"{place} is no folder")
    try:
        check_pack_size(files := _folder(place))
        pack = load_pack(files)
        _known_zone(pack.zone)
    except PackError as error:
        print(f"{error}", file=sys.stderr)
        return DIFFERS
    years = sorted(pack.calendar.years)
    print(f"{pack.ref}: {len(pack.clauses)} clauses, {sum(len(one.items) for one in pack.checklists.values())} "
          f"checklist items, calendars {years[0]} to {years[-1]}")
    for clause in pack.unconfirmed():
        print(f"  not confirmed, does not print: {clause.slug} ({clause.cite}) {clause.title()}")
    return HOLDS

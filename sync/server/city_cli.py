"""``siltwatch city new``: founds a real city, with nothing in it but its ordinance and its first administrator, and
``city person``: a person, and the powers that they are granted. The office does everything else.

What is typed is checked before anything is made; a city is built beside its place and moved there whole. Every line is
an act of the keeper of the machine, and stands in the audit record.
"""

from __future__ import annotations

import argparse
import re
import sys
import unicodedata
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from sync.records.problems import Problem
from sync.server.settings import DEFAULT_PORT, checked_address

DONE, REFUSED = 0, 2
_IDENT = re.compile(r"[a-z][a-z0-9-]{0,31}")
_HOME = f"http://localhost:{DEFAULT_PORT}"


def add_city_commands(commands: argparse._SubParsersAction) -> None:
    """Adds ``city`` with its own commands; each sets ``run(arguments) -> exit code``."""
    city = commands.add_parser("city", help="found a real city; its people and their powers")
    verbs = city.add_subparsers(dest="city_command", required=True, metavar="COMMAND")
    new = verbs.add_parser("new", help="found a city in a new folder, with its first administrator")
    new.add_argument("--name", required=True, help='the city as papers name it, such as "City of Oakbend"')
    new.add_argument("--id", default="", help="a short id for it (default: made from the name); never changes")
    new.add_argument("--zone", default="", help="its time zone, such as America/Chicago (default: the ordinance's)")
    new.add_argument("--pack", type=Path, required=True, metavar="DIR", help="the folder of its ordinance pack")
    new.add_argument("--admin", required=True, metavar="NAME", help="the name of the first administrator")
    new.add_argument("--database", default="", metavar="URL", help="an empty PostgreSQL database for its records, "
                     "postgresql://USER@HOST/DATABASE (default: a file in the folder)")
    _person_options(new, "--admin-id")
    new.set_defaults(run=_told(_new))
    person = verbs.add_parser("person", help="add a person, or grant further powers to one")
    person.add_argument("id", help="the person's id, such as ada")
    person.add_argument("--name", default="", help="needed for somebody new")
    person.add_argument("--rename", action="store_true", help="they are called otherwise from now on: --name")
    _person_options(person, None)
    person.set_defaults(run=_told(_person))
    for one in (new, person):
        one.add_argument("--data", type=Path, required=True, help="the city's data folder")
        one.add_argument("--public-url", default="", help="the address that people and QR codes use")


def _person_options(parser: argparse.ArgumentParser, ident: str | None) -> None:
    if ident:
        parser.add_argument(ident, default="", help="a short id for them (default: made from the name)")
    parser.add_argument("--title", default="", help="their office, as it stands on papers")
    parser.add_argument("--credential", default=None, help="their credential number, where they have one")
    parser.add_argument("--power", action="append", default=[], metavar="POWER",
                        help="a power that they hold from today, as often as needed: inspect, post, administer ...")


def _told(work: Any) -> Any:
    """Prints what ``work`` says. What it raises as a Problem is told by the command line, like that of any command."""

    def run(asked: argparse.Namespace) -> int:
        try:
            print(work(asked))
        except OSError as error:
            print(f"siltwatch: {error.filename or asked.data}: {error.strerror}. Name a folder that can be written to.",
                  file=sys.stderr)
            return REFUSED
        return DONE

    return run


def _bad(where: str, detail: str) -> Problem:
    return Problem("body-malformed", detail, where=where)


def _plain(text: str, where: str) -> str:
    """An id as typed, or made of a name."""
    bare = "".join(one for one in unicodedata.normalize("NFKD", text) if not unicodedata.combining(one))
    made = re.sub(r"[^a-z0-9]+", "-", bare.lower().removeprefix("city of ")).strip("-")[:32]
    if not _IDENT.fullmatch(made):
        raise _bad(where, f"no id can be made of {text!r}: give one of small letters, digits and hyphens")
    return made


def _person_id(text: str, where: str) -> str:
    from sync.server.casework.people import KEEPER, SERVER

    ident = _plain(text, where)
    if ident in (KEEPER, SERVER):
        raise _bad(where, f"{ident!r} stands for a program in the audit record: give another id")
    return ident


def _said(text: str, where: str, most: int = 200) -> str:
    plain = " ".join(text.split())
    if not plain or len(plain) > most or not plain.isprintable():
        raise _bad(where, f"1 to {most} characters are needed, and only such as can be printed")
    return plain


def _powers(asked: list[str]) -> list[str]:
    from sync.server.casework.people import POWERS

    for power in asked:
        if power not in POWERS:
            raise _bad("--power", f"there is no power {power!r}; there are: {', '.join(sorted(POWERS))}")
    return list(dict.fromkeys(asked))


def _new(asked: argparse.Namespace) -> str:
    from sync.server.casework.people import ADMINISTER
    from sync.server.casework.recovery import make_recovery_key
    from sync.server.cli import recovery_words
    from sync.server.clock import SystemClock
    from sync.server.db.postgres import address_of
    from sync.server.opening import built_beside, holds_city, make_city

    name, admin = _said(asked.name, "--name"), _said(asked.admin, "--admin")
    ident, person = _plain(asked.id or name, "--id"), _person_id(asked.admin_id or admin.split()[0], "--admin-id")
    powers = _powers([ADMINISTER, *asked.power])
    asked.title = _said(asked.title or "Administrator", "--title")
    pack, files = _pack(asked.pack)
    zone = _zone(asked.zone or pack.zone, pack)
    address = checked_address(asked.public_url or _HOME)
    database = address_of(asked.database) if asked.database else None
    data: Path = asked.data.absolute()
    if holds_city(data):
        raise Problem("already-decided", f"there is a city in {data} already; nothing was changed", where=str(data))
    shown: dict[str, str] = {}

    def first(city: Any) -> None:
        _keep(city, person, admin, asked, powers)
        shown.update(passphrase=make_recovery_key(city), link=_link(city, person))

    with built_beside(data) as building:
        make_city(building, SystemClock(), address, ident=ident, name=name, zone=zone.key, pack_files=files,
                  address=database, first=first).db.close()
    lines = [f"{name} was founded in {data}: id {ident}, ordinance {pack.ref}, days counted in {zone.key}."]
    if pack.demo:
        lines.append("Its ordinance is the demonstration's: every paper will say DEMO.")
    lines += ["", f"{admin} ({person}) administers it. This link signs them in at the office, once, within a day:",
              f"  {shown['link']}", "", recovery_words(shown["passphrase"]), "",
              f"Serve it: siltwatch serve --data {data} --public-url {address}",
              f"Others:   siltwatch city person ID --name NAME --title TITLE --power inspect --data {data}"]
    return "\n".join(lines)


def _person(asked: argparse.Namespace) -> str:
    from sync.server.casework.people import person_row
    from sync.server.clock import SystemClock
    from sync.server.opening import open_city

    ident, powers = _person_id(asked.id, "id"), _powers(asked.power)
    city = open_city(asked.data, SystemClock(), checked_address(asked.public_url or _HOME))
    with city.db.read() as tx:
        known = person_row(tx, city, ident)
    if known is None and not asked.name:
        raise Problem("person-unknown", f"the city has nobody with the id {ident!r}: give --name to add them",
                      where="id")
    if known is None and not asked.title.strip():
        raise _bad("--title", "somebody new needs a title: it stands on papers")
    if asked.title:
        asked.title = _said(asked.title, "--title")
    name = _said(asked.name, "--name") if asked.name else known.name
    if known is not None and name != known.name and not asked.rename:
        raise Problem("already-decided", f"{ident} is {known.name}: give somebody else another id; or, where {name} is "
                                         "the same person, say --rename", where="id")
    _keep(city, ident, name, asked, powers)
    words = f"{name} ({ident}) " + ("was added" if known is None else "was brought up to date")
    words += f", and holds from today: {', '.join(powers)}." if powers else "."
    words += f"\nThis link signs them in at the office, once, within a day:\n  {_link(city, ident)}"
    city.db.close()
    return words


def _keep(city: Any, ident: str, name: str, asked: argparse.Namespace, powers: list[str]) -> None:
    from sync.server.casework.people import KEEPER, grant

    grant(city, KEEPER, ident, name=name, title=asked.title, credential_no=asked.credential, powers=powers)


def _link(city: Any, person: str) -> str:
    from sync.server.casework.people import KEEPER
    from sync.server.casework.sessions import create_sign_in_link
    from sync.server.console.signing_in import sign_in_link

    return sign_in_link(city.public_url, create_sign_in_link(city, KEEPER, person))


def _pack(place: Path) -> tuple[Any, dict[str, str]]:
    from sync.ordinance.pack import PackError
    from sync.server.casework.city import parse_pack
    from sync.server.casework.founding import check_pack_size
    from sync.server.pack_cli import pack_folder

    files = pack_folder(place)
    try:
        check_pack_size(files)
        return parse_pack(files), files
    except PackError as error:
        raise Problem("pack-malformed", str(error), where=str(place)) from error


def _zone(name: str, pack: Any) -> ZoneInfo:
    try:
        zone = ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise _bad("--zone", f"there is no time zone {name!r}") from None
    if zone.key != pack.zone:
        raise _bad("--zone", f"the ordinance {pack.ref} counts its days in {pack.zone}, not in {zone.key}")
    return zone

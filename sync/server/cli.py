"""The command ``siltwatch``: for the person who keeps the machine. Parses, calls casework, prints; decides nothing.

Whoever may read the data folder may do all of this; so the folder belongs to one account, and there is no password.
Exit codes: 0 done, 1 the server's own failure, 2 something to correct, 75 try again later.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from sync.records.problems import Problem
from sync.records.protocol import MAX_EVIDENCE_BYTES
from sync.server.city_cli import add_city_commands
from sync.server.law_cli import add_law_commands
from sync.server.settings import DEFAULT_PORT, Settings
from sync.server.unwritten import writing

DEMO_DATA = Path("demo-data")

INTERRUPTED = 130
"""What a shell is told of a command that Ctrl-C ended before it was done."""


def exit_code(problem: Problem) -> int:
    """What a shell is told of a problem."""
    if problem.status == 503:
        return 75
    return 2 if problem.status < 500 else 1


def parser() -> argparse.ArgumentParser:
    """Every command and option. There is none that moves the clock."""
    top = argparse.ArgumentParser(prog="siltwatch", description="The central server of Siltwatch.")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def command(name: str, words: str, *, where: Path | None = None) -> argparse.ArgumentParser:
        found = commands.add_parser(name, help=words, description=words)
        found.add_argument("--data", type=Path, required=where is None, default=where,
                           help="the city's data folder" + (f" (default: {where})" if where else ""))
        return found

    for name, words, where in (
        ("serve", "Serve the city in a data folder.", None),
        ("demo", "Set up the demo city, or open it again, and serve it on this machine.", DEMO_DATA),
    ):
        found = command(name, words, where=where)
        found.add_argument("--host", default="127.0.0.1", help="the address to listen on (default: this machine only)")
        found.add_argument("--port", type=int, default=DEFAULT_PORT)
        found.add_argument("--public-url", default="", help="the address that people and QR codes use")
        found.add_argument("--web", type=Path, help="the built tablet app (default: build/web)")
        found.add_argument("--certificate", type=Path, help="PEM file of the TLS certificate and its chain")
        found.add_argument("--key", type=Path, help="PEM file of the certificate's key")
        found.add_argument("--largest-file", type=int, metavar="MB", default=MAX_EVIDENCE_BYTES // 1024**2,
                           help="the largest evidence file that is taken (default: %(default)s MB)")

    command("enrol-code", "Make a one-time code with which one tablet may enroll.", where=DEMO_DATA)
    for name, words in (
        ("personal-code", "Make a one-time code with which a person signs in on a tablet."),
        ("sign-in-link", "Make a one-time link with which a person signs in at the office."),
    ):
        found = command(name, words, where=DEMO_DATA)
        found.add_argument("person", help="the person's id, such as ada")
        found.add_argument("--public-url", default="", help="the address of the server")
    recovery = command("recovery-key", "Make the city's key pair for forgotten PINs, and print its passphrase: once.",
                       where=DEMO_DATA)
    recovery.add_argument("--another", action="store_true", help="another pair, although there is one")
    audit = command("audit", "The permanent record of acts.", where=DEMO_DATA)
    audit.add_argument("what", choices=["verify"], help="verify: check that nothing was changed or removed")
    left = command("unclaimed", "Evidence files that no record names: how many, and clearing away the very old ones.",
                   where=DEMO_DATA)
    left.add_argument("--clear", action="store_true", help="clear away those of tablets withdrawn for a year")
    backup = command("backup", "Copy the whole city into a new folder, while it is being served.", where=DEMO_DATA)
    backup.add_argument("--to", type=Path, required=True, help="the new folder")
    moving = command("move-database", "Move the records of a city that nobody serves into a PostgreSQL database.")
    moving.add_argument("--to", required=True, metavar="URL",
                        help="an empty database, as postgresql://USER@HOST/DATABASE")
    taking = command("import", "Take in what a tablet saved to a file, by the same checks as if it had sent it.",
                     where=DEMO_DATA)
    taking.add_argument("file", type=Path, metavar="FILE", help="the file that the tablet saved (siltwatch-....zip)")
    taking.add_argument("--look", action="store_true", help="check it and say what is inside; take nothing")
    taking.add_argument("--receipts", type=Path, metavar="OUT",
                        help="where to write the receipts for the tablet (default: beside FILE)")
    command("restore-mark", "After restoring a backup, before serving it: mark it, so that tablets offer again what "
                            "they still hold.")
    add_city_commands(commands)
    add_law_commands(commands)
    return top


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command and returns its exit code."""
    asked = parser().parse_args(argv)
    try:
        if hasattr(asked, "run"):  # the commands of the city and of the law
            return asked.run(asked) or 0
        return _COMMANDS[asked.command](asked)
    except Problem as problem:
        where = f" ({problem.where})" if problem.where else ""
        print(f"siltwatch: {problem.detail}{where}. {problem.advice} [{problem.code}]", file=sys.stderr)
        return exit_code(problem)
    except KeyboardInterrupt:
        if getattr(asked, "command", "") in ("serve", "demo"):  # which is how they end
            return 0
        print("siltwatch: it was interrupted and is not done.", file=sys.stderr)
        return INTERRUPTED


def _settings(asked: argparse.Namespace) -> Settings:
    return Settings(data=asked.data, host=asked.host, port=asked.port, public_url=asked.public_url, web=asked.web,
                    certificate=asked.certificate, key=asked.key, largest_file=asked.largest_file * 1024**2)


def _open(asked: argparse.Namespace):
    from sync.server.clock import SystemClock
    from sync.server.opening import open_city

    address = getattr(asked, "public_url", "") or f"http://localhost:{DEFAULT_PORT}"
    return open_city(asked.data, SystemClock(), address)


def _serve(asked: argparse.Namespace) -> int:
    from sync.server.app import create_app
    from sync.server.serving import listen, only_server, run

    settings = _settings(asked)
    taken = listen(settings)
    only_server(settings.data)
    app = create_app(settings)
    text = f"Siltwatch serves {app.state.city.name} at {settings.address}"
    run(app, settings, taken, lambda: print(text, flush=True))
    return 0


def _demo(asked: argparse.Namespace) -> int:
    from sync.server.app import compose
    from sync.server.casework.recovery import make_recovery_key
    from sync.server.clock import SystemClock
    from sync.server.demo import greeting, open_demo
    from sync.server.serving import listen, only_server, run

    settings = _settings(asked)
    taken = listen(settings)
    only_server(settings.data)
    city, fresh = open_demo(settings.data, SystemClock(), settings.address, serving=True)
    only_server(settings.data)  # which may have been made a moment ago
    text = greeting(city, settings, fresh=fresh)
    if fresh:
        text += "\n\n" + recovery_words(make_recovery_key(city))
    run(compose(city, settings), settings, taken, lambda: print(text, flush=True))
    return 0


def _enrol_code(asked: argparse.Namespace) -> int:
    from sync.server.casework.enrolment import create_enrolment_code

    print(create_enrolment_code(_open(asked), "keeper"))
    return 0


def _personal_code(asked: argparse.Namespace) -> int:
    from sync.server.casework.enrolment import create_personal_code

    print(create_personal_code(_open(asked), "keeper", asked.person))
    return 0


def _sign_in_link(asked: argparse.Namespace) -> int:
    from sync.server.casework.sessions import create_sign_in_link
    from sync.server.console.signing_in import sign_in_link

    city = _open(asked)
    print(sign_in_link(city.public_url, create_sign_in_link(city, "keeper", asked.person)))
    return 0


def _recovery_key(asked: argparse.Namespace) -> int:
    from sync.server.casework.recovery import key_state, make_recovery_key

    city = _open(asked)
    if key_state(city).id is not None and not asked.another:
        raise Problem("already-decided", "the city has a key pair for forgotten PINs; --another makes another one")
    print(recovery_words(make_recovery_key(city)))
    return 0


def recovery_words(passphrase: str) -> str:
    """What is printed when the pair is made."""
    return (f"Passphrase for forgotten PINs: {passphrase}\n"
            "It is nowhere else and is not shown again. Write it down and lock it away: an administrator types it in\n"
            "the office (Tablets, Forgotten PINs) to open what a person has begun on a tablet whose PIN is forgotten.")


def _audit(asked: argparse.Namespace) -> int:
    from sync.server.casework.audit import verify
    from sync.server.casework.evidence import missing_evidence

    city = _open(asked)
    count = verify(city)
    print(f"The audit record is whole: {count} entries, each sealed to the one before it.")
    missing = list(missing_evidence(city))
    if missing:
        raise Problem("data-damaged", f"{len(missing)} evidence files are missing on disk, the first is {missing[0]}")
    print("Every evidence file that was received is on disk.")
    return 0


def _unclaimed(asked: argparse.Namespace) -> int:
    from sync.server.casework.unclaimed import KEPT, clear_unclaimed, unclaimed

    city = _open(asked)
    found = unclaimed(city)
    old = f"{len(found.clearable)}, and {len(found.previews)} previews, came more than {KEPT.days} days ago"
    print(f"{found.files} evidence files ({found.size / 1024**2:.1f} MB) are named by no record. Of these {old} from "
          "tablets that were withdrawn and not heard of since.")
    if asked.clear:
        print(f"Cleared away: {clear_unclaimed(city)}.")
    return 0


def _backup(asked: argparse.Namespace) -> int:
    from sync.server.opening import back_up

    count = back_up(_open(asked), asked.data, asked.to)
    print(f"Copied to {asked.to}: the database, the city's secret and {count} evidence files. Keep it as secret as the "
          "original. To restore: copy it back, then run siltwatch restore-mark before serving it.")
    return 0


def _move_database(asked: argparse.Namespace) -> int:
    from sync.server.db.postgres import address_of
    from sync.server.opening import ADDRESS, DATABASE, holds_city, move_to
    from sync.server.serving import only_server

    if not holds_city(asked.data):
        raise Problem("data-missing", f"there is no city in {asked.data}", where=str(asked.data))
    address = address_of(asked.to)
    only_server(asked.data)
    count = move_to(asked.data, address)
    print(f"{count} rows were moved to {address.render_as_string()}. {asked.data / ADDRESS} says so: keep it as secret "
          f"as the city's secret. The old database is kept as {DATABASE}.moved, and nothing reads it any more.")
    return 0


def _restore_mark(asked: argparse.Namespace) -> int:
    from sync.server.casework.lives import begin_life

    epoch = begin_life(_open(asked))
    print(f"Marked as restored (epoch {epoch[:8]}). Tablets will offer again everything that they still hold.")
    return 0


class _Receipts:
    """A file of receipts, whole or not at all; whether it can be written is seen before anything is taken in. Its calls
    raise Problem "file-not-written"."""

    def __init__(self, out: Path) -> None:
        self.out, self._begun = out, out.with_name(out.name + ".unfinished")
        if out.is_dir():
            raise Problem("file-not-written", "the receipts cannot be written: a folder has this name", where=str(out))
        self._write(b"")

    def keep(self, receipts: bytes) -> None:
        self._write(receipts, whole=True)

    def drop(self) -> None:
        self._begun.unlink(missing_ok=True)

    def _write(self, data: bytes, *, whole: bool = False) -> None:
        with writing("the receipts", self.out, self.drop):
            with self._begun.open("wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            if whole:
                self._begun.replace(self.out)


def _import(asked: argparse.Namespace) -> int:
    from sync.server.casework.importing import KEEPER, look_into, take_in

    try:
        file = asked.file.open("rb")
    except OSError as err:
        raise Problem("not-found", f"the file cannot be read: {err.strerror}", where=str(asked.file)) from None
    city = _open(asked)
    with file:
        inside = look_into(city, file)
        new = sum(not one.here for one in inside.records)
        print(f"The file is whole. Tablet {inside.manifest.tablet_code}: {len(inside.records)} records, {new} of them "
              f"not here yet; {inside.files} evidence files, {inside.files_here} of them here.")
        if inside.files_missing:
            print(f"{inside.files_missing} evidence files are neither in it nor here: they stay on the tablet.")
        if asked.look:
            return 0
        receipts = _Receipts(asked.receipts or asked.file.with_suffix(".receipts.json"))
        try:
            taken = take_in(city, KEEPER, file)
        except BaseException:
            receipts.drop()
            raise
    receipts.keep(taken.receipts.to_bytes())
    said = ", ".join(f"{count} {answer}" for answer, count in sorted(taken.records.items())) or "none"
    print(f"Taken in: records {said}; {taken.files} evidence files held. Receipts for the tablet: {receipts.out}")
    for sha256, code in taken.refused_files:
        print(f"Not taken: evidence file {sha256} [{code}]", file=sys.stderr)
    return 0


_COMMANDS = {
    "import": _import,
    "serve": _serve,
    "demo": _demo,
    "enrol-code": _enrol_code,
    "personal-code": _personal_code,
    "sign-in-link": _sign_in_link,
    "recovery-key": _recovery_key,
    "audit": _audit,
    "unclaimed": _unclaimed,
    "backup": _backup,
    "move-database": _move_database,
    "restore-mark": _restore_mark,
}

if __name__ == "__main__":
    sys.exit(main())

"""The ordinance in force: which text, since when, what is not confirmed; and a form that takes another text into force.

What is brought (a ZIP of a pack folder, or its TOML files) is read and checked first. Nothing is changed before a
person has seen what it is and says so: the second form names the hash of exactly what was checked.
"""

from __future__ import annotations

import base64
import zipfile
import zlib
from io import BytesIO
from pathlib import PurePosixPath
from typing import Any

from starlette.responses import Response

from sync.documents.language import Translate
from sync.records.problems import Problem
from sync.records.wire import decode, encode
from sync.server.casework.city import pack_sha256
from sync.server.casework.founding import pack_list, read_new_pack, update_pack
from sync.server.casework.office import pack_of
from sync.server.casework.recounting import moved_by
from sync.server.console import words
from sync.server.console.seat import Seat, takes_files

MOST_BYTES = 3_000_000
MOST_TEXTS = 60


def show(seat: Seat, *, checked: dict[str, Any] | None = None, wrong: Problem | None = None) -> Response:
    """GET: the ordinance as it is; with ``checked`` also what another text would change."""
    pack = pack_of(seat.city)
    return seat.page(
        "law.html", "/office/law", status=wrong.status if wrong else 200, pack=_facts(pack, seat._),
        packs=[one | {"loaded": seat.moment(one["loaded_at"])} for one in pack_list(seat.city)], checked=checked,
        wrong=words.refusal(wrong), wrong_where=wrong.where if wrong else "",
    )


def _facts(pack: Any, _: Translate) -> dict[str, Any]:
    years = sorted(pack.calendar.years)
    return {
        "ref": pack.ref, "city": pack.city_name("en"), "demo": pack.demo, "clauses": len(pack.clauses),
        "items": sum(len(one.items) for one in pack.checklists.values()),
        "calendars": _("{first} to {last}").format(first=years[0], last=years[-1]),
        "open": [(clause.cite, clause.title()) for clause in pack.unconfirmed()],
    }


@takes_files(MOST_BYTES)
def bring(seat: Seat) -> Response:
    """POST: check the files and show what they would change. Changes nothing."""
    try:
        require_power(seat)
        files = _texts(seat)
        pack = read_new_pack(seat.city, files)
    except Problem as problem:
        if problem.code != "pack-malformed":
            raise
        return show(seat, wrong=problem)
    before = pack_of(seat.city)
    changes = [
        (clause.cite, clause.title()) for slug, clause in pack.clauses.items()
        if slug not in before.clauses or before.clauses[slug].text != clause.text
        or before.clauses[slug].status != clause.status
    ]
    gone = [(clause.cite, clause.title()) for slug, clause in before.clauses.items() if slug not in pack.clauses]
    known = next((one for one in pack_list(seat.city) if one["ref"] == pack.ref), None)
    sha256 = pack_sha256(files)
    return show(seat, checked=_facts(pack, seat._) | {
        "sha256": sha256, "texts": packed(files), "changes": changes, "gone": gone,
        "same": known is not None and known["in_force"] and known["sha256"] == sha256,
        "taken": known is not None and known["sha256"] != sha256,
        "moved": moved_by(seat.city, pack),
    })


def install(seat: Seat) -> Response:
    """POST: take exactly the text that was checked into force."""
    try:
        files = unpacked(seat.form.get("texts", ""))
        if pack_sha256(files) != seat.form.get("sha256"):
            raise Problem("pack-malformed", "this is not the text that was checked")
        changed = update_pack(seat.city, files, seat.who, seat.form.get("against", ""))
    except Problem as problem:
        if problem.code != "pack-malformed":
            raise
        return show(seat, wrong=problem)
    return seat.go(f"/office/law?done={'pack' if changed else 'pack-same'}")


def require_power(seat: Seat) -> None:
    """Raises Problem "no-authority" unless the person may administer."""
    if not seat.may_administer:
        raise Problem("no-authority", "only who administers takes an ordinance into force")


def packed(files: dict[str, str]) -> str:
    """The texts as one field of a form, so that they need not be chosen a second time."""
    return base64.b64encode(zlib.compress(encode(files), 9)).decode("ascii")


def unpacked(text: str) -> dict[str, str]:
    """The texts in that field. Raises Problem "pack-malformed"."""
    try:
        inflater = zlib.decompressobj()
        data = inflater.decompress(base64.b64decode(text, validate=True), MOST_BYTES)
        found = decode(data)
    except (ValueError, zlib.error, Problem):
        found = None
    if not isinstance(found, dict) or not all(isinstance(one, str) for one in found.values()):
        raise Problem("pack-malformed", "this is not the text that was checked")
    return found


def _texts(seat: Seat) -> dict[str, str]:
    """The TOML texts that were brought, by file name. Raises Problem "pack-malformed"."""
    found: dict[str, bytes] = {}
    for one in seat.files:
        name, data = PurePosixPath((one.filename or "").replace("\\", "/")).name, one.file.read()
        if name.lower().endswith(".zip"):
            found |= _unpacked(data)
        elif name.lower().endswith(".toml"):
            found[name] = data
        else:
            raise Problem("pack-malformed", f"{name} is neither a ZIP nor a TOML file", where=name)
    if "pack.toml" not in found:
        raise Problem("pack-malformed", "there is no pack.toml among the files", where="pack.toml")
    if len(found) > MOST_TEXTS:
        raise Problem("pack-malformed", f"more than {MOST_TEXTS} files")
    try:
        return {name: data.decode("utf-8") for name, data in sorted(found.items())}
    except UnicodeDecodeError:
        raise Problem("pack-malformed", "a file is not UTF-8 text") from None


def _unpacked(data: bytes) -> dict[str, bytes]:
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            members = [one for one in archive.infolist() if one.filename.endswith(".toml") and not one.is_dir()]
            if len(members) > MOST_TEXTS or sum(one.file_size for one in members) > MOST_BYTES:
                raise Problem("pack-malformed", "the ZIP holds more than a pack")
            return {PurePosixPath(one.filename).name: archive.read(one) for one in members}
    # RuntimeError: a password, or an unknown compression; ValueError: a name that is no text; the others: damage.
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, ValueError, OSError) as error:
        raise Problem("pack-malformed", f"the ZIP cannot be read: {error}") from error

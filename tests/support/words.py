"""Keeps the translations: `python -m tests.support.words` brings assets/locale up to date with the source.

Collects every sentence of the tablet, of the papers and of the public page (Babel), adds new ones to each catalogue,
drops those that are no longer said, and compiles the catalogues that programs read. Babel is a development tool; at
run time gettext suffices.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from sync.records.problems import CATALOGUE

ROOT = Path(__file__).resolve().parents[2]
LOCALE = ROOT / "assets" / "locale"
TABLET = ("field_app", "sync/client")
SAID_IN = (*TABLET, "sync/documents", "sync/server/console")
# The office reads English; what the public reads is translated.
PUBLIC = ("public.py", "public_notice.py", "templates/public.html", "templates/public_unknown.html",
          "templates/public_notice.html", "templates/public_notice_unknown.html", "templates/public_code_missing.html",
          "templates/public_away.html", "templates/alone.html")
# Here a person's own tap is refused; elsewhere a detail is for whoever repairs the program, and the title is shown.
DETAILS_IN = ("field_app/work", "field_app/capture", "field_app/hardware")
METHODS = [("**.py", "python"), ("**/templates/**.html", "jinja2")]
LANGUAGES = ("es",)
# A sentence with a number in it stands in the call in both forms: counted(count, one, many, ...).
KEYWORDS = {"_": None, "N_": None, "counted": (2, 3)}
Sentence = str | tuple[str, str]


def said() -> dict[Sentence, set[str]]:
    """Every sentence marked for translation, with the files that say it; those with a number as (one, many)."""
    found: dict[Sentence, set[str]] = {}
    for folder in SAID_IN:
        for name, _line, message, _comments, _context in extract_from_dir(
            str(ROOT / folder), METHODS, {}, keywords=KEYWORDS
        ):
            if folder.endswith("console") and name not in PUBLIC:
                continue
            found.setdefault(message, set()).add(f"{folder}/{name}")
    for kind in CATALOGUE.values():
        for message in (kind.title, kind.advice):
            found.setdefault(message, set()).add("sync/records/problems.py")
    for message, where in details():
        found.setdefault(message, set()).add(where)
    return found


def details() -> Iterator[tuple[str, str]]:
    """What refusals of the work say beside their title, as far as it is a whole sentence and holds no value."""
    for folder in DETAILS_IN:
        for path in sorted((ROOT / folder).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Problem"):
                    continue
                for said_so in node.args[1:2]:
                    if isinstance(said_so, ast.Constant) and isinstance(said_so.value, str):
                        yield said_so.value, str(path.relative_to(ROOT))


def place(language: str) -> Path:
    return LOCALE / language / "LC_MESSAGES" / "siltwatch.po"


def read(language: str) -> Catalog:
    path = place(language)
    if not path.exists():
        return Catalog(locale=language)
    with path.open("rb") as file:
        return read_po(file, locale=language)


def compiled(catalogue: Catalog) -> bytes:
    out = BytesIO()
    write_mo(out, catalogue)
    return out.getvalue()


def update(language: str) -> Catalog:
    """The catalogue with exactly the sentences that are said; new ones are untranslated."""
    old = read(language)
    # One date for ever: a file that changes at every run hides what changed.
    kept = datetime(2026, 1, 1, tzinfo=UTC)
    new = Catalog(
        locale=language,
        header_comment="# Words of tablet, papers and public page. Kept by: python -m tests.support.words",
        project="Siltwatch",
        version="1",
        creation_date=kept,
        revision_date=kept,
        last_translator="Siltwatch",
        language_team="es",
        charset="utf-8",
        fuzzy=False,
    )
    # Beside a round million Spanish grammar books know a third form; no such number is said here.
    new.mime_headers = [("Plural-Forms", "nplurals=2; plural=(n != 1);")]
    for message in sorted(said(), key=forms):
        known = old.get(message)
        kept = known.string if known and isinstance(known.string, str) == isinstance(message, str) else ""
        new.add(message, string=kept)
    return new


def forms(sentence: Sentence) -> tuple[str, ...]:
    """The forms of a sentence or of its translation: one, or those for one and for many."""
    return (sentence,) if isinstance(sentence, str) else tuple(sentence)


def main() -> None:
    for language in LANGUAGES:
        catalogue = update(language)
        path = place(language)
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as file:
            write_po(file, catalogue, width=100, no_location=True, sort_output=True)
        path.with_suffix(".mo").write_bytes(compiled(catalogue))
        missing = sum(1 for message in catalogue if message.id and not all(forms(message.string)))
        print(f"{language}: {len(catalogue)} sentences, {missing} without a translation")


if __name__ == "__main__":
    main()

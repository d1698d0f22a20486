"""What an order says in more than one language: ready-made sentences to choose, and own words given in a second one.

A ready-made sentence is a line of the text, in the language of this tablet; whoever prints it says it in any language
(`sync.documents.order_texts`). Own words are never translated: their writer may give them in the other languages of the
pack, and where they do not the paper says in which language they stand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from field_app.work.views import Choice, OtherWords
from field_app.work.views.order import PaperSide
from sync.documents.both import both_of
from sync.documents.language import LANGUAGES, OWN_NAMES
from sync.documents.order_texts import (
    MAY_GO_ON,
    MUST_STOP,
    TEXTS,
    has_own_words,
    in_language,
    known_correction,
    one_sided,
    ready_sentence,
)
from sync.documents.placard_said import placard_said
from sync.records.problems import Problem

if TYPE_CHECKING:
    from field_app.work.desk import Desk

FIELDS = (*TEXTS, "outside")
"""The texts of an order that its writer types."""
READY = {"must_stop": MUST_STOP, "may_continue": MAY_GO_ON}
ALL = "all"


def written_in(desk: Desk, doc: dict[str, Any]) -> str:
    """The language of the tablet when the order was begun; one of an older version is taken for the city's."""
    return doc.get("written_in") or desk.pack(doc["pack"]).languages[0]


def others(desk: Desk, doc: dict[str, Any]) -> list[str]:
    """The other languages that the paper speaks."""
    return [one for one in desk.pack(doc["pack"]).languages if one in LANGUAGES and one != written_in(desk, doc)]


# --- ready-made sentences ---
def ready(desk: Desk) -> dict[str, tuple[Choice, ...]]:
    """The sentences to choose from, by field."""
    _ = desk.words
    return {field: tuple(Choice(key, _(sentence)) for key, sentence in known.items()) for field, known in READY.items()}


def chosen(doc: dict[str, Any], field: str) -> tuple[str, ...]:
    """The ready-made sentences that stand in this text."""
    there = {ready_sentence(line) for line in doc[field].split("\n")}
    return tuple(key for key, sentence in READY[field].items() if sentence in there)


def with_ready(desk: Desk, doc: dict[str, Any], field: str, key: str, wanted: bool) -> dict[str, Any]:
    """The order with one sentence put in or taken out. All work and a kind of work do not go together."""
    known = READY.get(field, {})
    if key not in known:
        raise Problem("choice-unknown", f"there is no ready-made sentence {key!r}", where=field)
    if (key in chosen(doc, field)) == wanted:
        return doc
    out = {known[key]}
    if wanted and field == "must_stop":
        out |= set(known.values()) if key == ALL else {known[ALL]}
    lines = [line for line in doc[field].split("\n") if line.strip() and ready_sentence(line) not in out]
    if wanted:
        lines.append(desk.words(known[key]))
    return {**doc, field: "\n".join(lines)}


# --- own words in another language ---
def texts(desk: Desk, doc: dict[str, Any]) -> dict[str, tuple[OtherWords, ...]]:
    """For each field that holds own words, what they are in the other languages of the paper."""
    pack = desk.pack(doc["pack"])
    return {field: tuple(_other(desk, one, ((doc.get("said") or {}).get(one) or {}).get(field, ""))
                         for one in others(desk, doc))
            for field in FIELDS if has_own_words(doc.get(field) or "", pack)}


def of_correction(desk: Desk, doc: dict[str, Any], correction: dict[str, Any]) -> tuple[OtherWords, ...]:
    pack = desk.pack(doc["pack"])
    if known_correction(correction["text"], pack, pack.languages[0]) is not None:
        return ()
    return tuple(_other(desk, one, (correction.get("said") or {}).get(one, "")) for one in others(desk, doc))


def _other(desk: Desk, language: str, text: str) -> OtherWords:
    return OtherWords(language, in_language(language, desk.words), text)


def with_text(desk: Desk, doc: dict[str, Any], field: str, language: str, text: str) -> dict[str, Any]:
    _known(desk, doc, language)
    said = doc.get("said") or {}
    return {**doc, "said": {**said, language: {**said.get(language, {}), field: text}}}


def with_correction(desk: Desk, doc: dict[str, Any], index: int, language: str, text: str) -> dict[str, Any]:
    _known(desk, doc, language)
    if not 0 <= index < len(doc["corrections"]):
        raise Problem("item-unknown", f"there is no entry {index + 1}", where="corrections")
    old = doc["corrections"][index]
    new = {**old, "said": {**(old.get("said") or {}), language: text}}
    return {**doc, "corrections": [*doc["corrections"][:index], new, *doc["corrections"][index + 1:]]}


def _known(desk: Desk, doc: dict[str, Any], language: str) -> None:
    if language not in others(desk, doc):
        raise Problem("choice-unknown", f"the paper does not speak {language!r}, or it is written in it", where="said")


def record(desk: Desk, doc: dict[str, Any], outside: str) -> dict[str, Any]:
    """What goes into the body of the order: its language, and own words as they were given in the others. `outside`:
    the work that the permit does not cover, which stands at the end of what was seen."""
    found = {}
    needed = texts(desk, doc)
    for language in others(desk, doc):
        said = {field: one.text.strip() for field, given in needed.items() for one in given
                if one.language == language and one.text.strip()}
        seen, beyond = said.pop("observed", ""), said.pop("outside", "")
        if outside and (seen or beyond):
            # In part given, in part as written: nothing of it may be missing.
            seen = "\n".join(part for part in (seen or doc["observed"], beyond or outside) if part)
        if said := {**said, **({"observed": seen} if seen else {})}:
            found[language] = said
    return {"written_in": written_in(desk, doc), **({"said": found} if found else {})}


def correction_record(desk: Desk, doc: dict[str, Any], correction: dict[str, Any]) -> dict[str, Any]:
    """One correction as the body has it."""
    given = {one.language: one.text.strip() for one in of_correction(desk, doc, correction) if one.text.strip()}
    return {"text": correction["text"], "due": correction["due"], **({"said": given} if given else {})}


def lacking(desk: Desk, body: dict[str, Any], pack_ref: str) -> tuple[str, ...]:
    """What stands on the paper in one of its languages only, in words; for each language that it lacks."""
    _, pack = desk.words, desk.pack(pack_ref)
    names = {"observed": _("what was seen"), "must_stop": _("what must stop"), "may_continue": _("what may go on")}
    found = []
    for language in pack.languages:
        if language not in LANGUAGES:
            continue
        parts = [names[one] if one in names else _("correction {number}").format(number=one.partition(".")[2])
                 for one in one_sided(body, pack, language)]
        if parts:
            found.append(_("Not {in_language} on the paper: {parts}.").format(
                in_language=in_language(language, _), parts=", ".join(parts)))
    return tuple(found)


def sides(desk: Desk, body: dict[str, Any], pack: str | None, dates: Callable[[], Iterable[Any]]
          ) -> tuple[PaperSide, ...]:
    """What the paper says in each of its languages; nothing where it cannot be printed, which printing then says."""
    law = desk.pack(pack)
    with suppress(Problem):
        counted = tuple(dates())
        return tuple(PaperSide(language, OWN_NAMES.get(language, language), placard_said(body, law, language, counted))
                     for language in both_of(law).languages)
    return ()

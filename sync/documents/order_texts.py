"""What a person wrote on an order, said in a language: known sentences in that of the reader, own words as given.

A text is read line by line. A line that the program or the pack knows is said in any language. The other lines are a
person's own words: in another language they stand only as that person gave them there, and are never translated here.
Where nobody gave them, they stay as written and the paper says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from sync.documents.language import LANGUAGES, N_, Translate, translator

# What the tablet proposes for an order (`field_app.work.ordering`): known here, so that it is read in any language.
ALL_WORK = N_("All land disturbing and construction work on this site.")
APPLY_FIRST = N_("Apply for the erosion control permit, and do no land disturbing work until it is issued.")
MUST_STOP = {
    "all": ALL_WORK,
    "clearing": N_("Clearing of trees, brush and topsoil."),
    "grading": N_("Grading and moving of soil."),
    "digging": N_("Digging of trenches and pits."),
    "hauling": N_("Hauling of soil and material onto the site or off it."),
    "leaving": N_("Driving of vehicles from bare soil onto the road."),
    "pumping": N_("Pumping of water out of pits and trenches."),
    "concrete": N_("Concrete work and the washing out of concrete."),
    "building": N_("Building work."),
}
MAY_GO_ON = {
    "sweeping": N_("Sweeping of the road."),
    "devices": N_("Setting up and mending of silt fences, barriers and other control devices."),
    "covering": N_("Seeding, mulching and covering of bare soil."),
    "waste": N_("Clearing away of waste and spills."),
    "inside": N_("Work inside the buildings."),
}
READY = (*MUST_STOP.values(), *MAY_GO_ON.values(), APPLY_FIRST)
TEXTS = ("observed", "must_stop", "may_continue")


@dataclass(frozen=True, slots=True)
class Said:
    """`text`: all of it, for a reader who has nothing else. `own`: the same without the words that nobody gave in this
    language; `as_written` says that there are such words."""

    text: str
    own: str
    as_written: bool


def in_language(language: str, _: Translate) -> str:
    """A language as it is named in a sentence: "in Spanish"."""
    return {"en": _("in English"), "es": _("in Spanish")}.get(language, f"({language})")


def written_in(body: Mapping[str, Any], pack: Any) -> str:
    """The language of the tablet on which the order was written. An older tablet does not say: that of the city."""
    return body.get("written_in") or pack.languages[0]


def said_in(body: Mapping[str, Any], field: str, pack: Any, language: str) -> Said:
    """`field` (one of TEXTS) of an order's body."""
    given = ((body.get("said") or {}).get(language) or {}).get(field) or ""
    lines = ((line, known_line(line, pack, language)) for line in (body.get(field) or "").strip().split("\n"))
    return _put_together(lines, given.strip(), language, written_in(body, pack))


def correction_in(body: Mapping[str, Any], correction: Mapping[str, Any], pack: Any, language: str) -> Said:
    """One correction of an order's body."""
    given = (correction.get("said") or {}).get(language) or ""
    known = known_correction(correction["text"], pack, language)
    return _put_together(((correction["text"], known),), given.strip(), language, written_in(body, pack))


def _put_together(lines: Any, given: str, language: str, written: str) -> Said:
    """(line, how it is said in this language or None), with the own words as they were given in this language."""
    parts: list[tuple[str, bool]] = []  # what is said, and whether it only stands as it was written
    replaced = False
    for line, known in lines:
        if known is not None or language == written:
            parts.append((line if known is None else known, False))
        elif not given:
            parts.append((line, True))
        elif not replaced:
            parts.append((given, False))
            replaced = True
    own = "\n".join(said for said, foreign in parts if not foreign).strip()
    as_written = any(foreign and said.strip() for said, foreign in parts)
    return Said("\n".join(said for said, _foreign in parts), own, as_written)


def has_own_words(text: str, pack: Any) -> bool:
    """Whether some line of a text is a person's own, so that only a person can say it in another language."""
    return any(line.strip() and known_line(line, pack, pack.languages[0]) is None for line in text.split("\n"))


def ready_sentence(line: str) -> str:
    """The ready-made sentence that this line is, whichever language it is kept in; "" for none."""
    return _ready_in_all().get(line.strip(), "")


@cache
def _ready_in_all() -> dict[str, str]:
    return {translator(language)(one): one for one in READY for language in LANGUAGES}


def known_line(line: str, pack: Any, language: str) -> str | None:
    """A line of a text in `language` where the program or the pack knows it; None for own words."""
    if ready := ready_sentence(line):
        return translator(language)(ready)
    where, parted, question = line.strip().partition(": ")
    if not parted or language not in pack.languages:
        return None
    # A finding without a note (`field_app.work.order_findings`): the checklist or the place, then the question.
    for one in pack.checklists.values():
        for item in one.items:
            if question in item.text.values():
                title = one.title(language) if where in one.titles.values() else where
                return f"{title}: {item.question(language)}"
    return None


def known_correction(said: str, pack: Any, language: str) -> str | None:
    """A correction in `language`: one of the ready-made or of the pack's own sentences; None for own words."""
    if ready := ready_sentence(said):
        return translator(language)(ready)
    item = _item_of(said, pack)
    return item.correction_in(said, language) if item is not None and language in pack.languages else None


def names_a_place(said: str, pack: Any) -> bool:
    """Whether a sentence of the pack holds the name of a place or a condition, which stands as the city wrote it."""
    item = _item_of(said, pack)
    return item is not None and bool(item.place_in(said))


def _item_of(said: str, pack: Any) -> Any:
    items = (item for one in pack.checklists.values() for item in one.items)
    return next((item for item in items if item.place_in(said) is not None), None)


def remark(body: Mapping[str, Any], _: Translate) -> str:
    """What stands beside own words that nobody gave in the reader's language."""
    if not body.get("written_in"):
        return _("What the inspector wrote is shown as it was written.")
    return _("What the inspector wrote stands here only {in_language}.").format(
        in_language=in_language(body["written_in"], _))


def places_remark(_: Translate) -> str:
    return _("Places and permit conditions are named as the city wrote them.")


def one_sided(body: Mapping[str, Any], pack: Any, language: str) -> list[str]:
    """What nobody gave in `language`: fields of TEXTS, and "corrections.N" counted from 1."""
    found = [field for field in TEXTS if said_in(body, field, pack, language).as_written]
    return found + [f"corrections.{number}" for number, one in enumerate(body["corrections"], start=1)
                    if correction_in(body, one, pack, language).as_written]

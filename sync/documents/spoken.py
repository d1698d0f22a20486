"""Voice notes in words: what each is about, when it was spoken and how long it is; for the report and the console.

The sound itself is an evidence file; paper and page name it by the SHA-256 of its bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from sync.documents.inspection_words import Names, finding_title, item_words
from sync.documents.language import Translate, counted, moment_words, parse_wall


def length_words(ms: int) -> str:
    """Minutes and seconds as a clock shows them: "0:07"."""
    seconds = max(1, (ms + 500) // 1000)
    return f"{seconds // 60}:{seconds % 60:02}"


def seconds_words(ms: int, _: Translate) -> str:
    """As it is said in a statement and on paper: "61 seconds"."""
    return counted(max(1, (ms + 500) // 1000), "1 second", "{count} seconds", _)


def spoken(inspection: Mapping[str, Any], pack: Any, names: Names, language: str, _: Translate) -> list[dict[str, str]]:
    """[{sha256, about, when, length}] in the order they were spoken; `about` the finding, else the question."""
    titles = {finding["id"]: finding_title(finding, pack, names, language) for finding in inspection["findings"]}

    def about(note: Mapping[str, Any]) -> str:
        item = item_words(pack, note["item"], language) if note.get("item") else ""
        return titles.get(note.get("finding") or "", "") or item or _("the whole inspection")

    return _told(inspection, about, _)


def spoken_beside(body: Mapping[str, Any], _: Translate) -> list[dict[str, str]]:
    """The same of an order or of a report about a site: they are about all of it."""
    whole = _("the order") if "number" in body else _("the report")
    return _told(body, lambda note: whole, _)


def spoken_lines(body: Mapping[str, Any], _: Translate) -> list[tuple[str, str]]:
    """The row of a paper that names the voice notes of an order or a report; none where nothing was spoken."""
    lines = [_("{number}. {length}, {when}, SHA-256 {sha256}").format(number=at, **note)
             for at, note in enumerate(spoken_beside(body, _), start=1)]
    return [(_("Voice notes"), "\n".join(lines))] if lines else []


def _told(body: Mapping[str, Any], about: Callable[[Mapping[str, Any]], str], _: Translate) -> list[dict[str, str]]:
    told = []
    for note in body.get("voice_notes") or ():
        told.append({
            "sha256": note["sha256"],
            "about": about(note),
            "when": moment_words(parse_wall(note["recorded"]["wall"]), _),
            "length": seconds_words(note["ms"], _),
        })
    return told

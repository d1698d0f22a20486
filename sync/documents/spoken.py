"""Voice notes in words: what each is about, when it was spoken and how long it is; for the report and the console.

The sound itself is an evidence file; paper and page name it by the SHA-256 of its bytes.
"""

from __future__ import annotations

from collections.abc import Mapping
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
    told = []
    for note in inspection.get("voice_notes") or ():
        item = item_words(pack, note["item"], language) if note.get("item") else ""
        told.append({
            "sha256": note["sha256"],
            "about": titles.get(note.get("finding") or "", "") or item or _("the whole inspection"),
            "when": moment_words(parse_wall(note["recorded"]["wall"]), _),
            "length": seconds_words(note["ms"], _),
        })
    return told

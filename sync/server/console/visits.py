"""What an inspection says beside its answers: earlier findings, changes of the site's list, who was told, signatures.

Part of the page of one inspection; gives plain values for `inspection_visit.html`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sync.documents import inspection_words as say
from sync.documents.language import Translate
from sync.documents.notice import told_words

FOLLOWED_TONES = {"fixed": "good", "still_open": "wait", "worse": "stop", "not_observed": "mute"}
Doc = dict[str, Any]


def visit(body: Mapping[str, Any], pack: Any, names: Mapping[str, str], language: str, _: Translate) -> Doc:
    """{earlier: rows, places: lines, told, drawn: [{who, sha256}], why: the reason of a correction}."""
    rows = say.followup_rows(body, pack, names, language, _)
    tones = [FOLLOWED_TONES.get(one["state"], "") for one in body.get("followups", ())]
    return {
        "earlier": [
            {"what": what, "since": since, "became": became, "note": note, "tone": tone}
            for (what, since, became, note), tone in zip(rows, tones, strict=True)
        ],
        "places": say.place_lines(body, _),
        "told": told_words(body, _) if body.get("in_charge") else "",
        "drawn": _drawn(body, _),
        "why": body.get("revise_reason") or "",
    }


def _drawn(body: Mapping[str, Any], _: Translate) -> list[Doc]:
    met = body.get("in_charge") or {}
    witness = met.get("witness") or {}
    signed = [
        (_("Inspector"), body["signed"]["name"], body["signed"].get("signature")),
        (_("Person in charge"), met.get("name", ""), met.get("signature")),
        (_("Witness"), witness.get("name", ""), witness.get("signature")),
    ]
    return [{"who": f"{role}: {name}" if name else role, "sha256": sha} for role, name, sha in signed if sha]

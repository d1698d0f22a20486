"""What an order rests on, gathered from the inspections it names: findings as signed, and every photo of them.

The order's own photos (the placard on the site) come first, then those of its findings; a photo stands once, with
a caption, whether it is here, and the inspection it comes from.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sync.documents.inspection_words import photo_captions
from sync.documents.language import N_, translator
from sync.server.casework import queries
from sync.server.casework.city import City
from sync.server.casework.evidence import held_files
from sync.server.casework.office import pack_of
from sync.server.console.seat import Seat

Doc = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Evidence:
    """`findings` as signed; `photos` as in facts, each with `held` and `caption`; `subjects` are labels by id."""

    findings: list[Doc]
    photos: list[Doc]
    subjects: dict[str, str]


def subjects_of(found: Doc) -> dict[str, str]:
    """Labels of everything an answer can be about: inlets, control devices, conditions of the permits."""
    names = dict(found.get("subjects") or {})
    for permit in found["permits"]:
        for condition in permit["conditions"]:
            names[condition["id"]] = condition["text"]
    return names


def with_held(seat: Seat, notes: list[dict[str, str]]) -> list[Doc]:
    """Voice notes in words (`sync.documents.spoken`), each with whether its sound is here."""
    held = held_files(seat.city, [note["sha256"] for note in notes])
    return [note | {"held": note["sha256"] in held} for note in notes]


def evidence_of_order(city: City, found: Doc, language: str) -> Evidence:
    """`found` is what `queries.order_page` gave."""
    named = {(ref["fact"], ref["finding"]) for ref in found["body"]["findings"]}
    findings: list[Doc] = []
    subjects = subjects_of(found)
    placard = translator(language)(N_("Placard"))
    photos = {photo["sha256"]: photo | {"caption": ": ".join(filter(None, (placard, photo.get("name"))))}
              for photo in found["photos"]}
    for fact in sorted({fact for fact, _finding in named}):
        page = queries.inspection_page(city, fact)
        if page is None:
            continue
        names = subjects_of(page)
        subjects |= names
        mine = [one for one in page["body"]["findings"] if (fact, one["id"]) in named]
        findings += mine
        wanted = {sha for one in mine for sha in one["photos"]}
        ids = {one["id"] for one in mine}
        captions = photo_captions(page["body"], pack_of(city, page["fact"]["pack"]), names, language)
        for photo in page["photos"]:
            if photo["sha256"] in wanted or photo["finding"] in ids:
                photos.setdefault(photo["sha256"], photo | {"caption": captions[photo["sha256"]]})
    return Evidence(findings, list(photos.values()), subjects)

"""A draft made from a signed inspection, to correct it: the same dates, answers, photos and ids of findings.

What was signed stays as it is. The draft begins as exactly what it said, so that only what is changed differs; it
keeps the law's pack and the time of the visit, and is signed as a new record that names the first and says why.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from field_app.capture.approval import from_wire
from field_app.capture.closing import FOLLOWS
from field_app.capture.draft import NONE, SPECIALS, Closing, Draft, Entry, FollowUp, Placed, Subject
from field_app.capture.form import CORE_TOPICS, key_of
from sync.ordinance.pack import Pack

_OUTCOMES = ("stop-work recommended", "revision order", "emergency action requested")
_FOLLOWED_BY = dict(zip(_OUTCOMES, FOLLOWS, strict=True))


def draft_of(
    body: Mapping[str, Any],
    pack: Pack,
    *,
    ident: str,
    user: str,
    revises: str,
    files: Mapping[str, Mapping[str, Any]],
    layers: Mapping[str, Mapping[str, Any]],
    subjects: Iterable[Subject],
    earlier: Iterable[Mapping[str, Any]],
    end_of_work_day: str | None,
    permit_words: str,
) -> Draft:
    """The draft that corrects the inspection `revises` with this body.

    `files`: its evidence by SHA-256, {sha256, size, media}. `layers`: by a photo's SHA-256 what is drawn over it, as
    `marks.py` keeps it. `subjects`: the places of the site as they are known now;
    `earlier`: what is known of findings on the site, also later ones, which are left out.
    """
    own = {one["id"] for one in body["findings"]}
    followed = {one["finding"]: one for one in body.get("followups", [])}
    found = {(one.kind, one.id): one for one in subjects}
    for about in (one.get("subject") for one in (*body["answers"], *body["findings"])):
        if about:
            plain = Subject(about["kind"], about["id"], about.get("label") or about["id"])
            found.setdefault((plain.kind, plain.id), plain)
    keys = {_key(one): one for one in body["findings"]}
    at_last = {sha for one in followed.values() for sha in one["photos"]}
    weather = body.get("weather") or {}
    approved = from_wire(body.get("entry_approval"))
    draft = Draft(
        id=ident,
        site=body["site"],
        user=user,
        pack=pack.ref,
        began=body["began"],
        ended=body["ended"],
        inspected_on=body["inspected_on"],
        permit=body["permit"],
        permit_words=permit_words,
        type=body["type"],
        entry=body["basis_of_entry"],
        entry_note=body.get("entry_note", ""),
        approval_how=approved.how,
        approval_person=approved.person,
        approval_name=approved.name,
        approval_role=approved.role,
        approval_on=approved.on,
        approval_at=approved.at,
        rain=weather.get("rain_24h_in", ""),
        rain_source=weather.get("source", ""),
        rain_since=weather.get("rain_since_in") or "",
        sky=body.get("sky", ""),
        far_reason=next((photo["far_reason"] for photo in body["photos"] if photo.get("far_reason")), ""),
        end_of_work_day=end_of_work_day,
        topics=_topics(body, pack),
        subjects=tuple(found.values()),
        earlier=_earlier(body, earlier, own, followed),
        entries=_entries(body, keys, at_last),
        last_time={i: FollowUp(one["state"], one["note"], tuple(one["photos"])) for i, one in followed.items()},
        placed=tuple(_placed(one) for one in body.get("places", [])),
        follows=tuple(step for outcome, step in _FOLLOWED_BY.items() if outcome == body["outcome"]),
        closing=_closing(body, files),
        revises=revises,
        finding_ids={key: one["id"] for key, one in keys.items()},
    )
    return replace(_with_photos(draft, body, files, layers), voice_notes=_voice_notes(body, files))


def _key(one: Mapping[str, Any]) -> str:
    about = one.get("subject")
    return key_of(one["item"], Subject(about["kind"], about["id"], "") if about else None)


def _topics(body: Mapping[str, Any], pack: Pack) -> tuple[str, ...]:
    topics = set(CORE_TOPICS)
    for one in body["answers"]:
        try:
            item = pack.item(one["item"])
        except KeyError:
            continue
        if item.per not in ("condition", "timetable"):
            topics.add(item.topic)
    return tuple(topic for topic in pack.checklists if topic in topics)


def _earlier(body, earlier, own: set[str], followed: Mapping[str, Mapping[str, Any]]) -> tuple[Mapping[str, Any], ...]:
    kept = {
        one["id"]: {**one, "status": "corrected"}
        for one in earlier
        if one["id"] not in own and one["found_on"] < body["began"][:10]
    }
    for ident, one in followed.items():
        told = {"item": one["item"], "subject": one.get("subject"), "title": one.get("title", "")}
        told |= {"severity": one.get("severity", "minor"), "found_on": one["found_on"], "inspection": one.get("fact")}
        kept[ident] = {**kept.get(ident, {}), **told, "id": ident, "first_found_on": one["found_on"], "status": "open"}
    return tuple(kept[ident] for ident in sorted(kept))


def _entries(body, keys: Mapping[str, Mapping[str, Any]], at_last: set[str]) -> dict[str, Entry]:
    entries = {}
    # Records that were signed on a later day than that of the inspection say only when it began.
    seen = body["ended"] if body["ended"][:10] == body["inspected_on"] else body["began"]
    for one in body["answers"]:
        answer = one["answer"]
        entry = Entry(note=one["note"], at=seen)
        if answer.get("answer") in SPECIALS and len(answer) == 1:
            entry = replace(entry, special=answer["answer"])
        else:
            entry = replace(entry, parts={part: _typed(value) for part, value in answer.items()})
        entries[_key(one)] = entry
    for key, one in keys.items():
        due = one["due"]
        changed = one["severity"] != one["computed"]
        entries[key] = replace(
            entries.get(key, Entry()),
            at=one.get("found_at") or seen,
            photos=tuple(sha for sha in one["photos"] if sha not in at_last),
            no_photo=one.get("no_photo", ""),
            severity=one["severity"] if changed else "",
            severity_reason=one["severity_reason"] or "",
            correction=one["correction"],
            due=(due["on"], due["at"]) if due and not due.get("at_once") else None,
            corrected=one["status"] == "corrected",
        )
    return entries


def _typed(value: Any) -> str | tuple[str, ...]:
    if isinstance(value, list):
        return tuple(value) or (NONE,)
    return str(value)


def _placed(one: Mapping[str, Any]) -> Placed:
    why, device = one.get("why", ""), one.get("device", "")
    return Placed(one["act"], one["kind"], one["id"], one["label"], one["place"], why, device)


def _closing(body: Mapping[str, Any], files: Mapping[str, Mapping[str, Any]]) -> Closing:
    """Who was met stays as it was signed: a correction does not make them sign again."""
    met = body.get("in_charge") or {}
    witness = met.get("witness") or {}
    drawn = {"inspector": None, "in_charge": met.get("signature"), "witness": witness.get("signature")}
    return Closing(
        met.get("how", ""),
        met.get("name", ""),
        met.get("role", ""),
        met.get("reason", ""),
        witness.get("name", ""),
        {whose: files[sha] for whose, sha in drawn.items() if sha in files},
    )


def _voice_notes(body: Mapping[str, Any], files: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    notes = {}
    for one in body.get("voice_notes", []):
        sha = one["sha256"]
        kept = {name: one[name] for name in ("sha256", "recorded", "ms")}
        kept |= {name: files[sha][name] for name in ("size", "media")}
        notes[sha] = {**kept, "key": _key(one) if one["item"] else ""}
    return notes


def _with_photos(
    draft: Draft,
    body: Mapping[str, Any],
    files: Mapping[str, Mapping[str, Any]],
    layers: Mapping[str, Mapping[str, Any]],
) -> Draft:
    """The photos' records, and those that no finding shows back at their item, or at the site."""
    records = {}
    entries = dict(draft.entries)
    general = []
    used = {sha for one in entries.values() for sha in one.photos}
    used |= {sha for one in draft.last_time.values() for sha in one.photos}
    for photo in body["photos"]:
        sha = photo["sha256"]
        kept = {name: value for name, value in photo.items() if name not in ("item", "finding", "subject", "layer")}
        drawn = {"layer": layers[sha]} if sha in layers else {}
        records[sha] = {**kept, **drawn, "size": files[sha]["size"], "media": files[sha]["media"]}
        if sha in used:
            continue
        key = _key({"item": photo["item"], "subject": photo.get("subject")}) if photo["item"] else ""
        if key in entries:
            entries[key] = replace(entries[key], photos=(*entries[key].photos, sha))
        else:
            general.append(sha)
    return replace(draft, photos=records, entries=entries, general=tuple(general))

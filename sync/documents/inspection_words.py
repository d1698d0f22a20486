"""What an inspection says, in words: answers, severities, findings, outcomes; for the report and the console.

Reads the body of a signed inspection and the pack it was made under. A question, choice or clause that this pack
does not have prints as the record has it: a record is never made to say less than was signed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from sync.documents.language import Translate, date_words, parse_date
from sync.records.bodies import SEVERITIES, found_on

Names = Mapping[str, str]


def outcome_words(outcome: str, _: Translate) -> str:
    """The outcome of an inspection as a person says it."""
    return {
        "compliant": _("Compliant"),
        "corrected on site": _("Corrected on site"),
        "correction notice": _("Correction notice"),
        "revision order": _("Revision of the plan ordered"),
        "stop-work recommended": _("Stop-work order recommended"),
        "stop-work posted": _("Stop-work order posted"),
        "emergency action requested": _("Emergency action requested"),
        "incomplete": _("Incomplete: something was not observed"),
    }.get(outcome, outcome)


def type_words(kind: str, _: Translate) -> str:
    """Why the inspection was made."""
    return {
        "weekly": _("weekly"),
        "rain": _("after rain"),
        "complaint": _("after a complaint"),
        "re-inspection": _("re-inspection"),
        "permit": _("for a permit"),
        "final": _("final"),
        "other": _("other"),
    }.get(kind, kind)


def entry_words(basis: str | None, _: Translate, note: str = "") -> str:
    """On what the inspector came onto the land; `note` names it: who consented, the warrant's number."""
    said = _entry_word(basis, _)
    return f"{said}: {note}" if note else said


def _entry_word(basis: str | None, _: Translate) -> str:
    return {
        "consent": _("consent"),
        "permit condition": _("condition of the permit"),
        "public place": _("seen from a public place"),
        "warrant": _("warrant"),
        "emergency": _("emergency"),
    }.get(basis or "", basis or _("not recorded"))


def weather_words(weather: Mapping[str, Any] | None, _: Translate, sky: str = "") -> str:
    """Rain and, where it was recorded, what the weather was at the visit (`sky` as in the record)."""
    said = []
    if sky:
        said.append(sky_word(sky, _))
    if weather and weather.get("rain_24h_in") not in (None, ""):
        said.append(
            _("{inches} in of rain in the last 24 hours ({source})").format(
                inches=weather["rain_24h_in"], source=weather.get("source") or _("source not recorded")
            )
        )
        if weather.get("rain_since_in"):
            said.append(_("{inches} in since the last inspection").format(inches=weather["rain_since_in"]))
    return "; ".join(said) or _("not recorded")


def sky_word(sky: str, _: Translate) -> str:
    return {
        "dry": _("dry"),
        "light rain": _("light rain"),
        "heavy rain": _("heavy rain"),
        "snow": _("snow"),
        "frozen ground": _("frozen ground"),
    }.get(sky, sky)


def followed_word(state: str, _: Translate) -> str:
    """What became of a finding of an earlier inspection."""
    return {
        "fixed": _("fixed"),
        "still_open": _("still open"),
        "worse": _("worse"),
        "not_observed": _("not observed"),
    }.get(state, state)


def followup_rows(
    inspection: Mapping[str, Any], pack: Any, names: Names, language: str, _: Translate
) -> list[tuple[str, str, str, str]]:
    """(what and where, since when, what became of it, note) of each earlier finding that the inspection speaks of."""
    rows = []
    for one in inspection.get("followups", ()):
        since = date_words(parse_date(one["found_on"]), _) if one.get("found_on") else ""
        about = question_words(one, pack, names, language) if one.get("item") else one.get("title") or one["finding"]
        rows.append((about, since, followed_word(one["state"], _), one.get("note") or ""))
    return rows


def correction_words(finding: Mapping[str, Any], pack: Any, language: str) -> str:
    """What must be done. Where the inspector kept the pack's own sentence, it is said in the reader's language."""
    said = finding.get("correction") or ""
    item = item_of(pack, finding["item"])
    if item is None or language not in pack.languages:
        return said
    return item.correction_in(said, language) or said


def since_words(finding: Mapping[str, Any], inspection: Mapping[str, Any] | None, _: Translate) -> str:
    """Since when a finding is open that carries an earlier one on; the day of a new one that was found on another day
    than that of its inspection; empty for any other, and without the inspection."""
    if not finding.get("first_found_on"):
        day = found_on(finding, inspection) if inspection else ""
        if not inspection or day == inspection["inspected_on"]:
            return ""
        return _("Found {date}").format(date=date_words(parse_date(day), _))
    return _("Open since {date}").format(date=date_words(parse_date(finding["first_found_on"]), _))


def no_photo_words(finding: Mapping[str, Any], _: Translate) -> str:
    """Why no photo of a finding could be taken; empty where the inspector said nothing of it."""
    reason = (finding.get("no_photo") or "").strip()
    return _("No photo could be taken: {reason}").format(reason=reason) if reason else ""


def place_lines(inspection: Mapping[str, Any], _: Translate) -> list[str]:
    """Inlets and control devices that the inspection adds to the site's list, or finds gone."""
    lines = []
    for one in inspection.get("places", ()):
        where = f" ({one['place']})" if one.get("place") else ""
        if one["act"] == "add":
            lines.append(_("Added to the site's list: {place}").format(place=one["label"] + where))
        else:
            why = f": {one['why']}" if one.get("why") else ""
            lines.append(_("No longer there: {place}").format(place=one["label"] + why))
    return lines


def gravity(finding: Mapping[str, Any]) -> int:
    """Sorts the gravest finding first; equally grave ones stay as they were."""
    return SEVERITIES.index(finding["severity"]) if finding["severity"] in SEVERITIES else len(SEVERITIES)


def severity_word(severity: str, _: Translate) -> str:
    return {
        "critical": _("critical"),
        "major": _("major"),
        "minor": _("minor"),
        "observation": _("observation"),
    }.get(severity, severity)


def changed_words(finding: Mapping[str, Any], _: Translate) -> str:
    """What was computed and why a person changed it; empty when nobody did."""
    computed = finding.get("computed")
    if not computed or computed == finding["severity"]:
        return ""
    why = finding.get("severity_reason") or _("no reason given")
    return _("computed: {computed}; changed because: {why}").format(computed=severity_word(computed, _), why=why)


def item_of(pack: Any, item: str) -> Any | None:
    """The checklist item, None for one that this pack does not have (a permit's condition, a newer list)."""
    try:
        return pack.item(item)
    except KeyError:
        return None


def item_words(pack: Any, item: str, language: str) -> str:
    """The question of a checklist item, or its id when this pack has no such item."""
    found = item_of(pack, item)
    return found.question(language) if found else item


def _about(subject: Mapping[str, Any] | None, names: Names) -> str:
    return names.get(subject["id"], subject["id"]) if subject else ""


def question_words(answer: Mapping[str, Any], pack: Any, names: Names, language: str) -> str:
    """The question, with the inlet, control device or condition that it was asked of."""
    about = _about(answer.get("subject"), names)
    if item_of(pack, answer["item"]) is None and about:
        return about
    question = item_words(pack, answer["item"], language)
    return f"{question} ({about})" if about else question


def finding_title(finding: Mapping[str, Any], pack: Any, names: Names, language: str) -> str:
    """What was found and where."""
    return question_words(finding, pack, names, language)


def answer_words(answer: Mapping[str, Any], pack: Any, item: str, language: str, _: Translate) -> str:
    """An answer as text: a single part plainly, several as "part: value" lines, choices by their words."""
    found = item_of(pack, item)
    plain = {
        "yes": _("yes"),
        "no": _("no"),
        "na": _("does not apply"),
        "not_observed": _("not observed"),
    }

    def say(part: str, value: Any) -> str:
        spec = found.part(part) if found else None
        choices = {choice.id: choice.text.get(language) or choice.text["en"] for choice in spec.choices} if spec else {}

        def one(single: Any) -> str:
            text = str(single)
            return choices.get(text) or plain.get(text) or text

        said = (", ".join(one(single) for single in value) or _("none")) if isinstance(value, list) else one(value)
        return f"{said} {spec.unit_in(language)}" if spec and spec.unit and said not in plain.values() else said

    lines = [say("answer", answer["answer"])] if "answer" in answer else []
    # Signed bytes sort their keys; the reader gets the parts in the order in which they were asked.
    asked = {part.id: place for place, part in enumerate(found.parts)} if found else {}
    for part, value in sorted(answer.items(), key=lambda pair: (asked.get(pair[0], len(asked)), pair[0])):
        if part != "answer":
            spec = found.part(part) if found else None
            lines.append(f"{spec.label(language) if spec else part}: {say(part, value)}")
    return "\n".join(lines)


def topic_groups(
    answers: Iterable[Mapping[str, Any]], pack: Any, language: str, _: Translate
) -> list[tuple[str, list]]:
    """The answers by checklist, in the order in which the checklists were first touched."""
    groups: dict[str, list] = {}
    for answer in answers:
        found = item_of(pack, answer["item"])
        title = pack.checklists[found.topic].title(language) if found else _("Conditions and other")
        groups.setdefault(title, []).append(answer)
    return list(groups.items())


def photo_captions(inspection: Mapping[str, Any], pack: Any, names: Names, language: str) -> dict[str, str]:
    """What each photo shows: the finding it belongs to, else the question, by SHA-256."""
    titles = {finding["id"]: finding_title(finding, pack, names, language) for finding in inspection["findings"]}
    owners = {sha: finding["id"] for finding in inspection["findings"] for sha in finding["photos"]}
    captions = {}
    for photo in inspection["photos"]:
        finding = photo.get("finding") or owners.get(photo["sha256"]) or ""
        about = (
            titles.get(finding, ""),
            item_words(pack, photo["item"], language) if photo.get("item") else "",
            photo.get("name") or "",
        )
        captions[photo["sha256"]] = next((text for text in about if text), "")
    return captions

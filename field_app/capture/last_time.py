"""The open findings of earlier inspections: fixed, still open, worse, or not seen, each said in one tap.

What was tapped wins. Where nothing was tapped, the answer to the finding's own question says it: an item that passes
means fixed, one that fails means still open. A finding that stays open and fails again is carried on by the new
finding, which keeps the day on which it was first found; so the site never has two open findings for one thing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from field_app.capture.draft import MAX_TEXT, Draft, FollowUp, checked_text, earlier_of
from sync.records.bodies import FOLLOWED, SEVERITIES
from sync.records.problems import Problem

if TYPE_CHECKING:
    from field_app.capture.findings import Judged
    from field_app.capture.form import Question

LEFT = ("still_open", "worse")


def follow_up(draft: Draft, finding: str, state: str, at: str = "") -> Draft:
    """Say what became of it; "" takes it back. `at`: wall time of the tap. Problem "item-unknown", "choice-unknown"."""
    earlier_of(draft, finding)
    if state not in ("", *FOLLOWED):
        raise Problem("choice-unknown", f"{state!r} is not what can become of a finding", where=finding)
    return _with(draft, finding, state=state, at=at if state else "")


def follow_up_note(draft: Draft, finding: str, note: str) -> Draft:
    earlier_of(draft, finding)
    return _with(draft, finding, note=checked_text(note, MAX_TEXT, "note"))


def _with(draft: Draft, finding: str, **changes: Any) -> Draft:
    one = replace(draft.last_time.get(finding, FollowUp()), **changes)
    return replace(draft, last_time={**draft.last_time, finding: one})


def open_ones(draft: Draft) -> list[Mapping[str, Any]]:
    """The open findings of earlier inspections, the gravest first and of these the oldest."""
    found = [one for one in draft.earlier if one.get("status", "open") == "open"]
    return sorted(found, key=lambda one: (SEVERITIES.index(one["severity"]), first_found(one), one["id"]))


def first_found(earlier: Mapping[str, Any]) -> str:
    """The day (ISO) on which it was found for the first time: its age counts from there."""
    return earlier.get("first_found_on") or earlier["found_on"]


def key_of(earlier: Mapping[str, Any]) -> str:
    """The key of the question that the finding is about, as a form that asks it has it (`form.key_of`)."""
    subject = earlier.get("subject")
    return f"{earlier['item']}@{subject.get('kind')}:{subject.get('id')}" if subject else earlier["item"]


def is_about(earlier: Mapping[str, Any], question: Question) -> bool:
    """Whether the finding is about this question: the same item and the same subject."""
    return key_of(earlier) == question.key


def by_key(draft: Draft) -> dict[str, list[Mapping[str, Any]]]:
    """The earlier findings by the question that each is about."""
    found: dict[str, list[Mapping[str, Any]]] = {}
    for one in draft.earlier:
        found.setdefault(key_of(one), []).append(one)
    return found


def same_subject(one: Mapping[str, Any] | None, other: Mapping[str, Any] | None) -> bool:
    if not one or not other:
        return not one and not other
    return (one.get("kind"), one.get("id")) == (other.get("kind"), other.get("id"))


def asked_again(earlier: Mapping[str, Any], judged: Mapping[str, Judged]) -> Judged | None:
    """The question of this inspection that the finding is about; None when it is not asked."""
    return judged.get(key_of(earlier))


def state_of(draft: Draft, earlier: Mapping[str, Any], again: Judged | None) -> str:
    """What became of it: what was tapped, else what the answer to its question says; "" when neither says."""
    said = draft.last_time.get(earlier["id"], FollowUp()).state
    if said or again is None:
        return said
    if again.state == "fail":
        if again.entry.corrected:
            return "fixed"
        graver = SEVERITIES.index(again.severity) < SEVERITIES.index(earlier["severity"])
        return "worse" if graver else "still_open"
    return {"pass": "fixed", "not_observed": "not_observed"}.get(again.state, "")


def differs(draft: Draft, earlier: Mapping[str, Any], again: Judged | None) -> bool:
    """Whether it was said to be still open while the answer to its question says that nothing is wrong."""
    if again is None or draft.last_time.get(earlier["id"], FollowUp()).state not in LEFT:
        return False
    return again.state in ("pass", "na", "not_observed") or (again.fails and again.entry.corrected)


def found_anew(draft: Draft, earlier: Mapping[str, Any], again: Judged | None) -> bool:
    """Whether it was said to be fixed while its question fails: then there is a new finding, or one of the two is a
    slip. It keeps nothing from being signed: what was fixed may have come again."""
    said = draft.last_time.get(earlier["id"], FollowUp()).state
    return said == "fixed" and again is not None and again.fails and not again.entry.corrected


def carried(draft: Draft, question: Question) -> tuple[FollowUp, ...]:
    """What was said of findings about this question that are still open: their note and photos count for it too."""
    if not draft.last_time:
        return ()
    return tuple(
        draft.last_time[one["id"]]
        for one in draft.earlier
        if one["id"] in draft.last_time and draft.last_time[one["id"]].state in LEFT and is_about(one, question)
    )

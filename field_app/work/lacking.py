"""What something unfinished still lacks, in one line, for the lists of drafts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from field_app.capture import stored
from field_app.capture.findings import Missing, missing
from field_app.work import inspecting
from sync.documents.language import Translate, counted

if TYPE_CHECKING:
    from field_app.work.desk import Desk


def progress_words(desk: Desk, doc: dict[str, Any]) -> str:
    """ "12 of 64 answered · still missing: 52 answers, 1 photo". Every question has to be answered, if only with "not
    observed", so what is listed is what keeps the inspection from being signed."""
    _, draft = desk.words, stored.from_doc(doc)
    judged = inspecting.judge_all(desk, draft)
    done = sum(1 for one in judged.values() if one.state not in ("empty", "incomplete"))
    answered = counted(done, "{done} of {total} answered", "{done} of {total} answered", _, done=done,
                       total=len(judged))
    lacking = counted_words(missing(draft, judged), _)
    left = _("still missing: {what}").format(what=lacking) if lacking else _("ready to be signed")
    return f"{answered} · {left}"


def order_words(desk: Desk, doc: dict[str, Any]) -> str:
    """The same of an order that is being written; "" once a placard is made."""
    from field_app.work.order_view import missing as order_missing

    _ = desk.words
    if doc["kind"] != "order" or doc["stage"] != "draft":
        return ""
    return _first_of([one.sentence for one in order_missing(desk, doc)], _("nothing is missing"), _)


def report_words(desk: Desk, doc: dict[str, Any]) -> str:
    """The same of a report about a site: a find, an emergency, a revision."""
    from field_app.work import new_site, site_acts

    _ = desk.words
    if "act" in doc:
        sentences = list(site_acts.missing(desk, doc))
    else:
        sentences = [one.sentence for one in new_site.missing(desk, doc, new_site.need(desk, doc)[1])]
    return _first_of(sentences, _("ready to be signed"), _)


def _first_of(sentences: list[str], nothing: str, _: Translate) -> str:
    if not sentences:
        return nothing
    return counted(len(sentences), "still missing: {first}", "{count} things are still missing; first: {first}", _,
                   first=sentences[0])


def counted_words(lacking: Iterable[Missing], _: Translate) -> str:
    """ "52 answers, 1 photo": what misses, by kind; "" for nothing."""
    return ", ".join(_listed(Counter(_group(one) for one in lacking), _))


def _group(one: Missing) -> str:
    if one.code == "revise-reason":
        return one.code
    if one.section in ("details", "last", "closing"):
        return one.section
    if one.code in ("answer", "number"):
        return "answer"
    return "photo" if one.code.startswith("photo") else one.code if one.code == "note" else "finding"


def _listed(found: Counter[str], _: Translate) -> list[str]:
    parts = [
        ("details", _("something about the visit")),
        ("last", counted(found["last"], "1 finding of last time", "{count} findings of last time", _)),
        ("answer", counted(found["answer"], "1 answer", "{count} answers", _)),
        ("photo", counted(found["photo"], "1 photo", "{count} photos", _)),
        ("note", counted(found["note"], "1 note", "{count} notes", _)),
        ("finding", counted(found["finding"], "1 correction, date or reason", "{count} corrections, dates or reasons",
                            _)),
        ("closing", _("who was told")),
        ("revise-reason", _("the reason of the correction")),
    ]
    return [words for group, words in parts if found[group]]

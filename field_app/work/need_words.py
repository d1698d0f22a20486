"""The answer to "is a permit needed?", said anew from what the document of a site keeps: result and clauses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from field_app.work.words import with_clause

if TYPE_CHECKING:
    from field_app.work.desk import Desk


def _listed(desk: Desk, clauses: Any) -> str:
    """The clauses with the words of the ordinance for what they are about."""
    _, pack = desk.words, desk.pack()
    about = {one.clause: one.text[desk.law_language] for one in (*pack.need.triggers, *pack.need.exceptions)}
    return ", ".join(with_clause(about[slug], pack.cite(slug), _) for slug in clauses if slug in about)


def required_words(desk: Desk, need: dict[str, Any]) -> str:
    """That a permit is required, and for what."""
    _ = desk.words
    listed = _listed(desk, need.get("clauses") or ())
    if not listed:
        return _("A permit is required.")
    return _("A permit is required because of {what}.").format(what=listed)


def need_words(desk: Desk, need: dict[str, Any] | None) -> str:
    """The answer with who gave it and when; "" when nobody asked."""
    if not need:
        return ""
    _ = desk.words
    listed = _listed(desk, need.get("clauses") or ())
    result = need.get("result")
    if result == "required":
        said = required_words(desk, need)
    elif result == "exempt":
        said = _("No permit is required: {what}.").format(what=listed) if listed else _("No permit is required.")
    elif result == "not_required":
        said = _("No permit is required.")
    elif listed:
        said = _("It cannot be said yet whether a permit is required: {what} must be known first.").format(what=listed)
    else:
        said = _("It cannot be said yet whether a permit is required.")
    asked = _("Answered on the site by {name}, {date}.").format(
        name=desk.name_of(need.get("by")), date=desk.date_words(need.get("on")))
    return f"{said} {asked}"

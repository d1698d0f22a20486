"""Whether the tablet can be handed in: what is begun and not signed, what is here alone, what a file would hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from field_app.store.sealed import ENDED, PRIVATE
from field_app.work import exporting
from field_app.work.views import HandInView, WayOutView
from field_app.work.words import counted, files_said, signed_items
from sync.client.states import Summary
from sync.documents.language import size_words

if TYPE_CHECKING:
    from field_app.work.desk import Desk


def begun(desk: Desk) -> int:
    """How much is begun and not signed on this tablet, by anybody: inspections, orders, reports."""
    orders = [doc for doc in desk.store.table("order_drafts").all() if doc["stage"] not in ENDED]
    reports = [doc for doc in desk.store.table("reports").all() if doc["stage"] == "open"]
    hidden = sum(len(desk.store.hidden(table)) for table in PRIVATE)
    return len(desk.store.table("drafts")) + len(orders) + len(reports) + hidden


def draft_lines(desk: Desk) -> tuple[str, ...]:
    """What is begun and not signed, without a word of what another person's drafts are about."""
    from field_app.work.progress import draft_rows

    _ = desk.words
    own = draft_rows(desk)
    others = begun(desk) - len(own)
    mine = [(_("{title}, begun {when}").format(title=d.title, when=d.begun), d.progress) for d in own]
    lines = [": ".join(part for part in parts if part) for parts in mine]
    if others > 0:
        lines.append(_("Begun by other persons on this tablet: {count}").format(count=others))
    return tuple(lines)


def hand_in(desk: Desk, found: Summary, drafts: tuple[str, ...]) -> HandInView:
    _ = desk.words
    reasons = []
    if found.only_here:
        what = signed_items(found.only_here, _)
        reasons.append(_("Only on this tablet, in whole or in part: {what}.").format(what=what))
    if drafts:
        reasons.append(_("Not signed, so never sent: {count}.").format(count=len(drafts)))
    return HandInView(not reasons, tuple(reasons))


def way_out(desk: Desk) -> WayOutView:
    _ = desk.words
    needed, everything = exporting.size_of(desk, False), exporting.size_of(desk, True)
    last = desk.store.table("meta").get(exporting.EXPORTED)
    said = ""
    if last:
        said = _("Saved to {name} on {moment}.").format(name=last["name"], moment=desk.moment_words(last["at"]))
        if last.get("unread"):
            said += " " + counted(last["unread"], "1 file could not be read and is not in it.",
                                  "{count} files could not be read and are not in it.", _)
    making = ""
    if desk.exporting is not None:
        making = _("Making the file: {done} of {total}").format(done=desk.exporting[0], total=desk.exporting[1])
    both = needed != everything and bool(everything[0])
    return WayOutView(_holds(desk, needed), _holds(desk, everything) if both else "", making, said)


def _holds(desk: Desk, what: tuple[int, int, int]) -> str:
    _ = desk.words
    facts, files, size = what
    if not facts:
        return ""
    items = signed_items(facts, _)
    if files:
        items = _("{items} with {files}").format(items=items, files=files_said(files, _))
    return f"{items}, {size_words(size)}"

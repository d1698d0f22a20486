"""What the person must know about the tablet itself: its clock, its order numbers, that it was copied or withdrawn.

A warning never stops work. A withdrawal does: from the moment the tablet learns of it nothing more is recorded here,
and what was signed before is handed over to the last item. Nothing is erased.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from field_app.work import clocks, installing, room
from field_app.work.copying import RECODED, UNWRITTEN
from field_app.work.handing_in import begun
from field_app.work.views.tablet import WarningView, WithdrawnView
from field_app.work.words import files_said, signed_items
from sync.client.states import summary
from sync.documents.language import counted

if TYPE_CHECKING:
    from field_app.work.desk import Desk

FEW_NUMBERS = 10


def warnings(desk: Desk) -> tuple[WarningView, ...]:
    """What stands below the status bar, the most serious first."""
    if desk.store.table("secrets").get("tablet") is None:
        return ()
    found = [view for view in (_clock(desk), _copied(desk), _recoded(desk), _numbers(desk)) if view]
    found += room.warnings(desk) + installing.warnings(desk)
    return tuple(sorted(found, key=lambda view: view.level != "bad"))


def _clock(desk: Desk) -> WarningView | None:
    said = clocks.warning(desk)
    return WarningView("clock", *said) if said else None


def _numbers(desk: Desk) -> WarningView | None:
    from field_app.work.order_view import free_numbers

    view, _ = desk.outbox.view(), desk.words
    if view.copied or view.withdrawn:
        return None
    left = len(free_numbers(desk))
    if left > FEW_NUMBERS:
        return None
    advice = _("Connect to the office once: it sends new numbers by itself.")
    if left == 0:
        return WarningView("numbers", "bad", _("No order numbers are left on this tablet."), advice)
    said = counted(left, "One order number is left on this tablet.",
                   "{count} order numbers are left on this tablet.", _)
    return WarningView("numbers", "warn", said, advice)


def _copied(desk: Desk) -> WarningView | None:
    _, view = desk.words, desk.outbox.view()
    if not view.copied:
        return None
    said = _("Another tablet works as {code} too: this one is a copy, or was set back to an earlier day.")
    advice = _("It gets a code of its own at the next contact with the office. Until then it gives no order numbers.")
    return WarningView("copied", "bad", said.format(code=view.code), advice)


def _recoded(desk: Desk) -> WarningView | None:
    _, doc = desk.words, desk.store.table("meta").get(RECODED)
    if not doc or doc["now"] != desk.tablet()["tablet_code"]:
        return None
    orders = [desk.store.table("order_drafts").get(order) for order in doc["orders"]]
    orders = [order for order in orders if order and order["stage"] in UNWRITTEN]
    if not orders and doc["boot"] != desk.hardware.clock.boot:
        return None
    said = _("This tablet is now {code}. As {was} it was a copy of another one, or had been set back.")
    advice = _("Nothing is lost, and there is nothing to do.")
    if orders:
        advice = _("An order begun before gets another number. Destroy a placard printed before, and print it again.")
    return WarningView("recoded", "warn", said.format(code=doc["now"], was=doc["was"]), advice)


def withdrawn(desk: Desk) -> WithdrawnView | None:
    """The screen of a withdrawn tablet; None while it is in use."""
    view, _ = desk.outbox.view(), desk.words
    if not view.withdrawn:
        return None
    only_here = [row for row in view.facts if not row.known]
    files = [row for row in view.files if not row.held]
    drafts = begun(desk)
    lines = []
    if only_here or files:
        what = signed_items(len(only_here), _)
        if files:
            what = _("{items} with {files}").format(items=what, files=files_said(len(files), _))
        lines.append(_("Still to be handed over: {what}. Leave the tablet on, with a network.").format(what=what))
    elif summary(view).total:
        lines.append(_("Everything signed on it has been handed over to the office."))
    else:
        lines.append(_("Nothing signed is kept on it."))
    if drafts:
        lines.append(_("Begun and not signed: {n}. It stays on this tablet and is not sent.").format(n=drafts))
    return WithdrawnView(
        sentence=_("The office has withdrawn tablet {code}.").format(code=view.code),
        advice=_("Nothing more can be recorded on it. Bring it to the office."),
        lines=tuple(lines),
        over=not only_here and not files,
    )

"""The further steps with an order, as small forms on its page: release, void, appeal, what was seen, revocation.

Which steps there are follows from the standing of the order; whether the permit may be revoked is said by the law, with
what is still missing. Casework checks everything again when the form comes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sync.ordinance.acts import decide
from sync.server.casework import deciding, permitting
from sync.server.casework.matters import matter_of, photos_missing
from sync.server.casework.orders import STANDING
from sync.server.casework.people import CERTIFY_PERIL, CONFIRM, INSPECT, RELEASE, REVOKE, VOID
from sync.server.console import words
from sync.server.console.seat import Seat, natural

Take = Callable[[Seat, str, str], None]


def _index(seat: Seat) -> int:
    index = natural(seat.form.get("index", ""), 3)
    return -1 if index is None else index


def _outcome(what: str) -> Take:
    return lambda seat, order, why: deciding.record_outcome(
        seat.city, seat.who, order, what, why, on=seat.chosen_day("on"))


TAKE: dict[str, Take] = {
    "release": lambda seat, order, why: deciding.release_order(
        seat.city, seat.who, order, why, part=seat.form.get("part", "").strip() or None, on=seat.chosen_day("on")),
    "void": lambda seat, order, why: deciding.void_order(seat.city, seat.who, order, why),
    "ceased": _outcome("ceased"),
    "complied": _outcome("complied"),
    "worked-on": _outcome("worked_on"),
    "served": _outcome("landowner_served"),
    "met": lambda seat, order, why: deciding.correct_service(
        seat.city, seat.who, order, _index(seat), seat.form.get("party", ""), why),
    "no-photos": lambda seat, order, why: deciding.give_up_photos(seat.city, seat.who, order, why),
    "repost": lambda seat, order, why: deciding.record_repost(
        seat.city, seat.who, order, seat.form.get("place", "").strip(), why, on=seat.chosen_day("on")),
    "appeal": lambda seat, order, why: deciding.file_appeal(seat.city, seat.who, order, why, on=seat.chosen_day("on")),
    "upheld": lambda seat, order, why: deciding.decide_appeal(seat.city, seat.who, order, "upheld", why),
    "modified": lambda seat, order, why: deciding.decide_appeal(seat.city, seat.who, order, "modified", why),
    "reversed": lambda seat, order, why: deciding.decide_appeal(seat.city, seat.who, order, "reversed", why),
    "peril": lambda seat, order, why: deciding.certify_peril(seat.city, seat.who, order, why),
    "revoke": lambda seat, order, why: permitting.revoke_permit(seat.city, seat.who, order, why),
}


def take(seat: Seat, order: str, act: str, reasons: str) -> bool:
    """Takes the step ``act``; False when there is no such one. Raises what casework raises."""
    step = TAKE.get(act)
    if step is not None:
        step(seat, order, reasons)
    return step is not None


def steps(row: dict[str, Any], seat: Seat) -> list[dict[str, Any]]:
    """The steps that the standing of the order leaves, each with who may take it."""
    _, status = seat._, row["status"]
    if status == "released" and row["doc"]["recommended_by"] is None and row["doc"]["confirmed"] is None:
        return [_step("decline", _("Decline it all the same"), CONFIRM, seat, stop=True,
                      says=_("It is then void by record from the beginning, not only released."))]
    if status not in STANDING:
        return []
    up = status in ("in_force", "stayed")
    found = [_step("release", _("Release the order"), RELEASE, seat, on=True,
                   field=("part", _("Only this part (empty: the whole order)")),
                   says=_("Only a signed release ends an order. The placard may then come down."))]
    if up:
        seen = _("As an inspector saw it. The order stays in force until it is released.")
        found += [
            _step("ceased", _("The activity ceased"), INSPECT, seat, on=True, says=seen),
            _step("complied", _("The plan is complied with"), INSPECT, seat, on=True, says=seen),
            _step("repost", _("The placard was put up again"), INSPECT, seat, field=("place", _("Where it is up")),
                  on=True, says=_("The same placard, after it was lost or torn down. No date moves.")),
            _step("worked-on", _("Work went on"), INSPECT, seat, on=True,
                  says=_("Once for each day on which it was seen. It is a breach of its own and moves no date.")),
            _step("served", _("The landowner was served"), INSPECT, seat, on=True, says=_("Say how in the reasons.")),
        ]
    if up and (missing := photos_missing(seat.city, row["id"])):
        found.append(_step("no-photos", _("The missing photos will not come"), CONFIRM, seat, says=_(
            "Missing: {count}. Only when the tablet that held them is lost or broken. The steps that wait for them may "
            "then follow without them; one that comes all the same is kept.").format(count=len(missing))))
    if status == "stayed":
        found += [
            _step("upheld", _("Appeal: the order is upheld"), CONFIRM, seat),
            _step("modified", _("Appeal: the order is modified"), CONFIRM, seat),
            _step("reversed", _("Appeal: the order is reversed"), CONFIRM, seat, stop=True),
            _step("peril", _("Certify imminent peril"), CERTIFY_PERIL, seat,
                  says=_("The further steps may then follow as if there were no appeal.")),
        ]
    else:
        found.append(_step("appeal", _("An appeal was filed"), CONFIRM, seat, on=True,
                           says=_("The work must still stop; no further step follows until the appeal is decided.")))
    if row["doc"]["permit_in_force"] and up:
        decision = decide(matter_of(seat.city, row["id"]), "revoke_permit", row["id"])
        found.append(_step("revoke", _("Revoke the permit"), REVOKE, seat, stop=True,
                           closed=" ".join(decision.sentences(seat.language))))
    found.append(_step("void", _("Void the order"), VOID, seat, stop=True,
                       says=_("A replacing order has a number and time limits of its own.")))
    return found


def _step(act: str, label: str, power: str, seat: Seat, *, says: str = "", field: tuple[str, str] | None = None,
          on: bool = False, stop: bool = False, closed: str = "") -> dict[str, Any]:
    """``field``: one more line to fill in (its name in the form, its label)."""
    return {"act": act, "label": label, "says": says, "field": field, "on": on, "stop": stop, "closed": closed,
            "allowed": seat.may(power), "power": words.power_words(power, seat)}

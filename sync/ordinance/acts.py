"""Which adverse acts are open on a day, what each still lacks, and why. Nothing is done here: a person decides.

    decision = decide(matter, "revoke_permit", order="A")
    decision.open, decision.missing           True, or the names of the preconditions that do not hold
    decision.derived()                        the clock with its dates (made on demand), or None
    decision.sentences(language)              what is missing, in words
    check_record(decision, has_power=..., basis=...)   asked again when a person records the act

The preconditions of each act are one table in the pack (``acts.toml``, guided by clause E); what a precondition
means is one function here. A fact that was never recorded counts as not having happened.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date

from .dates import Derived, bill_due, derive, permit_limb, statement
from .events import FIRST
from .matter import Matter, OrderState, after, clock_start, notice_start
from .schema import Section
from .words import say_day

ACTS = ("revoke_permit", "request_cease_and_desist", "issue_notice_of_intent", "enter_land", "enter_land_emergency",
        "bill_costs", "certify_to_tax_roll")
BASES = ("consent", "warrant", "emergency")
"""On what an entry may rest; the emergency entry rests on its record."""


@dataclass(frozen=True, slots=True)
class Act:
    """One act's table: the clause it rests on, the power it takes, its clock, and what must hold."""

    id: str
    clause: str
    power: str
    clock: str
    basis: bool
    needs: tuple[str, ...]
    labels: dict[str, str]
    tests: tuple[tuple[str, Callable[[Matter, OrderState], bool]], ...] = field(repr=False, compare=False)

    def label(self, language: str = "en") -> str:
        return self.labels[language]


class ActRefused(ValueError):
    """An act that is not open, or whose person or basis is not in order; ``missing`` names what is lacking."""

    def __init__(self, act: str, missing: tuple[str, ...], why: str):
        self.act, self.missing = act, missing
        super().__init__(why)


class Decision:
    """Whether one act is open at the end of the matter's day. ``missing`` is empty when it is.

    A plain class, because the office decides seven acts of every open matter for one page; it is not changed after.
    """

    __slots__ = ("act", "matter", "missing", "open", "order")

    def __init__(self, act: str, missing: tuple[str, ...], matter: Matter, order: OrderState):
        self.act, self.missing, self.open, self.matter, self.order = act, missing, not missing, matter, order

    def __repr__(self) -> str:
        return f"Decision({self.act!r}, missing={self.missing!r})"

    @property
    def rule(self) -> Act:
        return self.matter.pack.acts[self.act]

    def derived(self) -> Derived | None:
        """The clock of this act as it runs now; None while nothing started it, or when it has none."""
        return clock_of(self.matter, self.order, self.act)

    def sentences(self, language: str = "en") -> tuple[str, ...]:
        """One sentence per precondition that does not hold."""
        return tuple(_sentence(self, name, language) for name in self.missing)

    def explain(self, language: str = "en") -> str:
        """Label, state, what is missing and the derivation, in one line."""
        said = _SAID[language]
        parts = [f"{self.rule.label(language)}: {said['open'] if self.open else said['closed']}."]
        parts.extend(self.sentences(language))
        derived = self.derived()
        if derived is not None:
            parts.append(f"- {statement(derived, language)}")
        else:
            parts.append(f"({self.matter.pack.cite(self.rule.clause)}; {self.matter.pack.ref})")
        return " ".join(parts)


def decide(matter: Matter, act: str, order: str = FIRST) -> Decision:
    """Whether ``act`` is open under ``order``. KeyError for an act that the pack has not."""
    return _decide(matter.pack.acts[act], matter, matter.order(order))


def decide_all(matter: Matter, order: str = FIRST) -> dict[str, Decision]:
    """The decision of every act of the pack under one order."""
    state = matter.order(order)
    return {name: _decide(act, matter, state) for name, act in matter.pack.acts.items()}


def _decide(act: Act, matter: Matter, order: OrderState) -> Decision:
    missing = [name for name, holds in act.tests if not holds(matter, order)]
    if len(missing) > 1 and "clock" in missing and started(matter, order, act.id) is None:
        # What would start the clock is missing, and has its own sentence.
        missing.remove("clock")
    return Decision(act.id, tuple(missing), matter, order)


def check_record(decision: Decision, *, has_power: bool, basis: str | None = None) -> None:
    """Asked when a person records the act: the act is open, the power is held that day, the entry has its basis.

    ActRefused says what is missing. ``basis`` is one of BASES; an emergency entry rests on "emergency", an
    ordinary one on consent or a warrant.
    """
    missing = list(decision.missing)
    if not has_power:
        missing.append("power")
    if decision.rule.basis:
        allowed = ("emergency",) if decision.act == "enter_land_emergency" else ("consent", "warrant")
        if basis not in allowed:
            missing.append("basis of entry")
    if missing:
        sentences = [_sentence(decision, name, "en") for name in missing]
        raise ActRefused(decision.act, tuple(missing), " ".join(sentences))


def started(matter: Matter, order: OrderState, act: str) -> tuple[date, str] | None:
    """Day 0 of the act's clock before any stay, and what it is the day of."""
    pack, clock = matter.pack, matter.pack.acts[act].clock
    posted = order.posted_on
    if clock == "K7":
        return notice_start(pack, order)
    if posted is None:
        return None
    issued = order.issued_on if order.issued_on is not None else posted
    by_issue = "issued" if order.issued_on is not None else "posted"
    if pack.readings.clock_start == "later":
        if issued > posted:
            posted = issued
        issued = posted
    if clock == "K4":
        return issued, by_issue
    if clock == "K5":
        lapse = _lapsed(matter, order)
        if lapse is not None and lapse > posted:
            return lapse, "permit_lapsed"
    return posted, "posted"


def clock_of(matter: Matter, order: OrderState, act: str) -> Derived | None:
    """The running clock of ``act`` with its dates, or None."""
    pack, rule = matter.pack, matter.pack.acts[act]
    if rule.clock == "K8":
        found = [one.found_on for one in matter.emergencies if one.complete and not one.entered]
        return derive(pack, rule.clock, min(found)) if found else None
    if rule.clock == "K10":
        bills = [bill for bill, _ in order.ledger.unpaid() if bill.certified_on is None]
        return bill_due(pack, bills[0].on, min(bill.due for bill in bills)) if bills else None
    if rule.clock not in ("K4", "K5", "K6", "K7"):
        return None
    begun = started(matter, order, act)
    if begun is None:
        return None
    start, further = clock_start(pack, order, rule.clock, begun[0])
    by = begun[1] if start == begun[0] else "stay_ended"
    return derive(pack, rule.clock, start, by, permit_pending=matter.permit_pending, further=further)


def _lapsed(matter: Matter, order: OrderState) -> date | None:
    """The day after the last valid day of a permit that was in force when the order was posted and is no longer."""
    last: date | None = None
    posted = order.posted_on
    for permit in matter.permits:
        if permit.revoked_on is None and posted is not None and posted <= permit.last_valid_day < matter.at:
            if not after(permit, order) and (last is None or permit.last_valid_day > last):
                last = permit.last_valid_day
    return None if last is None else date.fromordinal(last.toordinal() + 1)


def _clock_reached(act: str) -> Callable[[Matter, OrderState], bool]:
    def reached(matter: Matter, order: OrderState) -> bool:
        begun = started(matter, order, act)
        if begun is None:
            return False
        pack = matter.pack
        rule = pack.clocks[pack.acts[act].clock]
        start, further = begun[0], 0
        if order.stays:
            start, further = clock_start(pack, order, rule.id, start)
        at = matter.at
        if at < start or (rule.unit == "days" and (at - start).days < rule.length + further):
            # A last day only ever moves later: no table is needed to see that it has not come.
            return False
        raw, last = rule.ends(start, pack.calendar, further)
        opens = rule.opens_on(raw, last)
        if opens is None or at < opens:
            return False
        if rule.id == "K5" and matter.permit_pending and rule.opens == "day after":
            opens = rule.opens_on(raw, permit_limb(pack, last))
            return opens is not None and at >= opens
        return True

    return reached


def _permit_older(matter: Matter, order: OrderState) -> bool:
    """Vacuous while no permit is in force: that is another precondition's sentence."""
    found = [permit for permit in matter.permits if permit.in_force(matter.at)]
    return not found or any(not after(permit, order) for permit in found)


def _no_permit_granted(matter: Matter, order: OrderState) -> bool:
    return not any(after(permit, order) for permit in matter.permits)


def _no_revocation_since(matter: Matter, order: OrderState) -> bool:
    first = order.first_on
    return first is None or not any(p.revoked_on is not None and p.revoked_on > first for p in matter.permits)


def _not_ceased_and_not_complied(matter: Matter, order: OrderState) -> bool:
    """Narrow: neither is recorded. Broad: one of the two is missing."""
    if matter.pack.readings.revocation == "broad":
        return order.ceased_on is None or order.complied_on is None
    return order.ceased_on is None and order.complied_on is None


def _service_confirmed(matter: Matter, order: OrderState) -> bool:
    return order.service_confirmed_on is not None or not order.late(matter.pack)


PRECONDITIONS: dict[str, Callable[[Matter, OrderState], bool]] = {
    "order stands": lambda matter, order: order.stands,
    "permit in force": lambda matter, order: matter.permit_in_force(matter.at) is not None,
    "permit older than the order": _permit_older,
    "no permit in force": lambda matter, order: matter.permit_in_force(matter.at) is None,
    "no permit granted since": _no_permit_granted,
    "no revocation since": _no_revocation_since,
    "not ceased and not complied": _not_ceased_and_not_complied,
    "not ceased": lambda matter, order: order.ceased_on is None,
    "not complied": lambda matter, order: order.complied_on is None,
    "landowner served": lambda matter, order: order.served("landowner") is not None,
    "no stay": lambda matter, order: order.stay_from is None,
    "photos complete": lambda matter, order: not order.photos_missing,
    "service confirmed if late": _service_confirmed,
    "no notice standing": lambda matter, order: order.notice_on is None,
    "notice standing": lambda matter, order: order.notice_on is not None,
    "not entered yet": lambda matter, order: order.entered_on is None,
    "not requested yet": lambda matter, order: order.requested_on is None,
    "emergency recorded": lambda matter, order: any(e.complete and not e.entered for e in matter.emergencies),
    "unbilled work": lambda matter, order: order.ledger.unbilled > 0,
    "delinquent bill": lambda matter, order: bool(
        order.ledger.bills and order.ledger.delinquent(matter.pack.calendar, matter.at)),
}

_SAID = {
    "en": {
        "open": "open", "closed": "not open",
        "order none": "No stop-work order was posted.", "order issued": "The order is issued but not posted yet.",
        "order quarantined": "The order is set aside: it was posted without authority and nobody ratified it.",
        "order released": "The order is released.", "order voided": "The order is voided.",
        "permit in force": "No permit is in force.",
        "permit older than the order": "The permit was issued after this order; only a new order can lead to its loss.",
        "no permit in force": "A permit is in force.",
        "no permit granted since": "A permit was granted after the order.",
        "no revocation since": "The permit was revoked under this order; a new order is needed.",
        "clock": "The waiting time has not run out.", "clock not started": "Its clock has not started.",
        "clock until": "Open from {day} at the earliest.",
        "not ceased and not complied": "The activity ceased or the plan was complied with.",
        "not ceased": "The activity ceased.", "not complied": "The plan was complied with.",
        "landowner served": "The landowner was not served.",
        "new owner": "The land was sold {day}, and the new landowner was not served.",
        "no stay": "A stay is running.",
        "photos complete": "Photos of the order are still missing.",
        "service confirmed if late": "The order was registered late; the building inspector must confirm service.",
        "no notice standing": "A notice of intent is already standing.",
        "notice standing": "No notice of intent is standing.", "not entered yet": "The land was already entered.",
        "not requested yet": "The request was already made.",
        "emergency recorded": "No emergency is on record that names its approver and threatens adjacent property or "
                              "surface water.",
        "unbilled work": "There is no work that was not billed.",
        "delinquent bill": "No bill is unpaid past its due date.",
        "power": "The person does not hold the power for this on that day.",
        "basis of entry": "The basis of entry is missing: consent, a warrant, or for an emergency its record.",
    },
    "es": {
        "open": "posible", "closed": "no es posible",
        "order none": "No se fijó ninguna orden de detener el trabajo.",
        "order issued": "La orden está emitida y aún no fijada.",
        "order quarantined": "La orden está apartada: se fijó sin autoridad y nadie la ratificó.",
        "order released": "La orden está levantada.", "order voided": "La orden está anulada.",
        "permit in force": "No hay permiso vigente.",
        "permit older than the order": "El permiso se emitió después de esta orden; hace falta una orden nueva.",
        "no permit in force": "Hay un permiso vigente.",
        "no permit granted since": "Se concedió un permiso después de la orden.",
        "no revocation since": "El permiso se revocó bajo esta orden; hace falta una orden nueva.",
        "clock": "El plazo no ha terminado.", "clock not started": "Su plazo no ha empezado.",
        "clock until": "Posible no antes del {day}.",
        "not ceased and not complied": "La actividad cesó o se cumplió el plan.",
        "not ceased": "La actividad cesó.", "not complied": "Se cumplió el plan.",
        "landowner served": "No se notificó al propietario.",
        "new owner": "El terreno se vendió el {day} y no se notificó al nuevo propietario.",
        "no stay": "Hay una suspensión en curso.",
        "photos complete": "Aún faltan fotos de la orden.",
        "service confirmed if late": "La orden se registró tarde; el inspector de obras debe confirmar "
                                     "la notificación.",
        "no notice standing": "Ya hay un aviso de intención vigente.",
        "notice standing": "No hay aviso de intención vigente.", "not entered yet": "Ya se entró al terreno.",
        "not requested yet": "La solicitud ya se hizo.",
        "emergency recorded": "No consta una emergencia con quién la aprobó y que amenace propiedad vecina o aguas "
                              "superficiales.",
        "unbilled work": "No hay trabajo sin cobrar.",
        "delinquent bill": "Ninguna cuenta está impaga después de su vencimiento.",
        "power": "La persona no tiene esa facultad en ese día.",
        "basis of entry": "Falta la base de la entrada: consentimiento, orden judicial o el registro de la emergencia.",
    },
}


def _sentence(decision: Decision, name: str, language: str) -> str:
    said = _SAID[language]
    if name == "order stands":
        return said.get(f"order {decision.order.status()}", said["order none"])
    sold = decision.order.sold_on
    if name == "landowner served" and sold is not None:
        return said["new owner"].format(day=say_day(sold, language, decision.matter.at))
    if name == "clock" or (name == "delinquent bill" and decision.derived() is not None):
        derived = decision.derived()
        if derived is None:
            return said["clock not started"]
        if derived.eligible_from is not None:
            return said["clock until"].format(day=say_day(derived.eligible_from, language, derived.start))
    return said[name]


def read_acts(section: Section, clauses: dict, clocks: dict, powers: tuple[str, ...],
              languages: tuple[str, ...]) -> dict[str, Act]:
    """``[act.NAME]`` tables of ``acts.toml``. PackError for an unknown act, clause, clock, power or precondition."""
    found: dict[str, Act] = {}
    for name, inner in section.tables("act"):
        if name not in ACTS:
            raise inner.fail("", "is no act that is known here")
        clause, clock, power = inner.text("clause"), inner.text("clock", ""), inner.text("power")
        if clause not in clauses:
            raise inner.fail("clause", f"{clause!r} is not a clause of this pack")
        if clock and clock not in clocks:
            raise inner.fail("clock", f"{clock!r} is not a clock of this pack")
        if power not in powers:
            raise inner.fail("power", f"{power!r} is not a power of this pack")
        tests = []
        needs = inner.texts("needs")
        if not needs:
            raise inner.fail("needs", "must not be empty: the act would be open on every day")
        for need in needs:
            if need == "clock" and clock and clocks[clock].opens == "none":
                raise inner.fail("needs", f"clock: {clock} opens nothing; set its opens in clocks.toml")
            if need == "clock" and clock:
                tests.append((need, _clock_reached(name)))
            elif need in PRECONDITIONS:
                tests.append((need, PRECONDITIONS[need]))
            else:
                raise inner.fail("needs", f"{need!r} is no precondition; there are: clock, {', '.join(PRECONDITIONS)}")
        found[name] = Act(name, clause, power, clock, inner.flag("basis", False), tuple(need for need, _ in tests),
                          inner.said("label", languages), tuple(tests))
        inner.done()
    for name in ACTS:
        if name not in found:
            raise section.fail(f"act.{name}", "is missing")
    return {name: found[name] for name in ACTS}


"""Stop-work orders: written, printed, posted, affixed, released, re-posted, voided.

One part of `Work`; what holds for all of them stands in `field_app/work/app.py`.
"""

from __future__ import annotations

from field_app.work import affixing, blanks, ending, ordering, placards, putting_up, second_orders
from field_app.work.desk import Desk
from field_app.work.handing_out import HandedOut
from field_app.work.views import BlankView, OrderActView, OrderDraftView, OrderRow, PlacardView, SecondOrderView


class OrdersFace:
    """Stop-work orders: written, printed, posted, affixed, released, re-posted, voided."""

    _desk: Desk

    async def begin_order(
        self, site: str, fact: str | None = None, *, how: str = "", reason: str = ""
    ) -> OrderDraftView:
        """Write a stop-work order. Binds the next leased number to it in the same change. `fact`: the inspection whose
        findings are chosen first. An unfinished order of this person on the site is gone on with. Where one stands
        already, `how` is a choice of `second_order` and `reason` says why. Problem "lease-empty", "order-stands",
        "reasons-missing"."""
        return await ordering.begin(self._desk, site, fact, how, reason)

    def must_ask_first(self, site: str) -> bool:
        """Whether an order stands on the site or is recommended, so that a second one begins with `second_order`."""
        return ordering.must_ask_first(self._desk, site)

    def second_order(self, site: str) -> SecondOrderView:
        """What is said before a second order on a site."""
        return second_orders.view(self._desk, site)

    def order(self, order: str) -> OrderDraftView:
        """The order being written. Problem "draft-unknown"."""
        return ordering.view(self._desk, order)

    async def go_to_step(self, order: str, step: str) -> None:
        """Remember at which step its writer is, so that a killed app opens there."""
        await ordering.go_to(self._desk, order, step)

    async def set_grounds(self, order: str, letters: list[str]) -> OrderDraftView:
        """The letters of the grounds, all of them. Problem "clause-not-confirmed", "choice-unknown"."""
        return await ordering.set_grounds(self._desk, order, letters)

    async def set_order_finding(self, order: str, fact: str, finding: str, chosen: bool) -> OrderDraftView:
        """Choosing a finding also adds its correction; leaving it out takes that correction away."""
        return await ordering.set_finding(self._desk, order, fact, finding, chosen)

    async def set_order_text(self, order: str, field: str, text: str, language: str = "") -> OrderDraftView:
        """`field` observed | must_stop | may_continue | outside. `language`: the same in another language of the paper.
        """
        return await ordering.set_text(self._desk, order, field, text, language)

    async def set_order_ready(self, order: str, field: str, key: str, wanted: bool) -> OrderDraftView:
        """Put a ready-made sentence (`OrderDraftView.ready`) into the text of `field`, or take it out."""
        return await ordering.set_ready(self._desk, order, field, key, wanted)

    async def set_order_correction_in(self, order: str, index: int, language: str, text: str) -> OrderDraftView:
        """A correction in another language of the paper."""
        return await ordering.set_correction_in(self._desk, order, index, language, text)

    async def set_order_correction(
        self, order: str, index: int, text: str, due_on: str = "", due_at: str = ""
    ) -> OrderDraftView:
        """`index` = len(corrections) adds one; empty text removes it."""
        return await ordering.set_correction(self._desk, order, index, text, due_on, due_at)

    async def set_met(self, order: str, index: int, name: str, role: str, served: bool) -> OrderDraftView:
        """A person met on the site; `index` = len(met) adds one; empty name removes. Clears "nobody
        present"."""
        return await ordering.set_met(self._desk, order, index, name, role, served)

    async def set_order_parcel(self, order: str, parcel: str, wanted: bool) -> OrderDraftView:
        """Takes one of the view's `parcels` in or out; the last one stays."""
        return await ordering.set_parcel(self._desk, order, parcel, wanted)

    async def set_met_party(self, order: str, index: int, party: str) -> OrderDraftView:
        """What that person is to the site: one of the view's `parties`."""
        return await ordering.set_met_party(self._desk, order, index, party)

    async def set_nobody_present(self, order: str, nobody: bool) -> OrderDraftView:
        """Nobody was met on the site; takes away whoever was written down."""
        return await ordering.set_nobody_present(self._desk, order, nobody)

    async def abandon_order(self, order: str, reason: str) -> None:
        """Give an unposted order up. Its number stays used for ever."""
        await ordering.abandon(self._desk, order, reason)

    async def make_placard(self, order: str) -> PlacardView:
        """Print the placard for today under the bound number and keep the PDF as evidence. For a
        recommendation it says NOT VALID. Problem "order-incomplete"."""
        return await placards.make(self._desk, order)

    def placard(self, order: str) -> PlacardView:
        """Of an order draft, a posted order or an affixing (its id)."""
        return placards.view(self._desk, order)

    async def placard_pdf(self, order: str) -> bytes:
        """The PDF as it was printed last. Problem "placard-missing"."""
        return await placards.pdf(self._desk, order)

    async def save_placard(self, order: str) -> HandedOut:
        """Hand the PDF over (shared or saved, as the device can)."""
        return await placards.save(self._desk, order)

    def blanks(self) -> BlankView:
        """The pre-printed placards of this tablet."""
        return blanks.stack(self._desk)

    async def scan_blank(self, order: str, picture: bytes) -> PlacardView:
        """Read the code in the picture (JPEG, PNG or WebP) and put the order on that pre-printed placard. Problem
        "code-not-seen", "code-foreign", "code-other-city", "blank-used", "blank-void", "blank-other-tablet",
        "blank-unknown", "order-incomplete"."""
        return await blanks.scan(self._desk, order, picture)

    async def bind_blank(self, order: str, number: str) -> PlacardView:
        """The same by its typed number. Problem "number-malformed" for a wrong check character."""
        return await blanks.bind(self._desk, order, number)

    async def keep_blank(self, order: str) -> PlacardView:
        """The order was edited after it was put on a pre-printed placard: go on with the same one."""
        return await blanks.go_on(self._desk, order)

    async def take_office_paper(self, order: str) -> PlacardView:
        """What goes up is the placard that the office printed for this order, to be dated by hand. Back to one of this
        tablet with `make_placard`."""
        return await affixing.take_office_paper(self._desk, order)

    async def blank_is_dated(self, order: str) -> PlacardView:
        """Today's date is written on it. Needed before the tap "the placard is up"."""
        return await blanks.dated(self._desk, order)

    async def leave_blank(self, order: str, reasons: str = "") -> None:
        """Take the order off its pre-printed placard; with reasons it is recorded as void."""
        await blanks.leave(self._desk, order, reasons)

    async def spoil_blank(self, number: str, reasons: str) -> BlankView:
        """A pre-printed placard was spoiled or lost: its number is explained and goes on no order."""
        return await blanks.record_spoiled(self._desk, number, reasons)

    async def placard_is_up(self, order: str) -> PlacardView:
        """The tap: this moment is posted_at, durable at once. Problem "reprint-needed" when printed for
        another day, "no-authority" when the person may not post. Works for an order draft and for an affixing."""
        return await putting_up.is_up(self._desk, order)

    async def placard_not_up(self, order: str) -> PlacardView:
        """Take the tap back, before it is signed."""
        return await putting_up.not_up(self._desk, order)

    async def post_order(self, order: str, pin: str) -> PlacardView:
        """Sign the posting after the tap: fact, placard and counter in one change."""
        return await placards.post(self._desk, order, pin)

    async def recommend_order(self, order: str, pin: str) -> PlacardView:
        """Sign a recommendation to the office, where the order may be issued under the same number."""
        return await placards.recommend(self._desk, order, pin)

    async def begin_affixing(self, number: str) -> PlacardView:
        """Put up an order issued in the office; prints its placard for today."""
        return await affixing.begin(self._desk, number)

    async def set_affix_place(self, affixing_id: str, place: str) -> PlacardView:
        """Where on the site it is up ("main gate")."""
        return await affixing.set_place(self._desk, affixing_id, place)

    async def affix_order(self, affixing_id: str, pin: str) -> PlacardView:
        """Sign the affixing after the tap "the placard is up"."""
        return await affixing.sign(self._desk, affixing_id, pin)

    def order_act(self, fact: str, act: str, *, other: str = "", part: str = "") -> OrderActView:
        """The form to put the placard up again ("repost"), to release or to void an order that stands; `other`, `part`:
        what was chosen or typed so far, which the statement says."""
        return ending.view(self._desk, fact, act, other, part)

    async def release_order(self, fact: str, reasons: str, pin: str, *, part: str = "") -> OrderRow:
        """Release an order (the id of its fact), or only the `part` named. Problem "no-authority", "order-not-open"."""
        return await ending.release(self._desk, fact, reasons, pin, part)

    async def repost_placard(self, fact: str, place: str, why: str, pin: str) -> OrderRow:
        """The same placard is up again: no clock moves."""
        return await ending.repost(self._desk, fact, place, why, pin)

    async def void_order(self, fact: str, reasons: str, pin: str, *, replaced_by: str | None = None) -> OrderRow:
        """Void an order, for a replacing one where its id is given."""
        return await ending.void(self._desk, fact, reasons, pin, replaced_by)

"""Pre-printed placards: a paper of this tablet's own stack is bound to one order, by its code or its typed number.

A paper goes on one order and never on a second: its number is looked for in everything that this tablet knows, inside
the change that binds it. The order gives its former number back when nothing was ever printed under it; else a record
explains the gap. The paper bears the date that the inspector wrote: on another day than that it must not go up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

from field_app.work import order_index, orders_known, placards
from field_app.work.code_reading import text_in
from field_app.work.order_view import free_numbers, missing, order_doc
from field_app.work.ordering import open_order
from field_app.work.sealing import seal, signer
from field_app.work.views import BlankView, PlacardView
from sync.records.numbers import OrderNumber, parse_number
from sync.records.problems import Problem
from sync.records.protocol import PUBLIC_ORDER

if TYPE_CHECKING:
    from field_app.work.desk import Desk

LONGEST_REASON = 500


# --- what this tablet knows of its papers ---
def papers(desk: Desk) -> dict[str, dict[str, Any]]:
    """This tablet's pre-printed placards by number, as the office last told it of them."""
    code, found = desk.tablet()["tablet_code"], {}
    for doc in desk.store.table("blanks").all():
        # Of a paper with a code that the tablet had before, what is said to the present code is the newer.
        if doc["number"] not in found or doc["id"].endswith(f"@{code}"):
            found[doc["number"]] = doc
    return found


def codes(desk: Desk) -> set[str]:
    """The code of this tablet and those that it had before."""
    tablet = desk.tablet()
    return {tablet["tablet_code"], *(link["was"] for link in tablet.get("line", ()))}


def line_for(desk: Desk, number: str) -> list[dict[str, str]]:
    """What shows that this tablet once had the code in ``number``; nothing for a number of its present code."""
    tablet = desk.tablet()
    return [] if f"-{tablet['tablet_code']}-" in number else list(tablet.get("line", ()))


def voided_here(desk: Desk, number: str) -> str:
    """Why this tablet recorded the number as used up; "" when it did not."""
    index = order_index.of(desk)
    return index.kept("voided", None, lambda: {
        body["number"]: body["reasons"] for row in index.rows("number_voided") if (body := desk.fact(row).body)
    }).get(number, "")


def free_papers(desk: Desk) -> list[str]:
    """Numbers of the papers that nothing is known to have become of, the lowest first."""
    taken = _taken(desk)
    return sorted(number for number, doc in papers(desk).items()
                  if doc["state"] == "free" and number not in taken and not voided_here(desk, number))


def _taken(desk: Desk, but: str | None = None) -> dict[str, str]:
    """The address of the order that each number is on, "" for one that another person has begun; ``but``: an order that
    does not count."""
    found = {order.number: order.body["address"] for order in orders_known.all_orders(desk)}
    for doc in desk.store.hidden("order_drafts"):  # what others who work here have begun; where, is theirs to know
        if doc.get("number"):
            found.setdefault(doc["number"], "")
    for doc in desk.store.table("order_drafts").all():
        if doc["id"] != but and (doc["stage"] != "abandoned" or not doc.get("blank")):
            found.setdefault(doc["number"], doc["address"])
    return found


# --- reading a paper ---
def _named(desk: Desk, text: str) -> tuple[OrderNumber, str | None]:
    """Number and token (None when it was typed) of what was scanned or typed."""
    plain = text.strip()
    if "://" not in plain:
        return parse_number(plain), None
    # A scanned address that is no order's must not be called a mistyped number.
    base = urlsplit(orders_known.public_base(desk))
    parts = urlsplit(plain)
    where, _slash, name = parts.path.rpartition(PUBLIC_ORDER)
    asked = parse_qs(parts.query)
    try:
        number = parse_number(name)
    except Problem:
        raise Problem("code-foreign", "this code leads somewhere else") from None
    if not _slash or "t" not in asked:
        raise Problem("code-foreign", "this code leads somewhere else")
    if (parts.netloc.lower(), where) != (base.netloc.lower(), base.path.rstrip("/")):
        raise Problem("code-other-city", "the code leads to the office of another city")
    if "p" in asked:
        raise Problem("code-foreign", "this placard was printed with its date: it is not a pre-printed one")
    return number, asked["t"][0]


def _paper(desk: Desk, order: str, text: str) -> tuple[str, str]:
    """Number and token of the paper, once it may go on this order. Raises Problem with what to do."""
    named, token = _named(desk, text)
    number = str(named)
    known = papers(desk).get(number)
    if known is None and named.tablet not in codes(desk):
        raise Problem("blank-other-tablet", f"it is one of {named.tablet}, this is {desk.tablet()['tablet_code']}",
                      where=number)
    if known is None and token is not None:
        # Printed before the office was set back to an earlier day: it may have come as an ordinary number since.
        leased = desk.store.table("lease").get(number)
        known = {"token": leased["token"], "state": "free"} if leased and not leased.get("used") else None
    address = _taken(desk, order).get(number)
    if address is not None or (known and known["state"] == "used"):
        raise Problem("blank-used", address or number, where=number)
    if known is None or (token is not None and token != known["token"]):
        raise Problem("blank-unknown", number, where=number)
    reasons = voided_here(desk, number) or (known.get("reasons") or number if known["state"] == "void" else "")
    if reasons:
        raise Problem("blank-void", reasons, where=number)
    return number, known["token"]


def check_alone(desk: Desk, doc: dict[str, Any]) -> None:
    """The paper of this order is on no other that this tablet knows of, and was not recorded as used up: looked for
    once more before it goes up. Raises Problem "blank-used", "blank-void"."""
    number = doc["number"]
    address = _taken(desk, doc["id"]).get(number)
    if address is not None:
        raise Problem("blank-used", address or number, where=number)
    if reasons := voided_here(desk, number):
        raise Problem("blank-void", reasons, where=number)


async def scan(desk: Desk, order: str, picture: bytes) -> PlacardView:
    """Read the code in the picture and bind that paper. Raises Problem "code-not-seen" and as `bind` does."""
    return await bind(desk, order, await text_in(desk, picture), "scanned")


async def bind(desk: Desk, order: str, text: str, how: str = "typed") -> PlacardView:
    """Put the order on the paper with this number (typed), or with the code that says ``text``."""
    async with desk.store.change() as tx:
        doc = open_order(desk, tx.get("order_drafts", order) or order_doc(desk, order))
        if not desk.may("post"):
            raise Problem("no-authority", "a pre-printed placard is for orders that you may post yourself")
        lacking = missing(desk, doc)
        if lacking:
            raise Problem("order-incomplete", lacking[0].sentence, where=lacking[0].field)
        number, token = _paper(desk, order, text)
        if doc["number"] != number:
            _give_back(desk, tx, doc, number)
            leased = tx.get("lease", number)
            if leased is not None:
                tx.put("lease", number, {**leased, "used": order})
        kept = doc.get("blank") if doc["number"] == number else None
        tx.put("order_drafts", order, on_paper(
            {**doc, "number": number, "token": token, "printed": False}, kept or {"how": how, "dated_on": None}))
    return placards.view(desk, order)


def on_paper(doc: dict[str, Any], blank: dict[str, Any]) -> dict[str, Any]:
    """The order on a paper that the office printed: ``how`` it was bound, and which day was written on it."""
    placard = {"blank": True, "sha256": None, "size": 0, "printed_on": blank["dated_on"] or "", "valid": True}
    return {**doc, "blank": blank, "stage": "printed", "placard": placard}


def _give_back(desk: Desk, tx: Any, doc: dict[str, Any], instead: str) -> None:
    """The order leaves its number. One that stands on no paper is free again; one that was printed is explained."""
    if doc.get("blank"):
        return  # the paper with it lies in the case, unused
    leased = tx.get("lease", doc["number"])
    if doc.get("printed"):
        _ = desk.words
        why = _("A pre-printed placard was used instead.")
        void(desk, tx, doc["number"], doc["token"], why, blank=False, instead=instead)
    elif leased is not None:
        tx.put("lease", doc["number"], {**leased, "used": None})


def void(
    desk: Desk, tx: Any, number: str, token: str, reasons: str, *, blank: bool, instead: str | None = None
) -> None:
    """Record in the open change that the number was used up without an order. Nothing follows from it but that the gap
    in the register is explained, so it asks for no PIN of its own."""
    body = {"number": number, "token": token, "voided_on": desk.today().isoformat(), "reasons": reasons,
            "blank": blank, "instead": instead, "signed": signer(desk)}
    if line := line_for(desk, number):
        body["line"] = line
    seal(desk, tx, "number_voided", body, fact=desk.new_id(), pack=desk.pack().ref)


async def go_on(desk: Desk, order: str) -> PlacardView:
    """The order was edited after its paper was bound: what is on the paper still holds, so it stays bound."""
    async with desk.store.change() as tx:
        doc = open_order(desk, tx.get("order_drafts", order) or order_doc(desk, order))
        if not doc.get("blank"):
            raise Problem("placard-missing", where=doc["number"])
        lacking = missing(desk, doc)
        if lacking:
            raise Problem("order-incomplete", lacking[0].sentence, where=lacking[0].field)
        tx.put("order_drafts", order, on_paper(doc, doc["blank"]))
    return placards.view(desk, order)


async def dated(desk: Desk, order: str) -> PlacardView:
    """The inspector says that today's date is written on the paper."""
    async with desk.store.change() as tx:
        doc = tx.get("order_drafts", order) or order_doc(desk, order)
        if not doc.get("blank") or doc["stage"] != "printed":
            raise Problem("placard-missing", where=doc["number"])
        if doc["blank"]["dated_on"]:
            raise Problem("order-not-open", "the date on this placard was confirmed before", where=doc["number"])
        tx.put("order_drafts", order, on_paper(doc, {**doc["blank"], "dated_on": desk.today().isoformat()}))
    return placards.view(desk, order)


async def leave(desk: Desk, order: str, reasons: str) -> None:
    """The order leaves its paper and takes a number of the lease again. ``reasons``: the paper is spoiled, and is
    recorded as void; "" while nothing was written on it: it can be used another time.

    Raises Problem "reasons-missing" for one that bears a date, "lease-empty".
    """
    kept = _reasons(reasons) if reasons.strip() else ""
    async with desk.store.change() as tx:
        doc = open_order(desk, tx.get("order_drafts", order) or order_doc(desk, order))
        blank = doc.get("blank")
        if not blank:
            raise Problem("placard-missing", where=doc["number"])
        if blank["dated_on"] and not kept:
            raise Problem("reasons-missing", "the placard bears a date: say what became of it", where="reasons")
        free = free_numbers(desk)
        if not free:
            raise Problem("tablet-copied" if desk.outbox.view().copied else "lease-empty")
        if kept:
            void(desk, tx, doc["number"], doc["token"], kept, blank=True, instead=None)
        tx.put("lease", free[0]["number"], {**free[0], "used": order})
        tx.put("order_drafts", order, {**doc, "number": free[0]["number"], "token": free[0]["token"], "blank": None,
                                       "printed": False, "stage": "draft", "placard": None})


async def record_spoiled(desk: Desk, text: str, reasons: str) -> BlankView:
    """A paper of the stack was spoiled or lost before it was on an order. ``text``: its number, or its scanned code."""
    desk.user()
    kept = _reasons(reasons)
    async with desk.store.change() as tx:
        number, token = _paper(desk, "", text)
        void(desk, tx, number, token, kept, blank=True)
    return stack(desk)


def _reasons(text: str) -> str:
    if not text.strip():
        raise Problem("reasons-missing", "say what became of the placard", where="reasons")
    if len(text) > LONGEST_REASON:
        raise Problem("text-too-long", f"at most {LONGEST_REASON} characters fit here", where="reasons")
    return text.strip()


def stack(desk: Desk) -> BlankView:
    """The papers of this tablet."""
    free = free_papers(desk)
    return BlankView(free=tuple(free), total=len(papers(desk)))


def abandoned(desk: Desk, tx: Any, doc: dict[str, Any], reasons: str) -> None:
    """An order was given up, in the open change: its number is explained, unless it stands on a clean paper that can
    be used another time."""
    blank = doc.get("blank")
    if not blank or blank["dated_on"]:
        void(desk, tx, doc["number"], doc["token"], reasons, blank=bool(blank))


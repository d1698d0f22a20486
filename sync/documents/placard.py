"""The placard: the stop-work order as it hangs on the site, made on the tablet without a network.

Text and vectors only, so that it can be made inside a browser. The same order gives the same bytes. A ground
or clause that the city has not confirmed does not print: making the placard fails instead. What was only
recommended prints NOT VALID on every page and carries no QR code.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import date, datetime
from typing import Any

from sync.documents import order_words as words
from sync.documents.inspection_words import answer_words, finding_title
from sync.documents.language import date_words, long_date_words, parse_date, translator
from sync.documents.office import contact_line, office_of, review_words
from sync.records.protocol import public_order_url


def placard_pdf(
    order: Mapping[str, Any],
    pack: Any,
    *,
    city: dict[str, str] | None = None,
    dates: Iterable[Any],
    public_url: str,
    language: str = "en",
    created: datetime,
    site: Mapping[str, Any] | None = None,
    findings: Iterable[Mapping[str, Any]] = (),
    subjects: Mapping[str, str] | None = None,
    issued: Mapping[str, Any] | None = None,
    valid: bool | None = None,
) -> bytes:
    """The placard as PDF bytes, letter paper.

    `order` is the body of an order fact. `city` is what `sync.documents.office.office_of(pack)` gives, which is
    also the default. `dates` is what `sync.ordinance.dates.order_dates` gave, or the dates that came down with
    an order. `site` is the site's document, for the names of permittee, landowner and land user. `findings` are
    the findings the order rests on, as in the signed inspection; `subjects` gives the labels of inlets and
    devices by id. `issued` is `{"on": date, "by": name}` for an order that the office issued and that is now
    put up. `valid` defaults to: it has a posting date, or was issued. `created` is an aware datetime.

    Raises Problem "clause-not-confirmed" or "subject-unknown" for a ground that may not print.
    """
    from sync.documents.paper import INNER, LOUD, MARGIN, RED, TEXT, WIDTH, Paper

    _ = translator(language)
    city = city or office_of(pack, language)
    grounds = words.grounds_lines(order, pack, language)
    steps = words.date_lines(dates, pack, _, language)
    if valid is None:
        valid = bool(order.get("posted_on") or issued)
    number = order["number"]

    paper = Paper(
        title=_("Stop-work order {number}").format(number=number),
        running=_("STOP WORK ORDER {number}, continued").format(number=number),
        foot=_("{number} · {city} · ordinance pack {pack}").format(number=number, city=city["name"], pack=pack.ref),
        created=created,
        language=language,
        _=_,
        demo=pack.demo,
        invalid=not valid,
        paper_name=_("Posted copy") if valid else _("Not valid: a recommendation, not an order. Do not post."),
    )
    paper.add_page()

    # The band that is read from the road.
    top = paper.get_y()
    title = _("STOP WORK ORDER") if valid else _("NOT VALID")
    high = 25.0
    if valid:
        paper.set_fill_color(*RED)
        paper.rect(0, top, WIDTH, high, style="F")
        paper.set_text_color(255, 255, 255)
    else:
        paper.set_line_width(1.6)
        paper.rect(MARGIN, top + 1, INNER, high - 2)
    size = paper.fitted(title, INNER - (0 if valid else 8), 76)
    paper.set_xy(MARGIN, top + (high - size * 0.3528) / 2)
    paper.cell(INNER, size * 0.3528, title, align="C")
    paper.set_text_color(0, 0, 0)
    top += high + 3.5

    # Number, place and QR code side by side.
    side = 47.0
    left = INNER - side - 4 if valid else INNER
    if valid:
        link = public_order_url(public_url, number, order["token"], order.get("posted_on"))
        paper.qr(link, WIDTH - MARGIN - side, top - 1.5, side)
        paper.set_xy(WIDTH - MARGIN - side, top + side - 2)
        paper.set_font(TEXT, "", 8)
        paper.multi_cell(side, 3.6, _("Scan: is this order genuine, and what must be done?"), align="C")
    under_qr = paper.get_y() if valid else top
    paper.set_xy(MARGIN, top)
    if not valid:
        paper.paragraph(
            _("Recommendation for a stop-work order. It has no force until the building inspector issues it."),
            13,
            style="B",
        )
    paper.paragraph(city["name"], 15, style="B", width=left, after=0.2, family=LOUD)
    paper.paragraph(contact_line(city), 10.5, width=left, after=2.6)
    paper.paragraph(_("Order number"), 9.5, width=left, after=-0.6)
    size = paper.fitted(number, left, 34)
    paper.set_x(MARGIN)
    paper.cell(left, size * 0.3528 * 1.05, number, new_x="LMARGIN", new_y="NEXT")
    paper.set_y(paper.get_y() + 1.5)
    paper.paragraph(order["address"], 16, style="B", width=left, after=0.6, family=LOUD)
    place = _("Parcel {parcel}").format(parcel=order.get("parcel") or _("unknown"))
    paper.paragraph(f"{place} · " + _("Permit: {permit}").format(permit=words.permit_words(order, _)), 11, width=left)
    if valid:
        posted = _("Posted: {posted}").format(posted=words.posted_words(order, _))
        paper.paragraph(posted, 12.5, style="B", width=left)
    paper.set_y(max(paper.get_y(), under_qr) + 1.5)

    paper.box(_("This work must stop now"), order["must_stop"], size=15, heavy=1.6)
    paper.box(_("This work may and must go on"), words.may_continue_words(order, _), size=11.5, heavy=0.5)
    paper.paragraph(
        _(
            "Only a written release by the city lifts this order. "
            "Correcting the site or taking down this paper does not."
        ),
        12,
        style="B",
    )
    if city.get("removal_warning"):
        paper.paragraph(city["removal_warning"])

    paper.heading(_("What the inspector saw"))
    paper.paragraph(order["observed"])
    for finding in findings:
        said = finding_words(finding, pack, subjects or {}, language, _, above=order["observed"])
        paper.paragraph("• " + said, after=0.6)

    paper.heading(_("Grounds of this order"))
    for ground in grounds:
        paper.paragraph(f"({ground.letter}) {ground.title}. " + _("Clause {cite}").format(cite=ground.cite), after=0.6)

    if order["corrections"]:
        rows = [
            (str(place), correction["text"], words.due_words(correction.get("due"), _))
            for place, correction in enumerate(order["corrections"], start=1)
        ]
        title = _("What must be corrected, and by when")
        paper.table((_("No."), _("Correction"), _("Due")), rows, (0.07, 0.6, 0.33), title=title)

    if steps:
        paper.heading(_("What may follow, and the first day on which it may"), keep=24)
        for step in steps:
            step_block(paper, step, _)
        paper.paragraph(_("Nothing of this happens by itself: a named person of the city decides each step."), 9.5)

    paper.heading(_("If you disagree"))
    paper.paragraph(review_words(city, _))

    paper.heading(_("Persons"))
    people = site or {}
    paper.pairs(
        [
            (_("Permittee"), words.name_words(people.get("permittee"), _)),
            (_("Landowner"), words.name_words(people.get("landowner"), _)),
            (_("Land user or contractor"), words.land_user_words(people, _)),
            (_("Met on the site"), words.met_words(order, _)),
        ]
    )

    paper.heading(_("Issued and posted"), keep=44)
    inspector = order["inspector"]
    credential = inspector.get("credential_no") or _("none recorded")
    rows = []
    if issued:
        rows.append(
            (
                _("Issued"),
                _("{date} by {name}").format(date=long_date_words(_day(issued["on"]), _), name=issued["by"]),
            )
        )
    elif valid:
        rows.append((_("Issued"), _("by this posting")))
    if valid:
        rows.append((_("Posted"), words.posted_words(order, _)))
    elif order.get("printed_on"):
        rows.append((_("Printed"), date_words(_day(order["printed_on"]), _)))
    rows.append(
        (
            _("Inspector"),
            _("{name}, {title}, credential {credential}").format(
                name=inspector["name"], title=inspector["title"], credential=credential
            ),
        )
    )
    paper.pairs(rows)
    if valid:
        signature_lines(paper, (_("Signature of the inspector"), _("Witness (if any)")))
    return paper.finished()


def _day(value: str | date) -> date:
    return parse_date(value) if isinstance(value, str) else value


def finding_words(
    finding: Mapping[str, Any], pack: Any, names: Mapping[str, str], language: str, _: Any, *, above: str = ""
) -> str:
    """One finding of the inspection as a line: question and place, what was recorded, note, clause.

    `above` is the text that stands before the line: a note that it already has is not said again.
    """
    line = finding.get("title") or finding_title(finding, pack, names, language)
    seen = answer_words(finding.get("inputs") or {}, pack, finding["item"], language, _).replace("\n", "; ")
    note = finding.get("note") or ""
    if re.search(rf"(?<!\w){re.escape(' '.join(note.split()))}(?!\w)", " ".join(above.split())):
        note = ""
    for part in (seen, note):
        plain = part.rstrip(" .\n\t")
        if plain:
            line += " " + plain + ("" if plain.endswith(("!", "?", "…")) else ".")
    if finding.get("clause"):
        line += f" [{words.cite(pack, finding['clause'])}]"
    return line


def step_block(paper: Any, step: words.DateLine, _: Any) -> None:
    """A possible step with its first day, and under it, smaller, how that day was counted."""
    if step.eligible_from:
        first = _("{label}: from {date} on.").format(label=step.label, date=long_date_words(step.eligible_from, _))
    else:
        first = _("{label}: no day is counted yet.").format(label=step.label)
    paper.room_for(16)
    paper.paragraph(first, 10.5, style="B", after=0.2)
    if step.words:
        counted = _("Clause {cite}. Counted: {words}").format(cite=step.cite, words=step.words)
        paper.paragraph(counted, 9.5, after=1.6)


def signature_lines(paper: Any, names: tuple[str, ...]) -> None:
    """Lines to sign on by hand, side by side."""
    from sync.documents.paper import INNER, MARGIN, TEXT

    paper.room_for(20)
    top = paper.get_y() + 13
    wide = (INNER - 10 * (len(names) - 1)) / len(names)
    paper.set_font(TEXT, "", 8.5)
    for place, name in enumerate(names):
        left = MARGIN + place * (wide + 10)
        paper.set_line_width(0.3)
        paper.set_draw_color(0, 0, 0)
        paper.line(left, top, left + wide, top)
        paper.set_xy(left, top + 0.8)
        paper.cell(wide, 4, name)
    paper.set_xy(MARGIN, top + 7)

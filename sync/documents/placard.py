"""The placard: the stop-work order as it hangs on the site, made on the tablet without a network.

In every language of the pack on one sheet, because nobody knows who reads it: what must stop, what may go on, until
when, what must be corrected, and why stand on its front in each; what a person wrote stands there in the languages in
which they gave it, and for the others the paper says so. Text and
vectors only, so that it can be made inside a browser. The same order gives the same bytes. A ground or clause that the
city has not confirmed does not print: making the placard fails instead. What was only recommended prints NOT VALID on
every page and carries no QR code.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from datetime import date, datetime
from typing import Any

from sync.documents import order_words as words
from sync.documents.both import Both, both_of
from sync.documents.inspection_words import answer_words, finding_title
from sync.documents.language import N_, counted, date_words, long_date_words, parse_date, translator
from sync.documents.office import contact_line, office_of, review_words
from sync.documents.order_texts import Said, correction_in, names_a_place, places_remark, remark, said_in
from sync.records.protocol import public_order_url


def placard_pdf(
    order: Mapping[str, Any],
    pack: Any,
    *,
    city: dict[str, str] | None = None,
    dates: Iterable[Any],
    public_url: str,
    created: datetime,
    site: Mapping[str, Any] | None = None,
    findings: Iterable[Mapping[str, Any]] = (),
    subjects: Mapping[str, str] | None = None,
    issued: Mapping[str, Any] | None = None,
    valid: bool | None = None,
) -> bytes:
    """The placard as PDF bytes, letter paper, in the languages of the pack.

    `order` is the body of an order fact. `city` is what `sync.documents.office.office_of(pack)` gives, which is
    also the default. `dates` is what `sync.ordinance.dates.order_dates` gave, or the dates that came down with
    an order (these explain themselves in one language only). `site` is the site's document, for the names of
    permittee, landowner and land user. `findings` are the findings the order rests on, as in the signed inspection;
    `subjects` gives the labels of inlets and devices by id. `issued` is `{"on": date, "by": name}` for an order that
    the office issued and that is now put up. `valid` defaults to: it has a posting date, or was issued. `created` is
    an aware datetime.

    Raises Problem "clause-not-confirmed" or "subject-unknown" for a ground that may not print.
    """
    from sync.documents.paper import Paper

    both = both_of(pack)
    _ = translator(both.leading)
    city = city or office_of(pack, both.leading)
    grounds = [words.grounds_lines(order, pack, language) for language in both.languages]
    given = tuple(dates)
    if valid is None:
        valid = bool(order.get("posted_on") or issued)
    number = order["number"]

    paper = Paper(
        title=_("Stop-work order {number}").format(number=number),
        running=_("STOP WORK ORDER {number}, continued").format(number=number),
        foot=_("{number} · {city} · ordinance pack {pack}").format(number=number, city=city["name"], pack=pack.ref),
        created=created,
        language=both.leading,
        _=_,
        demo=pack.demo,
        invalid=not valid,
        paper_name=both(N_("Posted copy") if valid
                        else N_("Not valid: a recommendation, not an order. Do not post.")),
        each=both.said,
    )
    paper.add_page()
    _head(paper, order, city, both, public_url, valid)

    must, lacking = _in_each(order, both, pack, "must_stop")
    paper.box(both(N_("This work must stop now")), "\n".join(must), size=15, heavy=1.6, small="\n".join(lacking))
    front = list(lacking)  # each frame has the remark that it needs; what stands below them does not say it again
    may, lacking = _in_each(order, both, pack, "may_continue", always=words.MAY_ALWAYS)
    paper.box(both(N_("This work may and must go on")), "\n".join(may), size=10, heavy=0.5, small="\n".join(lacking))
    front += lacking
    for text in both.each(lambda _, _language: _(words.ENDS_BY_RELEASE)):
        paper.paragraph(text, 10.5, style="B", after=0.5, line=1.2)
    for text in both.each(lambda _, language: office_of(pack, language).get("removal_warning", "")):
        paper.paragraph(text, 10, after=0.6)

    paper.heading(both(N_("Grounds of this order")))
    for lines in zip(*grounds, strict=True):
        titles = " / ".join(dict.fromkeys(line.title.rstrip(".") for line in lines))
        paper.paragraph(f"({lines[0].letter}) {titles}. [{lines[0].cite}]", after=0.4, size=9.5, line=1.25)
    _corrections(paper, order, pack, both, front)
    _issued_and_posted(paper, order, issued, valid, both)

    paper.heading(both(N_("What the inspector saw")))
    seen, lacking = _in_each(order, both, pack, "observed")
    paper.paragraph("\n".join(seen), 10, after=0.6, line=1.25)
    for text in lacking:
        paper.paragraph(text, 9, after=0.6, line=1.2)
    for finding in findings:
        _finding(paper, finding, pack, subjects or {}, both, order["observed"])

    steps = [words.date_lines(given, pack, translator(language), language) for language in both.languages]
    if given:
        paper.heading(both(N_("What may follow, and the first day on which it may")), keep=24)
        for lines in zip(*steps, strict=True):
            _step(paper, lines, both)
        nothing = both(N_("Nothing of this happens by itself: a named person of the city decides each step."))
        paper.paragraph(nothing, 9, after=0.4, line=1.25)

    paper.heading(both(N_("If you disagree")))
    for text in both.each(lambda _, language: review_words(office_of(pack, language), _)):
        paper.paragraph(text, 9.5, after=0.5, line=1.2)

    paper.heading(both(N_("Persons")))
    met = (both(N_("Met on the site")), both.value(lambda _: words.met_words(order, _)))
    paper.pairs([*words.party_lines(site or {}, both), met], label=92, size=9)
    return paper.finished()


def _in_each(order: Mapping[str, Any], both: Both, pack: Any, field: str, always: str = ""
             ) -> tuple[list[str], list[str]]:
    """What a person wrote, in each language: own words in the languages in which they were given, and below them what
    is `always` said. Then, in each language in which something was not given, that it was not."""
    return _given(order, both, lambda language: said_in(order, field, pack, language), always)


def _given(order: Mapping[str, Any], both: Both, say: Callable[[str], Said], always: str = ""
           ) -> tuple[list[str], list[str]]:
    said = {language: say(language) for language in both.languages}
    whole = any(not one.as_written for one in said.values())

    def block(_: Any, language: str) -> str:
        own = said[language].own if whole else said[language].text
        return "\n".join(part for part in (own, _(always) if always else "") if part)

    texts = both.each(block)
    lacking = both.each(lambda _, language: remark(order, _) if said[language].as_written and whole else "")
    return texts, lacking


def _finding(paper: Any, finding: Mapping[str, Any], pack: Any, names: Mapping[str, str], both: Both,
             above: str) -> None:
    """One finding in each language; the inspector's note stands there once."""
    first, *others = both.each(lambda _, language: finding_words(
        finding if language == both.leading else {**finding, "note": ""}, pack, names, language, _, above=above))
    paper.paragraph("• " + first, 10, after=0.1 if others else 0.6, line=1.25)
    for other in others:
        paper.paragraph("  " + other, 10, after=0.6, line=1.25)


def _head(paper: Any, order: Mapping[str, Any], city: dict[str, str], both: Both, public_url: str,
          valid: bool) -> None:
    """The band that is read from the road; number, place and QR code side by side."""
    from sync.documents.paper import INNER, LOUD, MARGIN, RED, TEXT, WIDTH

    number = order["number"]
    top = paper.get_y()
    titles = both.each(lambda _, _language: _(N_("STOP WORK ORDER") if valid else N_("NOT VALID")))
    largest = (66, *(28 for _title in titles[1:]))
    high = 25.0 + 10.5 * (len(titles) - 1)
    if valid:
        paper.set_fill_color(*RED)
        paper.rect(0, top, WIDTH, high, style="F")
        paper.set_text_color(255, 255, 255)
    else:
        paper.set_line_width(1.6)
        paper.rect(MARGIN, top + 1, INNER, high - 2)
    y = top + 1.2
    for title, most in zip(titles, largest, strict=True):
        size = paper.fitted(title, INNER - (0 if valid else 8), most)
        paper.set_xy(MARGIN, y)
        paper.cell(INNER, size * 0.3528, title, align="C")
        y += size * 0.3528 + 0.4
    paper.set_text_color(0, 0, 0)
    top += high + 2.4

    side = 47.0
    left = INNER - side - 4 if valid else INNER
    if valid:
        link = public_order_url(public_url, number, order["token"], order.get("posted_on"))
        paper.qr(link, WIDTH - MARGIN - side, top - 1.5, side)
        paper.set_xy(WIDTH - MARGIN - side, top + side - 2)
        paper.set_font(TEXT, "", 7.5)
        paper.multi_cell(side, 3.2, both(N_("Scan: is this order genuine, and what must be done?")), align="C")
    under_qr = paper.get_y() if valid else top
    paper.set_xy(MARGIN, top)
    if not valid:
        for text in both.each(lambda _, _language: _(N_(
                "Recommendation for a stop-work order. It has no force until the building inspector issues it."))):
            paper.paragraph(text, 13, style="B")
    paper.paragraph(city["name"], 15, style="B", width=left, after=0.2, family=LOUD)
    paper.paragraph(contact_line(city), 10, width=left, after=1.6)
    paper.paragraph(both(N_("Order number")), 9.5, width=left, after=-0.6)
    size = paper.fitted(number, left, 34)
    paper.set_x(MARGIN)
    paper.cell(left, size * 0.3528 * 1.05, number, new_x="LMARGIN", new_y="NEXT")
    paper.set_y(paper.get_y() + 1.5)
    paper.paragraph(order["address"], 16, style="B", width=left, after=0.6, family=LOUD)
    paper.paragraph(f"{both(N_('Parcel'))}: {order.get('parcel') or both(N_('unknown'))}", 10.5, width=left, after=0)
    permit = " / ".join(both.each(lambda _, _language: words.permit_words(order, _)))
    paper.paragraph(f"{both(N_('Permit'))}: {permit}", 10.5, width=left, after=0.8)
    if valid:
        for text in both.each(lambda _, _language: _(N_("Posted: {posted}")).format(
                posted=words.posted_words(order, _))):
            paper.paragraph(text, 12, style="B", width=left, after=0.2, line=1.25)
    paper.set_y(max(paper.get_y(), under_qr) + 1.0)


def _corrections(paper: Any, order: Mapping[str, Any], pack: Any, both: Both, said_above: list[str]) -> None:
    """What must be corrected and by when: a standard sentence and each date in every language."""
    if not order["corrections"]:
        return

    lacking: dict[str, None] = {}

    def said(correction: Mapping[str, Any]) -> str:
        texts, not_given = _given(order, both, lambda language: correction_in(order, correction, pack, language))
        lacking.update(dict.fromkeys(not_given))
        return "\n".join(texts)

    def due(when: Mapping[str, Any] | None) -> str:
        return both.value(lambda _: words.due_words(when, _))

    rows = [
        (str(place), said(correction), due(correction.get("due")))
        for place, correction in enumerate(order["corrections"], start=1)
    ]

    def more(count: int, page: int) -> str:
        return " / ".join(both.each(lambda _, _language: counted(
            count, "1 more correction is on page {page}.", "{count} more corrections follow from page {page} on.", _,
            page=page)))

    head = ("#", both(N_("Correction")), both(N_("Due")))
    paper.table(head, rows, (0.04, 0.58, 0.38), 9.5, title=both(N_("What must be corrected, and by when")), more=more)
    remarks = [text for text in lacking if text not in said_above]
    if any(names_a_place(correction["text"], pack) for correction in order["corrections"]):
        remarks += [places_remark(_) for _ in both.said[1:]]
    if remarks:
        paper.paragraph(" ".join(remarks), 9, after=0.6, line=1.2)


def _issued_and_posted(paper: Any, order: Mapping[str, Any], issued: Mapping[str, Any] | None, valid: bool,
                       both: Both) -> None:
    """Who ordered it, and the line to sign on: together, on the front where there is room."""
    inspector = order["inspector"]

    def by(_: Any) -> str:
        assert issued is not None
        return _("{date} by {name}").format(date=long_date_words(_day(issued["on"]), _), name=issued["by"])

    rows = []
    if issued:
        rows.append((both(N_("Issued")), both.value(by)))
    elif valid:
        rows.append((both(N_("Issued")), both(N_("by this posting"))))
    if valid:
        rows.append((both(N_("Posted")), both.value(lambda _: words.posted_words(order, _))))
    elif order.get("printed_on"):
        rows.append((both(N_("Printed")), both.value(lambda _: date_words(_day(order["printed_on"]), _))))
    _ = translator(both.leading)
    rows.append((both(N_("Inspector")), _("{name}, {title}, credential {credential}").format(
        name=inspector["name"], title=inspector["title"],
        credential=inspector.get("credential_no") or _("none recorded"))))
    paper.heading(both(N_("Issued and posted")), keep=62 if valid else 40)
    paper.pairs(rows, label=52, size=10)
    if valid:
        signature_lines(paper, (both(N_("Signature of the inspector")), both(N_("Witness (if any)"))))


def _step(paper: Any, lines: tuple[words.DateLine, ...], both: Both) -> None:
    """A possible step with its first day in each language, and under it, smaller, how that day was counted."""
    firsts, counts = [], {}  # how it was counted, by the derivation: one that knows a single language stands once
    for line, _ in zip(lines, both.said, strict=True):
        first = _("{label}: from {date} on.") if line.eligible_from else _("{label}: no day is counted yet.")
        day = date_words(line.eligible_from, _) if line.eligible_from else ""
        firsts.append(first.format(label=line.label, date=day))
        if line.words and line.words not in counts:
            counts[line.words] = _("Clause {cite}. Counted: {words}").format(cite=line.cite, words=line.words)
    paper.room_for(24)
    for text in dict.fromkeys(firsts):
        paper.paragraph(text, 9.5, style="B", after=0.1, line=1.2)
    for text in counts.values():
        paper.paragraph(text, 8, after=0.1, line=1.2)
    paper.set_y(paper.get_y() + 1.2)


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

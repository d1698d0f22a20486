"""Pre-printed placards: a stack of papers with one leased number each, to be dated and signed by hand on the site.

In two languages on one page, because nobody knows on whose site it will hang. Number and QR code are final when this is
printed; the code carries no date, so its page tells the reader to read the date on the paper. What the inspector writes
has a field of its own, large enough for a broad marker. The same stack gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sync.documents import order_words as words
from sync.documents.both import Both
from sync.documents.language import LANGUAGES, N_
from sync.documents.office import contact_line, office_of
from sync.records.protocol import public_order_url

GUIDE = "        /        /  20"  # where month, day and year are written


def blanks_pdf(
    numbers: Sequence[tuple[str, str]], pack: Any, *, tablet: str, public_url: str, created: datetime
) -> bytes:
    """One page of letter paper for each (number, token) of the tablet with the code `tablet`. `created` is aware.

    Only grounds that the city has confirmed get a box to tick.
    """
    from sync.documents.paper import Paper

    both = Both(LANGUAGES)
    said = both.said
    city = office_of(pack)

    class Blanks(Paper):
        """Each page hangs by itself: no page numbers, its own number at the foot."""

        def footer(self) -> None:
            _foot(self, f"{numbers[self.page_no() - 1][0]} · {city['name']}", tablet, both)

    paper = Blanks(
        title=said[0](N_("Pre-printed placards of tablet {code}")).format(code=tablet), running="", foot="",
        created=created, language="en", _=said[0], demo=pack.demo,
    )  # fmt: skip
    paper.set_auto_page_break(False)
    for number, token in numbers:
        paper.add_page()
        _page(paper, number, public_order_url(public_url, number, token), pack, said, both)
    return paper.finished()


def _page(paper: Any, number: str, link: str, pack: Any, said: Sequence[Any], both: Any) -> None:
    from sync.documents.paper import HEIGHT, INNER, LOUD, MARGIN, RED, TEXT, WIDTH

    english, spanish = said
    # From page 2 on the running head has left the cursor further down; a placard begins at the top.
    top = 13.0 if paper.demo else 6.0
    paper.set_fill_color(255, 255, 255)
    paper.rect(0, top, WIDTH, 12, style="F")
    paper.set_fill_color(*RED)
    paper.rect(0, top, WIDTH, 38, style="F")
    paper.set_text_color(255, 255, 255)
    for text, y, largest in ((english("STOP WORK ORDER"), top + 2.5, 66), (spanish("STOP WORK ORDER"), top + 25, 30)):
        size = paper.fitted(text, INNER, largest)
        paper.set_xy(MARGIN, y)
        paper.cell(INNER, size * 0.3528, text, align="C")
    paper.set_text_color(0, 0, 0)
    top += 41

    side = 50.0
    left = INNER - side - 5
    paper.qr(link, WIDTH - MARGIN - side, top - 1, side)
    paper.set_xy(WIDTH - MARGIN - side, top + side - 1.5)
    paper.set_font(TEXT, "", 7.5)
    paper.multi_cell(side, 3.2, both(N_("Scan: is this order genuine, and what must be done?")), align="C")
    paper.set_xy(MARGIN, top)
    paper.paragraph(pack.city_name("en"), 15, style="B", width=left, after=0.2, family=LOUD)
    paper.paragraph(contact_line(office_of(pack)), 9.5, width=left, after=1.4)
    paper.paragraph(both(N_("Order number")), 9, width=left, after=-0.6)
    size = paper.fitted(number, left, 34)
    paper.set_x(MARGIN)
    paper.cell(left, size * 0.3528 * 1.05, number, new_x="LMARGIN", new_y="NEXT")
    high = 24.0
    _field(paper, MARGIN, top + 60 - high, left, high, both(N_("Posted on (month / day / year, by hand)")), GUIDE)
    top += 62

    _field(paper, MARGIN, top, INNER * 0.72, 17, both(N_("Address of the site")))
    _field(paper, MARGIN + INNER * 0.72 + 2, top, INNER * 0.28 - 2, 17, both(N_("Time")))
    top += 19.5

    paper.set_y(top + 2)
    for _ in said:
        paper.paragraph(_("The land disturbing and construction work that the order names must stop now."), 13,
                        style="B", width=INNER - 6, x=MARGIN + 3, after=0.4, line=1.15, family=LOUD)
        paper.paragraph(_("Work that makes the site safe or corrects what is wrong may and must go on."), 10.5,
                        width=INNER - 6, x=MARGIN + 3, after=1.0, line=1.15)
    paper.set_line_width(1.6)
    paper.rect(MARGIN, top, INNER, paper.get_y() + 1 - top)
    paper.set_y(paper.get_y() + 3.5)
    grounds = [ground for ground in pack.grounds.values() if ground.confirmed]
    if grounds:
        paper.paragraph(both(N_("Grounds (tick what applies)")), 10, style="B", after=0.6)
        for ground in grounds:
            lines = dict.fromkeys(
                line.title for language in LANGUAGES
                for line in words.grounds_lines({"grounds": [ground.letter]}, pack, language)
            )  # fmt: skip
            cite = words.cite(pack, ground.clause)
            y = paper.get_y()
            paper.set_line_width(0.5)
            paper.rect(MARGIN, y + 0.3, 4.6, 4.6)
            paper.paragraph(f"({ground.letter}) {' / '.join(lines)} [{cite}]", 9.5, width=INNER - 8, x=MARGIN + 7,
                            after=0, line=1.25)
            paper.set_y(max(paper.get_y(), y + 5.6) + 0.6)
        paper.set_y(paper.get_y() + 0.8)
    for _ in said:
        paper.paragraph(
            _("Which work that is, what was seen, what must be corrected and by when stands in the order itself: "
              "behind the code above as soon as the tablet has reached the office, and at the office above."),
            9, after=0.5, line=1.22)  # fmt: skip
    paper.set_y(paper.get_y() + 0.5)
    for _ in said:
        paper.paragraph(_(words.ENDS_BY_RELEASE), 9.5, style="B", after=0.5, line=1.2)
    paper.set_y(max(paper.get_y() + 1, HEIGHT - 44))
    wide = (INNER - 6) / 2
    y = paper.get_y()
    _field(paper, MARGIN, y, wide, 15, both(N_("Inspector (name, credential)")))
    _field(paper, MARGIN + wide + 6, y, wide, 15, both(N_("Signature of the inspector")))
    paper.set_y(y + 16.5)
    for _ in said:
        paper.paragraph(_("Without date and signature this paper is not an order."), 9.5, style="B", after=0, line=1.2)


def _field(paper: Any, x: float, y: float, wide: float, high: float, name: str, guide: str = "") -> None:
    """A frame to write in by hand, its name in the corner."""
    from sync.documents.paper import INK, TEXT

    paper.set_fill_color(255, 255, 255)
    paper.set_draw_color(*INK)
    paper.set_line_width(0.9)
    paper.rect(x, y, wide, high, style="DF")
    paper.set_xy(x + 1.6, y + 0.9)
    paper.set_font(TEXT, "", 7.5)
    paper.cell(wide - 3, 3.4, name)
    if guide:
        paper.set_xy(x + 2, y + high - 13)
        paper.set_font(TEXT, "", 30)
        paper.set_text_color(150, 150, 150)
        paper.cell(wide - 4, 11, guide, align="L")
        paper.set_text_color(*INK)


def _foot(paper: Any, who: str, tablet: str, both: Any) -> None:
    from sync.documents.paper import GREY, INK, INNER, TEXT

    paper.set_y(-12)
    paper.set_font(TEXT, "", 8)
    paper.set_text_color(*GREY)
    paper.cell(INNER, 4, f"{who} · " + both(N_("Pre-printed for tablet {code}")).format(code=tablet))
    paper.set_text_color(*INK)

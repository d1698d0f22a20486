"""One sheet of paper: fonts, running head and foot, boxes, tables and the QR code, shared by all papers.

Keeps two promises. The same calls give the same bytes: the creation date is passed in, nothing reads a
clock. And text and vectors alone are enough: no picture library is needed, so a paper can be made inside a
browser; only `picture` needs Pillow, and only the server and a native tablet call it.

This module imports fpdf2, which takes most of a second: import it inside the function that makes a paper.
"""

from __future__ import annotations

import re
import unicodedata
import warnings
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from io import BytesIO
from typing import Any

import segno

with warnings.catch_warnings():
    # In a browser there is no Pillow, and fpdf2 says so; papers made there hold no pictures.
    warnings.simplefilter("ignore", UserWarning)
    from fpdf import FPDF
    from fpdf.enums import Align, TextMode
    from fpdf.line_break import MultiLineBreak

from sync.documents.language import N_, Translate
from sync.where import assets

# Letter paper, in millimetres.
WIDTH, HEIGHT = 215.9, 279.4
MARGIN = 13.0
INNER = WIDTH - 2 * MARGIN

RED = (168, 16, 32)  # white on it has a contrast of 8 to 1, and it stays dark on a black-and-white printer
INK = (17, 17, 17)
GREY = (84, 84, 84)
RULE = (150, 150, 150)

TEXT, LOUD = "plex", "plexc"
UNKNOWN = "\ufffd"  # what stands for a character that no font of ours has, such as an emoji
# A sign may be made of several characters; what only joins or colours them has no mark of its own.
_JOINERS = re.compile("[\u200b-\u200f\u2060\ufe00-\ufe0f\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]")


def printable(text: str, glyphs: frozenset[int]) -> str:
    """The text as the font can print it: accents joined to their letters, what it lacks replaced by one mark each."""
    joined = unicodedata.normalize("NFC", text)
    if not glyphs or all(ord(char) in glyphs or char in "\n\r" for char in joined):
        return joined
    plain = _JOINERS.sub("", joined)
    return "".join(char if ord(char) in glyphs or char in "\n\r" else _instead(char) for char in plain)


def _instead(char: str) -> str:
    return " " if char.isspace() else UNKNOWN


class Paper(FPDF):
    """Letter pages with a running head from page 2 on, and on each page number, page count and marks.

    `demo` prints the demonstration mark, `invalid` the words NOT VALID across each page.
    `created` is an aware datetime: it goes into the file instead of the current time. `each`: the languages in which
    the foot says which page this is, and that another follows; without it the paper's own.
    """

    def __init__(
        self,
        *,
        title: str,
        running: str,
        foot: str,
        created: datetime,
        language: str,
        _: Translate,
        demo: bool,
        invalid: bool = False,
        paper_name: str = "",
        each: Sequence[Translate] = (),
    ):
        super().__init__(orientation="portrait", unit="mm", format="letter")
        if created.tzinfo is None:
            raise ValueError("the creation time of a paper needs a zone")
        self._ = _
        self._each = tuple(each) or (_,)
        self._broken: dict[tuple[str, float, float, str], int] = {}
        self._turning = False  # the page that is ended now is followed by another
        self.running, self.foot, self.paper_name = running, foot, paper_name
        self.demo, self.invalid = demo, invalid
        self.set_creation_date(created.astimezone(UTC))
        self.set_title(title)
        self.set_creator("Siltwatch")
        self.set_producer("Siltwatch")
        self.set_lang("es" if language == "es" else "en-US")
        fonts = assets() / "fonts"
        self._glyphs: frozenset[int] = frozenset()
        self.add_font(TEXT, "", fonts / "IBMPlexSans-Regular.ttf")
        self.add_font(TEXT, "B", fonts / "IBMPlexSans-Bold.ttf")
        self.add_font(LOUD, "B", fonts / "IBMPlexSansCondensed-Bold.ttf")
        # The three cuts have the same characters.
        self._glyphs = frozenset(self.fonts[TEXT].cmap)
        self.set_margins(MARGIN, MARGIN, MARGIN)
        self.c_margin = 0
        self.set_auto_page_break(True, margin=20)
        self.set_text_color(*INK)
        self.set_draw_color(*INK)
        self.alias_nb_pages("{nb}")

    def normalize_text(self, text: str) -> str:
        """Every text on its way to the page: a character that the font lacks prints as one plain mark."""
        return super().normalize_text(printable(text, self._glyphs))

    # ---- what stands on each page

    def header(self) -> None:
        if self.invalid:
            self._across(self._("NOT VALID"), 120, (190, 190, 190))
        elif self.demo:
            self._across(self._("DEMO"), 190, (224, 224, 224))
        top = 6.0
        if self.demo:
            self.set_xy(MARGIN, top)
            self.set_font(TEXT, "B", 9)
            self.cell(
                INNER,
                5,
                self._("DEMO: made with invented data for a demonstration city. This is not a real order."),
                align="C",
                border=1,
            )
            top += 7
        if self.page_no() > 1:
            self.set_xy(MARGIN, top)
            self.set_font(LOUD, "B", 13)
            self.cell(INNER, 7, self.running)
            self.set_draw_color(*INK)
            self.set_line_width(0.6)
            self.line(MARGIN, top + 8, WIDTH - MARGIN, top + 8)
            top += 11
        self.set_xy(MARGIN, top)
        self.set_text_color(*INK)

    def footer(self) -> None:
        self.set_y(-14)
        self.set_draw_color(*RULE)
        self.set_line_width(0.2)
        self.line(MARGIN, self.get_y(), WIDTH - MARGIN, self.get_y())
        self.set_font(TEXT, "", 8)
        self.set_text_color(*GREY)
        self.set_y(-13)
        self.cell(INNER * 0.75, 5, self.foot)
        page = self._in_each(N_("page {page} of {pages}"), page=self.page_no(), pages="{nb}")
        self.cell(INNER * 0.25, 5, page, align="R")
        if self._turning:
            self.set_xy(MARGIN, -19)
            self.set_font(TEXT, "B", 9)
            self.set_text_color(*INK)
            self.cell(INNER, 4.5, self._in_each(N_("Continued on page {page}"), page=self.page_no() + 1), align="R")
        self.set_y(-9.5)
        self.set_font(TEXT, "B", 8)
        self.cell(INNER, 4, self.paper_name)
        self.set_text_color(*INK)

    def add_page(self, *args: Any, **kwargs: Any) -> None:
        self._turning = self.page > 0
        super().add_page(*args, **kwargs)
        self._turning = False

    def _in_each(self, text: str, **values: object) -> str:
        return " / ".join(dict.fromkeys(_(text).format(**values) for _ in self._each))

    def _across(self, words: str, size: float, shade: tuple[int, int, int]) -> None:
        """Large outlined words from corner to corner, drawn first so that the text stays on top."""
        self.set_font(LOUD, "B", size)
        wide = self.get_string_width(words)
        with self.local_context(text_mode=TextMode.STROKE, line_width=0.9):
            self.set_draw_color(*shade)
            with self.rotation(52, WIDTH / 2, HEIGHT / 2):
                self.text(WIDTH / 2 - wide / 2, HEIGHT / 2 + size * 0.125, words)

    # ---- building blocks; each starts at the left margin and leaves the cursor below itself

    def room_for(self, height: float) -> None:
        """Start a new page when less than `height` millimetres are left, so that a block stays together."""
        if self.get_y() + height > self.page_break_trigger:
            self.add_page()

    def height_of(self, text: str, size: float, *, width: float = INNER, style: str = "", line: float = 1.32) -> float:
        """Millimetres that `paragraph` would use for this text."""
        self.set_font(TEXT, style, size)
        return self.height_in(text, width, size * 0.3528 * line)

    def height_in(self, text: str, width: float, line: float) -> float:
        """Millimetres that `multi_cell` would use for this text in the font that is set, in lines of `line` each.

        Nothing is drawn for that, and a line that stands there often is broken once: texts of thousands of lines are
        signed, too.
        """
        plain = self.normalize_text(text).replace("\r", "")
        for char in dict.fromkeys(plain.replace("\u00a0", " ")):
            if char not in "\n\f\u00ad":  # so that its sign has the same place in the file as if it had been drawn
                self.current_font.subset.pick(ord(char))
        *typed, last = plain.split("\n")
        count = sum(self._lines_of(one + "\n", width) for one in typed) + self._lines_of(last, width)
        high = 0.0
        for _ in range(max(count, 1)):  # as drawing adds up; `sum` rounds less from Python 3.12 on
            high += line
        return high

    def _lines_of(self, text: str, width: float) -> int:
        asked = (self.current_font.fontkey, self.font_size_pt, width, text)
        if asked not in self._broken:
            broken = MultiLineBreak(self._preload_font_styles(text, False), width, [self.c_margin] * 2, align=Align.L)
            self._broken[asked] = sum(1 for _ in iter(broken.get_line, None))
        return self._broken[asked]

    def paragraph(
        self,
        text: str,
        size: float = 11,
        *,
        style: str = "",
        width: float = INNER,
        x: float | None = None,
        after: float = 1.6,
        line: float = 1.32,
        family: str = TEXT,
        color: tuple[int, int, int] = INK,
        align: str = "L",
    ) -> None:
        """Running text, wrapped to `width`; sizes in points, everything else in millimetres."""
        self.set_font(family, style, size)
        self.set_text_color(*color)
        self.set_x(MARGIN if x is None else x)
        self.multi_cell(width, size * 0.3528 * line, text, align=align, new_x="LMARGIN", new_y="NEXT")
        self.set_text_color(*INK)
        self.set_y(self.get_y() + after)

    def heading(self, text: str, size: float = 12.5, *, keep: float = 14.0) -> None:
        """A section heading; it never stands alone at the foot of a page (`keep` millimetres follow it)."""
        self.room_for(size * 0.3528 * 1.3 + keep)
        self.set_y(self.get_y() + 2.2)
        self.set_font(LOUD, "B", size)
        self.set_x(MARGIN)
        self.multi_cell(INNER, size * 0.3528 * 1.25, text, align="L", new_x="LMARGIN", new_y="NEXT")
        self.set_draw_color(*INK)
        self.set_line_width(0.35)
        self.line(MARGIN, self.get_y() + 0.4, WIDTH - MARGIN, self.get_y() + 0.4)
        self.set_y(self.get_y() + 2.0)

    def box(
        self,
        title: str,
        body: str,
        *,
        size: float = 12,
        heavy: float = 1.2,
        fill: tuple[int, int, int] | None = None,
        small: str = "",
    ) -> None:
        """A framed block with a bold title: what a person must see from two metres. `small`: a remark at its foot."""
        pad = 3.2
        inside = INNER - 2 * pad
        high = (
            self.height_of(title, size + 1, width=inside, style="B", line=1.2)
            + 1.0
            + self.height_of(body, size, width=inside)
            + (1.0 + self.height_of(small, 9, width=inside) if small else 0.0)
            + 2 * pad
        )
        self.room_for(min(high + 2, HEIGHT - 60))
        top = self.get_y()
        if high < HEIGHT - 60:
            self.set_line_width(heavy)
            self.set_draw_color(*INK)
            if fill:
                self.set_fill_color(*fill)
            self.rect(MARGIN, top, INNER, high, style="DF" if fill else "D")
        self.set_y(top + pad)
        self.paragraph(title, size + 1, style="B", width=inside, x=MARGIN + pad, after=1.0, line=1.2)
        self.paragraph(body, size, width=inside, x=MARGIN + pad, after=0)
        if small:
            self.set_y(self.get_y() + 1.0)
            self.paragraph(small, 9, width=inside, x=MARGIN + pad, after=0)
        self.set_y(self.get_y() + pad + 2.4)

    def pairs(self, rows: Iterable[tuple[str, str]], *, label: float = 46.0, size: float = 11) -> None:
        """Label and value, one under the other, values aligned."""
        for name, value in rows:
            high = max(
                self.height_of(value, size, width=INNER - label),
                self.height_of(name, size, width=label - 2, style="B"),
            )
            self.room_for(high)
            top = self.get_y()
            self.paragraph(name, size, style="B", width=label - 2, after=0)
            under = self.get_y()
            self.set_y(top)
            self.paragraph(value, size, width=INNER - label, x=MARGIN + label, after=0)
            self.set_y(max(under, self.get_y()) + 0.9)

    def table(
        self,
        head: Sequence[str],
        rows: Sequence[Sequence[str]],
        widths: Sequence[float],
        size: float = 10.5,
        *,
        title: str = "",
        more: Callable[[int, int], str] | None = None,
    ) -> None:
        """A ruled table; a row is never torn over two pages, and the head repeats on each page.

        `widths` are shares of the text width and sum to 1. Neither the head nor `title`, a heading over it, stands
        at the foot of a page without the first row. `more`: what stands below the last row of a page, given how many
        rows come after it and on which page the next one is; it is left out where there is no room for it.
        """
        spans = [INNER * share for share in widths]
        pad = 1.3

        def height(cells: Sequence[str], style: str) -> float:
            return max(
                self.height_of(cell, size, width=span - 2 * pad, style=style)
                for cell, span in zip(cells, spans, strict=True)
            )

        def put(cells: Sequence[str], style: str, left_over: int = 0) -> None:
            high = height(cells, style)
            if self.get_y() + high + 2 * pad > self.page_break_trigger:
                if more is not None and left_over:
                    said = more(left_over, self.page_no() + 1)
                    if self.get_y() + self.height_of(said, size, style="B") + 2 * pad <= self.page_break_trigger:
                        self.set_y(self.get_y() + pad)
                        self.paragraph(said, size, style="B", after=0)
                self.add_page()
                if style == "":
                    put(head, "B")
            top = self.get_y()
            left = MARGIN
            for cell, span in zip(cells, spans, strict=True):
                self.set_y(top + pad)
                self.paragraph(cell, size, style=style, width=span - 2 * pad, x=left + pad, after=0)
                left += span
            bottom = top + high + 2 * pad
            self.set_draw_color(*(INK if style else RULE))
            self.set_line_width(0.4 if style else 0.2)
            self.line(MARGIN, bottom, WIDTH - MARGIN, bottom)
            self.set_y(bottom)

        together = min(height(head, "B") + (height(rows[0], "") if rows else 0) + 4 * pad, HEIGHT - 80)
        if title:
            self.heading(title, keep=together + 5)
        self.room_for(together)
        put(head, "B")
        for at, row in enumerate(rows):
            put(row, "", len(rows) - at if at else 0)
        self.set_y(self.get_y() + 2)

    def fitted(self, text: str, width: float, largest: float, *, family: str = LOUD) -> float:
        """The point size, at most `largest`, at which `text` fits `width` on one line; it is then set."""
        self.set_font(family, "B", largest)
        natural = self.get_string_width(text)
        size = largest if natural <= width else largest * width / natural
        self.set_font(family, "B", size)
        return size

    def qr(self, link: str, x: float, y: float, side: float) -> None:
        """A QR code as black rectangles on white, quiet zone included: no picture, sharp at any size."""
        modules = [list(row) for row in segno.make(link, error="m", micro=False).matrix_iter(border=4)]
        step = side / len(modules)
        self.set_fill_color(255, 255, 255)
        self.rect(x, y, side, side, style="F")
        self.set_fill_color(0, 0, 0)
        for row, line in enumerate(modules):
            start = None
            for column, dark in enumerate([*line, 0]):
                if dark and start is None:
                    start = column
                elif not dark and start is not None:
                    # A hair wider and higher than its place, so that viewers show no white seams.
                    self.rect(
                        x + start * step,
                        y + row * step,
                        (column - start) * step + 0.02,
                        step + 0.02,
                        style="F",
                    )
                    start = None

    def picture(self, data: bytes, x: float, y: float, width: float, height: float) -> None:
        """Place a JPEG or PNG inside the given frame, keeping its proportions. Needs Pillow."""
        self.image(BytesIO(data), x=x, y=y, w=width, h=height, keep_aspect_ratio=True)

    def finished(self) -> bytes:
        return bytes(self.output())

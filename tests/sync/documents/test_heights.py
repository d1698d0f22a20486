"""How high a text will stand is known without drawing it, and is what drawing it takes: any words, any line ends."""

from datetime import UTC, datetime

import pytest
from fpdf.line_break import MultiLineBreak
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sync.documents.paper import Paper

LETTERS = st.text(st.sampled_from("aWi mñ.-\u00a0\u00ad\u200b\t\n\r\f日"), max_size=120)


def paper():
    made = Paper(title="T", running="R", foot="F", created=datetime(2026, 8, 27, tzinfo=UTC), language="en",
                 _=lambda text: text, demo=False)
    made.add_page()
    return made


@pytest.fixture(scope="module")
def sheet():
    return paper()


@settings(max_examples=150, deadline=None, derandomize=True)
@given(text=LETTERS, width=st.sampled_from((9.0, 31.5, 80.0)))
@example("", 9.0)
@example("\n", 9.0)
@example("a\n" * 300, 31.5)
@example("WWW \nWWWW", 9.0)
@example("W" * 500, 80.0)
@example("page {nb} of {nb}", 9.0)
def test_it_is_as_high_as_it_is_drawn(sheet, text, width):
    sheet.set_font("plex", "", 11)
    drawn = sheet.multi_cell(width, 5.1, text, dry_run=True, output="HEIGHT", align="L", padding=0)
    assert sheet.height_in(text, width, 5.1) == drawn


def test_a_line_that_stands_there_thousands_of_times_is_broken_once(monkeypatch):
    sheet, broken = paper(), []
    real = MultiLineBreak.get_line
    monkeypatch.setattr(MultiLineBreak, "get_line", lambda self: broken.append(1) or real(self))
    text = "Mud on the road, and more of it further down the road.\n" * 3_900
    assert sheet.height_of(text, 11, width=40) > 3_900 * 11
    assert sheet.pages_count == 1 and len(broken) < 10

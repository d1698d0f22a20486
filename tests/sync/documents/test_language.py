"""Words for dates and times do not depend on the machine, and an untranslated sentence still reads as English."""

import subprocess
import sys
from datetime import UTC, date, datetime, time

import pytest

from sync.documents.language import (
    clock_words,
    date_words,
    long_date_words,
    moment_words,
    parse_date,
    parse_wall,
    translator,
)


def test_dates_are_said_with_their_weekday():
    assert date_words(date(2026, 9, 8)) == "Tue Sep 8, 2026"
    assert long_date_words(date(2026, 9, 8)) == "Tuesday, September 8, 2026"
    assert long_date_words(date(2024, 2, 29)) == "Thursday, February 29, 2024"


@pytest.mark.parametrize(
    ("at", "said"),
    [
        ("00:00", "12:00 midnight"),
        ("00:05", "12:05 AM"),
        ("09:07", "9:07 AM"),
        ("11:59", "11:59 AM"),
        ("12:00", "12:00 noon"),
        ("12:30", "12:30 PM"),
        ("17:00", "5:00 PM"),
        (time(23, 59), "11:59 PM"),
    ],
)
def test_times_are_said_on_a_twelve_hour_clock(at, said):
    assert clock_words(at) == said


def test_a_moment_is_said_in_the_zone_it_carries():
    assert moment_words(parse_wall("2026-08-27T14:03:22-05:00")) == "Thu Aug 27, 2026 at 2:03 PM"
    assert moment_words(datetime(2026, 8, 27, 19, 3, tzinfo=UTC)) == "Thu Aug 27, 2026 at 7:03 PM"


def test_wall_times_without_an_offset_and_bad_dates_are_refused():
    with pytest.raises(ValueError, match="no offset"):
        parse_wall("2026-08-27T14:03:22")
    with pytest.raises(ValueError, match="month"):
        parse_date("2026-13-01")


def test_words_do_not_follow_the_locale_of_the_machine():
    said = subprocess.run(
        [
            sys.executable,
            "-c",
            "import locale; locale.setlocale(locale.LC_ALL, '');"
            "from datetime import date; from sync.documents.language import long_date_words;"
            "print(long_date_words(date(2026, 9, 8)))",
        ],
        env={"LC_ALL": "C.UTF-8", "LANGUAGE": "de", "PATH": ""},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert said.strip() == "Tuesday, September 8, 2026"


def test_a_language_without_a_catalogue_answers_in_english():
    assert translator("xx")("This work must stop now") == "This work must stop now"
    assert translator("en")("This work must stop now") == "This work must stop now"

"""What a value in a record may be: small checks that name the place where one is wrong, put together to schemas.

Each takes (value, where) and raises Problem "fact-malformed"; those in lower case with arguments make one. A key that a
schema does not list is allowed, because a newer tablet may say more.

Nearly every value is fine, so the way to one is put together only when it is not, from the inside out.
"""

import re
from collections.abc import Callable
from typing import Any

from sync.records.macs import is_fingerprint
from sync.records.numbers import parse_number
from sync.records.problems import Problem
from sync.records.times import At, parse_date, parse_wall

Check = Callable[[Any, str], None]

MAX_TEXT = 8_000
MAX_STATEMENT = 40_000  # it names each photo and each voice note of a record
_DECIMAL = re.compile(r"-?\d{1,12}(\.\d{1,9})?")
MOST_LANGUAGES = 10
_LANGUAGE = re.compile(r"[a-z]{2,3}")
_CLOCK_TIME = re.compile(r"([01]\d|2[0-3]):[0-5]\d")


def bad(where: str, detail: str) -> Problem:
    return Problem("fact-malformed", detail, where=where)


def text(value: Any, where: str) -> None:
    if not isinstance(value, str) or len(value) > MAX_TEXT:
        raise bad(where, f"a text of at most {MAX_TEXT} characters is needed")


def statement(value: Any, where: str) -> None:
    if not isinstance(value, str) or not 0 < len(value) <= MAX_STATEMENT or value.isspace():
        raise bad(where, f"what is signed is needed, in at most {MAX_STATEMENT} characters")


def filled(value: Any, where: str) -> None:
    text(value, where)
    if not value or value.isspace():
        raise bad(where, "this text may not be empty")


def whole(low: int, high: int) -> Check:
    def check(value: Any, where: str) -> None:
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            raise bad(where, f"a whole number from {low} to {high} is needed")

    return check


def truth(value: Any, where: str) -> None:
    if not isinstance(value, bool):
        raise bad(where, "true or false is needed")


def day(value: Any, where: str) -> None:
    parse_date(value, where)


def wall(value: Any, where: str) -> None:
    parse_wall(value, where)


def reading(value: Any, where: str) -> None:
    At.from_wire(value, where)


def clock_time(value: Any, where: str) -> None:
    if not isinstance(value, str) or not _CLOCK_TIME.fullmatch(value):
        raise bad(where, "a time such as 17:00 is needed")


def decimal(value: Any, where: str) -> None:
    if not isinstance(value, str) or not _DECIMAL.fullmatch(value):
        raise bad(where, 'a number written as text, such as "0.50", is needed')


def sha256(value: Any, where: str) -> None:
    if not is_fingerprint(value):
        raise bad(where, "a SHA-256 in hex is needed")


def fact_id(value: Any, where: str) -> None:
    if not isinstance(value, str) or not re.fullmatch(r"[0-9a-f]{32}", value):
        raise bad(where, "a fact id of 32 hex digits is needed")


def number(value: Any, where: str) -> None:
    try:
        plain = str(parse_number(value))
    except Problem as err:
        raise bad(where, err.detail) from err
    if plain != value:
        raise bad(where, f"write the number as {plain}")


def one_of(*allowed: str) -> Check:
    def check(value: Any, where: str) -> None:
        if not isinstance(value, str) or value not in allowed:
            raise bad(where, f"one of {', '.join(allowed)} is needed")

    return check


def language(value: Any, where: str) -> None:
    if not isinstance(value, str) or not _LANGUAGE.fullmatch(value):
        raise bad(where, "the code of a language such as es is needed")


def by_language(inner: Check) -> Check:
    """One value for each of a few languages."""

    def check(value: Any, where: str) -> None:
        if not isinstance(value, dict) or len(value) > MOST_LANGUAGES:
            raise bad(where, f"an object of at most {MOST_LANGUAGES} languages is needed")
        for code, said in value.items():
            language(code, where)
            inner(said, f"{where}.{code}")

    return check


def maybe(inner: Check) -> Check:
    def check(value: Any, where: str) -> None:
        if value is not None:
            inner(value, where)

    return check


def many(inner: Check, most: int = 2_000) -> Check:
    def check(value: Any, where: str) -> None:
        if not isinstance(value, list) or len(value) > most:
            raise bad(where, f"a list of at most {most} is needed")
        index = 0
        try:
            for item in value:
                inner(item, "")
                index += 1
        except Problem as problem:
            raise bad(f"{where}[{index}]{problem.where}", problem.detail) from problem.__cause__

    return check


def obj(fields: dict[str, Check], optional: dict[str, Check] | None = None) -> Check:
    needed, allowed = list(fields.items()), list((optional or {}).items())

    def check(value: Any, where: str) -> None:
        if not isinstance(value, dict):
            raise bad(where, "an object is needed")
        try:
            for key, inner in needed:
                if key not in value:
                    raise bad(key, "this is missing")
                inner(value[key], key)
            if len(value) > len(needed):
                for key, inner in allowed:
                    if key in value:
                        inner(value[key], key)
        except Problem as problem:
            raise bad(f"{where}.{problem.where}", problem.detail) from problem.__cause__

    return check

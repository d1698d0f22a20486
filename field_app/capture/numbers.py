"""A number as people type it: with a point or, as in Spanish, with a comma before the tenths.

Nothing is guessed: a comma with three digits or more behind it might part thousands, so it is not taken for a number.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_TYPED = re.compile(r"([0-9]{0,9})(?:\.([0-9]{0,6})|,([0-9]{0,2}))?")


def typed_number(text: str) -> str | None:
    """The number as it travels ("0.8" for ".8" and "0,8"); None when it is none, or could be meant in two ways."""
    found = _TYPED.fullmatch(text.strip())
    if found is None or not any(found.groups()):
        return None
    whole, tenths = found[1] or "0", found[2] or found[3] or ""
    return f"{whole}.{tenths}" if tenths else whole


def as_read(answers: Mapping[str, Any]) -> dict[str, Any]:
    """Answers, also rows of them, with their numbers as they travel; what is none stays as it was typed."""

    def read(given: Any) -> Any:
        if isinstance(given, list):
            return [as_read(row) for row in given]
        return (typed_number(given) or given) if isinstance(given, str) else given

    return {key: read(given) for key, given in answers.items()}

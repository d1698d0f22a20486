"""A number as people type it: with a point or, as in Spanish, with a comma before the tenths.

Nothing is guessed: a comma with three digits or more behind it might part thousands, so it is not taken for a number.
"""

from __future__ import annotations

import re

_TYPED = re.compile(r"([0-9]{0,9})(?:\.([0-9]{0,6})|,([0-9]{0,2}))?")


def typed_number(text: str) -> str | None:
    """The number as it travels ("0.8" for ".8" and "0,8"); None when it is none, or could be meant in two ways."""
    found = _TYPED.fullmatch(text.strip())
    if found is None or not any(found.groups()):
        return None
    whole, tenths = found[1] or "0", found[2] or found[3] or ""
    return f"{whole}.{tenths}" if tenths else whole

"""Several parcels or lots in one place: an order binds those that it names, and no other.

Parcels are written one beside the other, with commas, semicolons or line breaks between them.
"""

from __future__ import annotations

import re

_BETWEEN = re.compile(r"[,;\n]")


def parcels(text: str) -> tuple[str, ...]:
    """The parcels in the text, each once, in their order."""
    return tuple(dict.fromkeys(" ".join(one.split()) for one in _BETWEEN.split(text) if one.strip()))


def _folded(text: str) -> frozenset[str]:
    return frozenset(one.casefold() for one in parcels(text))


def within(named: str, known: str) -> bool:
    """Whether each parcel that is named is one of the known ones. Where nothing is named or known nothing differs."""
    return not named.strip() or not known.strip() or _folded(named) <= _folded(known)


def apart(one: str, other: str, known: str) -> bool:
    """Whether both name parcels of the known ones and have none in common: lots of one development."""
    first, second, all_of_them = _folded(one), _folded(other), _folded(known)
    return bool(first and second) and first | second <= all_of_them and not first & second

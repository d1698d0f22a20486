"""A form that shows all of something says what it was filled in from: whoever saves it later than somebody else changed
the same thing is told so, and takes nothing of that back unseen.
"""

from __future__ import annotations

from typing import Any

from sync.records.macs import fingerprint
from sync.records.problems import Problem
from sync.records.wire import encode


def seen_as(shown: Any) -> str:
    """What a form carries along of that which it shows."""
    return fingerprint(encode(shown))[:16]


def check_unchanged(seen: str, now: Any) -> None:
    """Raises Problem "changed-meanwhile" unless ``now`` is what the form was filled in from; "" asks nothing."""
    if seen and seen != seen_as(now):
        raise Problem("changed-meanwhile", "somebody else changed this after the page was opened; nothing was saved")

"""Previews first, originals after: how long originals of signed records wait for previews that are still being made.

Not long: a preview that does not come, because the picture cannot be decoded or the tablet is slow, holds up nothing.
"""

from typing import Any

from sync.client.policy import Policy
from sync.client.rows import DUE, FRESH_FILE
from sync.client.shelf import OutboxView
from sync.records.evidence_files import PREVIEW


def draft_doc(sha256: str, kind: str, size: int, media: str, draft: str) -> dict[str, Any]:
    """The "evidence" document of a file of a draft: it may travel although no signed fact names it yet."""
    due = {"preview": DUE} if kind == "photo" else {}
    return {"sha256": sha256, "kind": kind, "size": size, "media": media, "facts": [], "draft": draft,
            "sync": dict(FRESH_FILE), **due}  # fmt: skip


def preview_doc(sha256: str, size: int, of: str) -> dict[str, Any]:
    """The "evidence" document of the preview of the photo ``of``."""
    return {"sha256": sha256, "kind": PREVIEW, "size": size, "media": "image/jpeg", "facts": [], "of": of,
            "sync": dict(FRESH_FILE)}  # fmt: skip


class Previews:
    """Times in monotonic milliseconds."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._since, self._seen = 0, 0

    def holds(self, kind: str, view: OutboxView, now: int, whens: list[int]) -> bool:
        """Whether files of this kind wait now; until when at most is added to ``whens``. Each preview that is made
        begins the time anew."""
        if kind != "photo":
            return False
        if view.shelf.due_moves != self._seen:
            self._since, self._seen = now, view.shelf.due_moves
        if not view.shelf.due or now >= self._since + self._policy.preview_wait_ms:
            return False
        whens.append(self._since + self._policy.preview_wait_ms)
        return True

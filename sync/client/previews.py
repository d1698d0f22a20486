"""Previews first, originals after: how long originals of signed records wait for previews that are still being made.

Not long: a preview that does not come, because the picture cannot be decoded or the tablet is slow, holds up nothing.
"""

from typing import Any

from sync.client.policy import Policy
from sync.client.rows import DUE, FRESH_FILE, FileRow, OutboxView
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
        self._due: frozenset[str] = frozenset()
        self._since = 0
        self._seen: OutboxView | None = None

    def holds(self, row: FileRow, view: OutboxView, now: int, whens: list[int]) -> bool:
        """Whether the photo ``row`` waits now; until when at most is added to ``whens``. Each preview that is made
        begins the time anew."""
        if row.kind != "photo":
            return False
        if view is not self._seen:  # counted once for all files of a view, not once for each
            due = frozenset(other.sha256 for other in view.files if other.due and other.facts and not other.held)
            gone = self._due - due
            # An original that went without its preview is no sign of life from who makes them.
            if due - self._due or (gone and gone != {other.sha256 for other in view.files
                                                     if other.held and other.sha256 in gone}):
                self._since = now
            self._due, self._seen = due, view
        if not self._due or now >= self._since + self._policy.preview_wait_ms:
            return False
        whens.append(self._since + self._policy.preview_wait_ms)
        return True

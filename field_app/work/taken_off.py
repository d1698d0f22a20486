"""Photos and voice notes that were taken and taken off again before signing: the signed record names them.

A photo may be retaken or be of no use; but nobody can say later that it never was. What is noted here is its hash and
when it was taken and taken off. The original stays for a while: `tidying.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sync.client.previews import draft_doc

if TYPE_CHECKING:
    from field_app.work.desk import Desk


RETAKEN = "retaken"


def trace(desk: Desk, draft: str, photo: Any | None, why: str = "") -> dict[str, Any]:
    """What stays in the document of a file that left its draft unsigned; `why` "retaken" or ""."""
    taken = (photo.get("taken") or photo.get("recorded")) if photo else None
    return {"draft": draft, "at": desk.wall(), "taken": taken, **({"why": why} if why else {})}


def note(desk: Desk, tx: Any, draft: str, photo: Any, kind: str = "photo", why: str = "") -> None:
    """In the change that takes the photo (or voice note) out of the draft. A file that a signed record names needs no
    note."""
    sha = photo["sha256"]
    doc = tx.get("evidence", sha) or draft_doc(sha, kind, photo["size"], photo["media"], draft)
    if not doc.get("facts"):
        tx.put("evidence", sha, {**doc, "draft": "", "removed": trace(desk, draft, photo, why)})


def for_record(desk: Desk, draft: str, used: set[str]) -> dict[str, Any]:
    """The part of a signed record that names them; empty when there are none. ``used``: what the record shows."""
    gone = [doc for doc in desk.store.table("evidence").all() if (doc.get("removed") or {}).get("draft") == draft
            and doc["sha256"] not in used]  # fmt: skip
    if not gone:
        return {}
    gone.sort(key=lambda doc: (doc["removed"]["at"], doc["sha256"]))
    told: dict[str, Any] = {}
    for doc in gone:
        name = "removed_voice_notes" if doc["kind"] == "voice_note" else "removed_photos"
        one = {"sha256": doc["sha256"], "taken": doc["removed"]["taken"], "removed_at": doc["removed"]["at"]}
        told.setdefault(name, []).append(one | ({"why": doc["removed"]["why"]} if doc["removed"].get("why") else {}))
    return told

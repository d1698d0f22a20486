"""What bodies of several kinds say alike: who signs, by when something is due, what was spoken or taken off again."""

from sync.records.photo_bodies import VOICE_NOTE
from sync.records.shapes import (
    Check,
    clock_time,
    day,
    filled,
    many,
    maybe,
    obj,
    reading,
    sha256,
    statement,
    text,
    truth,
    wall,
)

# `at_once`: due before the inspector leaves; `at` is then the minute of the finding and is never printed.
DUE = obj({"on": day, "at": clock_time}, {"at_once": truth})
SIGNER = {"name": filled, "title": text, "credential_no": text}
SIGNED = obj(SIGNER, {"statement": statement})
# Photos that were taken and taken off again before signing; their originals may lie on the tablet.
REMOVED: dict[str, Check] = {"removed_photos": many(
    obj({"sha256": sha256, "taken": maybe(reading), "removed_at": wall}, {"why": text}), 500)}
# What was spoken about it, and which recordings were taken off again before signing.
SPOKEN: dict[str, Check] = {
    "voice_notes": many(VOICE_NOTE, 200),
    "removed_voice_notes": many(obj({"sha256": sha256, "taken": maybe(reading), "removed_at": wall}), 500),
}

"""What both sides of a forgotten PIN make alike: the labels of the boxes, a question's id, the code people compare.

The spoken code covers the tablet, the person, the box and the public half that the answer goes to: whoever puts
another question in its place, or another tablet, makes another code.
"""

from __future__ import annotations

import hashlib

from sync.records.boxes import spoken
from sync.records.problems import Problem
from sync.records.wire import decode, encode

USER_KEY = "user key"
"""The label of a box from before boxes named the person; see `user_key_label`."""
ANSWER = "answer"
"""The label of a box that holds it for the tablet that asked."""


QUESTION_FILE, ANSWER_FILE = "siltwatch pin question", "siltwatch pin answer"
"""What the two files say they are, for a tablet that cannot reach the office."""
QUESTION = ("tablet", "proof", "person", "key", "box", "public")
ANSWERED = ("id", "state", "box")
MOST_FILE_BYTES = 64_000


def user_key_label(person: str) -> str:
    """The label of a box that holds this person's key of one tablet, for the city: in nobody else's question does it
    open."""
    return f"{USER_KEY} {person}"


def write_file(what: str, fields: dict[str, str]) -> bytes:
    """A question or an answer as a file."""
    return encode({"what": what, "v": 1, **fields})


def read_file(what: str, names: tuple[str, ...], data: bytes) -> dict[str, str]:
    """The fields of such a file. Raises Problem "recovery-file" for any other file."""
    try:
        found = decode(data) if len(data) <= MOST_FILE_BYTES else None
    except Problem:
        found = None
    if not isinstance(found, dict) or found.get("what") != what or found.get("v") != 1 or not all(
            isinstance(found.get(name), str) for name in names):
        raise Problem("recovery-file", where="file")
    return {name: found[name] for name in names}


def ask_id(tablet: str, person: str, public: str) -> str:
    """The id of a question: the same tablet, person and public half make the same."""
    return hashlib.sha256(f"{tablet}\n{person}\n{public}".encode()).hexdigest()


def spoken_code(tablet: str, person: str, box: str, public: str) -> str:
    """Ten characters that the person reads out and the office compares."""
    return spoken(tablet.encode(), person.encode(), box.encode(), public.encode())

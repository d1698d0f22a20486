"""What both sides of a forgotten PIN make alike: the labels of the boxes, a question's id, the code people compare.

The spoken code covers the tablet, the person, the box and the public half that the answer goes to: whoever puts
another question in its place, or another tablet, makes another code.
"""

from __future__ import annotations

import hashlib

from sync.records.boxes import spoken

USER_KEY = "user key"
"""The label of a box that holds a person's key of one tablet, for the city."""
ANSWER = "answer"
"""The label of a box that holds it for the tablet that asked."""


def ask_id(tablet: str, person: str, public: str) -> str:
    """The id of a question: the same tablet, person and public half make the same."""
    return hashlib.sha256(f"{tablet}\n{person}\n{public}".encode()).hexdigest()


def spoken_code(tablet: str, person: str, box: str, public: str) -> str:
    """Ten characters that the person reads out and the office compares."""
    return spoken(tablet.encode(), person.encode(), box.encode(), public.encode())

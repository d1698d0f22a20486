"""Who approved an entry in an emergency, as the form shows it."""

from __future__ import annotations

from dataclasses import dataclass

from field_app.work.views.common import Choice


@dataclass(frozen=True, slots=True)
class ApprovalView:
    """`how` "" until it was said; `holders`: the persons known here who hold the power on that day, with
    `capture.approval.OTHER` for somebody else, who is then named by hand; `person` "" until it was said. `on`
    ISO, `at` "HH:MM" or ""; `words` sums it up, "" while it is not whole. `mine`: the person at work holds
    the power."""

    how: str
    hows: tuple[Choice, ...]
    person: str
    holders: tuple[Choice, ...]
    name: str
    role: str
    on: str
    at: str
    words: str
    mine: bool

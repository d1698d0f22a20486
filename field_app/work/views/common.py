"""View-models used by several screens."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ProblemView:
    """A refusal a person can act on: stable code, what happened, what to do."""

    code: str
    sentence: str
    advice: str


@dataclass(frozen=True, slots=True)
class Choice:
    """One thing to choose from: `value` goes back to Work, `words` is shown."""

    value: str
    words: str

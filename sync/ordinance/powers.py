"""Who may do what: powers are separate and dated, roles are bundles to grant from. Nobody holds one by title."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date

from .schema import Section


@dataclass(frozen=True, slots=True)
class Powers:
    """Power ids with their labels by language, and the roles as lists of powers."""

    labels: dict[str, dict[str, str]]
    roles: dict[str, tuple[str, ...]]

    def label(self, power: str, language: str = "en") -> str:
        return self.labels[power][language]


def holds(grants: Iterable[Mapping], power: str, day: date) -> bool:
    """Whether one of ``{power, from, until|None}`` grants ``power`` on ``day`` (both ends included).

    Dates are date objects or ISO text.
    """
    def as_day(value: object) -> date:
        return value if isinstance(value, date) else date.fromisoformat(str(value))

    return any(
        grant["power"] == power and as_day(grant["from"]) <= day
        and (grant.get("until") is None or day <= as_day(grant["until"]))
        for grant in grants)


def read_powers(section: Section, languages: tuple[str, ...]) -> Powers:
    """``powers.toml``: ``[power]`` with a text each, ``[role]`` with lists of powers."""
    inner = section.section("power")
    labels = {name: inner.said(name, languages) for name in inner.table}
    for needed in ("inspect", "post"):
        if needed not in labels:
            raise section.fail(f"power.{needed}", "is missing")
    bundles = section.section("role")
    roles = {}
    for name in bundles.table:
        roles[name] = bundles.texts(name)
        for power in roles[name]:
            if power not in labels:
                raise bundles.fail(name, f"{power!r} is not a power of this pack")
    section.done()
    return Powers(labels, roles)

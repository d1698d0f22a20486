"""The catalogue of control devices: what the ordinance names, inlet barriers, and what the State's standards add."""

from __future__ import annotations

from dataclasses import dataclass

from .schema import Section

PLACES = ("site", "inlet")


@dataclass(frozen=True, slots=True)
class Device:
    """A kind of control device; a located device of a site names its kind by ``id``. ``at`` is site or inlet."""

    id: str
    clause: str
    at: str
    standard: str
    text: dict[str, str]

    def name(self, language: str = "en") -> str:
        return self.text[language]


def read_devices(section: Section, clauses: dict, languages: tuple[str, ...]) -> dict[str, Device]:
    """``devices.toml``. PackError for an id used twice or a clause that is not in the pack."""
    found: dict[str, Device] = {}
    for inner in section.sections("device"):
        name, clause = inner.text("id"), inner.text("clause")
        if name in found:
            raise inner.fail("id", f"{name} is used twice")
        if clause not in clauses:
            raise inner.fail("clause", f"{clause!r} is not a clause of this pack")
        found[name] = Device(name, clause, inner.choice("at", PLACES, "site"), inner.text("standard", ""),
                             inner.said("text", languages))
        inner.done()
    section.done()
    return found

"""Who speaks on a paper: city, department, telephone, where to write, how to ask for a review.

These stand in the ordinance pack beside the law (`[office]` in pack.toml), so that a tablet without a network
prints them too. What a pack does not say is left out of the paper, never made up.
"""

from __future__ import annotations

from typing import Any

from sync.documents.language import Translate


def office_of(pack: Any, language: str = "en") -> dict[str, str]:
    """name, and where the pack has them department, address, phone, review, removal_warning, in `language`."""
    said = {"name": pack.city_name(language)}
    for name, words in pack.office.items():
        said[name] = words.get(language) or words["en"]
    return said


def contact_line(city: dict[str, str]) -> str:
    """Department, address and telephone in one line."""
    return " · ".join(city[part] for part in ("department", "address", "phone") if city.get(part))


def review_words(city: dict[str, str], _: Translate) -> str:
    """How to ask for a review: the city's own text, else in writing to the department."""
    if city.get("review"):
        return city["review"]
    place = ", ".join(city[part] for part in ("name", "department", "address") if city.get(part))
    return _("Ask for a review in writing and say why. Write to: {place}.").format(place=place)

"""The documents of inlets and control devices that an inspection added or found gone: one rule for tablet and office.

A tablet has them on its own list as soon as the inspection is signed; the office's document of the same id follows.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_GONE = ("retired_by", "retired_why")


def added(inspection: str, site: str, one: Mapping[str, Any]) -> dict[str, Any]:
    """The document of a place that an inspection added; ``on_plan`` false: no plan shows it."""
    doc = {"id": one["id"], "site": site, "label": one["label"], "place": one["place"], "lat_udeg": None,
           "lon_udeg": None, "retired": False, "on_plan": False, "found_by": inspection}
    return doc | ({"planned_barrier": None} if one["kind"] == "inlet" else {"kind": one.get("device") or "other"})


def gone(doc: Mapping[str, Any], inspection: str, one: Mapping[str, Any]) -> dict[str, Any]:
    """The document of a place that an inspection no longer found."""
    return {**doc, "retired": True, "retired_by": inspection, "retired_why": one.get("why", "")}


def there_again(doc: Mapping[str, Any]) -> dict[str, Any]:
    """The same without what `gone` said."""
    return {name: value for name, value in doc.items() if name not in _GONE} | {"retired": False}

"""Where the app can be: one path per screen, what it carries, and which screen lies behind it.

The path is the only state of navigation, so a reload, the browser's back button and Android's back all mean the
same thing: `parent` is where "back" leads, whatever the way here was.
"""

from __future__ import annotations

from dataclasses import dataclass

# name: (pattern, the name of the screen behind it)
ROUTES: dict[str, tuple[str, str | None]] = {
    "today": ("/", None),
    "sites": ("/sites", "today"),
    "map": ("/map", "today"),
    "rain": ("/rain", "today"),
    "find": ("/find/:report", "today"),
    "find_marks": ("/find/:report/marks/:photo", "find"),
    "site": ("/site/:site", "sites"),
    "second_order": ("/site/:site/second/:fact", "site"),
    "site_rain": ("/site/:site/rain", "site"),
    "plan": ("/plan/:plan", "sites"),
    "inspection": ("/inspection/:draft", "sites"),
    "camera": ("/inspection/:draft/camera/:item", "inspection"),
    "marks": ("/inspection/:draft/marks/:photo", "inspection"),
    "review": ("/inspection/:draft/review", "inspection"),
    "signed": ("/signed/:fact", "sites"),
    "notice": ("/signed/:fact/notice", "signed"),
    "order": ("/order/:draft", "sites"),
    "placard": ("/order/:draft/placard", "order"),
    "blank": ("/order/:draft/blank", "order"),
    "order_photos": ("/photos/:number", "sites"),
    "placard_marks": ("/photos/:number/:report/marks/:photo", "order_photos"),
    "affix": ("/affix/:draft", "sites"),
    "order_act": ("/orders/:fact/:act", "sites"),
    "site_act": ("/acts/:draft", "sites"),
    "act_marks": ("/acts/:draft/marks/:photo", "site_act"),
    "outbox": ("/outbox", "today"),
    "settings": ("/settings", "today"),
    "change_pin": ("/settings/pin", "settings"),
    "diagnosis": ("/settings/report", "settings"),
    "people_here": ("/settings/people", "settings"),
    "people": ("/people", "today"),
}


@dataclass(frozen=True, slots=True)
class Place:
    """A screen and what it carries, e.g. Place("site", {"site": "s03"})."""

    name: str
    given: tuple[tuple[str, str], ...] = ()

    def __getitem__(self, key: str) -> str:
        return dict(self.given)[key]


def path(name: str, **given: str) -> str:
    """The path of a screen. Raises KeyError when the screen or a part of its path is missing."""
    parts = ROUTES[name][0].split("/")
    return "/".join(given[part[1:]] if part.startswith(":") else part for part in parts)


def parse(route: str) -> Place:
    """The place a path names. A path nobody knows is the first screen, never an error page."""
    parts = route.split("?")[0].split("#")[0].rstrip("/").split("/")
    for name, (pattern, _behind) in ROUTES.items():
        wanted = pattern.rstrip("/").split("/")
        if len(wanted) != len(parts):
            continue
        pairs = list(zip(wanted, parts, strict=True))
        if all(w == p or (w.startswith(":") and p) for w, p in pairs):
            return Place(name, tuple((w[1:], p) for w, p in pairs if w.startswith(":")))
    return Place("today")


def parent(place: Place) -> str | None:
    """The path that "back" leads to, or None on the first screen."""
    behind = ROUTES[place.name][1]
    if behind is None:
        return None
    return path(behind, **dict(place.given))

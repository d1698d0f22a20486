"""The sites of this tablet by what a person calls them, where they are and how they stand, kept ready to be found.

Documents are never changed, only replaced; so after a change of the store the index compares which documents of the
changed tables are still the very ones it knows, and learns the others. What is asked of it costs what it finds, not
what the store holds: a search over 10,000 sites is one pass over 10,000 short folded texts.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sync.records.places import MICRODEGREE_M

if TYPE_CHECKING:
    from field_app.hardware.ports import Fix
    from field_app.work.desk import Desk

Doc = dict[str, Any]
BY_SITE = ("permits", "inlets", "devices", "findings", "inspections", "plans", "orders", "rains", "drafts",
           "order_drafts")
"""Tables whose documents name their site."""
WATCHED = frozenset(("sites", "facts", *BY_SITE))
PARTIES = ("permittee", "landowner", "land_user", "contractor")
NOWHERE, NO_SITE = "", "-"
"""Where something belongs to every site, and where to none."""


def folded(text: str) -> str:
    """Lower case without accents, so that "resume" finds "Résumé"."""
    if text.isascii():
        return text.lower()
    plain = unicodedata.normalize("NFKD", text.casefold())
    return "".join(c for c in plain if not unicodedata.combining(c))


@dataclass(slots=True)
class Known:
    """One site: its document, its folded words, and (made when asked for, kept until something of it changes) how it
    stands: see `field_app/work/site_standing.py`."""

    doc: Doc
    words: str
    name: str
    standing: Any = field(default=None)


class SiteIndex:
    """One per desk; `of(desk)` gives it, up to date."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._rows: dict[str, dict[str, Doc]] = {name: {} for name in WATCHED}
        self._by_site: dict[str, dict[str, dict[str, Doc]]] = {name: {} for name in (*BY_SITE, "facts")}
        self._site_of: dict[tuple[str, str], str] = {}
        self._stale: set[str] = set(WATCHED)
        self.sites: dict[str, Known] = {}
        self.version = 0
        self.kept: dict[str, tuple[Any, Any]] = {}  # views made of it, each with what it was made for
        self.reckoned: Any = None  # the version and the day for which every site has been reckoned
        self.fix: Fix | None = None
        self.no_fix = ""
        desk.store.watch(self._changed)

    def _changed(self, tables: frozenset[str]) -> None:
        self._stale |= tables & WATCHED

    def refresh(self) -> SiteIndex:
        """Learns what changed since it was last asked."""
        if not self._stale:
            return self
        stale, self._stale = self._stale, set()
        touched: set[str] = set()
        for name in sorted(stale):
            touched |= self._learn(name)
        for site in touched:
            self._restate(site)
        if touched:
            self.version += 1
        return self

    def _learn(self, name: str) -> set[str]:
        """The sites that something of this table changed for; NOWHERE for what belongs to all."""
        table, known = self._desk.store.table(name), self._rows[name]
        ids, docs = table.ids(), table.all()
        changed = [(ident, doc) for ident, doc in zip(ids, docs, strict=True) if known.get(ident) is not doc]
        new = sum(1 for ident, _doc in changed if ident not in known)
        gone = set(known).difference(ids) if len(known) + new != len(ids) else set()
        touched: set[str] = set()
        for ident in gone:
            del known[ident]
            touched |= self._forget(name, ident)
        for ident, doc in changed:
            known[ident] = doc
            touched |= self._take(name, ident, doc)
        return touched

    def _forget(self, name: str, ident: str) -> set[str]:
        if name == "sites":
            return {ident}
        site = self._site_of.pop((name, ident), None)
        if site is None:
            return set()
        rows = self._by_site[name].get(site, {})
        rows.pop(ident, None)
        if not rows:
            self._by_site[name].pop(site, None)
        return {site}

    def _take(self, name: str, ident: str, doc: Doc) -> set[str]:
        if name == "sites":
            return {ident}
        touched = self._forget(name, ident)
        site = self._site_named(name, doc)
        self._by_site[name].setdefault(site, {})[ident] = doc
        self._site_of[(name, ident)] = site
        return touched | {site}

    def _site_named(self, name: str, doc: Doc) -> str:
        if name != "facts":
            return doc.get("site") or NOWHERE
        body = self._desk.fact(doc).body
        if body.get("site"):
            return str(body["site"])
        if doc["kind"] == "rain_recorded":
            return NOWHERE
        order = body.get("order")  # what was done with an order belongs to its site
        return self._site_of.get(("orders", order)) or self._site_of.get(("facts", order)) or NO_SITE

    def _restate(self, site: str) -> None:
        if site == NOWHERE:
            for known in self.sites.values():
                known.standing = None
            return
        doc = self._rows["sites"].get(site)
        if doc is None:
            self.sites.pop(site, None)
        else:
            self.sites[site] = Known(doc, self._words(site, doc), folded(doc["name"]))

    def _words(self, site: str, doc: Doc) -> str:
        """Everything the site may be called, folded; numbers once more without their dashes."""
        said = [doc["name"], doc["address"], doc.get("parcel") or "", doc.get("area") or ""]
        for role in PARTIES:
            said.append((doc.get(role) or {}).get("name") or "")
        said += [one.get("name") or "" for one in doc.get("contacts") or ()]
        numbers = [permit["number"] for permit in self.of_site("permits", site)]
        numbers += [order["number"] for order in self.of_site("orders", site)]
        numbers += [number for fact in self.of_site("facts", site) if (number := self._number(fact))]
        numbers += [number.replace("-", "") for number in numbers]
        return "\n".join([folded(one) for one in said if one] + [folded(one) for one in numbers])

    def _number(self, fact: Doc) -> str:
        return str(self._desk.fact(fact).body.get("number") or "")

    # --- asking ---

    def sites_with(self, *tables: str) -> set[str]:
        """The sites that documents of any of these tables belong to."""
        found: set[str] = set()
        for table in tables:
            found.update(self._by_site[table])
        return found & self.sites.keys()

    def of_site(self, table: str, site: str) -> list[Doc]:
        """The documents of a table that belong to the site; those of `NOWHERE` belong to all."""
        found = self._by_site[table].get(site)
        return list(found.values()) if found else []

    def shown(self) -> Iterator[Known]:
        """Every site that lists show: one that the office filed under another site is no longer one of its own."""
        return (known for known in self.sites.values() if not known.doc.get("same_as"))

    def search(self, query: str, among: Iterable[Known] | None = None) -> list[Known]:
        """The sites in whose words every word of the query is found."""
        rows = list(self.shown() if among is None else among)
        for word in sorted(folded(query).split(), key=len, reverse=True):  # the longest leaves the fewest to look at
            rows = [known for known in rows if word in known.words]
        return rows

    def keep(self, name: str, made_for: Any, make: Any) -> Any:
        """What `make()` gave for the same `made_for` and the same state of the index, else made now."""
        key = (self.version, made_for)
        found = self.kept.get(name)
        if found is None or found[0] != key:
            found = self.kept[name] = (key, make())
        return found[1]


def of(desk: Desk) -> SiteIndex:
    """The desk's index, up to date."""
    found = desk.site_index
    if found is None:
        found = desk.site_index = SiteIndex(desk)
    return found.refresh()


def metres_to(fix: Fix, doc: Doc) -> float | None:
    """Metres from the tablet to the site; None for a site without a position."""
    if doc.get("lat_udeg") is None or doc.get("lon_udeg") is None:
        return None
    north = fix.lat_udeg - doc["lat_udeg"]
    east = (fix.lon_udeg - doc["lon_udeg"]) * math.cos(math.radians(fix.lat_udeg / 1_000_000))
    return MICRODEGREE_M * math.hypot(north, east)

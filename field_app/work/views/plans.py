"""Plan documents and drawings of a site, as the tablet has them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PlanRow:
    """One plan in a list. `status` current | replaced | withdrawn. `here`: every page can be shown without a network;
    else `fetching` says in words why not and what happens next. `size` and `added` are for reading, `permit` is the
    number of the permit it belongs to or None, `pages` how many pages there are."""

    id: str
    title: str
    kind_words: str
    version: str
    status: str
    status_words: str
    permit: str | None
    added: str
    size: str
    pages: int
    here: bool
    fetching: str


@dataclass(frozen=True, slots=True)
class PlansView:
    """`current` newest first, then `replaced` (replaced and withdrawn ones: still readable, never to build by)."""

    site: str
    current: tuple[PlanRow, ...]
    replaced: tuple[PlanRow, ...]
    empty: str | None


@dataclass(frozen=True, slots=True)
class PlanPage:
    """`number` counts from 1; width and height in pixels (0: unknown). `here`: `work.plan_page(id, number)` has the
    picture."""

    number: int
    width: int
    height: int
    here: bool


@dataclass(frozen=True, slots=True)
class PlanView:
    """One plan to look at. `newer`: the plan that replaced it, to be offered above it. `can_save`: the original file
    (a PDF) is on the tablet too, so `work.save_plan(id)` can hand it out."""

    row: PlanRow
    site_name: str
    pages: tuple[PlanPage, ...]
    newer: PlanRow | None
    can_save: bool


@dataclass(frozen=True, slots=True)
class SpaceView:
    """What plans and small pictures may take on this tablet, in megabytes; `words` says how much they take now."""

    budget_mb: int
    choices_mb: tuple[int, ...]
    words: str

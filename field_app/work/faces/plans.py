"""Plan documents and drawings that the office added to a site, for looking at without a network.

One part of `Work`; what holds for all of them stands in `field_app/work/app.py`.
"""

from __future__ import annotations

from field_app.work import plans
from field_app.work.desk import Desk
from field_app.work.views.plans import PlansView, PlanView, SpaceView


class PlansFace:
    """Plan documents and drawings that the office added to a site."""

    _desk: Desk

    def plans(self, site: str) -> PlansView:
        """The plans of a site, those in use first. Problem "subject-unknown"."""
        return plans.plans(self._desk, site)

    def open_plan(self, plan: str) -> PlanView:
        """One plan with its pages. Problem "subject-unknown"."""
        return plans.open_plan(self._desk, plan)

    async def plan_page(self, plan: str, number: int) -> bytes:
        """The picture (PNG or JPEG bytes) of one page, counted from 1. Problem "file-not-here"."""
        return await plans.page(self._desk, plan, number)

    async def want_plan(self, plan: str) -> PlanView:
        """Fetch this plan before all others, as soon as there is a connection."""
        return await plans.want(self._desk, plan)

    async def save_plan(self, plan: str) -> bool:
        """Hand the original file (PDF) out to wherever the person keeps files. Problem "file-not-here"."""
        return await plans.save(self._desk, plan)

    def file_space(self) -> SpaceView:
        """What plans and small pictures may take on this tablet, and take now."""
        return plans.space(self._desk)

    async def set_file_space(self, megabytes: int) -> SpaceView:
        """One of `file_space().choices_mb`."""
        return await plans.set_budget(self._desk, megabytes)

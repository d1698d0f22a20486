"""Today, rain, and sites that somebody found.

One part of `Work`; what holds for all of them stands in `field_app/work/app.py`.
"""

from __future__ import annotations

from collections.abc import Mapping

from field_app.work import new_site, rain, report_photos, today
from field_app.work.desk import Desk
from field_app.work.rain import RainView
from field_app.work.views.report import ReportView
from field_app.work.views.today import TodayView


class FindsFace:
    """Today, rain, and sites that somebody found."""

    _desk: Desk

    def today(self, mine: bool = False, shown: Mapping[str, int] | None = None, *, near: bool = False) -> TodayView:
        """What is to be done today, the most urgent first. `mine`: only at sites assigned to the person signed in.
        `shown`: how many rows of a section ("overdue", "today", "coming", "orders") are wanted. `near`: what
        is due in the order of the way from the last known position, the nearest next, see `locate`."""
        return today.today(self._desk, mine, shown, near)

    # --- rain ---

    def rain(self, site: str = "") -> RainView:
        """The rain form of a site, or ("") of the whole city. Problem "subject-unknown"."""
        return rain.view(self._desk, site)

    async def keep_rain_form(self, site: str, **fields: str) -> None:
        """Keep what was typed: any of inches, gauge, corrects, from_on, from_at, to_on, to_at."""
        await rain.keep(self._desk, site, fields)

    async def record_rain(
        self, site: str, inches: str, begin: tuple[str, str], end: tuple[str, str], gauge: str = "", note: str = "",
        corrects: str | None = None,
    ) -> str:
        """Sign what a gauge showed between two (ISO date, "HH:MM") in the city's zone, with no network; says what is
        due for it. `corrects`: the earlier reading that this one takes the place of. Problem "rain-malformed"."""
        return await rain.record(self._desk, site, inches, begin, end, gauge, note, corrects)

    # --- a site found with no permit, or on no list ---

    async def begin_report(self, site: str | None = None) -> ReportView:
        """Write a find down: a site on no list, or (`site`) a known one without a permit. An unfinished one of this
        person is gone on with. Problem "no-authority"."""
        return await new_site.begin(self._desk, site)

    def report(self, report: str) -> ReportView:
        """The report being written, or signed. Problem "draft-unknown"."""
        return new_site.view(self._desk, report)

    async def set_report_text(self, report: str, field: str, text: str) -> ReportView:
        """`field` name | address | parcel | observed | site_class."""
        return await new_site.set_text(self._desk, report, field, text)

    async def set_report_party(self, report: str, index: int, role: str, name: str, phone: str = "") -> ReportView:
        """`index` = how many there are adds one; an empty name takes it away."""
        return await new_site.set_party(self._desk, report, index, role, name, phone)

    async def answer_need(self, report: str, question: str, value: str) -> ReportView:
        """A choice, or a number as typed; "" or the same choice again takes it back."""
        return await new_site.answer(self._desk, report, question, value)

    async def set_need_area(self, report: str, index: int, area: str, slope: str) -> ReportView:
        """One part of the disturbed land in square feet, its slope in percent; `index` = their count adds one."""
        return await new_site.set_area(self._desk, report, index, area, slope)

    async def locate_report(self, report: str) -> ReportView:
        """Ask the tablet where it is: the position of the site, or the reason why there is none."""
        return await new_site.take_position(self._desk, report)

    async def add_report_photo(
        self, report: str, data: bytes, *, source: str = "camera", view: str = "wide", name: str | None = None
    ) -> ReportView:
        """A photo of the site. It is kept durably before anything else happens. Problem "evidence-..."."""
        await report_photos.attach_photo(self._desk, report, data, source, view, name, wait=True)
        return new_site.view(self._desk, report)

    async def remove_report_photo(self, report: str, sha256: str, *, retake: bool = False) -> ReportView:
        """Take a photo off an unfinished report, for good or to take it again; the signed record says so."""
        await report_photos.remove_photo(self._desk, report, sha256, retake=retake)
        return new_site.view(self._desk, report)

    async def shoot_report(self, report: str, data: bytes, *, view: str = "wide") -> str:
        """One shot of the in-app camera for an unfinished report of any kind: durable when this returns, its position
        comes behind it. Gives the view suggested next."""
        await report_photos.attach_photo(self._desk, report, data, "camera", view, None, wait=False)
        return "close"

    async def put_report_photo_back(self, report: str) -> None:
        """The photo that was taken off an unfinished report of any kind last stands where it stood."""
        await report_photos.put_photo_back(self._desk, report)

    async def set_report_far_reason(self, report: str, reason: str) -> None:
        """Why photos of an unfinished report of any kind were taken far from the site."""
        await report_photos.set_far_reason(self._desk, report, reason)

    async def discard_report(self, report: str) -> None:
        """Throw an unfinished report away."""
        await new_site.discard(self._desk, report)

    async def save_report(self, report: str) -> ReportView:
        """Sign the report, with no network. The site is on the tablet from then on. Problem "report-incomplete"."""
        return await new_site.save(self._desk, report)

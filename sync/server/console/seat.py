"""One request of one person: session, language, form; and the frame that every page of the office stands in.

`office` turns a plain function `(Seat) -> Response` into an endpoint: it checks where a POST comes from before
it reads anything, finds the person, runs the function in a worker thread (casework waits for the database), and
turns a Problem into a page that says what to do.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from sync.documents.language import Translate, date_words, moment_words, translator
from sync.documents.office import office_of
from sync.records.problems import Problem
from sync.server.api.errors import of_the_disk
from sync.server.casework.city import City
from sync.server.casework.office import pack_of
from sync.server.casework.people import ADMINISTER
from sync.server.casework.sessions import SignedInPerson, session_person
from sync.server.casework.waiting import waiting
from sync.server.console import calling
from sync.server.console.render import html
from sync.server.console.security import COOKIE, guard, read_files, read_form, require_same_origin

log = logging.getLogger(__name__)

Handler = Callable[["Seat"], Response]
Endpoint = Callable[[Request], Awaitable[Response]]
MOST_LINES = 60


@dataclass(slots=True)
class Seat:
    """What a page function is handed. `person` is None only on pages that need no session."""

    city: City
    request: Request
    person: SignedInPerson | None
    form: dict[str, str] = field(default_factory=dict)
    language: str = "en"
    files: list[UploadFile] = field(default_factory=list)
    _pack: Any = field(default=None, init=False, repr=False)

    @property
    def _(self) -> Translate:
        return translator(self.language)

    @property
    def pack(self) -> Any:
        """The ordinance in force, asked for once on a page."""
        if self._pack is None:
            self._pack = pack_of(self.city)
        return self._pack

    @property
    def who(self) -> str:
        """The id of the person who acts."""
        assert self.person is not None
        return self.person.id

    def may(self, power: str) -> bool:
        return self.person is not None and self.person.may(power)

    @property
    def may_administer(self) -> bool:
        return self.may(ADMINISTER)

    def path(self, name: str) -> str:
        return self.request.path_params[name]

    def asked(self, name: str) -> str | None:
        """A query parameter, None when it is absent or empty."""
        return self.request.query_params.get(name) or None

    def local(self, at: datetime) -> datetime:
        """The instant in the city's zone."""
        return at.astimezone(self.city.zone)

    def moment(self, at: datetime) -> str:
        return moment_words(self.local(at), self._)

    def day(self, day: date | str) -> str:
        return date_words(date.fromisoformat(day) if isinstance(day, str) else day, self._)

    def chosen_day(self, name: str) -> date | None:
        """The day in that field of the form, None where it was left empty. Raises Problem "body-malformed"."""
        given = self.form.get(name, "").strip()
        try:
            return date.fromisoformat(given) if given else None
        except ValueError:
            raise Problem("body-malformed", self._("choose a day"), where=name) from None

    def day_needed(self, name: str) -> date:
        """As `chosen_day`, where the field must not be empty."""
        day = self.chosen_day(name)
        if day is None:
            raise Problem("body-malformed", self._("choose a day"), where=name)
        return day

    def lines(self, name: str) -> tuple[str, ...]:
        """The lines of that field of the form that hold something. Raises Problem "body-malformed"."""
        found = tuple(line.strip() for line in self.form.get(name, "").splitlines() if line.strip())
        if len(found) > MOST_LINES:
            raise Problem("body-malformed", f"at most {MOST_LINES} lines", where=name)
        return found

    def page(self, template: str, here: str, *, status: int = 200, **context: Any) -> Response:
        """A page in the office's frame; `here` is the menu entry that is current."""
        _ = self._
        found = waiting(self.city)
        counts = calling.numbers(found)
        menu = [(path, name, counts.get(path, 0)) for path, name in (
            ("/office/", _("Overview")),
            ("/office/orders", _("Orders")),
            ("/office/inspections", _("Inspections")),
            ("/office/sites", _("Sites")),
            ("/office/set-aside", _("Set aside")),
            ("/office/tablets", _("Tablets")),
            ("/office/people", _("People")),
            ("/office/law", _("Ordinance")),
            ("/office/audit", _("Audit log")),
        )]
        frame = {
            "city_name": self.city.name,
            "demo": self.pack.demo,
            "person": self.person,
            "menu": menu,
            "all_waiting": found.all,
            "to_settle": found.conflicts,
            "emergencies": calling.emergencies(self, found),
            "forgotten": calling.forgotten(self, found),
            "here": here,
            "done": done_words(self.asked("done"), _),
            "zone": self.city.zone.key,
            "now": self.city.now(),
            "moment": self.moment,
            "may_administer": self.may_administer,
            "calls_not": "",
        }
        return html(template, status=status, language=self.language, **(frame | context))

    def alone(self, template: str, *, status: int = 200, **context: Any) -> Response:
        """A page without the frame: sign-in, errors."""
        return alone(self.city, template, status=status, language=self.language, **context)

    def go(self, path: str) -> Response:
        """After a POST: on to a page that can be reloaded."""
        return guard(RedirectResponse(path, status_code=303))


def natural(text: str, digits: int) -> int | None:
    """The number that stands there in at most so many plain digits; None for all else ("²" is a digit, and none)."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= digits else None


def alone(
    city: City, template: str, *, static: str = "/office/static", language: str = "en", **context: Any
) -> Response:
    return html(template, language=language, static=static, **(_frame(city, language) | context))


def _frame(city: City, language: str) -> dict[str, Any]:
    try:
        pack = pack_of(city)
    except Problem:  # the database is away, and this page is the one that says so
        return {"city_name": city.name, "department": "", "demo": False}
    return {
        # The pack knows the city's name in each language; a city that took over another's pack has its own.
        "city_name": pack.city_name(language) if city.name == pack.city_name("en") else city.name,
        "department": office_of(pack, language).get("department", ""),
        "demo": pack.demo,
    }


def done_words(done: str | None, _: Translate) -> str:
    """The sentence for what was just done; only these, so that a link cannot put words into the page."""
    return {
        "confirmed": _("The order is confirmed."),
        "declined": _("The order is declined and void. Tablets and the public page will say so."),
        "issued": _("The order is issued. It comes down to the tablets, to be put up on the site."),
        "refused": _("The order is not issued. The tablet will say so."),
        "site-confirmed": _("The site is one of the city's now."),
        "site-filed": _("It is filed here. What was signed is not changed."),
        "revision": _("The revision is ordered. Print it and have it handed over; the tablets are told."),
        "attended": _("It is written down. The emergency calls for nobody any more."),
        "settled": _("The decision is in the record. Tablets and the public page will say so."),
        "ended": _("The power ends with that day. Every tablet is told, and what is signed after it is set aside."),
        "recovery_answered": _("It is open for this tablet. The person types the PIN that they chose there."),
        "recovery_declined": _("Declined."),
        "recovery_question": _("The question of the tablet is taken in."),
        "withdrawn": _("The tablet is withdrawn. What it still sends is set aside."),
        "plan-added": _("The plan is added. Tablets that see the site fetch it by themselves."),
        "plan-withdrawn": _("The plan is withdrawn. It stays readable, marked as withdrawn."),
        "site-changed": _("The site is changed. Tablets get it with their next contact."),
        "site-same": _("Nothing was different; nothing was changed."),
        "owner": _("It is in the record. Orders on this site and the tablets follow."),
        "permit": _("The permit is changed. Tablets and the dates of its orders follow."),
        "stack": _("The numbers are set apart. Open the paper and print it; the tablet learns of them by itself."),
        "number-void": _("The number is recorded as used up, with the reasons."),
        "sees": _("The tablet gets these sites with its next contact, and gives up the others."),
        "signed-out-there": _("The sign-in is ended. What is still signed under it is set aside."),
        "pack": _("This ordinance is in force from now on. What was begun before is finished under the former one; the "
                  "days of open orders are counted by these calendars."),
        "pack-same": _("This very text is in force already; nothing was changed."),
    }.get(done or "", "")


def takes_files(limit: int) -> Callable[[Handler], Handler]:
    """Marks a page function whose form brings files, at most ``limit`` bytes in all: `seat.files`, in their order."""

    def mark(handler: Handler) -> Handler:
        handler.file_bytes = limit  # type: ignore[attr-defined]
        return handler

    return mark


def office(city: City, handler: Handler, *, needs_session: bool = True) -> Endpoint:
    """The endpoint for `handler`: origin check, form, session, worker thread, problems as pages."""

    def work(request: Request, form: dict[str, str], brought: list[UploadFile]) -> Response:
        person = None
        if needs_session:
            try:
                person = session_person(city, request.cookies.get(COOKIE) or "")
            except Problem as problem:
                if problem.code != "session-missing":
                    raise
                answer = signed_out(city)
                if "hx-request" in request.headers:
                    # A page that renews a part of itself shall show the whole answer, not a hole.
                    answer.headers["HX-Refresh"] = "true"
                return answer
        return handler(Seat(city, request, person, form, files=brought))

    async def with_files(request: Request, limit: int) -> Response:
        # Who has no session brings no files: nothing of them is read.
        await run_in_threadpool(session_person, city, request.cookies.get(COOKIE) or "")
        found = await read_files(request, limit)
        try:
            fields = {name: value.replace("\r\n", "\n").strip() for name, value in found.multi_items()
                      if isinstance(value, str)}
            brought = [value for _, value in found.multi_items() if isinstance(value, UploadFile) and value.filename]
            return await run_in_threadpool(work, request, fields, brought)
        finally:
            await found.close()

    async def endpoint(request: Request) -> Response:
        try:
            form: dict[str, str] = {}
            if request.method not in ("GET", "HEAD"):
                require_same_origin(request.headers, city.public_url)
                if limit := getattr(handler, "file_bytes", 0):
                    return await with_files(request, limit)
                form = await read_form(request)
            return await run_in_threadpool(work, request, form, [])
        except Problem as problem:
            return await run_in_threadpool(problem_page, city, problem)
        except Exception as error:
            problem = of_the_disk(request, error)
            if problem is None:
                log.exception("%s %s failed", request.method, request.url.path)
            return await run_in_threadpool(problem_page, city, problem or Problem("server-failed"))

    return endpoint


def signed_out(city: City, *, left: bool = False) -> Response:
    _ = translator("en")
    heading = _("You are signed out") if left else _("You are not signed in")
    return alone(city, "signed_out.html", status=200 if left else 401, heading=heading)


def problem_page(city: City, problem: Problem) -> Response:
    return alone(city, "problem.html", status=problem.status, problem=problem)

"""How the desk speaks: the language chosen, the law's own, and dates, moments and refusals in words of it.

While one view is made, languages, ordinance and moment are looked up once, so that all of it says the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date, datetime, timedelta
from typing import Any

from field_app.work import preferences
from field_app.work.views import ProblemView
from sync.documents.language import ClockWords, Translate, clock_words, date_words, moment_words, translator
from sync.ordinance.pack import Pack
from sync.records.problems import Problem

NEAR_MS = 120_000


class Speaking:
    """A part of `Desk`."""

    hardware: Any
    _forced_language: str | None
    _speaking: int
    _spoken: dict[str, Any]

    pack: Callable[..., Pack]
    now: Callable[[], datetime]
    local: Callable[[datetime], datetime]

    @property
    def language(self) -> str:
        if "language" in self._spoken:
            return self._spoken["language"]
        return self._said_once("language", self._forced_language or preferences.chosen(self, "language"))

    @property
    def law_language(self) -> str:
        """The language of the pack's own texts: the chosen one where the pack has it, else English."""
        if "law" in self._spoken:
            return self._spoken["law"]
        language = self.language
        return self._said_once("law", language if language in self.pack().languages else "en")

    def _said_once(self, name: str, found: Any) -> Any:
        if self._speaking:
            self._spoken[name] = found
        return found

    @contextmanager
    def speaking(self) -> Iterator[None]:
        """While one view is made (nothing is awaited meanwhile) languages, ordinance and moment are looked up once."""
        self._speaking += 1
        try:
            yield
        finally:
            self._speaking -= 1
            if not self._speaking:
                self._spoken.clear()

    @property
    def words(self) -> Translate:
        return translator(self.language)

    def date_words(self, day: str | date | None) -> str:
        """A date in plain words; "" for none."""
        if not day:
            return ""
        return date_words(date.fromisoformat(day) if isinstance(day, str) else day, self.words)

    def moment_words(self, at: str | datetime | None) -> str:
        """A moment in plain words, in the city's zone; "" for none."""
        if not at:
            return ""
        moment = datetime.fromisoformat(at) if isinstance(at, str) else at
        return moment_words(self.local(moment), self.words)

    def soon_words(self, monotonic_ms: int) -> str:
        """A moment of this run's clock as the time of day: with seconds when it is near, with its date when far."""
        away = monotonic_ms - self.hardware.clock.monotonic_ms()
        now = self.now()
        moment = now + timedelta(milliseconds=away)
        if moment.date() != now.date():
            return self.moment_words(moment)
        if away >= NEAR_MS:
            return clock_words(moment, self.words)
        half = self.words("AM") if moment.hour < 12 else self.words("PM")
        return ClockWords(f"{(moment.hour - 1) % 12 + 1}:{moment.minute:02d}:{moment.second:02d} {half}")

    def problem_view(self, error: BaseException) -> ProblemView:
        _ = self.words
        if isinstance(error, Problem):
            said = self._said(error)
            return ProblemView(error.code, said[:1].upper() + said[1:], _(error.advice))
        return ProblemView(
            type(error).__name__,
            _("Something went wrong in the app. What was saved before is still there."),
            _("Go back and try again; report it to the office if it stays."),
        )

    def _said(self, error: Problem) -> str:
        """The detail, in the language of the tablet; where that has no words for it, the title of its kind."""
        said = self.words(error.detail)
        # What an order still lacks is said by the work itself, already in the language of the tablet.
        if said != error.detail or self.language == "en" or error.code == "order-incomplete":
            return said
        return self.words(error.title)

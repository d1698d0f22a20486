"""Papers that hang where anybody may read them say what is essential in every language of the city's pack at once.

The pack's first language comes first: it is the one the ordinance is written in. What a person wrote is never
translated here (`order_texts`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sync.documents.language import LANGUAGES, Translate, translator


@dataclass(frozen=True, slots=True)
class Both:
    """The languages of a sheet, the leading one first."""

    languages: tuple[str, ...]

    @property
    def leading(self) -> str:
        return self.languages[0]

    @property
    def said(self) -> list[Translate]:
        return [translator(language) for language in self.languages]

    def __call__(self, text: str) -> str:
        """A short text on one line: "Order number / Número de la orden"."""
        return " / ".join(self.each(lambda _, _language: _(text)))

    def each(self, make: Callable[[Translate, str], str]) -> list[str]:
        """What `make` says in each language; what is alike in two of them stands there once."""
        made = (make(translator(language), language) for language in self.languages)
        return list(dict.fromkeys(text for text in made if text))

    def value(self, make: Callable[[Translate], str]) -> str:
        """A value that is the same in all languages once, else in each: side by side while that is short."""
        found = self.each(lambda _, _language: make(_))
        short = sum(map(len, found)) < 34 and not any("\n" in text for text in found)
        return (" / " if short else "\n").join(found)


def both_of(pack: Any) -> Both:
    """The languages of this pack that papers speak."""
    return Both(tuple(language for language in pack.languages if language in LANGUAGES) or ("en",))

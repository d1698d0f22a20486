"""The words on the screen: `_("English sentence")` gives the sentence in the language chosen on this tablet.

One tablet speaks one language at a time, so the choice is kept here once and not on every screen.
"""

from __future__ import annotations

from sync.documents.language import counted as _counted
from sync.documents.language import translator

_language = "en"
_speak = translator(_language)


def speak(language: str) -> None:
    """Change the language of every screen drawn from now on ("en", "es")."""
    global _language, _speak
    _language, _speak = language, translator(language)


def spoken() -> str:
    """The language chosen on this tablet."""
    return _language


def counted(count: int, one: str, many: str, **values: object) -> str:
    """ "1 file", "3 files" in the chosen language; see `sync.documents.language.counted`."""
    return _counted(count, one, many, _speak, **values)


def _(sentence: str) -> str:
    """The sentence in the chosen language; the English sentence itself when it is not translated."""
    return _speak(sentence)

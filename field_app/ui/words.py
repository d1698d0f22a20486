"""The words on the screen: `_("English sentence")` gives the sentence in the language chosen on this tablet.

One tablet speaks one language at a time, so the choice is kept here once and not on every screen.
"""

from __future__ import annotations

from collections.abc import Callable

from sync.documents.language import translator

_speak: Callable[[str], str] = translator("en")


def speak(language: str) -> None:
    """Change the language of every screen drawn from now on ("en", "es")."""
    global _speak
    _speak = translator(language)


def _(sentence: str) -> str:
    """The sentence in the chosen language; the English sentence itself when it is not translated."""
    return _speak(sentence)

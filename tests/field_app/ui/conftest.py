"""What one test wore and spoke, the next one does not."""

import pytest

from field_app.ui import theme
from field_app.ui.words import speak


@pytest.fixture(autouse=True)
def _as_it_was():
    yield
    theme.wear("normal", "standard")
    speak("en")

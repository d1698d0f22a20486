"""Sunlight: every text colour keeps at least 7:1 against its ground, and buttons are big enough for gloves."""

import pytest

from field_app.ui import theme
from field_app.ui.components import buttons

MEANINGS = {
    "good": theme.GOOD, "wait": theme.WAIT, "warn": theme.WARN, "bad": theme.BAD, "calm": theme.CALM,
    **{f"severity {name}": tone for name, tone in theme.SEVERITIES.items()},
    **{f"item {name}": tone for name, tone in theme.ITEM_STATES.items()},
    **{f"sending {name}": tone for name, tone in theme.SENDING.items()},
}


def luminance(colour: str) -> float:
    """Relative luminance after WCAG 2.2."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_the_formula_gives_the_known_values():
    assert contrast("#000000", "#FFFFFF") == pytest.approx(21.0)
    assert contrast("#777777", "#FFFFFF") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("name", MEANINGS)
def test_every_meaning_reads_in_the_sun(name):
    tone = MEANINGS[name]
    assert contrast(tone.ink, tone.ground) >= 7
    assert contrast("#FFFFFF", tone.solid) >= 7  # white words on its solid colour: chosen answers, counts


def test_every_meaning_has_a_sign_of_its_own():
    for group in (theme.SEVERITIES, theme.ITEM_STATES):
        signs = [tone.icon for tone in group.values()]
        assert len(set(signs)) == len(signs)


@pytest.mark.parametrize("ground", [theme.PAPER, theme.GROUND, theme.BRAND_SOFT])
@pytest.mark.parametrize("ink", [theme.INK, theme.INK_SOFT, theme.BRAND])
def test_body_text_reads_on_every_ground(ink, ground):
    assert contrast(ink, ground) >= 7


@pytest.mark.parametrize("kind", buttons._KINDS)
def test_words_on_buttons_read(kind):
    ground, ink, edge = buttons._KINDS[kind]
    assert contrast(ink, ground) >= 7
    assert contrast(edge, theme.PAPER) >= 3  # the edge shows where the button is


def test_a_disabled_button_can_still_be_read():
    ground, ink, _edge = buttons._DISABLED
    assert contrast(ink, ground) >= 4.5


def test_sizes_fit_gloves_and_wet_eyes():
    assert theme.TOUCH >= 64
    assert theme.BODY >= 18
    assert theme.KEY >= 22

"""Every look reads: contrasts of all colour pairs in use, sizes for gloves, and no look kept where it would stay."""

import ast
from pathlib import Path

import pytest

from field_app.ui import palettes, theme
from field_app.ui.components import buttons
from field_app.ui.palettes import PALETTES, TYPES, Palette, Tone
from tests.support.accessible import contrast, luminance

UI = Path(theme.__file__).parent
WORDS = {"normal": 4.5, "sun": 7.0, "dark": 4.5}
EDGES = 3.0


def tones() -> dict[str, Tone]:
    """Every meaning in the look worn now."""
    found = {"good": theme.GOOD, "wait": theme.WAIT, "warn": theme.WARN, "bad": theme.BAD, "calm": theme.CALM,
             "demo": theme.DEMO}
    for group in ("SEVERITIES", "ITEM_STATES", "SENDING", "DUE", "SIGNS"):
        found |= {f"{group} {name}": tone for name, tone in getattr(theme, group).items()}
    return found


def words_on_ground(p: Palette) -> dict[str, tuple[str, str]]:
    """Every ink with every ground it stands on."""
    pairs = {f"{ink} on {ground}": (getattr(p, ink), getattr(p, ground))
             for ink in ("ink", "ink_soft", "brand") for ground in ("paper", "ground", "brand_soft")}
    pairs |= {"on_brand": (p.on_brand, p.brand), "on_bar": (p.on_bar, p.bar), "off": (p.off_ink, p.off_ground),
              "sheet": (p.sheet_ink, p.sheet)}
    for name, tone in tones().items():
        pairs[f"{name} on its ground"] = (tone.ink, tone.ground)
        pairs[f"on the solid of {name}"] = (theme.on(tone), tone.solid)
        pairs[f"plain words on {name}"] = (tone.ink if tone.ground == tone.solid else p.ink, tone.ground)
        if tone.ground != tone.solid:  # its icon and its words stand on cards too
            pairs |= {f"{name} on {ground}": (tone.ink, getattr(p, ground)) for ground in ("paper", "ground")}
    for kind in buttons.KINDS:
        ground, ink, _edge = buttons.colours(kind)
        pairs[f"{kind} button"] = (ink, ground)
    return pairs


def edges_on_ground(p: Palette) -> dict[str, tuple[str, str]]:
    """Every edge that shows where something can be tapped, with what it lies on."""
    pairs = {f"{edge} on {ground}": (getattr(p, edge), getattr(p, ground))
             for edge in ("line", "brand", "ink_soft", "off_line") for ground in ("paper", "ground")}
    for name, tone in tones().items():
        pairs |= {f"{name} on {ground}": (tone.solid, getattr(p, ground)) for ground in ("paper", "ground")}
        if tone.ground != tone.solid:
            pairs[f"edge of {name}"] = (tone.solid, tone.ground)
    for kind in buttons.KINDS:
        pairs[f"edge of the {kind} button"] = (buttons.colours(kind)[2], p.paper)
    return pairs


def test_the_formula_gives_the_known_values():
    assert contrast("#000000", "#FFFFFF") == pytest.approx(21.0)
    assert contrast("#777777", "#FFFFFF") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("look", PALETTES)
def test_every_word_reads_on_its_ground(look):
    theme.wear(look, "standard")
    pale = {name: round(contrast(*pair), 2) for name, pair in words_on_ground(PALETTES[look]).items()
            if contrast(*pair) < WORDS[look]}
    assert pale == {}


@pytest.mark.parametrize("look", PALETTES)
def test_every_edge_and_icon_is_seen(look):
    theme.wear(look, "standard")
    pale = {name: round(contrast(*pair), 2) for name, pair in edges_on_ground(PALETTES[look]).items()
            if contrast(*pair) < EDGES}
    assert pale == {}


def test_every_meaning_has_a_sign_of_its_own():
    for group in (theme.SEVERITIES, theme.ITEM_STATES, theme.DUE, theme.SIGNS):
        signs = [tone.icon for tone in group.values()]
        assert len(set(signs)) == len(signs)


@pytest.mark.parametrize("text", TYPES)
def test_sizes_fit_gloves_and_wet_eyes(text):
    theme.wear("normal", text)
    assert theme.TOUCH >= 64
    assert theme.SMALL >= 16
    assert theme.BODY >= 18
    assert theme.KEY >= 22
    assert theme.SMALL < theme.BODY < theme.KEY < theme.TITLE
    assert theme.px(18) == theme.BODY


def test_each_choice_of_text_is_larger_than_the_one_before():
    assert [TYPES[name].body for name in ("standard", "large", "larger", "largest")] == sorted(
        {one.body for one in TYPES.values()})


def test_a_look_that_nobody_knows_is_the_normal_one():
    theme.wear("neon", "gigantic")
    assert (theme.INK, theme.BODY) == (palettes.NORMAL.ink, TYPES["standard"].body)


def test_the_dark_look_is_dark_in_what_flutter_draws_by_itself():
    theme.wear("dark", "largest")
    made = theme.theme()
    assert theme.is_dark()
    assert luminance(made.color_scheme.surface) < 0.05 < luminance(made.color_scheme.on_surface)
    assert made.text_theme.body_large.size == TYPES["largest"].body


WORN = {name.upper() for kind in (Palette, palettes.Type) for name in kind.__slots__} | {
    "CALM", "DEMO", "SEVERITIES", "ITEM_STATES", "SENDING", "DUE", "SIGNS"}


def kept_for_good(tree: ast.Module) -> list[int]:
    """Lines on which a look is read once and kept: in a constant or in a default argument."""
    inside: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            body = node.body if isinstance(node.body, list) else [node.body]
            inside |= {below for part in body for below in ast.walk(part)}
    defaults = {below for node in ast.walk(tree) if isinstance(node, ast.arguments)
                for default in (*node.defaults, *node.kw_defaults) if default is not None
                for below in ast.walk(default)}
    return [node.lineno for node in ast.walk(tree)
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "theme"
            and node.attr in WORN and (node not in inside or node in defaults)]


def test_no_screen_keeps_a_look_for_good():
    assert kept_for_good(ast.parse("A = theme.INK\ndef f(x=theme.BODY): return theme.PAPER")) == [1, 2]
    kept = {path.name: lines for path in UI.rglob("*.py") if (lines := kept_for_good(ast.parse(path.read_text())))}
    assert kept == {}


def test_no_screen_has_colours_of_its_own():
    """All colours come from the look, apart from the black around a camera's picture."""
    own = {}
    for path in UI.rglob("*.py"):
        found = {node.value for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Constant)
                 and isinstance(node.value, str) and node.value.startswith("#") and len(node.value) in (7, 9)}
        if path.name != "palettes.py" and found - {"#000000"}:
            own[path.name] = sorted(found)
    assert own == {}

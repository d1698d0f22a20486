"""What a screen reader and a gloved hand need of every control, read from the controls themselves, without a client.

The same is asked of the real semantics tree in Chromium by `TabletApp.faults`; this finds it sooner, on every screen.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import flet as ft
from flet.components.public_utils import unwrap_component
from flet.controls.base_control import BaseControl

from field_app.ui import theme
from tests.support.flet_harness import walk

BUTTONS = (ft.FilledButton, ft.IconButton, ft.OutlinedButton, ft.TextButton, ft.Button)
LEAST, LEAST_ANSWER = 56, 64
APART = 8  # between two buttons, in logical pixels
SHORT = 8  # letters of a chip that may stand beside text


def name_of(control: Any) -> str:
    """What a screen reader says of a part. A tooltip does not count: on the web it is no name."""
    words = [getattr(control, "label", None) or ""]
    for inner in walk(control):
        words += [getattr(inner, "semantics_label", None) or "", getattr(inner, "value", None) or ""]
    return " ".join(w for w in words if isinstance(w, str)).strip()


def least_height(control: Any) -> float:
    """How high a button is at least: as high as it is said to be, or its strut and the room around it."""
    if control.height is not None:
        return control.height
    struts = [c.height for c in walk(control) if isinstance(c, ft.Container) and c.width == 0]
    return max(struts, default=0) + control.style.padding.top + control.style.padding.bottom


def with_parents(value: Any, above: tuple[BaseControl, ...] = (), seen: set[int] | None = None
                 ) -> Iterator[tuple[BaseControl, tuple[BaseControl, ...]]]:
    """Every control below `value` with those it lies in, the outermost first."""
    seen = set() if seen is None else seen
    value = unwrap_component(value)
    if isinstance(value, (list, tuple)):
        for part in value:
            yield from with_parents(part, above, seen)
    elif isinstance(value, BaseControl) and id(value) not in seen:
        seen.add(id(value))
        yield value, above
        kept = [part for name, part in vars(value).items() if not name.startswith("_") and name != "data"]
        for part in (*kept, *value._values.values()):
            if not isinstance(part, (str, int, float, bool)):
                yield from with_parents(part, (*above, value), seen)


def faults(page: Any) -> list[str]:
    """What is wrong on the page: "no name", "no role", "small", "colour alone", "squeezed by a
    chip", "too close together" and where."""
    found = []
    for control, above in with_parents(page.views):
        where = next((a.identifier for a in reversed((*above, control)) if getattr(a, "identifier", None)), "?")
        tapped = isinstance(control, BUTTONS) or (
            isinstance(control, (ft.Container, ft.GestureDetector)) and _taps(control))
        if tapped and not name_of(control) and not any(getattr(a, "label", None) for a in above[-2:]):
            found.append(f"no name: {where}")
        if isinstance(control, ft.Container) and control.on_click is not None and not any(
                isinstance(a, ft.Semantics) and a.button for a in above[-2:]):
            found.append(f"no role: {where}")
        if isinstance(control, ft.FilledButton) and least_height(control) < LEAST_ANSWER:
            found.append(f"small: {where} {least_height(control)}")
        if isinstance(control, ft.IconButton) and min(control.width or 0, control.height or 0) < LEAST:
            found.append(f"small: {where}")
        if isinstance(control, ft.TextField) and not control.label:
            found.append(f"no name: {where}")
        if isinstance(control, ft.Image) and not (control.semantics_label or control.exclude_from_semantics or any(
                getattr(a, "label", None) for a in above)):
            found.append(f"no name for a picture: {where}")
        if isinstance(control, ft.Container) and _is_chip(control) and not _icon_and_word(control):
            found.append(f"colour alone: {where}")
        if isinstance(control, ft.Row) and not control.wrap and _squeezes(control):
            found.append(f"squeezed by a chip: {where}")
        if isinstance(control, (ft.Row, ft.Column)) and _too_close(control):
            found.append(f"too close together: {where}")
        if isinstance(control, ft.Semantics) and control.selected and "chosen" not in name_of(control) and (
                control.value or "") == "" and not any("chosen" in name_of(part) for part in walk(control)):
            found.append(f"chosen is not said: {where}")
    return found


def luminance(colour: str) -> float:
    """Relative luminance after WCAG 2.2 of #RRGGBB."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    """The ratio of WCAG 2.2 between two colours."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def pale(page: Any, words: float, icons: float) -> list[str]:
    """Every text and icon that is drawn and has less contrast than this against what it lies on."""
    found = []
    for control, above in with_parents([page.views, page._dialogs.controls]):
        if not isinstance(control, (ft.Text, ft.Icon)) or (isinstance(control, ft.Text) and not control.value):
            continue
        ink = control.color or next((ink for a in reversed(above) if (ink := _ink(a))), theme.INK)
        ground = next((ground for a in reversed(above) if (ground := _ground(a))), theme.GROUND)
        seen = contrast(ink, ground)
        if seen < (words if isinstance(control, ft.Text) else icons):
            said = control.value if isinstance(control, ft.Text) else control.icon
            found.append(f"pale: {said} {ink} on {ground}: {seen:.2f}")
    return found


def _ink(control: Any) -> str | None:
    style = getattr(control, "style", None)
    return style.color if isinstance(style, ft.ButtonStyle) else None


def _ground(control: Any) -> str | None:
    style = getattr(control, "style", None)
    return style.bgcolor if isinstance(style, ft.ButtonStyle) else getattr(control, "bgcolor", None)


def _taps(control: Any) -> bool:
    return getattr(control, "on_click", None) is not None or getattr(control, "on_tap", None) is not None


def _is_chip(control: ft.Container) -> bool:
    """A small sign of a state: a ground of its own with round ends."""
    return control.border_radius == 18 and control.bgcolor is not None


def _squeezes(row: ft.Row) -> bool:
    """Whether a chip of more than a short word stands beside text that takes what is left: on a phone with large
    letters nothing is."""
    parts = [unwrap_component(one) for one in row.controls]
    inner = [one.content if isinstance(one, ft.Semantics) else one for one in parts]
    long = [one for one in inner if isinstance(one, ft.Container) and _is_chip(one) and len(name_of(one)) > SHORT]
    return bool(long) and any(getattr(one, "expand", None) for one in parts)


def _too_close(parts: Any) -> bool:
    """Whether two buttons follow each other with less between them than a glove needs. Beside a text that takes what
    is left (the bar at the top) each has its air around the sign."""
    if any(getattr(unwrap_component(one), "expand", None) and not _button(one) for one in parts.controls):
        return False
    spaces = [parts.spacing] + ([parts.run_spacing] if getattr(parts, "wrap", None) else [])
    tight = any(space is not None and space < APART for space in spaces)
    return tight and any(_button(one) and _button(two) for one, two in pairwise(parts.controls))


def _button(part: Any) -> bool:
    """Whether a part is one button, with nothing but a frame or a name around it."""
    part = unwrap_component(part)
    while isinstance(part, (ft.Semantics, ft.Container)) and not _taps(part) and part.content is not None:
        part = unwrap_component(part.content)
    return isinstance(part, BUTTONS)


def _icon_and_word(control: ft.Container) -> bool:
    kinds = [type(part) for part in walk(control)]
    return ft.Icon in kinds and any(isinstance(part, ft.Text) and part.value for part in walk(control))

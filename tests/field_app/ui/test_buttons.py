"""Buttons share a row only where each of them is read: no word broken, no more than two lines."""

import flet as ft
import pytest

from field_app.ui import theme
from field_app.ui.components.buttons import action, side_by_side


def buttons(*words: str) -> list[ft.Control]:
    return [action(one, None, id=one, icon=ft.Icons.EVENT, expand=True) for one in words]


@pytest.mark.parametrize(("text", "room", "words", "beside"), [
    ("standard", 342, ("Emergency", "Revise the plan"), True),
    ("largest", 342, ("Emergency", "Revise the plan"), False),
    ("largest", 822, ("Emergencia", "Modificar el plan"), True),
    ("standard", 342, ("Orden de detener el trabajo del sitio", "No"), False),
])
def test_words_that_would_be_broken_stand_below_one_another(text, room, words, beside):
    theme.wear("normal", text)
    assert isinstance(side_by_side(buttons(*words), room), ft.Row) is beside


def test_what_is_no_button_of_ours_says_nothing_about_its_width():
    assert isinstance(side_by_side([ft.Text("You may look, but not inspect."), *buttons("Go on")], 342), ft.Row)

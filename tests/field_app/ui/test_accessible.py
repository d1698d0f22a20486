"""The check of names, roles and sizes finds what it is for; test_screens.py asks it of every screen."""

from types import SimpleNamespace

import flet as ft
import pytest

from field_app.ui import theme
from field_app.ui.components.badges import pill
from field_app.ui.components.buttons import action, icon_action, tap_card
from tests.support.accessible import faults, pale


def nothing(_e: object) -> None:
    """A tap that does nothing."""


LOW = ft.ButtonStyle(padding=ft.Padding.symmetric(horizontal=4, vertical=4))
WRONG = {
    "no name: ?": ft.IconButton(icon=ft.Icons.ADD, width=64, height=64, on_click=nothing, tooltip="Add"),
    "no role: card": ft.Semantics(identifier="card", content=ft.Container(ft.Text("Open it"), on_click=nothing)),
    "small: ? 48": ft.FilledButton(content=ft.Text("Yes"), height=48, on_click=nothing),
    "small: low 8": ft.Semantics(identifier="low", content=ft.FilledButton(
        content=ft.Row([ft.Text("Yes")]), style=LOW, on_click=nothing)),
    "no name for a picture: ?": ft.Image(src=b"", width=90),
    "colour alone: ?": ft.Container(ft.Text("Late"), bgcolor="#FF0000", border_radius=18),
    "squeezed by a chip: ?": ft.Row([ft.Column([ft.Text("Mill Street Houses")], expand=True),
                                     pill(theme.WARN, "a más tardar a las 5:00 p. m.")]),
    "too close together: ?": ft.Column([icon_action(ft.Icons.DRAW, "Draw", nothing, id="draw"),
                                        icon_action(ft.Icons.DELETE, "Take off", nothing, id="off")], spacing=4),
    "chosen is not said: tab": ft.Semantics(identifier="tab", selected=True, content=ft.Text("Today")),
}


@pytest.mark.parametrize("fault", WRONG)
def test_what_is_wrong_is_found(fault):
    found = faults(SimpleNamespace(views=[ft.View(controls=[WRONG[fault]])]))
    assert fault in found


def test_what_is_pale_is_found():
    grey = ft.Container(ft.Text("Late", color="#999999"), bgcolor="#FFFFFF")
    red_on_red = ft.ButtonStyle(color="#CC0000", bgcolor="#AA0000")
    in_a_button = ft.FilledButton(content=ft.Icon(ft.Icons.ADD), style=red_on_red)
    page = SimpleNamespace(views=[ft.View(controls=[grey, in_a_button])], _dialogs=SimpleNamespace(controls=[]))
    assert [one.split(":")[0] for one in pale(page, 4.5, 3.0)] == ["pale", "pale"]
    assert "2.85" in pale(page, 4.5, 3.0)[0]


def test_our_own_parts_have_all_of_it():
    parts = [
        action("Take the photo", nothing, id="shutter", icon=ft.Icons.CAMERA),
        icon_action(ft.Icons.CLOSE, "Close this message", nothing, id="close"),
        tap_card(ft.Text("Mill Street Houses"), nothing, id="site", chosen=True),
        pill(theme.BAD, "Overdue"),
        ft.Image(src=b"", semantics_label="Photo 1"),
    ]
    assert faults(SimpleNamespace(views=[ft.View(controls=parts)])) == []

"""Photos on the screen: always small pictures, made once, never the originals.

The pictures live in a small cache of the shell; a strip with fifty photos asks for each one once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import flet as ft

from field_app.ui import theme
from field_app.ui.components.badges import pill
from field_app.ui.components.buttons import icon_action
from field_app.ui.components.layers import over_cover
from field_app.ui.components.marks import marked
from field_app.ui.guard import safe_component
from field_app.ui.words import _


@safe_component
def Thumb(shell: Any, sha256: str, words: str, side: int = 128, layer: Any = None, layer_sha: str = "") -> ft.Control:
    """One small picture. While it is being made a grey square with an icon stands there; when there can be none
    the square says why. `layer_sha`: a signed layer over it, which is read as the picture is."""
    data, set_data = ft.use_state(lambda: shell.pictures.get(sha256))
    gone, set_gone = ft.use_state("")
    signed, set_signed = ft.use_state(None)

    async def load() -> None:
        if shell.pictures.get(sha256) is None:
            picture = await shell.picture(sha256)
            if picture is None:
                set_gone(await shell.work.no_picture_words(sha256))
                return
        if layer_sha:
            set_signed(await shell.work.signed_layer(layer_sha))
        set_data(shell.pictures[sha256])

    ft.use_effect(load, dependencies=[sha256], cleanup=lambda: None)
    if data is None:
        inside: ft.Control = ft.Column(
            [ft.Icon(ft.Icons.IMAGE_NOT_SUPPORTED if gone else ft.Icons.IMAGE, size=36, color=theme.INK_SOFT),
             *([ft.Text(gone, size=theme.px(14), color=theme.INK_SOFT, text_align=ft.TextAlign.CENTER)]
               if gone else [])],
            alignment=ft.MainAxisAlignment.CENTER, horizontal_alignment=ft.CrossAxisAlignment.CENTER,
        )
    else:
        inside = ft.Image(src=data, width=side, height=side, fit=ft.BoxFit.COVER, semantics_label=words,
                          gapless_playback=True, cache_width=side * 2)
        if (over := layer or signed) is not None:
            inside = ft.Stack([inside, over_cover(over, side)], width=side, height=side)
    return ft.Container(
        width=side, height=side, bgcolor=theme.GROUND, border_radius=8, clip_behavior=ft.ClipBehavior.HARD_EDGE,
        border=ft.Border.all(1, theme.LINE), content=inside,
    )


def photo_strip(shell: Any, photos: Sequence[Any], *, id: str,
                on_remove: Callable[[str], Any] | None = None, on_mark: Callable[[str], Any] | None = None,
                on_retake: Callable[[str], Any] | None = None, side: int = 128) -> ft.Control:
    """The photos of one thing, each with when it was taken, which view, and what the office will see about it."""
    cells: list[ft.Control] = []
    for at, photo in enumerate(photos, start=1):
        name = _("Photo {number}: {when}").format(number=at, when=photo.taken)
        under: list[ft.Control] = [
            ft.Text(" · ".join(w for w in (photo.view, photo.taken) if w), size=theme.SMALL, color=theme.INK_SOFT,
                    width=side + 60, max_lines=5)
        ]
        under += [pill(theme.WARN, flag, size=theme.px(14)) for flag in photo.flags]
        side_parts: list[ft.Control] = [Thumb(shell, photo.sha256, name, side, photo.layer, photo.layer_sha,
                                              key=f"thumb-{photo.sha256}")]
        tools: list[ft.Control] = []
        if on_mark is not None:
            tools.append(icon_action(ft.Icons.DRAW, _("Draw on photo {number}").format(number=at),
                                     (lambda sha: lambda e: on_mark(sha))(photo.sha256), id=f"{id}-mark-{at}",
                                     ink=theme.BRAND))
        if on_retake is not None:
            tools.append(icon_action(ft.Icons.REPLAY, _("Take photo {number} again").format(number=at),
                                     (lambda sha: lambda e: on_retake(sha))(photo.sha256), id=f"{id}-retake-{at}",
                                     ink=theme.BRAND))
        if on_remove is not None:
            tools.append(
                icon_action(ft.Icons.DELETE_OUTLINE, _("Take photo {number} off").format(number=at),
                            (lambda sha: lambda e: on_remove(sha))(photo.sha256), id=f"{id}-remove-{at}",
                            ink=theme.BAD.ink)
            )
        if tools:
            side_parts.append(ft.Column(tools, spacing=theme.APART, tight=True))
        cells.append(
            marked(
                f"{id}-{at}", container=True,
                content=ft.Column([ft.Row(side_parts, spacing=2, tight=True), *under], spacing=4, tight=True),
            )
        )
    return ft.Row(cells, wrap=True, spacing=12, run_spacing=12, vertical_alignment=ft.CrossAxisAlignment.START)

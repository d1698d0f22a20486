"""The list of sites: what is urgent first, a search that needs no network, and on a wide screen the site beside it.

Only a window of the list is drawn; "show more" widens it.
"""

from __future__ import annotations

from typing import Any

import flet as ft

from field_app.ui import theme
from field_app.ui.components.badges import pill
from field_app.ui.components.buttons import action, tap_card
from field_app.ui.components.fields import TextLine
from field_app.ui.components.frame import frame, safe_screen
from field_app.ui.components.layout import nothing_here
from field_app.ui.guard import safe_component
from field_app.ui.screens.site import site_body
from field_app.ui.theme import Tone
from field_app.ui.words import _
from field_app.work.views import SiteRow

WINDOW = 30


@safe_component
def SiteCard(shell: Any, row: SiteRow, chosen: bool) -> ft.Control:
    """One site of the list."""
    signs: list[ft.Control] = []
    if row.critical:
        signs.append(pill(theme.SEVERITIES["critical"], _("Critical: {count}").format(count=row.critical)))
    if row.open_findings:
        signs.append(pill(theme.WARN, _("Open findings: {count}").format(count=row.open_findings)))
    if row.draft:
        signs.append(pill(Tone(theme.WAIT.ink, theme.WAIT.ground, theme.WAIT.solid, ft.Icons.EDIT_NOTE),
                          _("inspection begun")))
    permit = theme.GOOD if row.permit_ok else theme.BAD
    lines: list[ft.Control] = [
        ft.Text(row.name, size=theme.KEY, weight=ft.FontWeight.BOLD, color=theme.INK),
        ft.Text(row.address, size=theme.BODY, color=theme.INK_SOFT),
        ft.Row([ft.Icon(ft.Icons.VERIFIED if row.permit_ok else ft.Icons.GPP_BAD, size=22, color=permit.ink),
                ft.Text(row.permit, size=theme.BODY, color=permit.ink, weight=ft.FontWeight.W_600, expand=True)],
               spacing=8),
    ]
    if row.order:
        lines.append(ft.Row([ft.Icon(ft.Icons.FRONT_HAND, size=22, color=theme.BAD.ink),
                             ft.Text(row.order, size=theme.BODY, color=theme.BAD.ink, weight=ft.FontWeight.W_600,
                                     expand=True)], spacing=8))
    if signs:
        lines.append(ft.Row(signs, wrap=True, spacing=8, run_spacing=6))
    return tap_card(
        ft.Row([ft.Column(lines, spacing=4, expand=True, tight=True),
                ft.Icon(ft.Icons.CHEVRON_RIGHT, size=32, color=theme.INK_SOFT)]),
        lambda e: shell.go("site", site=row.id), id=f"site-{row.id}", chosen=chosen or None,
        ground=theme.BRAND_SOFT if chosen else theme.PAPER, edge=theme.BRAND if chosen else theme.LINE_SOFT,
    )


SiteCardMemo = ft.memo(SiteCard)


def site_list(shell: Any, chosen: str, shown: int, more: Any) -> list[ft.Control]:
    """The search field and the window of cards."""
    view = shell.work.sites(shell.query)

    async def search(text: str) -> None:
        shell.query = text
        shell.redraw()

    rows: list[ft.Control] = [
        TextLine(shell.query, search, _("Find a site"), "site-search", key="search",
                 hint=_("name, street, parcel, permit, order"))
    ]
    if view.empty:
        rows.append(nothing_here(view.empty, ft.Icons.SEARCH_OFF))
    rows += [SiteCardMemo(shell, row, row.id == chosen, key=f"site-{row.id}") for row in view.rows[:shown]]
    left_over = len(view.rows) - shown
    if left_over > 0:
        rows.append(action(_("Show {count} more").format(count=min(WINDOW, left_over)), more, id="sites-more",
                           kind="secondary", icon=ft.Icons.EXPAND_MORE))
    rows.append(ft.Container(padding=ft.Padding.only(bottom=20), content=ft.Text(
        _("{count} of {total} sites. {known}").format(count=len(view.rows), total=view.total, known=view.known_as_of),
        size=theme.SMALL, color=theme.INK_SOFT)))
    return rows


@safe_screen
def SitesScreen(shell: Any, beat: int, site: str = "") -> ft.Control:
    """Draws `SitesView`; on a wide screen with the chosen `SiteView` beside it."""
    shown, set_shown = ft.use_state(WINDOW)

    def more(_e: ft.Event) -> None:
        set_shown(lambda n: n + WINDOW)

    rows = site_list(shell, site, shown, more)
    status = shell.work.status()
    title = _("Sites")
    subtitle = " · ".join(w for w in (status.user, status.city_name) if w)
    if shell.narrow:
        return frame(shell, title, rows, subtitle=subtitle, home=True)
    left = ft.Column(rows, scroll=ft.ScrollMode.AUTO, expand=True, spacing=theme.GAP,
                     horizontal_alignment=ft.CrossAxisAlignment.STRETCH)
    if site:
        body, bottom = site_body(shell, shell.work.site(site))
    else:
        body, bottom = [nothing_here(_("Choose a site on the left."), ft.Icons.TOUCH_APP)], []
    return frame(shell, title, body, subtitle=subtitle, home=not site, left=left, bottom=bottom)

"""A plan document or drawing, page by page, to be moved and enlarged; nothing of it waits for a network."""

from __future__ import annotations

import asyncio
from typing import Any

import flet as ft

from field_app.ui import theme
from field_app.ui.components.badges import pill
from field_app.ui.components.buttons import action, icon_key, side_by_side
from field_app.ui.components.frame import frame, safe_screen
from field_app.ui.components.layout import line, nothing_here, panel, text
from field_app.ui.components.lens import AT_ONCE, LARGEST, NO_EDGE, SMALLEST, Lens
from field_app.ui.components.marks import marked
from field_app.ui.guard import safe_component
from field_app.ui.words import _

LARGER, SMALLER = 1.6, 1 / 1.6
BORDER = 1.5


@safe_screen
def PlanScreen(shell: Any, beat: int, plan: str) -> ft.Control:
    """Draws `PlanView`. The page shown is kept while the window lives."""
    view = shell.work.open_plan(plan)
    number = min(shell.memory.get(("page", plan), 1), max(1, len(view.pages)))

    def turn(by: int) -> Any:
        def turned(_e: ft.Event) -> None:
            shell.memory[("page", plan)] = number + by
            shell.redraw()
        return turned

    async def want(_e: ft.Event) -> None:
        await shell.attempt(lambda: shell.work.want_plan(plan), once="want")

    async def save(_e: ft.Event) -> None:
        await shell.attempt(lambda: shell.work.save_plan(plan), once="save-plan")

    body: list[ft.Control] = []
    if view.row.status != "current":
        body.append(pill(theme.WARN, view.row.status_words))
    if view.newer is not None:
        body.append(panel([line(ft.Icons.UPDATE, _("A newer one takes its place: {title}").format(
            title=view.newer.title)), action(_("Open the newer one"), lambda e: shell.go("plan", plan=view.newer.id),
                                             id="plan-newer", icon=ft.Icons.ARROW_FORWARD, kind="secondary")],
                          ground=theme.WARN.ground, edge=theme.WARN.solid))
    if not view.pages:
        body.append(nothing_here(view.row.fetching or _("The office has no picture of it yet."), ft.Icons.MAP))
    elif not view.pages[number - 1].here:
        body.append(nothing_here(view.row.fetching, ft.Icons.CLOUD_DOWNLOAD))
        body.append(action(_("Fetch this one first"), want, id="plan-want", icon=ft.Icons.CLOUD_DOWNLOAD,
                           kind="secondary", disabled=shell.busy("want")))
    else:
        body.append(PlanPage(shell, plan, number, view.row.title, key=f"page-{plan}-{number}"))
    words = " · ".join(w for w in (view.row.kind_words, view.row.version, view.row.added) if w)
    body.append(text(words, soft=True, size=theme.SMALL))
    bottom: list[ft.Control] = []
    if len(view.pages) > 1:
        before = _("Page before")
        bottom += [
            *([icon_key(ft.Icons.ARROW_BACK, before, turn(-1), id="page-before")] if shell.tiny and number > 1 else []),
            *([action(before, turn(-1), id="page-before", icon=ft.Icons.ARROW_BACK, kind="quiet", expand=True,
                      disabled=number == 1)] if not shell.tiny else []),
            action(_("Page {number} of {total}").format(number=number + 1, total=len(view.pages))
                   if number < len(view.pages) else _("Last page"), turn(1), id="page-next",
                   icon=ft.Icons.ARROW_FORWARD, kind="secondary", expand=True, disabled=number == len(view.pages)),
        ]
    if view.can_save:
        words = _("Save the file")
        bottom.append(icon_key(ft.Icons.DOWNLOAD, words, save, id="plan-save") if shell.tiny and bottom else
                      action(words, save, id="plan-save", icon=ft.Icons.DOWNLOAD, kind="quiet", expand=True))
    if shell.tiny and len(bottom) > 1:  # the plan needs the room of further rows
        bottom = [ft.Row(bottom, spacing=8, expand=True)]
    return frame(shell, view.row.title, body, subtitle=view.site_name, bottom=bottom, full=True, part=str(number))


@safe_component
def PlanPage(shell: Any, plan: str, number: int, title: str) -> ft.Control:
    """One page. Two fingers or the buttons make it larger; a damaged file says so and is fetched again."""
    data, set_data = ft.use_state(None)
    problem, set_problem = ft.use_state("")
    viewer = ft.use_ref(lambda: ft.Ref[ft.InteractiveViewer]()).current
    lens = ft.use_ref(Lens).current
    height = max(320.0, shell.height - (370 if shell.narrow else 330) - theme.px(24) + 24)
    inside = shell.width - 2 * (10 if shell.tiny else theme.EDGE) - 2 * BORDER, height - 2 * BORDER

    async def load() -> None:
        try:
            set_data(await shell.work.plan_page(plan, number))
        except Exception as failure:
            set_problem(shell.work.problem_view(failure).sentence)

    ft.use_effect(load, dependencies=[plan, number], cleanup=lambda: None)

    def zoom(factor: float) -> Any:
        async def zoomed(_e: ft.Event) -> None:
            if viewer.current is not None:
                by, across, down = lens.enlarge(factor, *inside)
                # Both are on their way before the client draws: it is never seen enlarged from its corner.
                await asyncio.gather(viewer.current.zoom(by), viewer.current.pan(across, down))
        return zoomed

    def touched(e: ft.ScaleStartEvent) -> None:
        lens.begin(e.local_focal_point.x, e.local_focal_point.y)

    def moved(e: ft.ScaleUpdateEvent) -> None:
        lens.go_on(e.local_focal_point.x, e.local_focal_point.y, e.scale)

    async def let_go(_e: ft.Event) -> None:
        across, down = lens.back_in(*inside)
        if viewer.current is not None and (across or down):
            await viewer.current.pan(across, down)

    async def whole(_e: ft.Event) -> None:
        if viewer.current is not None:
            lens.whole()
            await viewer.current.reset()

    if problem:
        return nothing_here(problem, ft.Icons.BROKEN_IMAGE)
    if data is None:
        return ft.Container(ft.ProgressRing(), height=300, alignment=ft.Alignment.CENTER)
    name = _("{title}, page {number}").format(title=title, number=number)
    keys = (("larger", ft.Icons.ZOOM_IN, _("Larger"), zoom(LARGER)),
            ("smaller", ft.Icons.ZOOM_OUT, _("Smaller"), zoom(SMALLER)),
            ("whole", ft.Icons.FIT_SCREEN, _("Whole page"), whole))
    if shell.tiny:  # the plan needs the room that words would take
        row = ft.Row([icon_key(icon, words, act, id=f"plan-{name}") for name, icon, words, act in keys], spacing=8,
                     alignment=ft.MainAxisAlignment.CENTER)
    else:
        row = side_by_side([action(words, act, id=f"plan-{name}", icon=icon, kind="quiet", expand=True)
                            for name, icon, words, act in keys], shell.width - 2 * theme.EDGE, 8)
    return ft.Column([
        row,
        marked("plan-page", image=True, label=name, content=ft.Container(
            ft.InteractiveViewer(
                content=ft.Image(src=data, fit=ft.BoxFit.CONTAIN, semantics_label=name, gapless_playback=True),
                min_scale=SMALLEST, max_scale=LARGEST, boundary_margin=ft.Margin.all(NO_EDGE), ref=viewer, expand=True,
                interaction_end_friction_coefficient=AT_ONCE, interaction_update_interval=0,
                on_interaction_start=touched, on_interaction_update=moved, on_interaction_end=let_go),
            height=height, bgcolor=theme.SHEET, border=ft.Border.all(BORDER, theme.LINE), border_radius=theme.RADIUS,
            clip_behavior=ft.ClipBehavior.HARD_EDGE)),
    ], spacing=8, tight=True, horizontal_alignment=ft.CrossAxisAlignment.STRETCH)

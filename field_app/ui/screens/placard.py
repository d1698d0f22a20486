"""The placard: what it says, its PDF, the tap "the placard is up", and the signature.

For a recommendation the same screen says NOT VALID throughout, and there is nothing to put up.
"""

from __future__ import annotations

from datetime import date
from typing import Any

import flet as ft

from field_app.ui import theme
from field_app.ui.components.answers import choices_grid
from field_app.ui.components.badges import pill
from field_app.ui.components.buttons import action
from field_app.ui.components.dialogs import confirm, use_asking
from field_app.ui.components.fields import TextLine, use_entry
from field_app.ui.components.files import paper_button
from field_app.ui.components.frame import frame, safe_screen
from field_app.ui.components.layout import fact, heading, limit_row, line, panel, panel_width, text
from field_app.ui.components.pin import PinPad
from field_app.ui.guard import safe_component
from field_app.ui.ticking import use_ticks
from field_app.ui.words import _, spoken
from field_app.work.views import Choice, PlacardView
from field_app.work.views.order import PaperSide
from sync.documents.language import date_words

NOW_TICK = 10.0
PAPER_LANGUAGE = "paper-language"  # in `Shell.memory`: in which language the paper is shown


@safe_screen
def PlacardScreen(shell: Any, beat: int, draft: str) -> ft.Control:
    """Draws `PlacardView` of an order that we wrote."""
    view: PlacardView = shell.work.placard(draft)

    async def sign(pin: str) -> None:
        if view.valid:
            await shell.work.post_order(draft, pin)
        else:
            await shell.work.recommend_order(draft, pin)

    if view.up or view.done or not view.valid:
        shell.behind("site", site=view.site)
    title = _("Placard") if view.valid or view.ended else _("Recommendation: NOT VALID")
    return placard_frame(shell, view, title, sign)


@safe_screen
def AffixScreen(shell: Any, beat: int, draft: str) -> ft.Control:
    """Draws `PlacardView` of an order that the office issued and we put up."""
    view: PlacardView = shell.work.placard(draft)
    shell.behind("site", site=view.site)

    async def sign(pin: str) -> None:
        await shell.work.affix_order(draft, pin)

    async def save_place(value: str) -> None:
        await shell.attempt(lambda: shell.work.set_affix_place(draft, value))

    place = panel([
        heading(_("Where it is up")),
        TextLine(view.place, save_place, _("Place on the site, e.g. main gate"), "affix-place", key="place"),
    ]) if not view.done else None
    return placard_frame(shell, view, _("Put up the order"), sign, place)


def placard_frame(shell: Any, view: PlacardView, title: str, sign: Any, place: ft.Control | None = None) -> ft.Control:
    """What both have in common."""
    body: list[ft.Control] = []
    if view.ended:
        body.append(panel([
            ft.Row([ft.Icon(theme.BAD.icon, size=48, color=theme.BAD.ink),
                    ft.Container(heading(view.ended, id="placard-ended"), expand=True)], spacing=12),
        ], ground=theme.BAD.ground, edge=theme.BAD.solid))
    to_sign = view.up and not view.done  # that it was put up is true and may be signed, even when it has ended since
    if view.ended and not to_sign:
        pass
    elif view.done:
        body.append(panel([
            ft.Row([ft.Icon(theme.GOOD.icon, size=48, color=theme.GOOD.ink),
                    ft.Container(heading(view.sentence, id="placard-done"), expand=True)], spacing=12),
            *([line(theme.WARN.icon, view.nag, ink=theme.WARN.ink)] if view.nag else []),
        ], ground=theme.GOOD.ground, edge=theme.GOOD.solid))
    elif view.up:
        body.append(panel([
            ft.Row([ft.Icon(ft.Icons.PUSH_PIN, size=44, color=theme.WARN.ink),
                    heading(_("The placard is up"), id="placard-up")], spacing=12, wrap=True),
            text(_("Posted {when}. Sign it now with your PIN.").format(when=view.posted), bold=True),
            text(view.statement, id="statement"),
            ft.Row([PinPad(shell, _("Your PIN signs the posting"), _("Sign"), sign, wait=view.pin_wait,
                           act="post", key="post-pad")], alignment=ft.MainAxisAlignment.CENTER),
            ft.Row([TakeBack(shell, view.id, key="take-back")]),
        ], ground=theme.WARN.ground, edge=theme.WARN.solid))
    elif not view.valid:
        body.append(panel([
            heading(_("Send it to the office")),
            text(view.statement, id="statement"),
            ft.Row([PinPad(shell, _("Your PIN signs the recommendation"), _("Sign"), sign, wait=view.pin_wait,
                           act="post", key="recommend-pad")], alignment=ft.MainAxisAlignment.CENTER),
        ]))
    if view.blank and not (view.up or view.done or view.ended):
        body.append(by_hand(shell, view))
    if place is not None:
        body.append(place)
    if view.ended or view.up or view.blank:
        body.append(sheet(shell, view))
    else:
        body.insert(1 if view.done else 0, sheet(shell, view))
    if view.sides:
        body.append(PaperPart(shell, view.sides, key="paper"))
    body.append(ft.Container(height=24))
    return frame(shell, title, body, subtitle=f"{view.number} · {view.site_name}", bottom=buttons(shell, view),
                 # What is to be done next stands at the top: each stage begins there.
                 part="ended" if view.ended else "done" if view.done else "up" if view.up else "")


def sheet(shell: Any, view: PlacardView) -> ft.Control:
    """The placard as it can be read on the screen."""
    valid = view.valid
    band = ft.Container(
        bgcolor=theme.BAD.solid if valid else theme.PAPER, padding=16,
        border=ft.Border.all(4, theme.BAD.solid if valid else theme.INK), border_radius=theme.RADIUS,
        content=ft.Column(
            [ft.Text(view.heading, size=theme.px(32), weight=ft.FontWeight.BOLD, text_align=ft.TextAlign.CENTER,
                     color=theme.ON_SOLID if valid else theme.INK),
             *([] if valid or view.ended else [
                 ft.Text(_("NOT VALID: a recommendation, not to be put up"), size=theme.KEY,
                         weight=ft.FontWeight.BOLD, text_align=ft.TextAlign.CENTER)])],
            horizontal_alignment=ft.CrossAxisAlignment.CENTER, tight=True),
    )
    parts: list[ft.Control] = [
        band,
        *([ft.Row([pill(theme.DEMO, _("DEMO: not an order of a real city"))], wrap=True)]
          if shell.work.status().demo else []),
        text(view.number, bold=True, size=theme.TITLE, id="placard-number"),
        fact(_("Site"), f"{view.site_name}, {view.address}"),
    ]
    if view.both and view.blank:
        said = _("On the pre-printed placard: {words}. It names no work and no finding: those stand in the order "
                 "itself, behind its code, and on the paper for the person in charge.")
        parts.insert(1, text(said.format(words=view.both), size=theme.SMALL, id="placard-both"))
    elif view.both:
        said = _("On the paper: {words}. What is essential stands there in both languages.") if not view.lacking else _(
            "On the paper: {words}. Its fixed sentences stand there in both languages; what the inspector wrote, as it "
            "was given.")
        parts.insert(1, text(said.format(words=view.both), size=theme.SMALL, id="placard-both"))
        parts[2:2] = [text(said, size=theme.SMALL) for said in view.lacking]
    if view.posted:
        parts.append(fact(_("Posted"), ", ".join(w for w in (view.posted, view.where) if w), id="placard-posted"))
    elif view.printed_on and view.blank:
        parts.append(fact(_("Dated by hand"), date_words(date.fromisoformat(view.printed_on), _)))
    elif view.printed_on:
        parts.append(fact(_("Posting date on the paper") if valid else _("Printed"),
                          date_words(date.fromisoformat(view.printed_on), _)))
    if view.clocks:
        parts.append(heading(_("Time limits"), 3))
        parts += [limit_row(clock) for clock in view.clocks]
    if view.corrections and not view.ended:
        parts.append(heading(_("What must be done"), 3))
        parts += [line(ft.Icons.BUILD, f"{c.text} ({c.due_words})" if c.due_words else c.text)
                  for c in view.corrections]
    if view.public_url:
        parts += [heading(_("Anyone can check it here"), 3), text(view.public_url, id="placard-url", size=theme.SMALL)]
    return panel(parts, edge=theme.INK, id="placard-sheet")


@safe_component
def PaperPart(shell: Any, sides: tuple[PaperSide, ...]) -> ft.Control:
    """What stands on the paper, in one of its languages at a time."""
    chosen = shell.memory.get(PAPER_LANGUAGE, spoken())
    side = next((one for one in sides if one.language == chosen), sides[0])

    async def choose(language: str) -> None:
        shell.memory[PAPER_LANGUAGE] = language
        shell.redraw()

    parts: list[ft.Control] = [heading(_("What stands on the paper"))]
    if len(sides) > 1:
        parts.append(choices_grid([Choice(one.language, one.name) for one in sides], side.language, choose, id="paper",
                                  width=min(panel_width(shell), 560)))
    for part in side.parts:
        parts += [heading(part.heading, 3), *[text(words) for words in part.lines]]
    return panel(parts, id=f"paper-{side.language}-said")


def buttons(shell: Any, view: PlacardView) -> list[ft.Control]:
    """Save the PDF; print anew when it is stale; say that it is up; afterwards photos and the way back."""

    async def renew(_e: ft.Event) -> None:
        await shell.attempt(lambda: shell.work.make_placard(view.id), once="placard")

    save_button = paper_button(shell, lambda: shell.work.save_placard(view.id), id="save-placard",
                               whole=bool(view.blank))
    if view.done or view.ended:
        row = [] if view.ended else [save_button]
        if view.valid:
            row.append(action(_("Photo of the placard"), lambda e: shell.aside("order_photos", number=view.number),
                              id="placard-photo", icon=ft.Icons.PHOTO_CAMERA, expand=True))
        row.append(action(_("Back to the site"), lambda e: shell.go("site", site=view.site), id="to-site",
                          kind="quiet", icon=ft.Icons.ARROW_BACK, expand=True))
        return row
    if view.up or not view.valid:
        return [save_button]
    if view.blank:
        return blank_buttons(shell, view, save_button)
    if view.stale:
        return [action(_("Print it for today"), renew, id="renew-placard", icon=ft.Icons.REFRESH,
                       disabled=shell.busy("placard"), expand=True)]
    row = [save_button, UpButton(shell, view.id, key="up-button", expand=True)]
    if view.kind == "affix":
        async def from_office(_e: ft.Event) -> None:
            await shell.attempt(lambda: shell.work.take_office_paper(view.id), once="office-paper")

        row.insert(1, action(_("The office printed it"), from_office, id="office-paper", kind="quiet",
                             icon=ft.Icons.LOCAL_PRINTSHOP, disabled=shell.busy("office-paper"), expand=True))
    return row


def by_hand(shell: Any, view: PlacardView) -> ft.Control:
    """What is written on the pre-printed placard, and the way back from it."""
    today = date_words(date.fromisoformat(view.today), _)
    tone = theme.BAD if view.stale else theme.WARN
    from_office = view.kind == "affix"
    head = _("Placard from the office") if from_office else _("Pre-printed placard")
    parts: list[ft.Control] = [heading(head),
                               text(view.number, bold=True, size=theme.KEY, id="blank-head"),
                               text(view.sentence, bold=True, id="blank-sentence")]
    if not view.dated:
        parts += [
            ft.Container(
                ft.Column([text(_("Write with a broad marker"), soft=True, size=theme.SMALL),
                           ft.Text(_numbers_of(view.today), size=theme.TITLE + 6, weight=ft.FontWeight.BOLD,
                                   color=theme.INK),
                           NowLine(shell, key="now"), text(f"{today} · {view.address}")], spacing=2, tight=True),
                padding=14, bgcolor=theme.PAPER, border=ft.Border.all(3, theme.INK), border_radius=theme.RADIUS),
        ]
        if not from_office:
            parts.append(text(_("Tick the grounds, write your name and sign it by hand too. Write the time last, just "
                                "before you put it up.")))
    if from_office:
        async def print_here(_e: ft.Event) -> None:
            await shell.attempt(lambda: shell.work.make_placard(view.id), once="placard")

        parts.append(ft.Row(wrap=True, controls=[
            action(_("Print it from this tablet instead"), print_here, id="print-here", kind="quiet",
                   icon=ft.Icons.UNDO, disabled=shell.busy("placard"))]))
    else:
        parts.append(LeaveBlank(shell, view.id, view.site, view.dated, key="leave-blank"))
    return panel(parts, ground=tone.ground, edge=tone.solid, id="blank-steps")


@safe_component
def NowLine(shell: Any) -> ft.Control:
    """The time to write on the paper, as the tablet's clock shows it now."""
    _drawn, draw_again = ft.use_state(0)
    use_ticks(NOW_TICK, lambda: draw_again(lambda n: n + 1))
    return text(_("Time: {time} now").format(time=shell.work.time_words()), bold=True, size=theme.KEY, id="blank-time")


def _numbers_of(day: str) -> str:
    """The date as it is written into the field on the paper: month / day / year."""
    year, month, number = day.split("-")
    return f"{month} / {number} / {year}"


def blank_buttons(shell: Any, view: PlacardView, save_button: ft.Control) -> list[ft.Control]:
    """Confirm the date; then say that it is up."""

    async def dated(_e: ft.Event) -> None:
        await shell.attempt(lambda: shell.work.blank_is_dated(view.id), once="blank-dated")

    if not view.dated:
        return [action(_("Today's date is written on it"), dated, id="blank-dated", icon=ft.Icons.DRAW,
                       disabled=shell.busy("blank-dated"), expand=True)]
    if view.stale:
        return []
    return [save_button, UpButton(shell, view.id, key="up-button", expand=True)]


@safe_component
def LeaveBlank(shell: Any, draft: str, site: str, dated: bool) -> ft.Control:
    """This paper is not taken after all: clean, it goes back into the case; spoiled, it is recorded as void."""
    reason, keep = use_entry(shell, "leave-reason")
    open_, set_open = ft.use_state(bool(reason))

    def leave(why: str) -> Any:
        async def left(_e: ft.Event) -> None:
            async def act() -> None:
                await shell.work.leave_blank(draft, why)
                shell.memory[("step", draft)] = "review"
                shell.go("order", draft=draft)
            await shell.attempt(act, once="leave-blank")
        return left

    if not open_:
        return ft.Row(wrap=True, controls=[
            action(_("Not this placard"), lambda e: set_open(True), id="leave-blank", kind="quiet",
                   icon=ft.Icons.UNDO)])
    parts: list[ft.Control] = []
    if not dated:
        parts.append(action(_("It is clean: keep it for another time"), leave(""), id="leave-clean", kind="secondary",
                            icon=ft.Icons.INVENTORY_2))
    return ft.Column([
        *parts,
        TextLine(reason, keep, _("It is spoiled, or bears another date: what became of it?"), "leave-reason"),
        action(_("Record it as void"), leave(reason), id="leave-void", kind="danger", icon=ft.Icons.DELETE_OUTLINE,
               disabled=not reason.strip()),
    ], spacing=10, tight=True, horizontal_alignment=ft.CrossAxisAlignment.STRETCH)


@safe_component
def UpButton(shell: Any, draft: str, expand: bool = True) -> ft.Control:
    """The tap that counts: it sets the moment of posting. It asks once, because the law counts from here."""
    asking, ask = use_asking(shell, "up")

    async def up(_e: ft.Event) -> None:
        ask(False)
        await shell.attempt(lambda: shell.work.placard_is_up(draft), once="up")

    ft.use_dialog(confirm(
        _("Is the placard up on the site?"),
        _("This moment becomes the time of posting. The time limits of the order count from this day."),
        _("Yes, it is up"), up, lambda e: ask(False), danger=True) if asking else None)
    return action(_("The placard is up"), lambda e: ask(True), id="placard-is-up", icon=ft.Icons.PUSH_PIN,
                  kind="danger", disabled=shell.busy("up"), expand=True)


@safe_component
def TakeBack(shell: Any, draft: str) -> ft.Control:
    """It was not up after all; possible until it is signed."""

    async def back(_e: ft.Event) -> None:
        await shell.attempt(lambda: shell.work.placard_not_up(draft), once="not-up")

    return action(_("It is not up after all"), back, id="placard-not-up", kind="quiet", icon=ft.Icons.UNDO)

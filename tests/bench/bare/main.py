"""A bare checklist: what Flet itself costs for one tap on a page with as many controls as an inspection has.

The yardstick of the ``ui`` benchmark, built the same way as the app. Nothing is stored, nothing is judged: a tap
changes the looks of two buttons. On even items it does so in the plainest way that Flet has (the handler changes
controls, Flet finds out what on the page is different), on odd ones in the quickest (it is told which two controls).
The address says how many controls: ``#/650``.
"""

import flet as ft
import js

ANSWERS = ("Yes", "No", "Not applicable", "Not observed")
PER_ITEM = 2 + 2 + len(ANSWERS) * 5 + 1  # container, column, item's name and question, row, and five to a button


def look(chosen: bool) -> dict:
    ink = "#FFFFFF" if chosen else "#12222B"
    return {
        "icon": ft.Icons.CHECK_CIRCLE if chosen else ft.Icons.RADIO_BUTTON_UNCHECKED,
        "ink": ink,
        "style": ft.ButtonStyle(
            bgcolor="#1B6E3C" if chosen else "#FFFFFF", color=ink, side=ft.BorderSide(3 if chosen else 2, "#1B6E3C"),
            shape=ft.RoundedRectangleBorder(radius=10), padding=ft.Padding.symmetric(horizontal=12, vertical=4)),
    }


class Answer:
    """One button of an item."""

    def __init__(self, item, words: str):
        first = look(False)
        self.item = item
        self.icon = ft.Icon(first["icon"], size=24, color=first["ink"])
        self.text = ft.Text(words, size=17, weight=ft.FontWeight.W_600, color=first["ink"], expand=True)
        self.button = ft.FilledButton(height=64, expand=True, on_click=self.tapped, style=first["style"],
                                      content=ft.Row([self.icon, self.text], spacing=8))
        self.mark = ft.Semantics(identifier=f"answer-{item.number}-{words}", selected=False, expand=True,
                                 content=self.button)

    def show(self, chosen: bool) -> None:
        now = look(chosen)
        self.icon.icon, self.icon.color, self.text.color = now["icon"], now["ink"], now["ink"]
        self.button.style, self.mark.selected = now["style"], chosen

    def tapped(self, _event) -> None:
        if self.item.chosen is self:
            return
        before, self.item.chosen = self.item.chosen, self
        changed = [one for one in (before, self) if one is not None]
        for one in changed:
            one.show(one is self)
        if self.item.number % 2:
            for one in changed:
                one.mark.update()


class Item:
    """One question with its answers."""

    def __init__(self, number: int):
        self.number, self.chosen = number, None
        self.answers = [Answer(self, words) for words in ANSWERS]
        self.card = ft.Container(
            padding=16, bgcolor="#FFFFFF", border_radius=10, border=ft.Border.all(1.5, "#C8CDD0"),
            content=ft.Column([
                ft.Text(f"BAR-{number:02}", size=15),
                ft.Text("Is everything about this item as it should be?", size=19, weight=ft.FontWeight.W_600),
                ft.Row([answer.mark for answer in self.answers], spacing=10),
            ], spacing=10, tight=True, horizontal_alignment=ft.CrossAxisAlignment.STRETCH))


def main(page: ft.Page):
    # The words of the start lie over everything until then.
    js.pagePort.postMessage(js.JSON.parse('{"kind": "started"}'))
    page.padding = 0
    controls = int(page.route.strip("/") or 600)
    items = [Item(number) for number in range(max(4, controls // PER_ITEM))]
    page.add(ft.Column([item.card for item in items], scroll=ft.ScrollMode.AUTO, expand=True, spacing=14,
                       horizontal_alignment=ft.CrossAxisAlignment.STRETCH))


ft.run(main)

"""Settings and about: how the app looks, who is signed in, and what a support call asks for."""

from __future__ import annotations

from importlib import metadata
from typing import TYPE_CHECKING

from field_app.work import forgotten, ordering, pins, preferences
from field_app.work.progress import sync_clock
from field_app.work.views import Choice, LookView, SettingsView
from field_app.work.words import N_
from sync.documents.language import LANGUAGES, OWN_NAMES
from sync.records.problems import Problem

if TYPE_CHECKING:
    from field_app.work.desk import Desk



def version() -> str:
    """The version of the program; the staged builds carry no package metadata and say so."""
    try:
        return metadata.version("siltwatch")
    except metadata.PackageNotFoundError:
        return N_("built from source")


def look(desk: Desk) -> LookView:
    """How the app speaks and looks now, and what else there is."""
    _ = desk.words
    looks = {"normal": _("Normal"), "sun": _("Sun: black on white"), "dark": _("Dark")}
    texts = {"standard": _("Standard"), "large": _("Large"), "larger": _("Larger"), "largest": _("Largest")}
    return LookView(
        language=desk.language,
        languages=tuple(Choice(code, OWN_NAMES[code]) for code in LANGUAGES),
        look=preferences.chosen(desk, "look"),
        looks=tuple(Choice(code, looks[code]) for code in preferences.LOOKS),
        text=preferences.chosen(desk, "text"),
        texts=tuple(Choice(code, texts[code]) for code in preferences.TEXTS),
    )


def power_words(desk: Desk) -> dict[str, str]:
    """What the ordinance calls each power, in the language of the tablet; none before the ordinance came down."""
    try:
        labels, language = desk.pack().powers.labels, desk.law_language
    except Problem:
        return {}
    return {power: said[language] for power, said in labels.items()}


def view(desk: Desk) -> SettingsView:
    _ = desk.words
    tablet = desk.store.table("secrets").get("tablet") or {}
    user = desk.session().get("user")
    person = desk.store.table("people").get(user) if user else None
    today = desk.today().isoformat()
    called = power_words(desk)
    powers = sorted(
        {
            called.get(g["power"]) or g["power"].replace("_", " ")
            for g in (person or {}).get("powers", [])
            if g["from"] <= today and (not g["until"] or today <= g["until"])
        }
    )
    facts = [
        (_("Tablet"), tablet.get("tablet_code") or _("not enrolled")),
        (_("City"), tablet.get("city_name") or "—"),
        (_("Server"), (desk.store.table("meta").get("server") or {}).get("url") or desk.server),
        *([(_("Telephone of the office"), phone)] if (phone := forgotten.phone_of(desk)) else []),
        (_("Last answer from the office"), desk.moment_words(sync_clock(desk)) or _("none yet")),
        (_("Sites on this tablet"), str(len(desk.store.table("sites")))),
    ]
    if tablet:
        facts.append((_("Order numbers left"), str(len(ordering.free_numbers(desk)))))
    try:
        facts.append((_("Ordinance"), desk.pack().ref))
    except Problem:
        facts.append((_("Ordinance"), _("not here yet")))
    return SettingsView(
        user=person["name"] if person else None,
        powers=tuple(powers),
        has_pin=bool(user) and pins.pin_doc(desk, user) is not None,
        facts=tuple(facts),
        version=_(version()),
    )

"""The inspector's day as taps, for server mode and web app alike. Each step leaves the app where the next one begins.

`shoot(name)` is called where a screen shows something worth a picture.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.support.tablet import PIN, TabletApp

SITE = "site-01"
TRACK, INLET = "TRK-06", "INL-01@inlet:inlet-01-1"
Shoot = Callable[[str], None]


def nothing(_name: str) -> None:
    """No pictures."""


def set_up(app: TabletApp, enrolment_code: str, personal_code: str, shoot: Shoot = nothing) -> None:
    """Enrol, sign in, choose a PIN; ends on the list of sites with what came down."""
    app.wait("enrol-code")
    shoot("enrol")
    app.type("enrol-code", enrolment_code)
    app.tap("enrol")
    sign_in(app, personal_code, shoot)
    to_sites(app, shoot)


def to_sites(app: TabletApp, shoot: Shoot = nothing) -> None:
    """From Today, where the app opens, to the list of sites."""
    app.wait("nav-sites")
    shoot("today")
    app.tap("nav-sites")
    app.wait(f"site-{SITE}")
    shoot("sites")


def sign_in(app: TabletApp, personal_code: str, shoot: Shoot = nothing) -> None:
    """The first sign-in of a person on this tablet, with the PIN."""
    app.wait("sign-in-code")
    shoot("sign-in")
    app.type("sign-in-code", personal_code)
    app.tap("sign-in")
    app.wait("pin-pad")
    shoot("pin")
    app.pin(PIN)
    app.until_text("once more")
    app.pin(PIN)


def begin(app: TabletApp, site: str = SITE, shoot: Shoot = nothing) -> None:
    """From the list to the first checklist of a site."""
    app.tap(f"site-{site}")
    app.wait("begin-inspection")
    shoot("site")
    app.tap("begin-inspection")
    app.tap("section-details")
    app.wait("type-weekly")
    app.tap("type-rain")
    app.type("rain", "0.7")
    shoot("inspection-beginning")
    app.tap("section-tracking")
    app.wait("card-tracking")


def fail_tracking(app: TabletApp, picture: Path, shoot: Shoot = nothing) -> None:
    """Soil on the road: a major failure with note, one photo from the camera and one from the chooser."""
    app.tap(f"answer-{TRACK}-soil-clumps")
    app.wait(f"answer-{TRACK}-distance")
    app.type(f"answer-{TRACK}-distance", "40")
    app.tap(f"answer-{TRACK}-gutter-no")
    app.wait(f"severity-change-{TRACK}")
    app.type(f"note-{TRACK}", "Clumps of soil on Mill Street, from the exit 40 feet to the east.")
    app.tap(f"photo-{TRACK}")
    app.tap("shutter")
    app.wait("photos-kept-1")
    app.choose_file("pick-photo", picture)
    app.wait("photos-kept-2")
    shoot("camera")
    app.tap("camera-done")
    app.wait(f"photos-{TRACK}-2")
    shoot("inspection-item")
    app.tap(f"due-{TRACK}-day")
    app.tap(f"due-{TRACK}-day-2026-08-28")
    app.until_text("Fri Aug 28, 2026")
    app.tap(f"due-{TRACK}-time")
    app.tap(f"due-{TRACK}-time-take")
    app.gone(f"due-{TRACK}-time-take")


def fail_inlet(app: TabletApp, shoot: Shoot = nothing) -> None:
    """No barrier while water runs in: critical, so a wide and a close photo."""
    app.tap("section-inlets")
    app.tap("choose-inlets@inlet:inlet-01-1")
    app.wait(f"item-{INLET}")
    app.tap(f"answer-{INLET}-barrier-none")
    app.tap(f"answer-{INLET}-runoff-yes")
    app.tap(f"answer-{INLET}-rain_due-no")
    app.wait(f"severity-change-{INLET}")
    app.type(f"note-{INLET}", "No barrier; muddy water runs into the inlet.")
    app.tap(f"photo-{INLET}")
    app.tap("shutter")
    app.wait("photos-kept-1")
    app.tap("shutter")
    app.wait("photos-kept-2")
    app.tap("camera-done")
    app.wait(f"photos-{INLET}-2")
    shoot("inspection-inlet")


def say_last_time(app: TabletApp, shoot: Shoot = nothing) -> None:
    """The open findings of the inspection before: one tap each; a false tap is taken back in one."""
    app.tap("section-last")
    app.wait("card-last")
    shoot("inspection-last-time")
    found = [part.removesuffix("-fixed") for part in app.ids("follow-") if part.endswith("-fixed")]
    inlet = next(part for part in found if "CB-2" in app.text(part.replace("follow-", "last-")))
    road = next(part for part in found if part != inlet)
    app.tap(f"{road}-fixed")
    app.tap("undo")
    app.gone("undo")
    app.tap(f"{road}-still_open")
    app.tap(f"{inlet}-fixed")
    app.wait(inlet.replace("follow-", "last-take-"))


def answer_all_the_rest(app: TabletApp) -> None:
    """What has no answer yet does not apply: section by section, card by card."""
    app.wait("section-details")
    app.quiet()
    for section in [part.removeprefix("section-") for part in app.ids("section-")]:
        if section == "details":
            continue
        if section == "last":
            say_last_time(app)
            continue
        app.tap(f"section-{section}")
        app.wait(f"card-{section}*")
        for card in [part.removeprefix("choose-") for part in app.ids("choose-")] or [None]:
            if card is not None:
                app.tap(f"choose-{card}")
                app.wait(f"card-{card}")
            if app.there("rest-na"):
                app.tap("rest-na")
                app.say_yes()
                app.gone("rest-na")


def sign(app: TabletApp, shoot: Shoot = nothing) -> None:
    """Review and sign with the PIN; ends on the screen that says so."""
    app.tap("go-review")
    app.wait("outcome")
    app.tap("in-charge-signed")
    app.type("closing-name", "Jo Kessler")
    app.tap("sign-in_charge")
    app.draw("pad")
    shoot("review-pad")
    app.tap("pad-done")
    app.gone("pad-done")
    app.gone("missing")
    shoot("review")
    app.pin(PIN)
    app.wait("signed")
    shoot("signed")


def write_order(app: TabletApp, shoot: Shoot = nothing) -> str:
    """From "signed" to the placard; gives the order's number."""
    app.tap("begin-order")
    app.wait("ground-a")
    shoot("order-grounds")
    app.tap("step-findings")
    app.wait("order-finding-0")
    shoot("order-findings")
    app.tap("step-scope")
    app.type("order-must-stop", "All earth moving and all hauling over the north exit.")
    app.wait("order-must-stop-es")  # own words get a field for the other language, which moves what stands below
    app.type("order-may-continue", "Cleaning the street, setting inlet barriers and all other erosion control.")
    app.wait("order-may-continue-es")
    shoot("order-scope")
    app.tap("step-corrections")
    app.wait("order-correction-0")
    shoot("order-corrections")
    app.tap("step-met")
    app.type("met-name-new", "Jo Kessler")
    app.type("met-role-new", "site superintendent")
    app.tap("met-add")
    app.tap("met-served-0")
    shoot("order-met")
    app.tap("step-review")
    app.wait("review-number")
    shoot("order-review")
    app.tap("make-placard")
    app.wait("placard-number")
    return app.text("placard-number").strip()


def take_blank(app: TabletApp, shoot: Shoot = nothing) -> str:
    """From a placard that was printed to a pre-printed one, whose code the camera sees; gives its number."""
    app.back()
    app.tap("step-review")
    app.tap("use-blank")
    app.wait("scan-preview")
    shoot("blank")
    app.tap("scan")
    app.wait("blank-head")
    shoot("blank-bound")
    app.tap("blank-dated")
    app.wait("placard-is-up")
    return app.text("blank-head").strip()


def post(app: TabletApp, shoot: Shoot = nothing) -> None:
    """Put the placard up, sign the posting, photograph it; ends on the placard."""
    shoot("placard")
    app.tap("placard-is-up")
    app.wait("dialog-yes")
    shoot("placard-question")
    app.say_yes()
    app.wait("placard-up")
    shoot("placard-up")
    app.pin(PIN)
    app.wait("placard-done")
    shoot("placard-done")
    app.tap("placard-photo")
    app.tap("shutter")
    app.wait("photos-kept-1")
    shoot("placard-photo")
    app.tap("camera-done")
    app.wait("placard-done")

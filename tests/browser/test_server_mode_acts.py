"""The other acts of the inspector's day by taps, in server mode with the server really away: an order replaced and
released, an emergency, a revision, an inspection that is refused, signed and corrected, a second person, a forgotten
PIN. What was entered is looked for where it arrives: in the records of the server, once it is back.

All share one start of server, tablet and browser; each begins on a site of its own and needs none of the others.
"""

import httpx
import pytest

from sync.server.casework import recovery
from sync.server.casework.queries import order_list
from tests.support.arrived import applied, held, until_there
from tests.support.chromium import MADISON
from tests.support.led_field import led_field
from tests.support.tablet import PIN

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]

NEW_PIN, BENS = "161803", "314159"
SAUK_RIDGE = {"latitude": 43.08145, "longitude": -89.47231, "accuracy": 5}  # site-02; MADISON is site-01's own place


@pytest.fixture(scope="module")
def field(tmp_path_factory):
    with led_field(tmp_path_factory.mktemp("acts"), "release", "void_and_supersede", "revise") as one:
        yield one


@pytest.fixture
def away(field):
    """There is no server; `away()` starts it again, and so does the end of the test."""
    with field.without_server() as back:
        yield back


def test_an_order_is_replaced_on_a_typed_placard_and_released(field, away):
    app, led, shoot = field.app, field.led, field.shoot
    field.chromium.context.set_geolocation(MADISON)
    draft = led.do("draft", site="site-01")["draft"]
    fact = led.do("sign", draft=draft)["fact"]
    order = led.do("order", site="site-01", fact=fact)["order"]
    wrong = led.do("placard", order=order)["number"]
    led.do("up", order=order)
    wrong_fact = led.do("post", order=order)["order_fact"]

    # It names the wrong lot: another one is written in its place, and goes up on a paper of the case.
    led.do("go", name="site", site="site-01")
    app.wait(f"order-{wrong}")
    app.tap("begin-site-order")
    app.tap(f"second-{wrong_fact}")
    field.type("second-reason", "It names the wrong lot.")
    app.tap("second-write")
    app.wait("ground-b")
    led.do("written", order=led.do("where")["draft"], fact=fact)
    app.tap("step-review")
    app.wait("beside")
    app.tap("use-blank")
    paper = field.papers[0]
    field.type("blank-number", paper[:-1] + ("A" if paper[-1] != "A" else "B"))
    app.tap("blank-use")
    app.until_text("Check the number, letter by letter.")
    shoot("blank-number-refused")
    field.type("blank-number", paper.lower())
    app.tap("blank-use")
    app.wait("blank-head")
    assert app.text("blank-head").strip() == paper
    app.tap("blank-dated")
    app.tap("placard-is-up")
    app.say_yes()
    app.wait("placard-up")
    app.pin(PIN)
    app.wait("placard-done")
    app.tap("to-site")

    # The void explains the first number; the second order is released.
    app.tap(f"order-void-{wrong}")
    field.type("act-reasons", "It named the wrong lot.")
    app.wait("act-other-")  # none; then the one that is to take its place
    (_none, other) = app.ids("act-other-")
    app.tap(other)
    shoot("order-void")
    app.pin(PIN)
    app.wait(f"order-{wrong}")
    app.until_text("It named the wrong lot.")
    app.tap(f"order-release-{paper}")
    field.type("act-reasons", "The street is clean and the inlets are protected.")
    app.pin(PIN)
    app.wait(f"order-{paper}")
    app.until_text("Take the placard down.")
    shoot("site-order-released")

    away()
    (released,) = applied(field.server, "order_released")
    (voided,) = applied(field.server, "order_voided")
    first, second = applied(field.server, "order_posted", 2)
    assert (first.id, first.body["number"]) == (wrong_fact, wrong)
    assert second.body["number"] == paper and second.body["blank"] and second.body["grounds"] == ["b"]
    assert second.body["beside"] == {"orders": [first.id], "replaces": first.id, "reason": "It names the wrong lot."}
    assert (voided.body["number"], voided.body["replaced_by"]) == (wrong, second.id)
    assert voided.body["reasons"] == "It named the wrong lot."
    assert (released.body["number"], released.body["scope"]) == (paper, "whole")
    with field.server.city() as city:
        standing = {one["number"]: one["status"] for one in order_list(city)}
    assert (standing[wrong], standing[paper]) == ("voided", "released")
    app.wait("status-safe")


def test_an_emergency_and_a_revision_of_the_plan(field, away):
    app, led, shoot = field.app, field.led, field.shoot
    field.chromium.context.set_geolocation(MADISON)  # a mile away: that is asked about
    led.do("go", name="site", site="site-03")
    app.tap("begin-emergency")
    field.type("act-condition", "The basin overflows and its bank is cut through.")
    app.tap("threat-surface-water")
    field.type("act-actions", "Sand bags across the cut.")
    shoot("emergency-what")
    app.tap("step-approval")
    app.tap("approval-how-phone")
    app.tap("approval-person-carol")
    app.tap("approval-now")
    app.until_text("Carol Brandt, Building Inspector, by phone")
    app.tap("enter-now")
    app.wait("act-entered")
    shoot("emergency-approval")
    app.tap("step-photos")
    app.tap("shutter")
    app.wait("photos-kept-1")
    app.choose_file("pick-photo", field.heic)
    app.wait("photos-kept-2")
    app.wait("kept-2")
    app.until_text("preview in the office")
    field.type("far-reason", "Seen from the bridge.")
    shoot("emergency-photos")
    app.tap("kept-mark-1")
    app.draw("easel")
    app.until_text("Undo the last mark")
    app.tap("tool-circle")
    app.draw("easel")
    app.until_text("2 marks")
    shoot("emergency-marks")
    app.tap("marks-done")
    app.wait("kept-2")
    app.tap("step-sign")
    app.wait("statement")
    app.gone("missing")
    shoot("emergency-sign")
    app.pin(PIN)
    app.wait("act-signed")
    shoot("emergency-signed")
    reference = app.text("act-reference").strip()
    with app.page.expect_download() as download:
        app.tap("save-act")
    assert download.value.suggested_filename == f"{reference}.pdf"
    app.tap("to-site")

    app.tap("begin-revision")
    field.type("act-conditions", "4.1 inches of rain in 24 hours.")
    field.type("act-inadequate", "Water runs around both ends of the silt fence.")
    shoot("revision-why")
    app.tap("step-devices")
    field.type("device-new", "A sediment trap at the low corner")
    app.tap("device-add")
    app.tap("device-due-0-day")
    app.tap("device-due-0-day-2026-08-29")
    app.until_text("Sat Aug 29, 2026")
    shoot("revision-devices")
    app.tap("step-met")
    app.tap("nobody-present")
    app.gone("met-name-new")
    app.tap("step-sign")
    app.wait("statement")
    app.gone("missing")
    app.pin(PIN)
    app.wait("act-signed")
    shoot("revision-signed")
    app.tap("to-site")
    app.wait("begin-inspection")

    away()
    (emergency,) = applied(field.server, "emergency_reported")
    (revision,) = applied(field.server, "revision_ordered")
    body, approval = emergency.body, emergency.body["approval"]
    assert body["condition"].startswith("The basin overflows") and body["threatens"] == ["surface water"]
    assert body["actions"] == "Sand bags across the cut." and body["entered_at"]
    assert (approval["how"], approval["person"], approval["name"]) == ("phone", "carol", "Carol Brandt")
    taken, picked = body["photos"]
    assert (taken["source"], picked["source"]) == ("camera", "gallery")
    assert taken["position"] and taken["far_reason"] == "Seen from the bridge."
    files = held(field.server, *(one.sha256 for one in emergency.evidence))
    assert files[taken["sha256"]] == "image/jpeg" and files[picked["sha256"]] == "image/heic"
    assert len(files) == 3, "both photos, and what was drawn over the first"
    (ordered,) = revision.body["devices"]
    assert ordered == {"text": "A sediment trap at the low corner", "due": {"on": "2026-08-29", "at": "17:00"}}
    assert revision.body["conditions"].startswith("4.1 inches") and revision.body["nobody_present"]
    app.wait("status-safe")


def test_an_inspection_turned_to_spanish_refused_signed_and_corrected(field, away):
    app, led, shoot, item = field.app, field.led, field.shoot, "TRK-07"
    field.chromium.context.set_geolocation(SAUK_RIDGE)
    led.do("go", name="site", site="site-02")
    app.tap("begin-inspection")
    app.tap("section-tracking")
    app.tap(f"answer-{item}-yes")
    field.type(f"note-{item}", "Clumps by the gate, 3 m")
    app.tap(f"photo-{item}")
    app.tap("shutter")
    app.wait("photos-kept-1")
    app.tap("camera-done")
    app.wait(f"photos-{item}-1")
    draft = led.do("where")["draft"]
    before = led.do("kept", table="drafts", ident=draft)["kept"]["entries"]

    # Another language and the largest text in the middle of it: nothing that was written is lost, or changed.
    app.tap("open-settings")
    app.tap("language-es")
    app.until_text("Idioma")
    app.tap("text-largest")
    app.wait("text-largest")
    app.back()
    app.wait(f"photos-{item}-1")
    app.until_text("Tomar otra foto")
    assert led.do("kept", table="drafts", ident=draft)["kept"]["entries"] == before
    field.holds(f"note-{item}", "Clumps by the gate, 3 m")
    shoot("inspection-turned-to-spanish")
    field.type(f"note-{item}", "Terrones junto al portón, 3 m")
    led.do("language", language="en")
    led.do("look", look="normal", text="standard")
    app.until_text("Take another photo")
    field.holds(f"note-{item}", "Terrones junto al portón, 3 m")

    app.tap("section-inlets")
    app.tap("choose-inlets@inlet:inlet-02-1")
    app.tap("retire-inlet-02-1")
    field.type("retire-why", "The street was rebuilt.")
    app.say_yes()
    app.wait("gone-inlet-02-1")
    shoot("inspection-inlet-gone")
    led.do("rest", draft=draft)
    app.tap(app.ids("section-")[-1])
    app.tap("go-review")
    app.tap("in-charge-refused")
    app.wait("closing-reason")
    field.type("closing-name", "Jo Kessler")
    field.type("closing-reason", "Said that the mud is the neighbor's.")
    field.type("closing-witness", "Pat Doe")
    app.quiet()
    app.tap("sign-witness")
    app.draw("pad")
    shoot("witness-pad")
    app.tap("pad-done")
    app.gone("pad-done")
    app.wait("signature-witness")
    app.gone("missing")
    shoot("review-refused")
    app.pin(PIN)
    app.wait("signed")
    fact = led.do("where")["fact"]
    app.tap("to-notice")
    app.wait("notice-code")
    shoot("notice")
    link = field.code_on("notice-code")
    app.back()
    app.wait("signed")

    app.tap("correct")
    app.wait("section-tracking")
    app.tap("section-tracking")
    field.type(f"note-{item}", "Terrones junto al portón, 30 m")
    app.tap(app.ids("section-")[-1])
    app.tap("go-review")
    field.type("revise-reason", "Thirty meters, not three.")
    app.gone("missing")
    shoot("review-correction")
    app.pin(PIN)
    app.wait("corrects")
    shoot("signed-correction")

    away()
    first, second = applied(field.server, "inspection_signed", 2, site="site-02")
    assert (first.id, second.revises, second.body["revise_reason"]) == (fact, fact, "Thirty meters, not three.")
    notes = [next(one["note"] for one in each.body["findings"] if one["item"] == item) for each in (first, second)]
    assert notes == ["Terrones junto al portón, 3 m", "Terrones junto al portón, 30 m"]
    (gone,) = first.body["places"]
    assert (gone["act"], gone["id"], gone["why"]) == ("retire", "inlet-02-1", "The street was rebuilt.")
    refused = first.body["in_charge"]
    assert (refused["how"], refused["name"], refused["witness"]["name"]) == ("refused", "Jo Kessler", "Pat Doe")
    held(field.server, refused["witness"]["signature"], *(one.sha256 for one in second.evidence))
    app.wait("status-safe")
    public = httpx.get(link).text  # what the person in charge sees who scanned the code on the tablet
    assert "Correction notice" in public and "The inspector corrected this notice later." in public


def test_a_second_person_a_forgotten_pin_and_a_plan(field):
    app, led, shoot = field.app, field.led, field.shoot
    plan = led.do("plan", site="site-07")["plan"]
    led.do("go", name="site", site="site-07")
    app.tap(f"plan-{plan}")
    app.wait("plan-page")
    app.tap("plan-larger")
    shoot("plan")
    app.back()
    app.tap("begin-inspection")
    app.tap("section-waste")
    app.tap("answer-WST-01-no")
    draft = led.do("where")["draft"]

    # Somebody else signs in on the same tablet and sees nothing of it.
    app.tap("open-people")
    field.type("sign-in-code", field.server.personal_code("ben"))
    app.tap("sign-in")
    app.wait("pin-pad")
    app.pin(BENS)
    app.until_text("once more")
    app.pin(BENS)
    app.wait("today-day")
    app.quiet()
    assert not app.there(f"go-on-{draft}")
    app.tap("open-people")
    app.tap("lock-tablet")
    app.wait("lock-panel")
    shoot("locked")
    app.tap("lock-other")
    app.tap("lock-person-ada")
    app.pin("111222")
    app.until_text("That PIN was wrong. Type it again.")

    # Ada has forgotten hers: she chooses another one, and the office opens what she has begun.
    app.tap("forgot-pin")
    app.until_text("Choose another PIN")
    shoot("forgotten-choose")
    app.pin(NEW_PIN)
    app.until_text("once more")
    app.pin(NEW_PIN)
    code = app.text("forgotten-code").strip()
    app.until_text("Your question is at the office.")
    shoot("forgotten-asked")
    (asked,) = until_there(field.server, recovery.asks, "the question")
    assert asked.code == code
    with field.server.city() as city:
        recovery.answer(city, "carol", asked.id, field.passphrase)
    app.tap("look-for-pin")
    app.until_text("The office has opened it")
    shoot("forgotten-answered")
    app.pin(NEW_PIN)
    app.gone("forgotten-panel")
    led.do("go", name="inspection", draft=draft)
    app.wait("answer-WST-01-no")
    assert led.do("kept", table="drafts", ident=draft)["kept"]["user"] == "ada"

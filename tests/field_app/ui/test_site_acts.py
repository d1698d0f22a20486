"""An emergency and a revision by tapping: from the site's page to the signed record and its paper."""

import asyncio
from pathlib import Path

from tests.support.field_desk import PIN, bench
from tests.support.powers import grant
from tests.support.tablet_window import window


def test_an_emergency_by_tapping_on_a_phone(tmp_path: Path):
    async def go():
        desk = bench(tmp_path)
        grant(desk.city, "carol", "approve_entry")
        async with window(desk, width=412, height=915) as w:
            await w.set_up("ada")
            desk.network.up = False
            w.shell.go("site", site="site-01")
            await w.press("begin-emergency")
            await w.type("act-condition", "The basin overflows.")
            await w.press("threat-surface-water")
            await w.press("step-next")
            assert w.screen.shows("may not be entered on this record yet")
            await w.press("approval-how-phone")
            await w.press("approval-person-carol")
            await w.press("approval-now")
            await w.until(lambda: w.screen.shows("Carol Brandt, Building Inspector, by phone"), "approved")
            assert w.screen.shows("The land may be entered on this record.")
            await w.press("enter-now")
            await w.appears("act-entered")
            await w.press("step-photos")
            await w.until(lambda: w.camera.running, "the camera is open")
            await w.press("shutter")
            await w.appears("photos-kept-1")
            await w.press("kept-mark-1")
            await w.appears("easel")
            await w.draw("easel", [(20, 20), (60, 60), (100, 110)])
            await w.until(lambda: w.screen.shows("Undo the last mark"), "the arrow is kept")
            await w.press("marks-done")
            await w.appears("kept-1")
            await w.press("kept-remove-1")
            await w.appears("photo-back")
            assert "kept-1" not in w.screen.ids()
            await w.press("photo-back")
            await w.appears("kept-1")
            assert "photo-back" not in w.screen.ids()
            await w.press("step-sign")
            await w.appears("statement")
            assert w.screen.shows("I took or chose each photo of this record, 1 photo in all")
            assert "missing" not in w.screen.ids()
            await w.pin()
            await w.appears("act-signed")
            await w.press("save-act")
            reference = w.screen.texts("act-reference")[0]
            await w.until(lambda: f"{reference}.pdf" in desk.saved, "its paper")
            await w.press("to-site")
            await w.appears("site-acts")
            assert w.screen.shows("Emergency report")
    asyncio.run(go())


def test_a_revision_is_recommended_by_tapping_and_one_is_thrown_away(tmp_path: Path):
    async def go():
        desk = bench(tmp_path)
        async with window(desk) as w:
            await w.set_up("ada")
            w.shell.go("site", site="site-01")
            await w.press("begin-revision")
            await w.appears("act-says")
            assert w.screen.shows("You can recommend it to the office.")
            await w.type("act-conditions", "4 inches of rain")
            await w.type("act-inadequate", "The fence is washed around.")
            await w.press("step-devices")
            await w.type("device-new", "A trap at the low corner")
            await w.press("device-add")
            await w.appears("device-due-0-day")
            ident = w.shell.place["draft"]
            await w.work.set_revision_device(ident, 0, "A trap at the low corner", "2026-08-29", "17:00")
            await w.press("step-met")
            await w.type("met-name-new", "Jo Kessler")
            await w.press("met-add")
            await w.press("met-served-0")
            await w.press("step-sign")
            assert w.screen.shows("recommend that this revision be ordered")
            await w.pin()
            await w.appears("act-signed")
            assert w.screen.shows("A trap at the low corner (")
            nobody = (await w.work.begin_site_act("site-02", "emergency")).id
            await w.work.set_act_text(nobody, "condition", "Mud runs into the creek.")
            await w.work.set_threat(nobody, "surface water")
            await w.work.set_act_text(nobody, "no_approval", "The line is dead.")
            await w.work.sign_site_act(nobody, PIN)
            w.shell.go("site_act", draft=nobody)
            await w.until(lambda: w.screen.shows("The line is dead."), "the signed report")
            assert w.screen.shows("Entry not approved") and not w.screen.shows("Entry approved")
            w.shell.go("site", site="site-01")
            await w.press("begin-emergency")
            await w.press("step-sign")
            await w.appears("missing")
            await w.press("act-discard")
            await w.press("dialog-yes")
            await w.appears("site-acts")
            assert not w.screen.shows("Go on")
    asyncio.run(go())

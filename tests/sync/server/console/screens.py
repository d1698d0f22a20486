"""Every page of the office and the public page, as pictures: `python -m tests.sync.server.console.screens [FOLDER]`.

Not a test: it shows a person what the pages look like at the three sizes that count.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright
from starlette.applications import Starlette

from sync.records.protocol import public_order_url
from sync.server.casework import queries, recovery
from sync.server.casework.blanks import print_blanks
from sync.server.casework.diagnoses import take_diagnosis
from sync.server.casework.sessions import create_sign_in_link
from sync.server.console.routes import console_routes
from sync.server.console.signing_in import sign_in_link
from tests.support.chromium import FLAGS, executable
from tests.support.city import folder_city, inspection_body
from tests.support.clock import StoppedClock
from tests.support.exported import exported
from tests.support.office import furnished_office, picture
from tests.support.powers import grant
from tests.support.serve import address_of, free_socket, serving
from tests.support.site_acts import emergency_body, revision_body
from tests.sync.server.console.test_recovery_page import asked

SIZES = ((1280, 800), (800, 1280), (412, 915))


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    listener = free_socket()
    clock = StoppedClock()
    data = tempfile.TemporaryDirectory()
    office = furnished_office(folder_city(Path(data.name) / "city", clock, public_url=address_of(listener)), clock)
    app = Starlette(routes=console_routes(office.city))
    order, leased = office.orders, office.numbers
    emergency = call_for_somebody(office)

    def public(name: str, **changes: str) -> str:
        number = leased[name]
        given = {"number": number.number, "token": number.token, "printed_on": "2026-08-27"} | changes
        return public_order_url("", given["number"], given["token"], given["printed_on"] or None)

    pages = {
        "overview": "/office/",
        "orders": "/office/orders",
        "register": "/office/register",
        "order-posted": f"/office/orders/{order['posted']}",
        "order-recommended": f"/office/orders/{order['recommended']}",
        "order-declined": f"/office/orders/{order['declined']}",
        "inspections": "/office/inspections",
        "inspection": f"/office/inspections/{office.inspection}",
        "sites": "/office/sites",
        "site": "/office/sites/site-01",
        "set-aside": "/office/set-aside",
        "record": f"/office/records/{queries.set_aside(office.city)['quarantined'][0]['fact']}",
        "tablets": "/office/tablets",
        "people": "/office/people",
        "audit": "/office/audit",
        "law": "/office/law",
        "site-edit": "/office/sites/site-01/edit",
        "revision": "/office/sites/site-01/revision",
        "permit": "/office/permits/permit-01",
        "tablet": f"/office/tablets/{office.tablet.tablet.code}/held",
        "tablet-reports": f"/office/tablets/{office.tablet.tablet.code}/reports",
        "tablet-sees": f"/office/tablets/{office.tablet.tablet.code}/sees",
        "blanks": f"/office/tablets/{office.tablet.tablet.code}/blanks",
        "site-act": f"/office/site-acts/{emergency}",
        "forgotten": "/office/forgotten",
        "public-in-force": public("posted"),
        "public-in-force-es": public("posted") + "&lang=es",
        "public-void": public("declined"),
        "public-leased": public("leased"),
        "public-unknown": public("posted", token="0" * 32),
        "public-code-missing": public("posted").partition("?")[0],
        "public-code-missing-es": public("posted").partition("?")[0] + "?lang=es",
    }
    with serving(app, listener) as address, sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=executable(), headless=True, args=list(FLAGS))
        page = chromium.new_page()
        said: list[str] = []
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        link = sign_in_link(address, create_sign_in_link(office.city, "carol", "carol"))
        page.goto(link)
        shoot(page, folder, "sign-in")
        page.get_by_role("button").click()
        for name, path in pages.items():
            page.goto(address + path)
            page.wait_for_load_state("networkidle")
            shoot(page, folder, name)
        page.goto(address + "/office/set-aside")
        page.get_by_text("Decide", exact=True).first.click()
        shoot(page, folder, "set-aside-decide")
        page.goto(f"{address}/office/orders/{order['posted']}")
        for summary in page.locator("summary").all():
            summary.click()
        shoot(page, folder, "order-steps")
        page.goto(address + "/office/tablets")
        page.get_by_role("button", name="New enrollment code").click()
        shoot(page, folder, "tablets-code")
        page.goto(address + "/office/forgotten")
        page.get_by_label("read out this very code").check()
        page.get_by_label("Passphrase for forgotten PINs").fill("NOT-THE-PASSPHRASE")
        page.get_by_role("button", name="Open it for this tablet").click()
        shoot(page, folder, "forgotten-wrong")
        page.goto(address + "/office/people")
        page.get_by_role("button", name="Code for a tablet").first.click()
        shoot(page, folder, "people-code")
        import_pages(page, address, folder, office, Path(data.name))
        chromium.close()
        data.cleanup()
        print("\n".join(said) or "nothing was said on the browser's console")


def call_for_somebody(office) -> str:
    """An emergency without an approval, a forgotten PIN, a revision to be decided, a report of a tablet and placards
    printed in advance; the id of the emergency."""
    grant(office.city, "carol", "revise", "extend", "decide_applications", "revoke", "void_and_supersede", "release")
    tablet = office.tablet
    facts = [
        tablet.fact("emergency_reported", emergency_body(site="site-02", approval=None, entered_at=None,
                                                         no_approval="Nobody could be reached.")),
        tablet.fact("revision_recommended", revision_body(ordered=False, site="site-01")),
    ]
    tablet.push(*facts)
    recovery.make_recovery_key(office.city)
    asked(office)
    report = {"app": {"version": "0.1.0", "kind": "browser"}, "made": "2026-09-02T14:00:00+00:00",
              "outbox": {"records": {"waiting": 3, "safe": 20}, "errors": {"evidence-hash-mismatch": 1}},
              "link": {"up": False, "code": "wifi-login"}, "storage": {"free": 10_737_418_240},
              "clock": {"offset_ms": -279}}
    take_diagnosis(office.city, tablet.tablet, json.dumps(report))
    print_blanks(office.city, "carol", tablet.tablet.code, 2)
    return facts[0].id


def import_pages(page, address: str, folder: Path, office, scratch: Path) -> None:
    """A tablet's file: one that is none, what is inside a good one, and what came of taking it in."""
    facts = [office.tablet.fact("inspection_signed", inspection_body()) for _ in range(3)]
    good, bad = scratch / "siltwatch-T01.zip", scratch / "holiday.zip"
    good.write_bytes(exported(office.tablet, *facts, files={picture(9, (640, 480)): "photo"}))
    bad.write_bytes(good.read_bytes()[:-300])
    for file, name in ((bad, "import-damaged"), (good, "import-inside")):
        page.goto(address + "/office/import")
        page.set_input_files("#file", str(file))
        page.get_by_role("button", name="Check it").click()
        page.wait_for_load_state("networkidle")
        shoot(page, folder, name)
    page.get_by_role("button", name="Take it in").click()
    page.wait_for_load_state("networkidle")
    shoot(page, folder, "import-taken")


def shoot(page, folder: Path, name: str) -> None:
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        for image in page.locator("img").all():
            image.scroll_into_view_if_needed()
            image.evaluate("image => image.decode()")
        page.evaluate("scrollTo(0, 0)")
        page.screenshot(path=str(folder / f"{name}-{width}.png"), full_page=True)
        wide = page.evaluate("document.documentElement.scrollWidth")
        if wide > width:
            print(f"{name} at {width}: {wide} wide, scrolls sideways")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "build/screens"))

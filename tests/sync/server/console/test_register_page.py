"""The register in the office: number after number, what a restore changed, what is heard of the days that were lost."""

import re
from dataclasses import replace

from sync.server.casework import lives, queries
from sync.server.casework.blanks import print_blanks, stack
from sync.server.casework.enrolment import lease_numbers
from sync.server.casework.receiving import receive_facts
from tests.support.city import order_body


def test_the_register_explains_a_restore_and_shows_what_was_lost(office, carol, stranger):
    city, tablet = office.city, office.tablet
    raw = city.db.engine.raw_connection().driver_connection
    before = carol.get("/office/register").text
    newest = re.search(r"R-2026-\d{5}", before)[0]
    assert "Restored" not in before and "lost" not in before
    assert "/office/register" in carol.get("/office/orders").text
    backup = raw.serialize()
    leased, _ = lease_numbers(city, tablet.tablet, 0)
    order = tablet.fact("order_posted", order_body(
        tablet, site=queries.site_list(city)[0]["id"], number=leased[-1].number, token=leased[-1].token))
    item = tablet.item(order)
    sealed = receive_facts(city, tablet.tablet, [item])
    code = tablet.tablet.code
    [paper] = stack(city, code, print_blanks(city, "carol", code, 1))
    raw.deserialize(backup)
    lives.begin_life(city)
    receive_facts(city, tablet.tablet, [replace(item, former=tuple(sealed))])
    assert stranger.get(f"/o/{paper.number}?t={paper.token}").status_code == 200
    text = carol.get("/office/register").text
    mark = re.search(r"every new number bears ([A-Z]{6})\.", text)[1]
    assert f"The last register number in it was {newest}." in text
    following = int(newest[-5:]) + 1
    assert f"R-2026-{mark}-{following:05d}" in text
    assert f"In the records that were lost: R-2026-{following:05d}" in text
    assert paper.number in text and "a placard with it was scanned" in text
    page = carol.get(f"/office/orders/{order.id}").text
    assert "In records that were lost" in page and f"R-2026-{following:05d}" in page
    log = carol.get("/office/audit").text
    assert "Server restored from a backup" in log and "Register number from lost records heard of" in log

"""How server-N.sqlite is made, for the revision N of the program that runs this: a small city after a bit of everything
that its tables are for: conflicts and acts, finds, rain, a plan, pre-printed placards, a tablet's report, a withdrawal,
a restore and what is heard of the days that were lost with it.

``python -m tests.store_fixtures.make_server`` is run once before a revision is released, and its fingerprint goes
into `tests/sync/server/db/test_migrate.py`. A file that is there already is never made anew.
"""

import hashlib
import io
import sqlite3
from pathlib import Path

from PIL import Image

from sync.records.numbers import order_number
from sync.server.casework.blanks import print_blanks, void_blank
from sync.server.casework.diagnoses import take_diagnosis
from sync.server.casework.enrolment import order_token, withdraw_tablet
from sync.server.casework.finds import confirm_site
from sync.server.casework.lives import begin_life
from sync.server.casework.plans import add_plan
from sync.server.casework.public import public_order
from sync.server.db.migrate import newest
from tests.support.city import field_tablet, finding, inspection_body
from tests.support.disputes import Dispute, dispute
from tests.support.finds import NEW, rain_body, report_body


def live() -> Dispute:
    """The city, after all that happened to it."""
    world = dispute()
    city, one, two = world.city, world.one, world.two
    inspection = one.fact("inspection_signed", inspection_body(findings=[finding("1" * 32)]),
                          evidence=[("a" * 64, "photo")])
    first, second = world.posted(one), world.posted(two)
    world.push(one, inspection, first)
    world.push(two, second)
    world.decide("two_orders", "keep_both")
    world.push(one, world.released(one, first, "2026-08-28"))
    world.push(two, world.posted(two, 1, user="ben"))
    world.decide("unauthorised_posting", "ratify")
    world.push(one, one.fact("site_reported", report_body()), one.fact("rain_recorded", rain_body()))
    confirm_site(city, "carol", NEW, "Seen on the way.")
    world.push(one, one.fact("inspection_signed", inspection_body(site=NEW, permit=None)))
    world.push(two, two.fact("not_yet_known", {"x": 1}))
    drawing, incoming = io.BytesIO(), city.blobs.incoming()
    Image.new("RGB", (300, 200), "white").save(drawing, "PNG")
    incoming.write(drawing.getvalue())
    add_plan(city, "carol", "site-01", incoming, title="Erosion control plan")
    print_blanks(city, "carol", one.tablet.code, 2)
    with city.db.read() as tx:
        number = tx.exec_driver_sql("SELECT number FROM blanks ORDER BY counter").scalar()
    void_blank(city, "carol", number, "The rain took it.")
    take_diagnosis(city, one.tablet, '{"app":{"version":"0.1.0"},"report":1}')
    withdraw_tablet(city, "carol", two.tablet.code, "It fell into the river.")
    begin_life(city)
    three = field_tablet(city, "ada", seed=3)
    world.push(three, world.posted(three, 1))
    number = order_number(2026, one.tablet.code, 200)
    public_order(city, number, order_token(city, number))
    return world


def main() -> None:
    place = Path(__file__).with_name(f"server-{int(newest())}.sqlite")
    if place.exists():
        raise SystemExit(f"{place} is kept as it is")
    raw = live().city.db.engine.raw_connection()
    file = sqlite3.connect(place)
    raw.driver_connection.backup(file)
    file.execute("PRAGMA journal_mode = DELETE")
    file.execute("PRAGMA page_size = 1024")
    file.execute("VACUUM")
    file.close()
    raw.close()
    print(f'    "{place.name}": "{hashlib.sha256(place.read_bytes()).hexdigest()}",')


if __name__ == "__main__":
    main()

"""How server-1.sqlite was made: the small city of the tests, after one tablet's day. Run once, for format 1 alone.

Later formats get a file of their own; this one stays as the proof that the first release's data still opens.
"""

import sqlite3
from pathlib import Path

from sync.server.casework.orders import confirm_order, issue_recommended_order
from tests.support.city import field_tablet, finding, inspection_body, memory_city, order_body, recommended_body
from tests.support.clock import StoppedClock

PLACE = Path(__file__).with_name("server-1.sqlite")


def main() -> None:
    city = memory_city(StoppedClock())
    tablet = field_tablet(city, "ada", "ben")
    inspection = tablet.fact("inspection_signed", inspection_body(findings=[finding("1" * 32)]),
                             evidence=[("a" * 64, "photo")])
    order = tablet.fact("order_posted", order_body(tablet, 0), needs=(inspection.id,))
    recommended = tablet.fact("order_recommended", recommended_body(tablet, 1), user="ben")
    waiting = tablet.fact("inspection_signed", inspection_body(), needs=("e" * 32,))
    outsider = tablet.fact("order_posted", order_body(tablet, 2), user="ben")
    future = tablet.fact("not_yet_known", {"x": 1})
    tablet.push(inspection, order, recommended, waiting, outsider, future)
    confirm_order(city, "carol", order.id)
    issue_recommended_order(city, "carol", recommended.id)
    if PLACE.exists():
        raise SystemExit(f"{PLACE} is kept as it is")
    raw = city.db.engine.raw_connection()
    file = sqlite3.connect(PLACE)
    raw.driver_connection.backup(file)
    file.execute("PRAGMA journal_mode = DELETE")
    file.execute("PRAGMA page_size = 1024")
    file.execute("VACUUM")
    file.close()
    raw.close()


if __name__ == "__main__":
    main()

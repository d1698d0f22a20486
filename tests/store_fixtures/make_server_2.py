"""How server-2.sqlite was made: a city after conflicts and the office's acts about them, by the program of revision 2.

Run once, with that program; it stays as the proof that a database with acts in it still opens.
"""

import sqlite3
from pathlib import Path

from tests.support.city import finding, inspection_body
from tests.support.disputes import dispute

PLACE = Path(__file__).with_name("server-2.sqlite")


def main() -> None:
    city = dispute()
    inspection = city.one.fact("inspection_signed", inspection_body(findings=[finding("1" * 32)]))
    first, second = city.posted(city.one), city.posted(city.two)
    city.push(city.one, inspection, first)
    city.push(city.two, second)
    city.decide("two_orders", "keep_both")
    city.push(city.one, city.released(city.one, first, "2026-08-28"))
    city.push(city.two, city.posted(city.two, 1, user="ben"))
    city.decide("unauthorised_posting", "ratify")
    city.push(city.two, city.two.fact("not_yet_known", {"x": 1}))
    if PLACE.exists():
        raise SystemExit(f"{PLACE} is kept as it is")
    raw = city.city.db.engine.raw_connection()
    file = sqlite3.connect(PLACE)
    raw.driver_connection.backup(file)
    file.execute("PRAGMA journal_mode = DELETE")
    file.execute("PRAGMA page_size = 1024")
    file.execute("VACUUM")
    file.close()
    raw.close()


if __name__ == "__main__":
    main()

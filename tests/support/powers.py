"""Further powers for a person of the test city."""

from sync.server.casework.people import publish_person
from sync.server.db.engine import put
from sync.server.db.schema import powers
from tests.support.city import START


def grant(city, person, *held):
    """Further powers, before the tablet hears of the person."""
    def work(tx):
        for power in held:
            put(tx, powers, {"city_id": city.id, "person": person, "power": power, "from_day": START,
                             "until_day": None})
        publish_person(tx, city, person)

    city.db.write(work)

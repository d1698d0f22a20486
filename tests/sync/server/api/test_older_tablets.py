"""Every tablet that was ever given out is still served: what it said then is said again, byte for byte, today.

Each kept day (`tests.older_tablets.record`) begins with the city's database of its time, brought up to date as an
update does. Every answer must be one that the tablet of then can read, and every receipt must say what it said.
"""

import asyncio
import json
import zipfile
from pathlib import Path
from urllib.parse import parse_qsl, urlencode, urlsplit
from zoneinfo import ZoneInfo

import httpx
import pytest
from starlette.applications import Starlette
from starlette.routing import Mount

from sync.records.bodies import BODIES
from sync.records.protocol import HEADER_PROTOCOL, HEADER_WITNESS, OLDEST_PROTOCOL, PROTOCOL
from sync.records.receipts import open_evidence_receipt, open_receipt
from sync.server.api.service import guarded_api
from sync.server.blobs.memory import MemoryBlobs
from sync.server.casework import audit, blanks
from sync.server.casework.city import City
from sync.server.casework.orders import issue_recommended_order
from sync.server.db.engine import open_database
from sync.server.db.migrate import migrate
from tests.support.city import seeded
from tests.support.clock import StoppedClock

CURSOR = ("epoch", "scope", "seq")
KEPT = sorted((Path(__file__).parents[3] / "older_tablets").glob("*.zip"))
# No day of one tablet says these: a photo that is too large for the server, a person removed, a recommended revision.
ELSEWHERE = {"smaller_copy_added", "person_removed", "revision_recommended"}
DEEDS = {
    "issue": lambda city, order: issue_recommended_order(city, "carol", order),
    "print": lambda city, code, count: blanks.print_blanks(city, "carol", code, count),
}


def read(place):
    """The day as it is told, and the files beside it by name."""
    with zipfile.ZipFile(place) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    return json.loads(files["day.json"]), files


def opened(day, kept, clock):
    """The city of that day, after the update to the present program."""
    database = open_database(None)
    raw = database.engine.raw_connection()
    raw.driver_connection.deserialize(kept)
    raw.close()
    migrate(database)
    about = day["city"]
    return City(about["id"], about["name"], ZoneInfo(about["zone"]), bytes.fromhex(day["secret"]), database,
                MemoryBlobs(), clock, day["public_url"], seeded(5))


def lacking(then, now, where="answer"):
    """What the tablet of then found in an answer and would miss today, or would find to be of another type."""
    if isinstance(then, dict) and isinstance(now, dict):
        for key, value in then.items():
            if key not in now:
                yield f"{where}.{key}"
            else:
                yield from lacking(value, now[key], f"{where}.{key}")
    elif isinstance(then, list) and isinstance(now, list):
        if then and not now:
            yield f"{where}[]"
        for index, (one, other) in enumerate(zip(then, now, strict=False)):
            yield from lacking(one, other, f"{where}[{index}]")
    elif then is not None and now is not None and type(then) is not type(now):
        yield f"{where}: {type(then).__name__} then, {type(now).__name__} now"


def receipts(answer, key):
    """What the sealed words of an answer say to this tablet, receipt by receipt."""
    if not isinstance(answer, dict):
        return []
    found = []
    for sealed in answer.get("results", [answer]):
        if isinstance(sealed, dict) and {"text", "mac"} <= sealed.keys():
            if json.loads(sealed["text"])["receipt"] == "fact":
                one = open_receipt(sealed, key)
                found.append((one.fact, one.sha256, one.answer, one.reason, one.evidence, one.register))
            else:
                held = open_evidence_receipt(sealed, key)
                found.append((held.sha256, held.size))
        elif isinstance(sealed, dict):
            found.append(sealed.get("refused", {}).get("code"))
    return found


def turned(path, cursors):
    """A question for news goes on from where the present server said, as a tablet does."""
    place = urlsplit(path)
    asked = dict(parse_qsl(place.query, keep_blank_values=True))
    went_on = cursors.get(tuple(asked.get(name) for name in CURSOR))
    return path if went_on is None else f"{place.path}?{urlencode({**asked, **went_on})}"


async def said_again(day, files, city, clock):
    """Says it all once more; gives how many receipts the tablet could open, and what came down then and now."""
    witness, cursors, opened_receipts, key = "", {}, 0, bytes.fromhex(day["receipt_key"])
    came = {}, {}
    transport = httpx.ASGITransport(app=Starlette(routes=[Mount("/api/v1", guarded_api(city))]))
    async with httpx.AsyncClient(transport=transport, base_url="http://office.test") as client:
        client.headers.clear()
        for number, message in enumerate(day["messages"]):
            clock.set(message["at"])
            if "deed" in message:
                name, *arguments = message["deed"]
                DEEDS[name](city, *arguments)
                continue
            headers, then = message["headers"], message["answer"]
            if HEADER_WITNESS in headers:
                headers = {**headers, HEADER_WITNESS: witness}  # the latest that it was told, as a tablet gives it back
            where = turned(message["path"], cursors)
            now = await client.request(message["method"], where, headers=headers, content=files[message["body"]])
            said = now.json() if then["body"] is not None else None
            what = f"{number}: {message['method']} {message['path']}: {now.status_code} {now.text[:300]}"
            assert now.status_code == then["status"], what
            assert not [name for name in then["headers"] if name not in now.headers], what
            if "items" in (then["body"] or {}) and "next" in then["body"]:
                for docs, page in zip(came, (then["body"], said), strict=True):
                    docs.update({(item["kind"], item["id"]): item["doc"] for item in page.pop("items")})
                cursors[tuple(str(then["body"]["next"][name]) for name in CURSOR)] = said["next"]
            assert not list(lacking(then["body"], said)), what
            told = receipts(said, key)
            assert told == receipts(then["body"], key), what
            opened_receipts += len(told)
            if isinstance(said, dict):
                witness = said.get("witness", witness)
    return opened_receipts, came


@pytest.mark.parametrize("place", KEPT, ids=lambda place: place.stem)
def test_what_a_tablet_said_then_is_answered_as_it_was_then(place):
    day, files = read(place)
    clock = StoppedClock(day["messages"][0]["at"])
    city = opened(day, files["city.sqlite"], clock)
    opened_receipts, (then, now) = asyncio.run(said_again(day, files, city, clock))
    assert opened_receipts > 20 and len(then) > 15
    for name, doc in then.items():
        assert not list(lacking(doc, now[name])), f"{name} came down without what the tablet of then reads"
    with city.db.read() as tx:
        states = tx.exec_driver_sql("SELECT kind, state FROM facts").fetchall()
    assert {state for _, state in states} == {"applied"}
    audit.verify(city)


def test_a_day_is_kept_for_every_protocol_and_pack_that_is_served():
    kept = [read(place) for place in KEPT]
    assert {day["protocol"] for day, _ in kept} >= set(range(OLDEST_PROTOCOL, PROTOCOL + 1))
    said = [(message, files) for day, files in kept for message in day["messages"] if "path" in message]
    texts = [files[message["body"]].decode() for message, files in said if message["path"].endswith("/facts")]
    for kind in BODIES.keys() - ELSEWHERE:
        assert any(f'\\"kind\\":\\"{kind}\\"' in text for text in texts), f"no kept tablet says {kind}"
    paths = {(message["method"], message["path"].split("?")[0].rsplit("/api/v1/", 1)[-1].split("/")[0])
             for message, _ in said}
    assert paths >= {("POST", "enrol"), ("POST", "signin"), ("GET", "hello"), ("POST", "facts"), ("POST", "receipts"),
                     ("GET", "changes"), ("PUT", "evidence"), ("POST", "uploads"), ("PATCH", "uploads"),
                     ("POST", "renew"), ("POST", "diagnosis")}
    assert all(HEADER_PROTOCOL in message["headers"] for message, _ in said)

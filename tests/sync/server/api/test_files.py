"""Files that come down by hash over HTTP: whole, in parts that fit together, nothing where a tablet sees nothing."""

import hashlib
import io

import pytest
from PIL import Image
from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.testclient import TestClient

from sync.records.problems import Problem
from sync.records.protocol import CHANGES, FILES, HEADER_EPOCH, HEADER_PROTOCOL
from sync.server.api.service import guarded_api
from sync.server.casework import scope
from sync.server.casework.enrolment import withdraw_tablet
from sync.server.casework.plans import add_plan
from sync.server.parts import part
from tests.support.city import field_tablet, memory_city
from tests.support.clock import StoppedClock


def drawing():
    out = io.BytesIO()
    image = Image.effect_noise((900, 700), 60)
    image.save(out, "PNG")
    return out.getvalue()


@pytest.fixture(scope="module")
def city():
    return memory_city(StoppedClock())


@pytest.fixture(scope="module")
def tablet(city):
    return field_tablet(city, "ada")


@pytest.fixture(scope="module")
def mine(city, tablet):
    app = Starlette(routes=[Mount("/api/v1", guarded_api(city))])
    with TestClient(app, headers={HEADER_PROTOCOL: "1", "Authorization": f"Bearer {tablet.enrolled.device_token}"},
                    raise_server_exceptions=False) as found:
        yield found


@pytest.fixture(scope="module")
def page(city, mine):
    """A page of a plan as the changes tell it."""
    file = city.blobs.incoming()
    file.write(drawing())
    add_plan(city, "carol", "site-01", file, title="Grading plan", kind="drawing", name="grading.png")
    (doc,) = [item["doc"] for item in mine.get(CHANGES).json()["items"] if item["kind"] == "plan"]
    return doc["pages"][0]


def test_a_file_comes_whole_and_is_ours(mine, page):
    answer = mine.get(FILES + page["sha256"])
    assert answer.status_code == 200
    assert hashlib.sha256(answer.content).hexdigest() == page["sha256"] and len(answer.content) == page["size"]
    assert answer.headers["etag"] == f'"{page["sha256"]}"' and answer.headers["content-type"] == page["media"]
    assert answer.headers[HEADER_PROTOCOL] == "1" and answer.headers[HEADER_EPOCH]
    assert answer.headers["accept-ranges"] == "bytes"


def test_parts_fit_together(mine, page):
    size, step, got = page["size"], page["size"] // 3, b""
    while len(got) < size:
        answer = mine.get(FILES + page["sha256"], headers={"Range": f"bytes={len(got)}-{len(got) + step - 1}"})
        last = min(len(got) + step, size) - 1
        assert answer.status_code == 206
        assert answer.headers["content-range"] == f"bytes {len(got)}-{last}/{size}"
        assert int(answer.headers["content-length"]) == len(answer.content) == last - len(got) + 1
        got += answer.content
    assert hashlib.sha256(got).hexdigest() == page["sha256"]
    rest = mine.get(FILES + page["sha256"], headers={"Range": f"bytes={step}-"})
    assert rest.content == got[step:]


def test_a_part_after_the_end_is_refused_with_the_size(mine, page):
    answer = mine.get(FILES + page["sha256"], headers={"Range": f"bytes={page['size']}-"})
    assert (answer.status_code, answer.json()["code"]) == (416, "range-malformed")
    assert answer.headers["content-range"] == f"bytes */{page['size']}"


def test_a_part_of_something_else_is_answered_with_the_whole(mine, page):
    answer = mine.get(FILES + page["sha256"], headers={"Range": "bytes=0-9", "If-Range": '"another"'})
    assert answer.status_code == 200 and len(answer.content) == page["size"]


@pytest.mark.parametrize(("asked", "found"), [
    (None, None), ("", None), ("bytes=0-0", (0, 1)), ("bytes=0-", (0, 100)), ("bytes=90-200", (90, 100)),
    ("bytes=-10", None), ("bytes=5-2", None), ("bytes=0-1,5-9", None), ("lines=0-1", None), (" bytes=1-2 ", (1, 3)),
])
def test_ranges(asked, found):
    assert part(asked, 100) == found


def test_a_range_beyond_the_end():
    with pytest.raises(Problem, match="range-malformed"):
        part("bytes=100-", 100)


def test_what_is_no_file_of_this_tablet(city, tablet, mine, page):
    for name in ("0" * 64, "nonsense", page["sha256"].upper()):
        assert mine.get(FILES + name).json()["code"] == "file-unknown"
    scope.set_sites(city, "carol", tablet.tablet.code, "assigned", ["site-02"])
    assert mine.get(FILES + page["sha256"]).json()["code"] == "file-unknown"
    scope.set_sites(city, "carol", tablet.tablet.code, "all")
    assert mine.get(FILES + page["sha256"]).status_code == 200


def test_a_file_that_the_disk_lost_is_not_there(city, mine, page, monkeypatch):
    monkeypatch.delitem(city.blobs._files, page["sha256"])
    assert mine.get(FILES + page["sha256"]).json()["code"] == "file-unknown"


def test_a_withdrawn_tablet_fetches_nothing(city, mine, page):
    other = field_tablet(city, "ben", seed=8)
    withdraw_tablet(city, "carol", other.tablet.code, "lost")
    answer = mine.get(FILES + page["sha256"], headers={"Authorization": f"Bearer {other.enrolled.device_token}"})
    assert answer.json()["code"] == "tablet-revoked"

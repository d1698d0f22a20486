"""tus-js-client, as browsers use it, uploads and resumes against the real server."""

import base64
import hashlib

import pytest

from sync.records.protocol import UPLOADS
from sync.records.receipts import open_evidence_receipt
from sync.records.wire import decode
from tests.faults.proxy import Fate, Proxy
from tests.support.pictures import picture
from tests.support.tus_js import install, upload

FILE = picture(1_500_000)
SHA = hashlib.sha256(FILE).hexdigest()


@pytest.fixture(scope="module", autouse=True)
def client():
    return install()


@pytest.fixture
def ask(server, headers, tmp_path):
    """What every upload of a test asks."""
    photo = tmp_path / "mud at the exit.jpg"
    photo.write_bytes(FILE)
    metadata = {"sha256": SHA, "kind": "photo", "filename": photo.name}
    return {"endpoint": server.url + UPLOADS, "file": str(photo), "headers": headers, "metadata": metadata}


def held(city):
    return {name: city.blobs.read(name) for name in city.blobs.names()}


@pytest.mark.parametrize("options, requests", [
    ({}, ["POST", "PATCH"]),
    ({"chunkSize": 400_000}, ["POST", "PATCH", "PATCH", "PATCH", "PATCH"]),
    ({"chunkSize": 800_000, "uploadDataDuringCreation": True}, ["POST", "PATCH"]),
    ({"chunkSize": 800_000, "overridePatchMethod": True}, ["POST", "POST", "POST"])],
    ids=["one request", "chunks", "bytes with the creation", "a network without PATCH"])
def test_it_uploads(city, tablet, ask, options, requests):
    told = upload(**ask, options=options)
    assert told["done"] and told["error"] is None and told["requests"] == requests
    assert told["url"].endswith(f"{UPLOADS}/{tablet.tablet.code}/{SHA}")
    assert held(city) == {SHA: FILE}
    receipt = open_evidence_receipt(decode(base64.b64decode(told["receipt"])), tablet.tablet.receipt_key)
    assert (receipt.sha256, receipt.size) == (SHA, len(FILE))


def test_it_goes_on_by_itself_after_cuts(server, city, ask):
    fates = [Fate(up=500_000), Fate(up=400_000), Fate(down=10)]
    with Proxy(server.port, fates) as proxy:
        told = upload(**{**ask, "endpoint": proxy.url + UPLOADS}, options={"chunkSize": 300_000})
        assert proxy.broken == 3
    assert told["done"] and told["retries"] > 0 and "HEAD" in told["requests"]
    assert told["offsets"] == sorted(told["offsets"]), "never back behind what was acknowledged"
    assert held(city) == {SHA: FILE}


def test_a_closed_page_goes_on_from_the_address_that_it_kept(city, ask, tmp_path):
    kept = str(tmp_path / "addresses.json")
    first = upload(**ask, storage=kept, abortAfter=600_000, options={"chunkSize": 300_000})
    assert not first["done"] and held(city) == {}
    again = upload(**ask, storage=kept, resume=True, options={"chunkSize": 300_000})
    assert again["done"] and again["requests"][0] == "HEAD" and "POST" not in again["requests"]
    assert again["offsets"][0] >= 600_000
    assert held(city) == {SHA: FILE}


def test_what_is_wrong_with_the_file_reaches_the_person(city, ask):
    told = upload(**{**ask, "metadata": {**ask["metadata"], "sha256": "ab" * 32}}, options={"retryDelays": None})
    assert not told["done"] and "evidence-hash-mismatch" in told["error"]
    assert held(city) == {} and list(city.blobs.unfinished.iterdir()) == []

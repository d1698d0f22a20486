"""Strangers' tus clients upload and resume against the real server: nothing of theirs was written with us in mind."""

import asyncio
import hashlib
import io

import aiohttp
import aiotus
import aiotus.core
import pytest
import yarl
from tusclient.client import TusClient
from tusclient.exceptions import TusCommunicationError, TusUploadFailed

from sync.records.protocol import UPLOADS
from tests.faults.proxy import Fate, Proxy
from tests.support.pictures import picture

FILE = picture(1_500_000)
SHA = hashlib.sha256(FILE).hexdigest()


def held(city):
    return {name: city.blobs.read(name) for name in city.blobs.names()}


@pytest.mark.parametrize("checked", [True, False])
def test_tuspy_uploads_in_chunks(server, city, headers, checked):
    client = TusClient(server.url + UPLOADS, headers=headers)
    uploader = client.uploader(file_stream=io.BytesIO(FILE), chunk_size=400_000, upload_checksum=checked,
                               metadata={"sha256": SHA, "kind": "photo", "filename": "mud at the exit.jpg"})
    uploader.upload()
    assert held(city) == {SHA: FILE}


def test_tuspy_resumes_after_a_cut_from_where_the_server_is(server, city, headers):
    with Proxy(server.port, [Fate(), Fate(up=700_000)]) as proxy:
        client = TusClient(proxy.url + UPLOADS, headers=headers)
        about = {"metadata": {"sha256": SHA, "kind": "photo"}, "chunk_size": 1_000_000}
        first = client.uploader(file_stream=io.BytesIO(FILE), **about)
        with pytest.raises((TusCommunicationError, TusUploadFailed)):
            first.upload()
        again = client.uploader(file_stream=io.BytesIO(FILE), url=first.url, **about)
        assert 0 < again.offset < 700_000
        again.upload()
        assert proxy.broken == 1
    assert held(city) == {SHA: FILE}


def upload_by_aiotus(url, headers, attempts=3):
    config = aiotus.RetryConfiguration(retry_attempts=attempts, max_retry_period_seconds=0.1)
    return asyncio.run(aiotus.upload(
        yarl.URL(url), io.BytesIO(FILE), {"sha256": SHA.encode(), "kind": b"photo", "note": None},
        config=config, headers=headers))


def test_aiotus_uploads(server, city, headers):
    location = upload_by_aiotus(server.url + UPLOADS, headers)
    assert location.path.endswith(SHA)
    assert held(city) == {SHA: FILE}


def test_aiotus_resumes_by_itself_after_cuts(server, city, headers):
    with Proxy(server.port, [Fate(up=400_000), Fate(up=500_000), Fate(down=10)]) as proxy:
        upload_by_aiotus(proxy.url + UPLOADS, headers, attempts=6)
        assert proxy.broken == 3
    assert held(city) == {SHA: FILE}


def test_aiotus_is_told_what_this_server_can_do_and_what_was_said(server, headers):
    async def ask():
        async with aiohttp.ClientSession() as session:
            return await aiotus.core.configuration(session, yarl.URL(server.url + UPLOADS))

    about = asyncio.run(ask())
    assert about.protocol_versions == ["1.0.0"] and about.max_size == 64 * 1024 * 1024
    assert set(about.protocol_extensions) == {"creation", "creation-with-upload", "expiration", "checksum",
                                              "termination"}
    client = TusClient(server.url + UPLOADS, headers=headers)
    made = client.uploader(file_stream=io.BytesIO(FILE), metadata={"sha256": SHA, "kind": "photo"})
    made.set_url(made.create_url())
    said = asyncio.run(aiotus.metadata(yarl.URL(made.url), headers=headers))
    assert said == {"sha256": SHA.encode(), "kind": b"photo"}

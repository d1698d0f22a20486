"""tus over HTTP, verb by verb: what is answered, what stays on disk, and that nothing is held before it is whole."""

import base64
import hashlib

import pytest

from sync.records.problems import CATALOGUE
from sync.records.protocol import EVIDENCE, HEADER_RECEIPT, MAX_EVIDENCE_BYTES, UPLOADS
from sync.records.receipts import open_evidence_receipt
from sync.records.wire import decode
from sync.server.casework import evidence
from tests.support.city import field_tablet, inspection_body
from tests.support.evidence_files import ogg, pdf
from tests.support.pictures import picture

from .conftest import marks

FILE = picture(200_000)
SHA = hashlib.sha256(FILE).hexdigest()
MEDIA = {"Content-Type": "application/offset+octet-stream"}


def said(**values):
    return ",".join(f"{key} {base64.b64encode(value.encode()).decode()}" for key, value in values.items())


def create(http, data=FILE, *, body=b"", length=None, kind="photo", **headers):
    sha = hashlib.sha256(data).hexdigest()
    return http.post(UPLOADS, content=body, headers={
        "Upload-Length": str(len(data) if length is None else length), "Upload-Metadata": said(sha256=sha, kind=kind),
        **(MEDIA if body else {}), **headers})


def patch(http, url, offset, data, **headers):
    return http.patch(url, content=data, headers={**MEDIA, "Upload-Offset": str(offset), **headers})


def receipt(answer, tablet):
    sealed = decode(base64.b64decode(answer.headers[HEADER_RECEIPT]))
    return open_evidence_receipt(sealed, tablet.tablet.receipt_key)


def unfinished(city):
    return sorted(path.suffix for path in city.blobs.unfinished.iterdir())


def code(answer):
    return answer.json()["code"]


def test_a_file_in_parts_ends_like_a_put_with_the_same_receipt(http, city, tablet):
    made = create(http)
    assert made.status_code == 201 and made.headers["Upload-Offset"] == "0" and made.headers["Upload-Expires"]
    url = made.headers["Location"]
    assert url.endswith(f"{UPLOADS}/{tablet.tablet.code}/{SHA}")
    first = patch(http, url, 0, FILE[:150_000])
    assert first.status_code == 204 and first.headers["Upload-Offset"] == "150000"
    assert HEADER_RECEIPT not in first.headers and list(city.blobs.names()) == []
    look = http.head(url)
    assert look.status_code == 200 and look.headers["Cache-Control"] == "no-store"
    assert (look.headers["Upload-Offset"], look.headers["Upload-Length"]) == ("150000", "200000")
    assert look.headers["Upload-Metadata"] == said(sha256=SHA, kind="photo")
    last = patch(http, url, 150_000, FILE[150_000:])
    assert last.status_code == 204 and last.headers["Upload-Offset"] == "200000"
    found = receipt(last, tablet)
    assert (found.sha256, found.size) == (SHA, 200_000) and city.blobs.read(SHA) == FILE
    assert unfinished(city) == []
    put = http.put(EVIDENCE + SHA, content=FILE).json()
    assert open_evidence_receipt(put, tablet.tablet.receipt_key) == found
    [told] = tablet.push(tablet.fact("inspection_signed", inspection_body(), evidence=[(SHA, "photo")]))
    assert told.whole


def test_making_it_twice_is_making_it_once_and_tells_how_far_it_is(http):
    url = create(http).headers["Location"]
    patch(http, url, 0, FILE[:1000])
    again = create(http)
    assert (again.status_code, again.headers["Location"], again.headers["Upload-Offset"]) == (201, url, "1000")
    with_bytes = create(http, body=FILE[:500])  # from the beginning, which is there already
    assert with_bytes.headers["Upload-Offset"] == "1000"


def test_all_answers_can_be_lost_and_the_receipt_is_given_again(http, city, tablet):
    whole = create(http, body=FILE)
    assert whole.status_code == 201 and whole.headers["Upload-Offset"] == "200000"
    url, found = whole.headers["Location"], receipt(whole, tablet)
    for again in (create(http), create(http, body=FILE), http.head(url), patch(http, url, 200_000, b"")):
        assert again.headers["Upload-Offset"] == "200000" and receipt(again, tablet) == found
    stale = patch(http, url, 150_000, FILE[150_000:])
    assert stale.status_code == 409 and stale.headers["Upload-Offset"] == "200000"
    assert unfinished(city) == []


def test_bytes_at_another_place_change_nothing(http):
    url = create(http, body=FILE[:1000]).headers["Location"]
    for offset in (0, 999, 1001, 200_000):
        answer = patch(http, url, offset, b"x" * 10)
        assert (answer.status_code, code(answer), answer.headers["Upload-Offset"]) == (409, "upload-offset", "1000")
        assert answer.headers["Tus-Resumable"] == "1.0.0"
    too_many = patch(http, url, 1000, b"x" * 199_001)
    assert too_many.status_code == 400 and http.head(url).headers["Upload-Offset"] == "1000"

    def unending():
        for _ in range(4):
            yield b"x" * 60_000

    endless = patch(http, url, 1000, unending())
    assert endless.status_code == 400 and int(http.head(url).headers["Upload-Offset"]) < 200_000


@pytest.mark.parametrize("algorithm", ["sha1", "sha256"])
def test_a_part_that_does_not_match_its_checksum_is_thrown_away_alone(http, city, algorithm):
    def checksum(data):
        return f"{algorithm} {base64.b64encode(hashlib.new(algorithm, data).digest()).decode()}"

    url = create(http, body=FILE[:1000], **{"Upload-Checksum": checksum(FILE[:1000])}).headers["Location"]
    wrong = patch(http, url, 1000, b"x" * 5000, **{"Upload-Checksum": checksum(b"y")})
    assert (wrong.status_code, code(wrong)) == (460, "upload-checksum")
    assert http.head(url).headers["Upload-Offset"] == "1000"
    right = patch(http, url, 1000, FILE[1000:], **{"Upload-Checksum": checksum(FILE[1000:])})
    assert right.status_code == 204 and city.blobs.read(SHA) == FILE


def test_wrong_bytes_never_become_a_file_and_the_upload_begins_anew(http, city):
    url = create(http, body=FILE[:100_000]).headers["Location"]
    answer = patch(http, url, 100_000, bytes(100_000))
    assert (answer.status_code, code(answer)) == (422, "evidence-hash-mismatch")
    assert list(city.blobs.names()) == [] and unfinished(city) == []
    assert code(patch(http, url, 0, FILE)) == "upload-unknown" and http.head(url).status_code == 404
    assert create(http, body=FILE).headers[HEADER_RECEIPT]


@pytest.mark.parametrize("data, kind, expected", [
    (b"no picture at all", "photo", "evidence-not-an-image"), (b"<html>", "placard", "evidence-not-a-paper"),
    (b"\xff\xd8\xff\xe0broken", "signature", "evidence-truncated"), (pdf(), "placard", None),
    (ogg(), "voice_note", None), (FILE, "signature", None)])
def test_each_kind_of_evidence_is_looked_at(http, city, data, kind, expected):
    answer = create(http, data, body=data, kind=kind)
    if expected:
        assert (answer.status_code, code(answer)) == (422, expected) and unfinished(city) == []
    else:
        sha = hashlib.sha256(data).hexdigest()
        assert answer.status_code == 201 and evidence.held_files(city, [sha])[sha].kind == kind


def test_what_cannot_be_taken_is_refused_before_a_byte_comes(http, city):
    large = create(http, length=MAX_EVIDENCE_BYTES + 1)
    assert (large.status_code, code(large)) == (413, "evidence-too-large")
    assert large.headers["Tus-Max-Size"] == str(MAX_EVIDENCE_BYTES)
    assert code(create(http, b"")) == "evidence-empty"
    assert code(create(http, kind="invoice")) == "body-malformed"
    assert code(create(http, **{"Upload-Metadata": said(sha256="../../x")})) == "evidence-hash-malformed"
    old = create(http, **{"Tus-Resumable": "0.2.2"})
    assert (old.status_code, old.headers["Tus-Version"]) == (412, "1.0.0")
    assert unfinished(city) == []


def test_what_this_server_can_do_is_told_to_anybody(server, http):
    import httpx

    answer = httpx.options(server.url + UPLOADS)
    assert answer.status_code == 204 and answer.headers["Tus-Max-Size"] == str(MAX_EVIDENCE_BYTES)
    assert answer.headers["Tus-Checksum-Algorithm"] == "sha256,sha1"
    assert "creation-with-upload" in answer.headers["Tus-Extension"]


def test_it_can_be_given_up_but_what_is_held_stays(http, city):
    url = create(http, body=FILE[:10]).headers["Location"]
    assert http.delete(url).status_code == 204 and unfinished(city) == []
    assert http.delete(url).status_code == 404 and http.head(url).status_code == 404
    create(http, body=FILE)
    assert http.delete(url).status_code == 404 and city.blobs.has(SHA)


def test_its_time_runs_out(http, city, clock):
    url = create(http, body=FILE[:10]).headers["Location"]
    clock.advance(days=6)
    assert http.head(url).headers["Upload-Offset"] == "10"
    assert patch(http, url, 10, FILE[10:20]).status_code == 204
    clock.advance(days=6)
    assert http.head(url).headers["Upload-Offset"] == "20"
    clock.advance(days=2)
    create(http, picture(2000, seed=2))  # any new upload sweeps
    assert len(unfinished(city)) == 2
    assert http.head(url).status_code == 404
    assert create(http).headers["Upload-Offset"] == "0"


def test_an_upload_of_another_length_begins_anew(http):
    url = create(http, length=1000, body=b"x" * 10).headers["Location"]
    again = create(http)
    assert again.headers["Upload-Offset"] == "0" and http.head(url).headers["Upload-Length"] == "200000"


def test_another_tablet_neither_sees_it_nor_writes_to_it_nor_learns_that_it_is_held(http, city, server):
    url = create(http, body=FILE[:1000]).headers["Location"]
    other = field_tablet(city, "ada", seed=8)
    theirs = marks(city, other)
    for answer in (http.head(url, headers=theirs), http.delete(url, headers=theirs),
                   patch(http, url, 1000, FILE[1000:], **marks(city, other))):
        assert answer.status_code == 404
    patch(http, url, 1000, FILE[1000:])
    own = create(http, **marks(city, other))
    assert own.headers["Upload-Offset"] == "0" and HEADER_RECEIPT not in own.headers
    assert own.headers["Location"] != url
    for nonsense in ("x", "%2e%2e%2fcity.secret", "a%00b", "A" * 64):
        assert http.head(f"{UPLOADS}/{other.tablet.code}/{nonsense}", headers=theirs).status_code == 404
    assert http.head(url, headers={"Authorization": "Bearer nobody"}).status_code == 401


def test_a_withdrawn_tablet_hands_over_what_it_has(http, city, tablet):
    from sync.server.db.schema import tablets

    url = create(http, body=FILE[:1000]).headers["Location"]
    city.db.write(lambda tx: tx.execute(tablets.update().values(status="revoked")))
    assert patch(http, url, 1000, FILE[1000:]).headers[HEADER_RECEIPT]


def test_a_network_that_lets_no_patch_through(http):
    url = create(http).headers["Location"]
    meant = {**MEDIA, "Upload-Offset": "0", "X-HTTP-Method-Override": "PATCH"}
    answer = http.post(url, content=FILE[:10], headers=meant)
    assert answer.status_code == 204 and answer.headers["Upload-Offset"] == "10"
    assert http.post(url, headers={"X-HTTP-Method-Override": "HEAD"}).headers["Upload-Offset"] == "10"
    assert http.post(url).status_code == 405
    assert http.post(url, headers={"X-HTTP-Method-Override": "DELETE"}).status_code == 204


def test_a_held_file_that_the_disk_lost_is_taken_again(http, city):
    create(http, body=FILE)
    (place,) = city.blobs.unfinished.parent.glob(f"??/{SHA}")
    place.unlink()
    again = create(http)
    assert again.headers["Upload-Offset"] == "0" and HEADER_RECEIPT not in again.headers
    assert create(http, body=FILE).headers[HEADER_RECEIPT] and city.blobs.read(SHA) == FILE


def test_every_code_of_an_upload_is_in_the_catalogue():
    assert {name for name in CATALOGUE if name.startswith("upload-")} == {
        "upload-version", "upload-malformed", "upload-media", "upload-offset", "upload-checksum", "upload-unknown",
        "upload-too-many"}


@pytest.mark.parametrize("name", ["Upload-Length", "Upload-Metadata"])
def test_an_upload_that_is_announced_in_two_ways_is_not_made(http, city, name):
    headers = [("Upload-Length", str(len(FILE))), ("Upload-Metadata", said(sha256=SHA))]
    answer = http.post(UPLOADS, headers=[*headers, (name, "7" if name == "Upload-Length" else said(sha256="0" * 64))])
    assert (answer.status_code, code(answer)) == (400, "upload-malformed") and unfinished(city) == []


def test_bytes_that_are_to_go_to_two_places_go_to_none(http):
    url = create(http).headers["Location"]
    answer = http.patch(url, content=b"xx", headers=[*MEDIA.items(), ("Upload-Offset", "0"), ("Upload-Offset", "2")])
    assert (answer.status_code, code(answer)) == (400, "upload-malformed")
    assert http.head(url).headers["Upload-Offset"] == "0"


@pytest.mark.parametrize("line", [b"-5 1787857200\n", b"100 99999999999999999\n", b"999999999 1787857200\n", b"x y\n"])
def test_notes_that_a_failing_disk_has_spoilt_cost_that_upload_alone(http, city, line):
    url = create(http).headers["Location"]
    patch(http, url, 0, FILE[:1_000])
    (log,) = city.blobs.unfinished.glob("*.log")
    log.write_bytes(log.read_bytes() + line)
    other = picture(3_000, seed=4)
    assert create(http, other).status_code == 201, "others are not touched"
    assert http.head(url).status_code == 404
    assert create(http, body=FILE).headers[HEADER_RECEIPT], "it begins anew"

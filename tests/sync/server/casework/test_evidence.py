"""Evidence files: what is taken, what is refused with nothing left behind, who may read."""

import hashlib
import io
import struct
import zlib
from dataclasses import replace

import pytest
from PIL import Image
from sqlalchemy import func, select

from sync.records.problems import Problem
from sync.records.receipts import open_evidence_receipt, open_receipt
from sync.server.casework import evidence
from sync.server.casework.copies import recode_tablet
from sync.server.casework.feed import changes_since
from sync.server.casework.receiving import receipts_for
from sync.server.casework.scope import set_sites
from sync.server.casework.thumbnails import make_due
from sync.server.db import schema
from tests.support.city import field_tablet, finding, inspection_body, memory_city
from tests.support.clock import StoppedClock
from tests.support.evidence_files import annotation, heic, m4a, ogg, pdf, signature


@pytest.fixture
def clock():
    return StoppedClock()


@pytest.fixture
def city(clock):
    return memory_city(clock)


@pytest.fixture
def tablet(city):
    return field_tablet(city, "ada")


def picture(kind="JPEG", size=(64, 48)):
    out = io.BytesIO()
    Image.new("RGB", size, (90, 120, 60)).save(out, kind)
    return out.getvalue()


def png_header(width, height):
    """A PNG that only claims its size: header and an empty data chunk."""
    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(b"")) + chunk(b"IEND", b"")


def put(city, tablet, data, kind="photo", sha=None):
    sha = sha or hashlib.sha256(data).hexdigest()
    sealed = evidence.hold_bytes(city, tablet.tablet, sha, kind, data)
    return open_evidence_receipt(sealed, tablet.tablet.receipt_key)


def nothing_kept(city):
    with city.db.read() as tx:
        rows = tx.execute(select(func.count()).select_from(schema.evidence)).scalar_one()
    return rows == 0 and list(city.blobs.names()) == []


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
def test_a_picture_is_held_untouched_under_its_hash(city, tablet, kind):
    data = picture(kind)
    receipt = put(city, tablet, data)
    assert (receipt.sha256, receipt.size) == (hashlib.sha256(data).hexdigest(), len(data))
    assert city.blobs.read(receipt.sha256) == data
    held = evidence.held_files(city, [receipt.sha256])[receipt.sha256]
    assert (held.media, held.width, held.height) == (f"image/{kind.lower()}", 64, 48)


def test_a_file_of_several_pictures_is_a_jpeg(city, tablet):
    out = io.BytesIO()
    Image.new("RGB", (64, 48)).save(out, "MPO", save_all=True, append_images=[Image.new("RGB", (32, 24))])
    receipt = put(city, tablet, out.getvalue())
    assert evidence.held_files(city, [receipt.sha256])[receipt.sha256].media == "image/jpeg"


def test_what_an_ipad_writes_by_itself_is_taken(city, tablet):
    receipt = put(city, tablet, heic(4032, 3024))
    held = evidence.held_files(city, [receipt.sha256])[receipt.sha256]
    assert (held.media, held.width, held.height) == ("image/heic", 4032, 3024)


def test_the_same_file_again_gets_the_same_receipt(city, clock, tablet):
    first = put(city, tablet, picture())
    clock.advance(days=2)
    assert put(city, tablet, picture()) == first


@pytest.mark.parametrize("width, height, code", [
    (10_000, 10_000, None),                                # 100 megapixels are taken
    (12_000, 9_000, None),                                 # what a "108 megapixel" phone writes
    (20_000, 10_000, "evidence-too-many-pixels"),          # 200 are not
    (60_000, 60_000, "evidence-too-many-pixels"),
    (0, 10, "evidence-not-an-image")])
@pytest.mark.parametrize("make", [png_header, heic])
def test_the_limit_of_pixels_is_judged_by_the_header_alone(city, tablet, make, width, height, code):
    data = make(width, height)
    assert len(data) < 1000
    if code is None:
        assert put(city, tablet, data).size == len(data)
    else:
        with pytest.raises(Problem) as caught:
            put(city, tablet, data)
        assert caught.value.code == code
        assert nothing_kept(city)


@pytest.mark.parametrize("data, kind, code", [
    (b"", "photo", "evidence-empty"),
    (b"hello", "photo", "evidence-not-an-image"),
    (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "photo", "evidence-not-an-image"),
    (b"%PDF-1.7 not a photo", "photo", "evidence-not-an-image"),
    (b"<html>", "placard", "evidence-not-a-paper"),
    (b"\xff\xd8\xff\xe0broken", "signature", "evidence-truncated"),
    (b"\x89PNG\r\n\x1a\n", "photo", "evidence-truncated"),
    (heic(4032, 3024)[:-1], "photo", "evidence-truncated"),
    (m4a()[:-1], "voice_note", "evidence-truncated"),
    (b"<script>alert(1)</script>", "voice_note", "evidence-not-a-recording"),
    (annotation(), "signature", "evidence-not-a-signature"),
    (signature(), "annotation", "evidence-not-an-annotation"),
    (b"GIF89a" + bytes(100), "photo", "evidence-not-an-image"),
    (b"x", "invoice", "body-malformed")])
def test_what_is_no_evidence_is_refused_and_nothing_stays(city, tablet, data, kind, code):
    with pytest.raises(Problem) as caught:
        put(city, tablet, data, kind)
    assert caught.value.code == code
    assert nothing_kept(city)


def test_wrong_bytes_under_a_hash_are_refused_and_nothing_stays(city, tablet):
    with pytest.raises(Problem) as caught:
        put(city, tablet, picture(), sha="ab" * 32)
    assert caught.value.code == "evidence-hash-mismatch"
    assert nothing_kept(city)


def test_a_file_that_is_too_large_is_refused_while_it_arrives(city):
    city = replace(city, evidence_bytes=1000)
    with pytest.raises(Problem) as caught:
        evidence.check_announced(city, "ab" * 32, "photo", 1001)
    assert caught.value.code == "evidence-too-large"
    coming = evidence.Coming(city, None, "ab" * 32, "photo", None)
    assert coming.add(bytes(900)) is False
    with pytest.raises(Problem) as caught:
        coming.add(bytes(101))
    assert caught.value.code == "evidence-too-large" and not coming.begun


def test_a_placard_is_a_pdf_or_a_picture_and_a_note_is_sound(city, tablet):
    for data, kind, media in ((pdf(), "placard", "application/pdf"), (picture(), "placard", "image/jpeg"),
                              (ogg(), "voice_note", "audio/ogg"), (m4a(), "voice_note", "audio/mp4")):
        receipt = put(city, tablet, data, kind)
        assert evidence.held_files(city, [receipt.sha256])[receipt.sha256].media == media


def test_a_receipt_turns_whole_when_the_last_file_is_here_in_whatever_order(city, tablet):
    early, late = picture(size=(20, 20)), picture(size=(30, 30))
    names = [hashlib.sha256(data).hexdigest() for data in (early, late)]
    put(city, tablet, early)
    fact = tablet.fact("inspection_signed", inspection_body(), evidence=[(name, "photo") for name in names])
    [receipt] = tablet.push(fact)
    assert receipt.evidence == {names[0]: True, names[1]: False}
    put(city, tablet, late)
    [again] = receipts_for(city, tablet.tablet, [fact.id])
    assert open_receipt(again, tablet.tablet.receipt_key).whole


@pytest.mark.parametrize("data, sent_as, named_as, refused", [
    (picture(), "photo", "voice_note", "evidence-not-a-recording"),
    (ogg(), "voice_note", "photo", "evidence-not-an-image"),
    (pdf(), "placard", "signature", "evidence-not-a-signature"),
    (annotation(), "annotation", "photo", "evidence-not-an-image"),
    (picture(), "photo", "annotation", "evidence-not-an-annotation"),
    (picture(), "photo", "placard", None), (signature(), "signature", "signature", None),
])
def test_no_receipt_vouches_for_a_file_that_is_not_of_the_kind_its_record_says(city, tablet, data, sent_as, named_as,
                                                                               refused):
    """Each kind has its check: one that was looked at as another kind is looked at anew, and refused."""
    sha = put(city, tablet, data, sent_as).sha256
    fact = tablet.fact("inspection_signed", inspection_body(), evidence=[(sha, named_as)])
    [receipt] = tablet.push(fact)
    [again] = receipts_for(city, tablet.tablet, [fact.id])
    assert receipt.evidence == open_receipt(again, tablet.tablet.receipt_key).evidence == {sha: refused is None}
    assert (evidence.already_held(city, tablet.tablet, sha, named_as) is None) == (refused is not None)
    if refused:
        with pytest.raises(Problem) as caught:
            put(city, tablet, data, named_as)
        assert caught.value.code == refused


def test_knowing_a_hash_grants_no_read(city, tablet):
    other = field_tablet(city, "ada", seed=8)
    receipt = put(city, tablet, picture())
    assert evidence.evidence_for_tablet(city, tablet.tablet, receipt.sha256).size == receipt.size
    for act in (lambda: evidence.evidence_for_tablet(city, other.tablet, receipt.sha256),
                lambda: evidence.evidence_for_office(city, receipt.sha256),
                lambda: evidence.evidence_for_office(city, "0" * 64),
                lambda: evidence.evidence_for_tablet(city, tablet.tablet, "../x")):
        with pytest.raises(Problem) as caught:
            act()
        assert caught.value.code == "evidence-unknown"
    assert evidence.already_held(city, other.tablet, receipt.sha256) is None
    tablet.push(tablet.fact("inspection_signed", inspection_body(), evidence=[(receipt.sha256, "photo")]))
    assert evidence.evidence_for_tablet(city, other.tablet, receipt.sha256).media == "image/jpeg"
    assert evidence.evidence_for_office(city, receipt.sha256).media == "image/jpeg"


def test_nor_does_naming_it_in_a_record_of_ones_own(city, tablet):
    """Another tablet, which sees one site alone, knows the hash and signs a finding with that photo: its record stands,
    and neither the photo nor a small picture of it comes down, nor does its receipt say that the photo is held."""
    photo = picture()
    sha = put(city, tablet, photo).sha256
    body = inspection_body(findings=[finding("f1", photos=[sha])])
    tablet.push(tablet.fact("inspection_signed", body, evidence=[(sha, "photo")]))
    thief = field_tablet(city, "ada", seed=8)
    set_sites(city, "carol", thief.tablet.code, "assigned", ["site-02"])
    body = inspection_body(findings=[finding("f2", photos=[sha])]) | {"site": "site-02", "permit": None}
    stolen = thief.fact("inspection_signed", body, evidence=[(sha, "photo")])
    [receipt] = thief.push(stolen)
    assert (receipt.answer, receipt.evidence) == ("applied", {sha: False})
    make_due(city)
    with pytest.raises(Problem, match="evidence-unknown"):
        evidence.evidence_for_tablet(city, thief.tablet, sha)
    pages = changes_since(city, thief.tablet.id, "", "", 0, 500).items
    (down,) = (one.doc for one in pages if one.kind == "finding" and one.doc)
    assert down["photo"] == sha and not down.get("thumbnail")
    # Who has the bytes shows it by sending them; then it is as it was with everybody's own photos.
    put(city, thief, photo)
    assert thief.push(stolen)[0].whole
    make_due(city)
    assert evidence.evidence_for_tablet(city, thief.tablet, sha).size == len(photo)
    pages = changes_since(city, thief.tablet.id, "", "", 0, 500).items
    assert [one.doc["thumbnail"]["media"] for one in pages if one.kind == "finding" and one.doc] == ["image/jpeg"]


def test_a_tablet_with_a_new_code_is_still_the_one_that_sent_it(city, tablet):
    """Its photo came under the old code, its record under the new one, and the other way about."""
    first, second = picture(), picture(size=(65, 48))
    sha = put(city, tablet, first).sha256
    fact = tablet.fact("inspection_signed", inspection_body(), evidence=[(sha, "photo")])
    later = tablet.fact("inspection_signed", inspection_body(),
                        evidence=[(hashlib.sha256(second).hexdigest(), "photo")])
    tablet.push(later)
    told = recode_tablet(city, tablet.tablet, "5" * 64, [], ageing=False)
    new = replace(tablet, enrolled=told.enrolled)
    assert new.push(fact)[0].whole
    put(city, new, second)
    assert new.push(later)[0].whole


def test_a_lost_file_is_noticed(city, tablet):
    receipt = put(city, tablet, picture())
    assert list(evidence.missing_evidence(city)) == []
    del city.blobs._files[receipt.sha256]
    assert list(evidence.missing_evidence(city)) == [receipt.sha256]
    fact = tablet.fact("inspection_signed", inspection_body(), evidence=[(receipt.sha256, "photo")])
    assert tablet.push(fact)[0].evidence == {receipt.sha256: False}, "a receipt never vouches for a file that is gone"
    put(city, tablet, picture())
    assert tablet.push(fact)[0].whole

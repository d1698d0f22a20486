"""Previews come before their originals, are shown as what they are, and are never evidence."""

import hashlib
import io

import pytest
from PIL import Image

from sync.records.problems import Problem
from sync.records.receipts import open_evidence_receipt
from sync.server.casework import evidence, previews
from tests.support.city import field_tablet, inspection_body, memory_city
from tests.support.clock import StoppedClock


@pytest.fixture
def city():
    return memory_city(StoppedClock())


@pytest.fixture
def tablet(city):
    return field_tablet(city, "ada")


def picture(size=(64, 48), shade=90):
    out = io.BytesIO()
    Image.new("RGB", size, (shade, 120, 60)).save(out, "JPEG")
    return out.getvalue()


PHOTO, SMALL = picture((640, 480)), picture()
SHA, OF = hashlib.sha256(SMALL).hexdigest(), hashlib.sha256(PHOTO).hexdigest()


def send(city, tablet, data=SMALL, of=OF):
    sha = hashlib.sha256(data).hexdigest()
    sealed = evidence.hold_bytes(city, tablet.tablet, sha, "preview", data, of)
    return open_evidence_receipt(sealed, tablet.tablet.receipt_key)


def signed(tablet, sha=OF):
    return tablet.fact("inspection_signed", inspection_body(), evidence=[(sha, "photo")])


def test_a_preview_has_a_receipt_and_makes_nothing_whole(city, tablet):
    first = send(city, tablet)
    assert (first.sha256, first.size) == (SHA, len(SMALL)) and send(city, tablet) == first
    [receipt] = tablet.push(signed(tablet))
    assert receipt.evidence == {OF: False} and not receipt.whole
    assert previews.preview_for_office(city, OF) == SHA
    with pytest.raises(Problem) as caught:
        evidence.evidence_for_office(city, OF)
    assert caught.value.code == "evidence-unknown"


def test_even_a_fact_that_names_the_preview_itself_is_not_made_whole_by_it(city, tablet):
    send(city, tablet)
    [receipt] = tablet.push(signed(tablet, SHA))
    assert receipt.evidence == {SHA: False}
    evidence.hold_bytes(city, tablet.tablet, SHA, "photo", SMALL)
    assert evidence.evidence_for_office(city, SHA).kind == "photo"


def test_no_preview_is_shown_before_a_record_names_the_original(city, tablet):
    send(city, tablet)
    assert previews.preview_for_office(city, OF) is None
    tablet.push(signed(tablet))
    assert previews.preview_for_office(city, OF) == SHA


def test_another_tablet_cannot_put_its_picture_over_a_photo(city, tablet):
    stranger, false = field_tablet(city, "ada", seed=8), picture(shade=1)
    send(city, stranger, false)
    tablet.push(signed(tablet))
    assert previews.preview_for_office(city, OF) is None
    send(city, tablet)
    assert previews.preview_for_office(city, OF) == SHA


@pytest.mark.parametrize("of", ["", "no hash", SHA])
def test_a_preview_names_its_original(city, tablet, of):
    with pytest.raises(Problem) as caught:
        send(city, tablet, of=of)
    assert (caught.value.code, caught.value.where) == ("body-malformed", "of")
    assert list(city.blobs.names()) == []


def test_only_the_tablet_that_sent_it_is_told_that_it_is_here(city, tablet):
    other = field_tablet(city, "ada", seed=8)
    send(city, tablet)
    assert evidence.already_held(city, tablet.tablet, SHA) == evidence.already_held(city, tablet.tablet, SHA, "preview")
    assert evidence.already_held(city, tablet.tablet, SHA, "photo") is None, "a preview is never taken for evidence"
    assert evidence.already_held(city, other.tablet, SHA) is None

"""The office takes in a tablet's file: upload, see what is inside, take it in, receipts to bring back."""

import io
import re

import pytest

from sync.records.exports import read_receipts_file
from sync.records.macs import fingerprint
from sync.server.casework.importing import look_into
from tests.support.city import inspection_body
from tests.support.exported import exported, packed
from tests.support.office import picture
from tests.sync.server.console.conftest import SAME

PHOTO = picture(5, (40, 30))


@pytest.fixture
def file(office):
    fact = office.tablet.fact("inspection_signed", inspection_body(), evidence=[(fingerprint(PHOTO), "photo")])
    return exported(office.tablet, fact, files={PHOTO: "photo"})


def upload(person, data, name="siltwatch-T01.zip"):
    return person.post("/office/import", files={"file": (name, data, "application/zip")}, headers=SAME)


def test_from_the_tablets_page_to_the_receipts(office, carol, file):
    assert 'href="/office/import"' in carol.get("/office/tablets").text
    assert 'type="file"' in carol.get("/office/import").text
    seen = upload(carol, file)
    assert seen.status_code == 200
    assert "Inspection: 1" in seen.text and "not here yet" in seen.text and "Ada Lindqvist" in seen.text
    assert "Thu Aug 27, 2026 at 3:00 PM" in seen.text
    assert not look_into(office.city, io.BytesIO(file)).records[0].here  # nothing was taken yet
    action = re.search(r'action="(/office/import/[0-9a-f]{32}/take)"', seen.text)[1]
    done = carol.send_form(action)
    assert done.status_code == 200 and "1 record counts" in done.text and "1 evidence file is held" in done.text
    assert look_into(office.city, io.BytesIO(file)).records[0].here
    receipts = carol.get(action.replace("take", "receipts"))
    assert "attachment" in receipts.headers["content-disposition"]
    assert len(read_receipts_file(receipts.content).facts) == 1
    assert carol.send_form(action).status_code == 404  # done with
    assert "Took in a tablet" in carol.get("/office/audit").text


@pytest.mark.parametrize(("data", "code"), [
    (b"PK\x03\x04", "export-damaged"), (b"hello", "export-malformed"), (b"", "export-malformed"),
    (packed({"a": b"1"}), "export-malformed"),
])  # fmt: skip
def test_a_file_that_is_none_is_refused_in_words_and_not_kept(office, carol, data, code):
    seen = upload(carol, data)
    assert seen.status_code == 422 and code in seen.text and 'role="alert"' in seen.text
    assert not list(office.city.blobs.unfinished.glob("import-*.zip"))


def test_who_may_not_administer_and_who_is_not_signed_in_send_nothing(office, signed_in, stranger, file):
    ada = signed_in("ada")
    assert ada.get("/office/import").status_code == 403 and upload(ada, file).status_code == 403
    assert "/office/import" not in ada.get("/office/tablets").text
    assert upload(stranger, file).status_code == 401
    assert ada.post("/office/import/" + "0" * 32 + "/take", data={}, headers=SAME).status_code == 403
    assert not list(office.city.blobs.unfinished.glob("import-*.zip"))


def test_a_form_from_elsewhere_without_length_or_file_is_refused(carol, file):
    crossed = carol.post("/office/import", files={"file": ("a.zip", file)}, headers={"Sec-Fetch-Site": "cross-site"})
    assert crossed.status_code == 403
    enormous = carol.post("/office/import", content=b"x", headers={
        **SAME, "Content-Type": "multipart/form-data; boundary=x", "Content-Length": str(10**12)})
    assert enormous.status_code == 413
    broken = carol.post("/office/import", content=b"rubbish", headers={
        **SAME, "Content-Type": "multipart/form-data; boundary=x"})
    assert broken.status_code == 422
    assert carol.post("/office/import", data={"x": "1"}, headers=SAME).status_code == 422
    assert carol.get("/office/import/" + "0" * 32 + "/receipts").status_code == 404


def test_what_nobody_came_back_for_is_cleared_away(office, signed_in, file):
    upload(signed_in("carol"), file)
    (left,) = office.city.blobs.unfinished.glob("import-*.zip")
    office.clock.advance(days=2)
    upload(signed_in("carol"), file)
    assert not left.exists() and len(list(office.city.blobs.unfinished.glob("import-*.zip"))) == 1

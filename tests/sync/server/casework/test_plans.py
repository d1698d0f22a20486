"""Plans: looked at, drawn, replaced and never lost; what a tablet may fetch follows from the sites it sees; small
pictures of findings are made when there is something to make them of."""

import hashlib
from io import BytesIO

import pytest
from fpdf import FPDF
from fpdf.enums import EncryptionMethod
from PIL import Image

from sync.records.down import Plan
from sync.records.problems import Problem
from sync.server.casework import audit, scope
from sync.server.casework.evidence import evidence_for_tablet, hold_bytes, kept_files
from sync.server.casework.feed import changes_since
from sync.server.casework.plans import add_plan, file_for_tablet, plan_file, plans_of, withdraw_plan
from sync.server.casework.thumbnails import make_due
from tests.support.city import field_tablet, finding, inspection_body, memory_city
from tests.support.clock import StoppedClock
from tests.support.evidence_files import heic


def pdf(text="Erosion control plan", pages=1, password=None):
    paper = FPDF(unit="in", format=(11, 8.5))
    for number in range(1, pages + 1):
        paper.add_page()
        paper.set_font("helvetica", size=20)
        paper.text(1, 1, f"{text}, sheet {number}")
    if password:
        paper.set_encryption(owner_password=password, user_password=password, encryption_method=EncryptionMethod.RC4)
    return bytes(paper.output())


def picture(form, size=(300, 200), colour="white"):
    out = BytesIO()
    Image.new("RGB", size, colour).save(out, form)
    return out.getvalue()


def incoming(city, data):
    file = city.blobs.incoming()
    file.write(data)
    return file


def add(city, data, title="Erosion control plan", actor="carol", site="site-01", **more):
    return add_plan(city, actor, site, incoming(city, data), title=title, **more)


def told(city, tablet):
    return {(i.kind, i.id): i.doc for i in changes_since(city, tablet.tablet.id, "", "", 0, 500).items}


@pytest.fixture
def city():
    return memory_city(StoppedClock())


@pytest.fixture
def tablet(city):
    return field_tablet(city)


def test_a_pdf_comes_down_as_pictures_of_its_pages(city, tablet):
    data = pdf(pages=2)
    ident = add(city, data, kind="erosion_control_plan", version="Rev A", permit="permit-01",
                name="C:\\plans\\mill.pdf")
    doc = told(city, tablet)["plan", ident]
    plan = Plan.from_wire(doc)
    assert (plan.site, plan.permit, plan.title, plan.version, plan.name, plan.status, plan.added_on) == (
        "site-01", "permit-01", "Erosion control plan", "Rev A", "mill.pdf", "current", "2026-08-27")
    assert (plan.sha256, plan.size, plan.media) == (hashlib.sha256(data).hexdigest(), len(data), "application/pdf")
    assert [page["width"] / page["height"] for page in plan.pages] == pytest.approx([11 / 8.5] * 2, abs=0.01)
    for page in plan.pages:
        assert file_for_tablet(city, tablet.tablet.id, page["sha256"]) == (page["size"], page["media"])
        drawn = Image.open(BytesIO(city.blobs.read(page["sha256"])))
        assert drawn.size == (page["width"], page["height"]) and page["width"] > 2000
        assert len(drawn.convert("L").getcolors(256)) > 1, "the words are on it"
    assert plan.pages[0]["sha256"] != plan.pages[1]["sha256"]
    assert plan_file(city, ident, 0)[0] == plan.sha256
    with city.db.read() as tx:
        assert {plan.sha256, *(page["sha256"] for page in plan.pages)} <= set(kept_files(tx, city))
    assert audit.verify(city) > 0


@pytest.mark.parametrize("form", ["PNG", "JPEG"])
def test_a_drawing_comes_down_as_one_picture(city, tablet, form):
    ident = add(city, picture(form, (5000, 2500)), title="Detail of Exit 1", kind="detail")
    doc = told(city, tablet)["plan", ident]
    assert doc["media"] == f"image/{form.lower()}"
    assert [(page["width"], page["height"]) for page in doc["pages"]] == [(2600, 1300)]


def test_the_same_again_is_the_same_plan(city):
    data = picture("PNG")
    assert add(city, data) == add(city, data)
    assert len(plans_of(city, "site-01")) == 1


def test_a_replaced_plan_stays_readable_and_says_what_replaced_it(city, tablet):
    old = add(city, pdf("old"), version="Rev A")
    new = add(city, pdf("new"), version="Rev B", replaces=old)
    docs = told(city, tablet)
    assert (docs["plan", old]["status"], docs["plan", old]["replaced_by"]) == ("replaced", new)
    assert docs["plan", new]["status"] == "current"
    assert [doc["id"] for doc in plans_of(city, "site-01")] == [new, old]
    for page in docs["plan", old]["pages"]:
        assert file_for_tablet(city, tablet.tablet.id, page["sha256"])
    withdraw_plan(city, "carol", new, "Withdrawn by the permittee")
    assert told(city, tablet)["plan", new]["status"] == "withdrawn"
    with pytest.raises(Problem, match="already-decided"):
        withdraw_plan(city, "carol", old, "again")


@pytest.mark.parametrize(("data", "code"), [
    (b"", "plan-missing"),
    (b"MZ\x90\x00 a program", "plan-not-shown"),
    (b"%PDF-1.7 and nothing else", "plan-not-shown"),
    (picture("PNG")[:60], "plan-not-shown"),
    (picture("GIF"), "plan-not-shown"),
    (pdf(password="secret"), "plan-not-shown"),
    (pdf(pages=61), "plan-not-shown"),
])
def test_what_cannot_be_shown_is_refused_with_nothing_kept(city, data, code):
    before = set(city.blobs.names())
    with pytest.raises(Problem, match=code):
        add(city, data)
    assert plans_of(city, "site-01") == [] and set(city.blobs.names()) == before


@pytest.mark.parametrize(("more", "code"), [
    ({"actor": "ada"}, "no-authority"),
    ({"site": "site-77"}, "not-found"),
    ({"title": " "}, "body-malformed"),
    ({"title": "x" * 201}, "body-malformed"),
    ({"kind": "novel"}, "body-malformed"),
    ({"site": "site-02", "permit": "permit-01"}, "body-malformed"),
    ({"replaces": "0" * 32}, "body-malformed"),
])
def test_what_does_not_fit_is_refused(city, more, code):
    with pytest.raises(Problem, match=code):
        add(city, picture("PNG"), **more)
    assert plans_of(city, "site-01") == plans_of(city, "site-02") == []


def test_a_file_that_is_too_large_is_refused(city, monkeypatch):
    monkeypatch.setattr("sync.server.casework.plans.MAX_PLAN_BYTES", 100)
    with pytest.raises(Problem, match="plan-too-large"):
        add(city, pdf())


def test_knowing_a_hash_grants_nothing(city, tablet):
    other = field_tablet(city, "ben", seed=8)
    scope.set_sites(city, "carol", other.tablet.code, "assigned", ["site-02"])
    ident = add(city, pdf())
    doc = told(city, tablet)["plan", ident]
    assert told(city, other).get(("plan", ident)) is None
    for sha256 in (doc["sha256"], doc["pages"][0]["sha256"]):
        assert file_for_tablet(city, tablet.tablet.id, sha256)
        with pytest.raises(Problem, match="file-unknown"):
            file_for_tablet(city, other.tablet.id, sha256)
    photo = picture("JPEG", (800, 600), "brown")
    inspected = inspect(city, tablet, photo)
    assert evidence_for_tablet(city, field_tablet(city, "ben", seed=9).tablet, inspected)
    with pytest.raises(Problem, match="evidence-unknown"):
        evidence_for_tablet(city, other.tablet, inspected)
    # Evidence is no file of a plan: it has its own door.
    with pytest.raises(Problem, match="file-unknown"):
        file_for_tablet(city, tablet.tablet.id, inspected)


def photo_of(sha256):
    at = {"wall": "2026-08-27T13:50:00-05:00", "zone": "America/Chicago", "mono_ms": 1, "boot": "b", "offset_ms": 0}
    return {"sha256": sha256, "taken": at, "source": "camera", "position": None, "no_position": "denied",
            "item": None, "finding": None, "view": "wide", "name": None}


def inspect(city, tablet, photo, *, hold=True):
    sha256 = hashlib.sha256(photo).hexdigest()
    found = finding("f1") | {"photos": [sha256]}
    body = inspection_body(findings=[found]) | {"photos": [photo_of(sha256)]}
    tablet.push(tablet.fact("inspection_signed", body, evidence=[(sha256, "photo")]))
    if hold:
        hold_bytes(city, tablet.tablet, sha256, "photo", photo)
    return sha256


def test_an_open_finding_gets_a_small_picture_once_its_photo_is_here(city, tablet):
    photo = picture("JPEG", (1600, 1200), "brown")
    sha256 = inspect(city, tablet, photo, hold=False)
    assert make_due(city) == 0
    (doc,) = [doc for (kind, _), doc in told(city, tablet).items() if kind == "finding"]
    assert doc["photo"] == sha256 and doc["thumbnail"] is None
    hold_bytes(city, tablet.tablet, sha256, "photo", photo)
    assert make_due(city) == 1 and make_due(city) == 0
    (doc,) = [doc for (kind, _), doc in told(city, tablet).items() if kind == "finding"]
    small = doc["thumbnail"]
    data = city.blobs.read(small["sha256"])
    assert (hashlib.sha256(data).hexdigest(), len(data), small["media"]) == (
        small["sha256"], small["size"], "image/jpeg")
    assert Image.open(BytesIO(data)).size == (320, 240)
    assert file_for_tablet(city, tablet.tablet.id, small["sha256"]) == (len(data), "image/jpeg")


def test_what_cannot_be_made_small_is_tried_once(city, tablet):
    photo = heic()
    sha256 = inspect(city, tablet, photo, hold=False)
    hold_bytes(city, tablet.tablet, sha256, "photo", photo)
    assert make_due(city) == 0
    (doc,) = [doc for (kind, _), doc in told(city, tablet).items() if kind == "finding"]
    assert doc["thumbnail"] is None

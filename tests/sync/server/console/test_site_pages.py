"""Plans, the form about a site, what a tablet sees, and the ordinance: as the office's pages offer them."""

import io
import re
import zipfile

import pytest
from fpdf import FPDF
from PIL import Image

from sync.server.casework import queries
from sync.server.casework.feed import changes_since
from sync.server.casework.founding import pack_list
from sync.server.casework.plans import plans_of
from sync.server.console import plans as plan_pages
from sync.where import pack_files
from tests.support.calendars import corrected
from tests.sync.server.console.conftest import SAME, Page


def pdf():
    paper = FPDF(unit="in", format=(11, 8.5))
    paper.add_page()
    paper.set_font("helvetica", size=20)
    paper.text(1, 1, "Grading plan")
    return bytes(paper.output())


def bring(person, path, files, **fields):
    return person.post(path, data=fields, files=files, headers=SAME, follow_redirects=False)


def done(answer, path):
    assert answer.status_code == 303 and answer.headers["location"].startswith(path), answer.text
    return answer.headers["location"]


@pytest.fixture
def site(office):
    return queries.site_list(office.city)[0]["id"]


# --- plans ---


def test_a_plan_is_added_looked_at_replaced_and_withdrawn(office, carol, dora, site):
    data = pdf()
    form = {"title": "Grading plan", "version": "Rev A", "kind": "drawing"}
    done(bring(carol, f"/office/sites/{site}/plans", {"file": ("grading.pdf", data)}, **form), f"/office/sites/{site}")
    (old,) = plans_of(office.city, site)
    page = Page(carol.get(f"/office/sites/{site}?done=plan-added").text)
    assert "The plan is added." in page.text and "Grading plan" in page.text and "Drawing, Rev A" in page.text
    assert "Plan added: Grading plan, Rev A" in Page(carol.get("/office/audit").text).text
    shown = carol.get(f"/office/plans/{old['id']}")
    assert "grading.pdf" in shown.text and old["sha256"] in shown.text and "Carol Brandt" in shown.text
    picture = carol.get(f"/office/plans/{old['id']}/pages/1")
    assert Image.open(io.BytesIO(picture.content)).size == (old["pages"][0]["width"], old["pages"][0]["height"])
    assert "sandbox" in picture.headers["content-security-policy"]
    original = carol.get(f"/office/plans/{old['id']}/pages/0")
    assert original.content == data and original.headers["content-disposition"].startswith("attachment")
    for path in ("pages/2", "pages/x", "pages/9999", "pages/²"):
        assert carol.get(f"/office/plans/{old['id']}/{path}").status_code == 404
    bring(carol, f"/office/sites/{site}/plans", {"file": ("b.png", png())}, title="Grading plan", version="Rev B",
          kind="drawing", replaces=old["id"])
    new = plans_of(office.city, site)[0]
    assert "do not build by it" in carol.get(f"/office/plans/{old['id']}").text
    assert f"/office/plans/{new['id']}" in carol.get(f"/office/plans/{old['id']}").text
    done(carol.send_form(f"/office/plans/{new['id']}/withdraw", reasons="Drawn wrong"), f"/office/sites/{site}")
    assert "Withdrawn" in carol.get(f"/office/plans/{new['id']}").text
    for words in ("Plan added", "Plan replaced", "Plan withdrawn"):
        assert words in carol.get("/office/audit").text
    # Who only looks sees plans and no forms, and the server agrees.
    looked = dora.get(f"/office/sites/{site}").text
    assert "Grading plan" in looked and "Add a plan" not in looked and "Change the site" not in looked
    assert bring(dora, f"/office/sites/{site}/plans", {"file": ("c.png", png())}, **form).status_code == 403
    assert dora.send_form(f"/office/plans/{old['id']}/withdraw", reasons="x").status_code == 403


def png():
    out = io.BytesIO()
    Image.new("RGB", (400, 300), "white").save(out, "PNG")
    return out.getvalue()


def test_what_is_no_plan_is_refused_in_words(office, carol, site, monkeypatch):
    path = f"/office/sites/{site}/plans"
    form = {"title": "Grading plan", "kind": "drawing"}
    for files, status, words in (
        ({"file": ("a.exe", b"MZ")}, 422, "neither a PDF nor a PNG nor a JPEG"),
        ({"file": ("a.pdf", b"")}, 422, "No file was chosen"),
        ({"file": ("", b"")}, 422, "No file was chosen"),
    ):
        answer = bring(carol, path, files, **form)
        assert answer.status_code == status and words in answer.text
    assert carol.send_form(path, **form).status_code in (400, 422), "a form without files is none"
    assert plans_of(office.city, site) == []


def test_a_file_that_is_too_large_is_stopped_on_its_way(office, carol, site, monkeypatch):
    monkeypatch.setattr(plan_pages.add, "file_bytes", 20_000)
    answer = bring(carol, f"/office/sites/{site}/plans", {"file": ("a.pdf", bytes(30_000))}, title="x", kind="drawing")
    assert answer.status_code == 413 and "too large" in answer.text.lower()


def test_a_stranger_and_another_site_bring_nothing(office, carol, stranger, site):
    path = f"/office/sites/{site}/plans"
    assert bring(stranger, path, {"file": ("b.png", png())}, title="x", kind="drawing").status_code == 401
    foreign = carol.post(path, data={"title": "x"}, files={"file": ("b.png", png())},
                         headers={"Sec-Fetch-Site": "cross-site"})
    assert foreign.status_code == 403 and plans_of(office.city, site) == []


# --- the site itself ---


def fields(page):
    found = {}
    for one in page.elements:
        name = one["attrs"].get("name")
        if one["tag"] == "input" and name and (one["attrs"].get("type") != "checkbox" or "checked" in one["attrs"]):
            found[name] = one["attrs"].get("value", "on")
        if one["tag"] == "textarea":
            found[name] = one["text"]
        if one["tag"] == "option" and "selected" in one["attrs"]:
            found["schedule.weekday"] = one["attrs"]["value"]
    return found


def test_the_form_changes_a_site_and_comes_back_as_it_was_saved(office, carol, site):
    path = f"/office/sites/{site}/edit"
    form = fields(Page(carol.get(path).text)) | {
        "inspector.ada": "on", "schedule.every_days": "7", "schedule.weekday": "4", "schedule.rain_in": "0.50",
        "schedule.rain_within_hours": "24", "end_of_work_day": "16:30", "area": "Isthmus",
        "contractor.name": "Tri-Lakes Excavating Co", "contacts": "Superintendent; Walt Emerson; 555-0104\nDispatch",
        "step.1.activity": "Strip topsoil", "step.1.start": "2026-08-01", "step.1.end": "2026-08-20",
        "step.3.activity": "Seed and mulch", "step.².activity": "no number",
    }
    done(carol.send_form(path, **form), f"/office/sites/{site}?done=site-changed")
    doc = next(one for one in queries.site_list(office.city) if one["id"] == site)
    assert doc["inspectors"] == ["ada"] and doc["end_of_work_day"] == "16:30" and doc["area"] == "Isthmus"
    assert doc["schedule"] == {"every_days": 7, "weekday": 4, "rain_in": "0.5", "rain_within_hours": 24}
    assert doc["contacts"] == [{"role": "Superintendent", "name": "Walt Emerson", "phone": "555-0104"},
                               {"role": "", "name": "Dispatch", "phone": ""}]
    assert [step["activity"] for step in doc["timetable"]] == ["Strip topsoil", "Seed and mulch"]
    assert len({step["id"] for step in doc["timetable"]}) == 2
    assert "Lot 1" in carol.get("/office/sites?q=tri-lakes").text, "found by the contractor"
    shown = Page(carol.get(f"/office/sites/{site}").text).text
    for words in ("every 7 days, on Fridays, after 0.5 in of rain, within 24 hours", "Ada Lindqvist", "Strip topsoil",
                  "Walt Emerson", "Tri-Lakes Excavating Co"):
        assert words in shown
    again = fields(Page(carol.get(path).text))
    done(carol.send_form(path, **again), f"/office/sites/{site}?done=site-same")
    tablet = office.tablet.tablet
    told = {i.id: i.doc for i in changes_since(office.city, tablet.id, "", "", 0, 500).items if i.kind == "site"}
    assert told[site]["timetable"] == doc["timetable"]
    assert "Site changed" in carol.get("/office/audit").text


@pytest.mark.parametrize(("name", "value", "words"), [
    ("schedule.every_days", "often", "a whole number from 1 to 90"),
    ("schedule.every_days", "0", "a whole number from 1 to 90"),
    ("schedule.rain_in", "a lot", "inches of rain"),
    ("schedule.rain_in", "-1", "inches of rain"),
    ("schedule.weekday", "9", "the weekday"),
    ("end_of_work_day", "late", "a time such as 17:00"),
    ("inspector.nobody", "on", "nobody with the id"),
    ("inspector.dora", "on", "may not inspect"),
    ("step.1.start", "soon", "a day is written YYYY-MM-DD"),
    ("step.1.start", "2026-08-01", "the activity is missing"),
    ("contacts", "x" * 400, "at most 300 characters"),
])
def test_a_mistake_shows_the_form_again_with_what_was_typed(office, carol, site, name, value, words):
    before = next(one for one in queries.site_list(office.city) if one["id"] == site)
    answer = carol.send_form(f"/office/sites/{site}/edit", area="Isthmus", **{name: value, "step.².activity": "none"})
    assert answer.status_code == 422 and words in answer.text
    assert 'value="Isthmus"' in answer.text
    assert next(one for one in queries.site_list(office.city) if one["id"] == site) == before


def test_who_only_looks_changes_no_site(dora, site):
    assert dora.get(f"/office/sites/{site}/edit").status_code == 403
    assert dora.send_form(f"/office/sites/{site}/edit", area="x").status_code == 403


# --- what a tablet sees ---


def test_what_a_tablet_sees_is_chosen_and_shown(office, carol, dora, site):
    code = office.tablet.tablet.code
    path = f"/office/tablets/{code}/sees"
    assert path in carol.get(f"/office/tablets/{code}/held").text
    assert "sees it" in carol.get(path).text and "does not see it" not in carol.get(path).text
    done(carol.send_form(path, sees="assigned", **{f"site.{site}": "on"}), path)
    text = carol.get(path).text
    assert text.count("does not see it") == len(queries.site_list(office.city)) - 1
    assert "Sites of a tablet changed" in carol.get("/office/audit").text
    assert dora.send_form(path, sees="all").status_code == 403
    assert carol.get("/office/tablets/T99/sees").status_code == 404
    person = next(iter(office.tablet.credentials))
    done(carol.send_form(f"/office/tablets/{code}/people/{person}/end", reasons="passed on"), path)
    assert "ended" in Page(carol.get(path).text).text
    assert carol.send_form(f"/office/tablets/{code}/people/{person}/end", reasons="again").status_code == 409


# --- the ordinance ---


def newer(**texts):
    files = dict(pack_files("demo")) | texts
    files["pack.toml"] = files["pack.toml"].replace('version = "2026.1"', 'version = "2026.2"')
    return files


def zipped(files, folder="pack/"):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, text in files.items():
            archive.writestr(folder + name, text)
    return out.getvalue()


def damaged(at, data, files=None):
    """A compressed ZIP of the pack of which the bytes from ``at`` of its first file's content on are others."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in (files or newer()).items():
            archive.writestr(name, text)
        first = archive.infolist()[0]
    made, start = bytearray(out.getvalue()), 30 + len(first.filename) + at
    made[start:start + len(data)] = data
    return bytes(made)


def test_an_ordinance_is_checked_first_and_then_taken_into_force(office, carol):
    assert "In force: demo@2026.1" in carol.get("/office/law").text
    checked = bring(carol, "/office/law/check", {"files": ("pack.zip", zipped(newer()))})
    assert checked.status_code == 200 and "demo@2026.2: read and checked" in checked.text
    assert "Its calendars move dates" not in checked.text
    moving = bring(carol, "/office/law/check", {"files": ("pack.zip", zipped(corrected("2026.3")))})
    standing = sorted(order["number"] for order in queries.order_list(office.city) if order["status"] == "in_force")
    assert f"Its calendars move dates of open orders: {', '.join(standing)}" in moving.text
    assert [one["ref"] for one in pack_list(office.city)] == ["demo@2026.1"], "checking changes nothing"
    form = {name: re.search(f'name="{name}" value="([^"]+)"', checked.text)[1]
            for name in ("sha256", "texts", "against")}
    older = {name: re.search(f'name="{name}" value="([^"]+)"', moving.text)[1] for name in form}
    assert carol.send_form("/office/law/install", **form | {"sha256": "0" * 64}).status_code == 422
    assert carol.send_form("/office/law/install", **form | {"texts": "AAAA"}).status_code == 422
    done(carol.send_form("/office/law/install", **form), "/office/law?done=pack")
    assert [(one["ref"], one["in_force"]) for one in pack_list(office.city)] == [
        ("demo@2026.2", True), ("demo@2026.1", False)]
    assert "In force: demo@2026.2" in carol.get("/office/law").text
    stale = carol.send_form("/office/law/install", **older)
    assert stale.status_code == 422 and "demo@2026.2 came into force since" in stale.text
    assert "Ordinance taken into force" in carol.get("/office/audit").text
    done(carol.send_form("/office/law/install", **form), "/office/law?done=pack-same")
    page = changes_since(office.city, office.tablet.tablet.id, "", "", 0, 500)
    told = [i.doc for i in page.items if i.kind == "pack"]
    assert [doc["version"] for doc in told] == ["2026.2"]
    again = bring(carol, "/office/law/check",
                  [("files", (name, text.encode())) for name, text in pack_files("demo").items()])
    form = {name: re.search(f'name="{name}" value="([^"]+)"', again.text)[1] for name in form}
    done(carol.send_form("/office/law/install", **form), "/office/law?done=pack")
    assert [one["ref"] for one in pack_list(office.city) if one["in_force"]] == ["demo@2026.1"]


@pytest.mark.parametrize(("files", "words"), [
    ([("files", ("pack.zip", b"no zip"))], "The ZIP cannot be read"),
    ([("files", ("pack.zip", damaged(0, b"\xff" * 8)))], "The ZIP cannot be read"),
    ([("files", ("notes.txt", b"x"))], "neither a ZIP nor a TOML file"),
    ([("files", ("clauses.toml", b"x = 1"))], "no pack.toml"),
    ([("files", ("pack.toml", b"\xff\xfe"))], "not UTF-8"),
    ([("files", ("pack.zip", zipped({**newer(), "pack.toml": "not TOML ["})))], "pack.toml"),
    ([("files", ("pack.zip", zipped({**newer(), "pack.toml": newer()["pack.toml"].replace(
        "America/Chicago", "America/Denver")})))], "counts days in America/Denver"),
])
def test_an_ordinance_with_a_mistake_says_where(office, carol, files, words):
    answer = bring(carol, "/office/law/check", files)
    assert answer.status_code == 422 and words in answer.text
    assert [one["ref"] for one in pack_list(office.city)] == ["demo@2026.1"]


def test_the_same_version_with_another_text_is_not_offered(office, carol):
    files = dict(pack_files("demo"))
    files["limits.toml"] = files["limits.toml"] + "\n# another word\n"
    answer = bring(carol, "/office/law/check", {"files": ("pack.zip", zipped(files))})
    assert "known with another text" in answer.text and "/office/law/install" not in answer.text


def test_who_only_looks_takes_nothing_into_force(office, dora):
    assert "Check it" not in dora.get("/office/law").text
    assert bring(dora, "/office/law/check", {"files": ("pack.zip", zipped(newer()))}).status_code == 403

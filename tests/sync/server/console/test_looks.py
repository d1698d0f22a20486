"""Pages that everybody can use: labels, headings, landmarks, contrast; nothing inline that the policy would block."""

import re

import pytest

from sync.records.protocol import public_order_url
from sync.server.casework import queries
from sync.where import assets

PATHS = [
    "/office/",
    "/office/orders",
    "/office/inspections",
    "/office/sites",
    "/office/sites/site-01",
    "/office/set-aside",
    "/office/tablets",
    "/office/people",
    "/office/audit",
]


@pytest.fixture
def every_page(carol, stranger, office, read):
    paths = [
        *PATHS,
        f"/office/inspections/{office.inspection}",
        *(f"/office/orders/{ident}" for ident in office.orders.values()),
    ]
    pages = {path: read(carol.get(path)) for path in paths}
    for one in queries.set_aside(office.city)["quarantined"]:
        pages[f"/office/records/{one['fact']}"] = read(carol.get(f"/office/records/{one['fact']}"))
    pages["/office/tablets/code"] = read(carol.send_form("/office/tablets/code"))
    pages["/office/people/ben/code"] = read(carol.send_form("/office/people/ben/code"))
    for name, leased in office.numbers.items():
        path = public_order_url("", leased.number, leased.token, "2026-08-27")
        pages[f"public {name}"] = read(stranger.get(path))
    pages["public, in Spanish"] = read(stranger.get(path + "&lang=es"))
    pages["not signed in"] = read(stranger.get("/office/"))
    pages["unknown order"] = read(stranger.get("/o/none"))
    return pages


def test_each_page_has_a_language_a_title_one_main_and_one_first_heading(every_page):
    for path, page in every_page.items():
        assert page.all("html")[0]["attrs"].get("lang") == ("es" if "Spanish" in path else "en"), path
        assert page.all("title")[0]["text"].strip(), path
        assert len(page.all("main")) == 1, path
        assert len(page.all("h1")) == 1, path


def test_headings_skip_no_level(every_page):
    for path, page in every_page.items():
        levels = [int(one["tag"][1]) for one in page.elements if re.fullmatch(r"h[1-6]", one["tag"])]
        assert all(after <= before + 1 for before, after in zip([0, *levels], levels, strict=False)), (path, levels)


def test_every_field_has_a_label_and_every_button_and_link_has_words(every_page):
    for path, page in every_page.items():
        labelled = {label["attrs"].get("for") for label in page.all("label")}
        for tag in ("input", "textarea", "select"):
            for field in page.all(tag):
                if field["attrs"].get("type") != "hidden":
                    assert field["attrs"].get("id") in labelled, (path, field)
        for tag in ("button", "a", "summary", "th"):
            for one in page.all(tag):
                images = [image for image in page.all("img") if tag == "a" and "a" in image["inside"]]
                assert one["text"].strip() or images, (path, one)


def test_every_picture_says_what_it_shows(every_page):
    for path, page in every_page.items():
        assert all(image["attrs"].get("alt", "").strip() for image in page.all("img")), path


def test_ids_are_unique_and_references_point_at_something(every_page):
    for path, page in every_page.items():
        ids = [one["attrs"]["id"] for one in page.elements if one["attrs"].get("id")]
        assert len(ids) == len(set(ids)), path
        for one in page.elements:
            for name in ("aria-labelledby", "aria-describedby", "for"):
                assert one["attrs"].get(name, ids[0] if ids else "") in ids or name not in one["attrs"], (path, one)


def test_nothing_is_inline(every_page):
    for path, page in every_page.items():
        assert not page.all("style"), path
        for one in page.elements:
            assert not any(name == "style" or name.startswith("on") for name in one["attrs"]), (path, one)
            if one["tag"] == "script":
                assert one["attrs"].get("src", "").startswith("/office/static/"), path


def test_forms_post_to_this_site_and_links_stay_here(every_page, office):
    for path, page in every_page.items():
        for form in page.all("form"):
            assert form["attrs"]["action"].startswith("/office/"), path
            assert form["attrs"]["method"] == "post" or form["attrs"].get("role") == "search", path
        for link in page.all("a"):
            href = link["attrs"]["href"]
            assert href.startswith(("/", "#", "?", office.city.public_url)), (path, href)


def test_a_demo_city_says_so_on_every_page(every_page):
    assert all("DEMO" in page.text for page in every_page.values())


# --- colours ---------------------------------------------------------------------------------------------------------
def tokens() -> dict[str, str]:
    css = (assets() / "console" / "console.css").read_text(encoding="utf-8")
    return dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6});", css))


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize(
    ("text", "ground"),
    [
        ("ink", "paper"), ("ink", "ground"), ("soft", "paper"), ("soft", "ground"), ("link", "paper"),
        ("link", "ground"), ("bar-ink", "bar"), ("bar-soft", "bar"), ("act-ink", "act"), ("act", "paper"),
        ("stop-ink", "stop"), ("stop", "stop-ground"), ("stop", "paper"), ("wait", "wait-ground"),
        ("good", "good-ground"), ("calm", "calm-ground"), ("demo", "demo-ground"),
    ],
)  # fmt: skip
def test_text_stands_out_from_its_ground(text, ground):
    found = tokens()
    assert contrast(found[text], found[ground]) >= 4.5


def test_the_edge_of_a_field_can_be_seen():
    found = tokens()
    assert contrast(found["field"], found["paper"]) >= 3

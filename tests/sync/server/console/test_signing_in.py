"""Coming in, going out, and who is kept out: links, the session cookie, the origin of a POST, the content policy."""

import asyncio

import pytest
from starlette.requests import Request

from sync.records.problems import Problem
from sync.server.casework.sessions import create_sign_in_link
from sync.server.console import security
from sync.server.console.security import require_same_origin
from sync.server.console.signing_in import sign_in_link
from tests.support.city import PUBLIC_URL

from .conftest import SAME


def test_opening_a_link_shows_whom_it_signs_in_and_uses_nothing_up(stranger, office, read):
    token = create_sign_in_link(office.city, "keeper", "carol")
    path = sign_in_link("", token)
    for _ in range(3):
        answer = stranger.get(path)
        assert answer.status_code == 200
        assert "set-cookie" not in answer.headers
        assert [button["text"] for button in read(answer).all("button")] == ["Sign in as Carol Brandt"]
    assert stranger.send_form("/office/sign-in", link=token).status_code == 303
    assert "Carol Brandt" in read(stranger.get("/office/")).text


def test_a_link_works_once(stranger, office, read):
    token = create_sign_in_link(office.city, "keeper", "carol")
    stranger.send_form("/office/sign-in", link=token)
    stranger.cookies.clear()
    again = stranger.send_form("/office/sign-in", link=token)
    assert again.status_code == 409 and "set-cookie" not in again.headers
    opened = read(stranger.get(sign_in_link("", token))).text
    for text in (opened, read(again).text):
        assert "This link was used already" in text and "Ask for a new link." in text and "tablet" not in text


def test_an_unknown_or_old_link_signs_nobody_in(stranger, office):
    assert stranger.get("/office/sign-in?link=NOT-A-LINK").status_code == 404
    assert stranger.send_form("/office/sign-in", link="NOT-A-LINK").status_code == 404
    token = create_sign_in_link(office.city, "keeper", "carol")
    office.clock.advance(days=2)
    assert stranger.get(sign_in_link("", token)).status_code == 404
    assert stranger.send_form("/office/sign-in", link=token).status_code == 404


def test_the_cookie_is_closed_to_scripts_other_sites_and_plain_http(stranger, office):
    token = create_sign_in_link(office.city, "keeper", "carol")
    cookie = stranger.send_form("/office/sign-in", link=token).headers["set-cookie"]
    parts = {part.strip().lower() for part in cookie.split(";")}
    assert {"httponly", "samesite=lax", "secure", "path=/office/"} <= parts


@pytest.mark.parametrize("path", ["/office/", "/office/orders", "/office/people", "/office/audit", "/office/tablets"])
def test_without_a_session_no_page_says_anything(stranger, path, read):
    answer = stranger.get(path)
    assert answer.status_code == 401
    text = read(answer).text
    assert "You are not signed in" in text
    assert "Mill Street" not in text and "Lindqvist" not in text


def test_without_a_session_no_photo_and_no_paper(stranger, office):
    assert stranger.get(f"/office/evidence/{'1' * 64}").status_code == 401
    assert stranger.get(f"/office/orders/{office.orders['posted']}/order.pdf").status_code == 401


def test_signing_out_ends_the_session_on_the_server(carol):
    token = carol.cookies["siltwatch_office"]
    assert carol.send_form("/office/sign-out").status_code == 200
    carol.cookies.set("siltwatch_office", token)
    assert carol.get("/office/").status_code == 401


def test_a_page_that_renews_itself_is_reloaded_when_the_session_has_ended(stranger, carol):
    part = {"HX-Request": "true"}
    assert stranger.get("/office/", headers=part).headers["hx-refresh"] == "true"
    assert "hx-refresh" not in stranger.get("/office/").headers
    assert "hx-refresh" not in carol.get("/office/", headers=part).headers


def test_a_session_ends_by_itself(carol, office):
    office.clock.advance(hours=13)
    assert carol.get("/office/").status_code == 401


@pytest.mark.parametrize(
    ("headers", "taken"),
    [
        ({"sec-fetch-site": "same-origin"}, True),
        ({"origin": PUBLIC_URL}, True),
        ({"sec-fetch-site": "same-site", "origin": PUBLIC_URL}, False),
        ({"sec-fetch-site": "cross-site"}, False),
        ({"sec-fetch-site": "none"}, False),
        ({"origin": "https://evil.example"}, False),
        ({"origin": "null"}, False),
        ({"origin": PUBLIC_URL + ":444"}, False),
        ({"origin": PUBLIC_URL.replace("https", "http")}, False),
        ({}, False),
    ],
)
def test_only_our_own_pages_may_change_anything(headers, taken):
    if taken:
        require_same_origin(headers, PUBLIC_URL + "/")
    else:
        with pytest.raises(Problem, match="cross-site"):
            require_same_origin(headers, PUBLIC_URL)


def test_a_forged_form_changes_nothing(carol, office):
    order = office.orders["posted"]
    forged = carol.post(f"/office/orders/{order}/confirm", headers={"Sec-Fetch-Site": "cross-site"})
    assert forged.status_code == 403
    assert carol.post(f"/office/orders/{order}/confirm").status_code == 403
    assert "Confirm this order?" in carol.get(f"/office/orders/{order}").text


def test_every_answer_carries_the_strict_policy_and_is_not_kept(carol, stranger, office):
    for answer in (
        carol.get("/office/"),
        stranger.get("/office/"),
        stranger.get("/o/SW-2026-T01-0001-1?t=x"),
        carol.get("/office/orders/none"),
        carol.get(f"/office/orders/{office.orders['posted']}/order.pdf"),
    ):
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy and "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["x-content-type-options"] == "nosniff"


def test_forms_that_cannot_be_read_are_refused(carol, office):
    path = f"/office/orders/{office.orders['posted']}/decline"
    wrong_kind = carol.post(path, content=b"{}", headers=SAME | {"Content-Type": "application/json"})
    assert wrong_kind.status_code == 422
    wrong_bytes = carol.post(
        path, content=b"reasons=%ff", headers=SAME | {"Content-Type": "application/x-www-form-urlencoded"}
    )
    assert wrong_bytes.status_code == 422
    too_large = carol.send_form(path, reasons="x" * 300_000)
    assert too_large.status_code == 413


def test_static_files_are_those_of_the_console_and_nothing_else(stranger):
    assert stranger.get("/office/static/console.css").headers["content-type"].startswith("text/css")
    assert stranger.get("/o/static/console.css").status_code == 200
    for path in (
        "../fonts/IBMPlexSans-Bold.ttf",
        "%2e%2e/fonts/IBMPlexSans-Bold.ttf",
        "..%2f..%2fpyproject.toml",
        "fonts",
        "",
    ):
        assert stranger.get(f"/office/static/{path}").status_code == 404


@pytest.mark.parametrize(("kind", "read"), [
    ("application/x-www-form-urlencoded", security.read_form),
    ("multipart/form-data; boundary=x", lambda request: security.read_files(request, 1_000))])
def test_a_form_that_stops_in_the_middle_is_given_up(monkeypatch, kind, read):
    monkeypatch.setattr(security, "IDLE_S", 0.02)
    told = [{"type": "http.request", "body": b"--x\r\n", "more_body": True}]

    async def receive():
        return told.pop() if told else await asyncio.Event().wait()

    request = Request({"type": "http", "method": "POST", "headers": [(b"content-type", kind.encode())]}, receive)
    with pytest.raises(Problem) as caught:
        asyncio.run(read(request))
    assert caught.value.code == "transfer-idle"

"""The page behind the QR code: what it says of each standing, and that a guess learns nothing."""

import pytest

from sync.records.protocol import public_order_url
from sync.server.casework.orders import confirm_order
from sync.server.console.public import language_of


@pytest.fixture
def scan(stranger, office):
    def scan(name: str, *, token: str | None = None, printed: str | None = "2026-08-27", accept: str = "en"):
        leased = office.numbers[name]
        path = public_order_url("", leased.number, token or leased.token, printed)
        return stranger.get(path, headers={"Accept-Language": accept})

    return scan


def test_a_registered_order_is_genuine_and_in_force(scan, office, read):
    answer = scan("posted")
    assert answer.status_code == 200
    text = read(answer).text
    for sentence in (
        "Genuine and in force",
        office.numbers["posted"].number,
        "Posted Thu Aug 27, 2026.",
        "R-2026-00001",
        "100 Mill Street",
        "All grading and hauling.",
        "the corrections listed below, may and must go on",
        "Put a barrier of filter fabric around inlet CB-2. Fri Aug 28, 2026 by 12:00 noon",
        "posted Thu Aug 27; day 10 is Sun Sep 6; Mon Sep 7 is Labor Day; last day Tue Sep 8",
        "Only a written release by the city lifts this order.",
        "If you disagree You may ask for a review of this order.",
        "Zoning Board of Appeals",
        "Until the city decides otherwise, the work must stop.",
        "Telephone: (608) 555-0142",
    ):
        assert sentence in text, sentence
    assert "Lindqvist" not in text and "Ortiz" not in text, "no names of persons"


def test_a_confirmed_order_says_when(scan, office, read):
    confirm_order(office.city, "carol", office.orders["posted"])
    assert "Confirmed by the building inspector on Wed Sep 2, 2026." in read(scan("posted")).text


def test_a_date_that_differs_from_the_register_is_pointed_out(scan, read):
    text = read(scan("posted", printed="2026-08-20")).text
    assert "The code you scanned says Thu Aug 20, 2026; the register says Thu Aug 27, 2026." in text


def test_a_declined_order_is_void_with_date_and_reasons_and_asks_nothing(scan, read):
    text = read(scan("declined")).text
    assert "Genuine, but void" in text
    assert "declined this order on Wed Sep 2, 2026. It has no force." in text
    assert "The order names the wrong parcel." in text
    assert "must stop" not in text and "may revoke" not in text


def test_an_issued_order_that_is_not_up_says_so(scan, read):
    text = read(scan("issued")).text
    assert "Genuine and issued" in text and "Issued Wed Sep 2, 2026." in text
    assert "count from the day on which the order is put up on the site." in text and "may give notice" not in text


def test_own_words_are_said_in_the_readers_language_where_their_writer_gave_them(scan, read):
    text = read(scan("issued", accept="es")).text
    assert "Todo desmonte y nivelación en la parcela." in text and "All clearing" not in text
    only = "Lo que escribió el inspector figura aquí solo en inglés."
    assert "Street sweeping and inlet protection. El trabajo que hace seguro" in text and text.count(only) == 2
    english = read(scan("issued")).text
    assert "All clearing and grading on the parcel." in english and "stands here only" not in english


def test_a_leased_number_is_issued_to_a_tablet_with_the_date_as_printed(scan, read):
    answer = scan("leased")
    assert answer.status_code == 200
    text = read(answer).text
    assert "Issued to a city tablet" in text
    assert "Posted Thu Aug 27, 2026, as printed. Not yet registered." in text
    assert "Genuine" not in text and "in force" not in text


def test_a_blank_says_to_read_the_date_on_the_placard(scan, read):
    text = read(scan("leased", printed=None)).text
    assert "Not yet registered. Read the posting date on the placard itself." in text
    assert "Posted" not in text


def test_a_recommendation_is_not_told_as_an_order(scan, read):
    text = read(scan("recommended")).text
    assert "Issued to a city tablet" in text and "200 Mill Street" not in text


def test_made_up_numbers_and_wrong_tokens_get_one_and_the_same_page(stranger, office, scan):
    wrong_token = scan("posted", token="0" * 32)
    assert wrong_token.status_code == 404
    for path in (
        "/o/SW-2026-T01-9999-0?t=" + "0" * 32,
        "/o/hello?t=x",
        f"/o/{office.numbers['posted'].number}?t=%ff%00&p=xx",
        f"/o/{office.numbers['leased'].number}?t=" + office.numbers["posted"].token,
        "/o/?t=" + office.numbers["posted"].token,
        "/o/" + "A" * 5000 + "?t=1",
    ):
        answer = stranger.get(path)
        assert answer.status_code == 404
        assert answer.text == wrong_token.text
    assert "Genuine" not in wrong_token.text and "Issued" not in wrong_token.text


def test_a_number_without_its_code_is_neither_known_nor_called_false(stranger, office, read):
    genuine = stranger.get(f"/o/{office.numbers['posted'].number}")
    assert genuine.status_code == 404
    for path in (
        "/o/SW-2026-T01-9999-0", "/o/hello", "/o/", "/o/" + "A" * 5000, "/n/" + "0" * 32, "/n/",
        f"/o/{office.numbers['posted'].number}?t=", f"/o/{office.numbers['leased'].number}?p=2026-08-27",
        f"/o/{office.numbers['declined'].number}", f"/n/{office.inspection}",
    ):  # fmt: skip
        answer = stranger.get(path)
        assert answer.status_code == 404 and answer.text == genuine.text, path
    text = read(genuine).text
    assert "The code is missing" in text and "Scan the square code" in text and "Telephone: (608) 555-0142" in text
    assert "A number alone shows nothing here, whether it is a genuine one or not." in text
    assert "do not know" not in text and "may not come from this city" not in text
    spanish = read(stranger.get("/o/hello?lang=es")).text
    assert "Falta el código" in spanish and "code" not in spanish


def test_a_malformed_printed_date_is_ignored(scan, read):
    for printed in ("2026-99-99", "yesterday", "<b>", "2026-08-27T00"):
        assert "Read the posting date on the placard itself." in read(scan("leased", printed=printed)).text


def test_the_page_needs_no_cookie_and_no_script(scan, carol, office, read):
    for answer in (scan("posted"), scan("leased")):
        assert "set-cookie" not in answer.headers
        assert not read(answer).all("script")
    leased = office.numbers["posted"]
    path = public_order_url("", leased.number, leased.token, "2026-08-27")
    assert "cookie" not in carol.get(path).request.headers


def test_a_browser_that_prefers_spanish_reads_spanish_with_the_same_days(scan, read):
    text = read(scan("posted", accept="es-MX,es;q=0.9,en;q=0.8")).text
    for sentence in (
        "Auténtica y vigente",
        "Fijada el jueves 27 de agosto de 2026.",
        "Este trabajo debe detenerse",
        "El inspector de obras puede revocar el permiso",
        "desde el miércoles 9 de septiembre de 2026",
        "el lunes 7 de septiembre es feriado (Día del Trabajo); el último día es el martes 8 de septiembre",
        "Solo un levantamiento por escrito de la ciudad pone fin a esta orden.",
        "viernes 28 de agosto de 2026, a más tardar a las 12:00 del mediodía",
        "Teléfono: (608) 555-0142",
        "Si no está de acuerdo",
        "Lo que escribió el inspector se muestra tal como lo escribió.",
    ):
        assert sentence in text, sentence
    assert "Genuine" not in text and "may revoke" not in text


def test_the_language_can_be_chosen_by_hand_and_back(scan, stranger, read):
    page = read(scan("posted"))
    (spanish,) = [one["attrs"]["href"] for one in page.all("a") if one["text"] == "Español"]
    path = str(scan("posted").url.path)
    other = read(stranger.get(path + spanish))
    assert other.all("html")[0]["attrs"]["lang"] == "es" and "Auténtica y vigente" in other.text
    (english,) = [one["attrs"]["href"] for one in other.all("a") if one["text"] == "English"]
    assert "Genuine and in force" in read(stranger.get(path + english)).text


@pytest.mark.parametrize(
    ("asked", "accepted", "language"),
    [
        (None, "", "en"),
        (None, "es", "es"),
        (None, "en-US,en;q=0.9,es;q=0.5", "en"),
        (None, "fr,es;q=0.4,en;q=0.3", "es"),
        (None, "es;q=zero,en;q=0.1", "en"),
        (None, "es;q=0,de", "en"),
        ("es", "en", "es"),
        ("en", "es", "en"),
        ("../../x", "es", "es"),
    ],
)
def test_the_language_of_the_page(asked, accepted, language):
    assert language_of(asked, accepted) == language

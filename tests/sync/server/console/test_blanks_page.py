"""Pre-printed placards in the office: a stack is set apart and printed, one is spoiled, each says what became of it."""

import re

from sync.server.casework import queries
from tests.support.city import order_body
from tests.support.papers import pages


def test_a_stack_is_printed_used_and_explained(office, carol, signed_in):
    tablet = office.tablet
    code = tablet.tablet.code
    home = f"/office/tablets/{code}/blanks"
    assert home in carol.get(f"/office/tablets/{code}/held").text
    assert "None was printed for this tablet yet." in carol.get(home).text
    for wrong in ("0", "51", "many", "", "²", "9" * 5000):
        refused = carol.send_form(home, count=wrong)
        assert refused.status_code == 422 and 'role="alert"' in refused.text
    assert carol.send_form(home, count="3").headers["location"].startswith(f"{home}?done=stack#s-")
    text = carol.get(home).text
    [paper] = set(re.findall(rf"{home}/[0-9a-f]+/placards.pdf", text))
    assert "not used yet: 3." in text
    sheet = carol.get(paper)
    assert sheet.headers["content-type"] == "application/pdf" and len(pages(sheet.content)) == 3
    numbers = re.findall(rf"SW-2026-{code}-\d+-\w", text)
    first, second, third = dict.fromkeys(numbers)

    body = order_body(tablet, site=queries.site_list(office.city)[0]["id"], number=first,
                      token=_token(office, first), blank=True)
    fact = tablet.fact("order_posted", body)
    assert tablet.push(fact)[0].answer == "applied"
    assert carol.send_form(f"{home}/void", number=second, reasons=" ").status_code == 422
    assert carol.send_form(f"{home}/void", number=second, reasons="Soaked").status_code == 303
    assert carol.send_form(f"{home}/void", number=second, reasons="Soaked").status_code == 409
    assert carol.send_form(f"{home}/void", number="SW-2026-T99-0001-X", reasons="x").status_code == 404
    text = carol.get(home).text
    assert f"/office/orders/{fact.id}" in text and "Soaked" in text and "not used yet: 1." in text
    left = pages(carol.get(paper).content)
    assert len(left) == 1 and third in left[0], "what is used or void is not printed again"
    assert carol.get("/office/audit").text.count("Placards printed in advance") == 1

    trainee = signed_in("ben")
    assert "Print a stack" not in trainee.get(home).text and trainee.send_form(home, count="2").status_code == 403
    assert carol.get("/office/tablets/T99/blanks").status_code == 404
    assert carol.get(f"{home}/{'0' * 16}/placards.pdf").status_code == 404


def _token(office, number):
    from sync.server.casework.enrolment import order_token

    return order_token(office.city, number)


def test_the_public_page_of_a_void_paper_says_to_call_the_office(office, carol, stranger):
    code = office.tablet.tablet.code
    home = f"/office/tablets/{code}/blanks"
    carol.send_form(home, count="1")
    number = re.search(rf"SW-2026-{code}-\d+-\w", carol.get(home).text)[0]
    link = f"/o/{number}?t={_token(office, number)}"
    assert "Read the posting date on the placard itself." in stranger.get(link).text
    carol.send_form(f"{home}/void", number=number, reasons="Lost")
    assert "Recorded as not to be used" in stranger.get(link).text
    assert "Registrado como no utilizable" in stranger.get(link + "&lang=es").text

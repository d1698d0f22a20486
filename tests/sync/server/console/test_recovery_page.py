"""Forgotten PINs in the office: the passphrase, shown once; asked, compared, opened or declined; audited."""

import asyncio
import html
import re

import pytest

from field_app.hardware.crypto import NativeCrypto
from field_app.store.keyring import seal_box, text
from sync.records import boxes
from sync.records.proofs import recovery_proof
from sync.records.recovery import ANSWER_FILE, ANSWERED, QUESTION_FILE, USER_KEY, read_file, write_file
from sync.server.casework import recovery
from tests.sync.server.console.conftest import SAME

PAGE = "/office/forgotten"


def asked(office):
    """Ada asks from her tablet; the id of the question and its code."""
    crypto, tablet = NativeCrypto(), office.tablet.tablet
    _, public = asyncio.run(crypto.new_pair())
    city_key = bytes.fromhex(recovery.public_key(office.city))
    box = text(asyncio.run(seal_box(crypto, city_key, bytes(32), USER_KEY)))
    ident = recovery.ask(office.city, tablet.id, recovery_proof(tablet.receipt_key), "ada", boxes.key_id(city_key), box,
                         public.hex())
    return ident, recovery.asks(office.city)[0].code


@pytest.fixture
def passphrase(carol):
    page = carol.send_form(f"{PAGE}/key").text
    return html.unescape(re.search(r'class="code">([^<]+)<', page)[1])


def test_the_passphrase_is_shown_once_and_opens_the_key(office, carol, passphrase):
    assert re.fullmatch(r"([2-9A-HJ-NP-Z]{5}-){5}[2-9A-HJ-NP-Z]{5}", passphrase)
    assert passphrase not in carol.get(PAGE).text and "Nobody is waiting" in carol.get(PAGE).text
    assert carol.send_form(f"{PAGE}/key").status_code == 409
    ident, code = asked(office)
    page = carol.get(PAGE).text
    assert code in page and "Ada Lindqvist on tablet T01" in page
    assert carol.send_form(f"{PAGE}/{ident}/answer", passphrase=passphrase).status_code == 422, "not compared"
    done = carol.send_form(f"{PAGE}/{ident}/answer", passphrase=passphrase, compared="yes")
    assert done.status_code == 303
    assert "open for this tablet" in carol.get(done.headers["location"]).text
    audit = carol.get("/office/audit").text
    for said in ("Passphrase for forgotten PINs made", "help asked for on the tablet", "opened for the tablet"):
        assert said in audit
    assert passphrase not in audit


def test_a_wrong_passphrase_is_said_in_the_form_and_nothing_else_is_lost(office, carol, read, passphrase):
    ident, code = asked(office)
    wrong = carol.send_form(f"{PAGE}/{ident}/answer", passphrase="WRONG-PASSPHRASE", compared="yes")
    assert wrong.status_code == 403
    page = read(wrong)
    assert "That is not the passphrase. Type it once more" in page.text and code in page.text
    fields = {one["attrs"].get("name"): one["attrs"] for one in page.all("input")}
    assert "checked" in fields["compared"] and "value" not in fields["passphrase"]
    assert fields["passphrase"]["aria-describedby"] in [one["attrs"].get("id") for one in page.elements]
    assert "WRONG-PASSPHRASE" not in wrong.text
    assert "Forgotten PIN: wrong passphrase" in carol.get("/office/audit").text
    assert carol.send_form(f"{PAGE}/{ident}/answer", passphrase=passphrase, compared="yes").status_code == 303


def test_repeated_wrong_ones_are_slowed_down_and_a_right_one_ends_it(office, carol, passphrase):
    ident, _ = asked(office)

    def type_it(given):
        return carol.send_form(f"{PAGE}/{ident}/answer", passphrase=given, compared="yes")

    assert [type_it("WRONG").status_code for _ in range(3)] == [403] * 3
    waits = type_it(passphrase)
    assert waits.status_code == 429
    assert "Too many wrong passphrases: this one was not tried. The next one is taken in 10 seconds." in waits.text
    office.clock.advance(seconds=10)
    assert "The next one is taken in 20 seconds." in type_it("WRONG").text, "each further one waits twice as long"
    office.clock.advance(seconds=19)
    assert type_it(passphrase).status_code == 429
    office.clock.advance(seconds=1)
    assert type_it(passphrase).status_code == 303
    ident, _ = asked(office)
    assert type_it("WRONG").status_code == 403, "counted from the beginning again"


def test_a_question_under_a_former_passphrase_says_which_one_opens_it(office, carol, read, passphrase):
    ident, _ = asked(office)
    office.clock.advance(hours=1)
    carol.send_form(f"{PAGE}/key", another="yes")
    assert "The former one, made Wed Sep 2, 2026" in read(carol.get(PAGE)).text
    assert carol.send_form(f"{PAGE}/{ident}/answer", passphrase=passphrase, compared="yes").status_code == 303


def test_a_question_comes_in_and_its_answer_goes_out_as_a_file(office, carol, dora, passphrase):
    crypto, tablet = NativeCrypto(), office.tablet.tablet
    _, public = asyncio.run(crypto.new_pair())
    city_key = bytes.fromhex(recovery.public_key(office.city))
    box = text(asyncio.run(seal_box(crypto, city_key, bytes(32), USER_KEY)))
    file = write_file(QUESTION_FILE, {
        "tablet": tablet.id, "proof": recovery_proof(tablet.receipt_key), "person": "ada",
        "key": boxes.key_id(city_key), "box": box, "public": public.hex()})

    def bring(person, data):
        return person.post(f"{PAGE}/file", files={"question": ("siltwatch-pin-T01.json", data, "application/json")},
                           headers=SAME, follow_redirects=False)

    wrong = bring(carol, b"{}")
    assert "This file is not the one for this forgotten PIN" in wrong.text and "Take in the question" in wrong.text
    assert bring(dora, file).status_code == 403
    assert bring(carol, file).status_code == 303
    (waiting,) = recovery.asks(office.city)
    assert waiting.code in carol.get(PAGE).text
    assert carol.get(f"{PAGE}/{waiting.id}/file").status_code == 404
    carol.send_form(f"{PAGE}/{waiting.id}/answer", passphrase=passphrase, compared="yes")
    assert f"{PAGE}/{waiting.id}/file" in carol.get(PAGE).text
    answer = carol.get(f"{PAGE}/{waiting.id}/file")
    assert "siltwatch-pin-answer-T01.json" in answer.headers["content-disposition"]
    said = read_file(ANSWER_FILE, ANSWERED, answer.content)
    assert (said["id"], said["state"]) == (waiting.id, "answered") and said["box"]
    assert dora.get(f"{PAGE}/{waiting.id}/file").status_code == 403


def test_declining_needs_a_reason(office, carol, passphrase):
    ident, _ = asked(office)
    refused = carol.send_form(f"{PAGE}/{ident}/decline", reasons=" ")
    assert refused.status_code == 422 and "Write why, in a sentence." in refused.text
    assert carol.send_form(f"{PAGE}/{ident}/decline", reasons="nobody answered the phone").status_code == 303
    assert "declined" in carol.get(PAGE).text


def test_only_administrators(office, dora, stranger, carol, passphrase):
    ident, _ = asked(office)
    assert dora.get(PAGE).status_code == 403 and dora.send_form(f"{PAGE}/key", another="yes").status_code == 403
    assert dora.send_form(f"{PAGE}/{ident}/answer", passphrase=passphrase, compared="yes").status_code == 403
    assert stranger.get(PAGE, follow_redirects=False).status_code in (303, 401, 403)
    assert PAGE in carol.get("/office/tablets").text and PAGE not in dora.get("/office/tablets").text

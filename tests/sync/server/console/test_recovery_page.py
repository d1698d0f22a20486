"""Forgotten PINs in the office: the passphrase, shown once; asked, compared, opened or declined; audited."""

import asyncio
import html
import re

import pytest

from field_app.hardware.crypto import NativeCrypto
from field_app.store.keyring import seal_box, text
from sync.records import boxes
from sync.records.proofs import recovery_proof
from sync.records.recovery import USER_KEY
from sync.server.casework import recovery

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
    assert carol.send_form(f"{PAGE}/{ident}/answer", passphrase="WRONG", compared="yes").status_code == 403
    done = carol.send_form(f"{PAGE}/{ident}/answer", passphrase=passphrase, compared="yes")
    assert done.status_code == 303
    assert "open for this tablet" in carol.get(done.headers["location"]).text
    audit = carol.get("/office/audit").text
    for said in ("Key pair for forgotten PINs made", "the office asked for help", "wrong passphrase", "key opened"):
        assert said in audit
    assert passphrase not in audit


def test_declining_needs_a_reason(office, carol, passphrase):
    ident, _ = asked(office)
    assert carol.send_form(f"{PAGE}/{ident}/decline", reasons=" ").status_code >= 400
    assert carol.send_form(f"{PAGE}/{ident}/decline", reasons="nobody answered the phone").status_code == 303
    assert "declined" in carol.get(PAGE).text


def test_only_administrators(office, dora, stranger, carol, passphrase):
    ident, _ = asked(office)
    assert dora.get(PAGE).status_code == 403 and dora.send_form(f"{PAGE}/key", another="yes").status_code == 403
    assert dora.send_form(f"{PAGE}/{ident}/answer", passphrase=passphrase, compared="yes").status_code == 403
    assert stranger.get(PAGE, follow_redirects=False).status_code in (303, 401, 403)
    assert PAGE in carol.get("/office/tablets").text and PAGE not in dora.get("/office/tablets").text

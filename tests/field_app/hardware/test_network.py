"""What the platform's words about the network mean: free, metered, or nothing said."""

import pytest

from field_app.hardware.network import from_kinds, from_page


@pytest.mark.parametrize(("said", "online", "metered"), [
    ({"online": True, "type": "wifi", "saveData": False}, True, False),
    ({"online": True, "type": "ethernet", "saveData": False}, True, False),
    ({"online": True, "type": "cellular", "saveData": False}, True, True),
    ({"online": True, "type": "wifi", "saveData": True}, True, True),  # the person asked the system to save data
    ({"online": True, "type": "", "saveData": False}, True, None),  # a desktop, an iPad: nothing is told
    ({"online": True, "type": "unknown", "saveData": False}, True, None),
    ({"online": False, "type": "none", "saveData": False}, False, None),
    ({}, True, None),
])  # fmt: skip
def test_the_pages_words(said, online, metered):
    state = from_page(said)
    assert (state.online, state.metered) == (online, metered)


@pytest.mark.parametrize(("kinds", "online", "metered"), [
    (["wifi"], True, False), (["mobile"], True, True), (["wifi", "mobile"], True, False), (["vpn"], True, None),
    (["vpn", "mobile"], True, True), (["none"], False, None), ([], None, None), (["other"], True, None),
])  # fmt: skip
def test_flets_words(kinds, online, metered):
    state = from_kinds(kinds)
    assert (state.online, state.metered) == (online, metered)

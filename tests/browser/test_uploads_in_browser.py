"""Uploads add no memory in the browser: what is sent stays a File, and the WASM heap, which never shrinks, stays."""

import pytest

from sync.server.casework import queries
from tests.support.browser_uploads import PHOTO_BYTES, browser_tablet

pytestmark = pytest.mark.browser


def test_thirty_photos_take_no_more_memory_than_three():
    """30 photos of 2 MB through the tablet's own driver, previews and parts included, after the first 3."""
    with browser_tablet() as tablet:
        first = tablet.send(3)
        rest = tablet.send(30)
        city = tablet.tablet.city
        held = queries.inspection_list(city)
    assert sum(one["files_held"] for one in held) == 33 and all(one["files"] == 3 for one in held)
    assert rest["previews"] > 0, "no preview was made, so what they cost was not seen"
    grown = rest["heap"] - first["heap"]
    assert grown <= PHOTO_BYTES, f"30 photos of {PHOTO_BYTES} bytes made the heap {grown} bytes larger"

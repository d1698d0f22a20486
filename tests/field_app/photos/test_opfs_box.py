"""The evidence box's contract on OPFS, in a worker of a real Chromium, with its canvas for the small pictures."""

import pytest

from tests.contract import box_contract
from tests.contract.outside_box import OUTSIDE_CHECKS
from tests.contract.sealed_box import SEALED_CHECKS
from tests.support.pyodide_page import worker_page

PROJECT = ("field_app/__init__.py", "field_app/store", "field_app/photos", "field_app/hardware", "sync/__init__.py",
           "sync/records", "tests/contract")
CHECKS = box_contract.CHECKS | SEALED_CHECKS | OUTSIDE_CHECKS
RUN = "from tests.contract.opfs_box_world import run_box_contract\nawait run_box_contract({!r})"
pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def worker():
    with worker_page(*PROJECT) as page:
        yield page


@pytest.fixture(scope="module")
def results(worker):
    return worker.run(RUN.format("moving"))


@pytest.fixture(scope="module")
def results_without_move(worker, results):
    """The same where a browser cannot move files."""
    worker.run("import js\njs.eval('delete FileSystemFileHandle.prototype.move')\n'null'")
    return worker.run(RUN.format("writing"))


@pytest.mark.parametrize("name", CHECKS)
def test_contract(name, results):
    assert results[name] is None, results[name]


@pytest.mark.parametrize("name", CHECKS)
def test_contract_where_files_cannot_be_moved(name, results_without_move):
    assert results_without_move[name] is None, results_without_move[name]


def test_a_full_quota_keeps_nothing_half_and_says_so(worker, results_without_move):
    origin = worker.page.evaluate("location.origin")
    quota = worker.page.context.new_cdp_session(worker.page)
    used = int(worker.page.evaluate("navigator.storage.estimate().then(({usage}) => usage)"))
    quota.send("Storage.overrideQuotaForOrigin", {"origin": origin, "quotaSize": used + 2_000_000})
    try:
        said = worker.run("""
import json
from field_app.photos.opfs import open_opfs_box
from field_app.store import StoreFull
box = await open_opfs_box("full")
small = await box.keep(b"%PDF-1.7 small")
try:
    said = await box.keep(b"%PDF-1.7" + bytes(8_000_000))
except StoreFull as full:
    said = full.code
json.dumps([said, await box.shas() == [small], await box.read(small) == b"%PDF-1.7 small"])""")
    finally:
        quota.send("Storage.overrideQuotaForOrigin", {"origin": origin})
    assert said == ["store-full", True, True]


def test_thirty_photos_of_12_megapixels_leave_the_heap_as_three_did(worker):
    """Kept, shown small, and every third with its preview: the WASM heap never shrinks, so it must not grow."""
    seen = worker.run("""
from tests.contract.many_photos_world import many
await many()""")
    print(seen)
    assert seen["kept"] == 30 and seen["megapixels"] == 12 and seen["bytes"] > 1_000_000
    assert seen["after_30"] == seen["after_3"], "no byte of a photo enters it"

"""The outbox contract on the browser's own files (OPFS), in a worker of a real Chromium."""

import pytest

from tests.contract import outbox_contract
from tests.support.pyodide_page import worker_page

PROJECT = ("field_app/__init__.py", "field_app/store", "field_app/photos", "sync/__init__.py", "sync/records",
           "sync/client", "tests/contract", "tests/support/sync_sim.py")  # fmt: skip
pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def results():
    with worker_page(*PROJECT) as page:
        return page.run("from tests.contract.outbox_opfs_world import run_outbox_contract\nawait run_outbox_contract()")


@pytest.mark.parametrize("name", outbox_contract.CHECKS)
def test_contract(name, results):
    assert results[name] is None, results[name]

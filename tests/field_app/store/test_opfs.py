"""The store's contract on OPFS, in a worker of a real Chromium, and what only a browser has."""

import pytest
from tests.contract import store_contract
from tests.support.pyodide_page import worker_page

PROJECT = ("field_app/__init__.py", "field_app/store", "sync/__init__.py", "sync/records", "tests/contract")
pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def worker():
    with worker_page(*PROJECT) as page:
        yield page


@pytest.fixture(scope="module")
def results(worker):
    return worker.run("from tests.contract.opfs_world import run_store_contract\nawait run_store_contract()")


@pytest.mark.parametrize("name", store_contract.CHECKS)
def test_contract(name, results):
    assert results[name] is None, results[name]

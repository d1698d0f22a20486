"""Every field failure that we claim not to have has its tests, by name, and they run in every run."""

import ast
from pathlib import Path

import pytest

from tests.anchors import ANCHORS

TESTS = Path(__file__).parents[1]
# Rows of the study that touch sync; the others are of screens and hardware alone.
ROWS = {1, 3, 5, 7, 9, 11, 13, 15, 17, 20, 23, 25, 27, 29, 31, 33, 34, 36, 38, 39}


def marks(decorators):
    return {part.attr for one in decorators for part in ast.walk(one) if isinstance(part, ast.Attribute)}


@pytest.mark.parametrize("anchor", ANCHORS, ids=lambda anchor: anchor.row)
def test_each_named_test_is_there_and_runs_each_time(anchor):
    assert anchor.tests
    for named in anchor.tests:
        file, _, function = named.partition("::")
        found = [node for node in ast.walk(ast.parse((TESTS / file).read_text()))
                 if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == function]
        assert len(found) == 1, f"{named} is not there"
        assert not marks(found[0].decorator_list) & {"long", "skip", "skipif", "xfail"}, f"{named} does not always run"


def test_every_row_is_there():
    there = {anchor.row for anchor in ANCHORS}
    assert {f"B{number}" for number in ROWS} <= there and sum(row.startswith("E ") for row in there) >= 9
    assert len(there) == len(ANCHORS)

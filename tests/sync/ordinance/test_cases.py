"""Every case file of the project holds under the demo pack, case by case."""

from pathlib import Path

import pytest

from sync.ordinance.cases import evaluate, read_case_file
from sync.ordinance.pack import load_pack
from sync.where import pack_files

FILES = sorted((Path(__file__).resolve().parents[2] / "cases").glob("*.toml"))
PACK = load_pack(pack_files("demo"))
CASES = [pytest.param(path, case, file.office_closed, id=f"{path.stem}-{case.id}")
         for path in FILES for file in [read_case_file(path.read_text(encoding="utf-8"))] for case in file.cases]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_case_of_the_file_can_be_read(path):
    file = read_case_file(path.read_text(encoding="utf-8"))
    assert file.errors == () and file.cases
    ids = [case.id for case in file.cases]
    assert len(set(ids)) == len(ids)


@pytest.mark.parametrize("path, case, closed", CASES)
def test_the_case_holds(path, case, closed):
    result = evaluate(case, PACK.with_closures(closed))
    assert result.holds, result.line()
    assert result.derivation


def test_each_act_has_an_open_case_and_one_closed_by_each_precondition():
    """The acts-*.toml files: for every precondition of every act, some case where that one alone is missing."""
    seen = {act: set() for act in PACK.acts}
    opened = set()
    for path, case, closed in (param.values for param in CASES):
        if not path.stem.startswith("acts-"):
            continue
        came, _ = case.run(PACK.with_closures(closed))
        for key in case.expect:
            word, _, act = key.partition(" ")
            if word == "may" and act in seen:
                assert came[f"missing {act}"] == ()
                opened.add(act)
            elif word == "may_not" and act in seen and len(came[f"missing {act}"]) == 1:
                seen[act].update(came[f"missing {act}"])
    assert opened == set(PACK.acts)
    # The format has no event for the request itself; test_acts.py shows that one.
    never_alone = {("request_cease_and_desist", "not requested yet")}
    for act, rule in PACK.acts.items():
        missing = {need for need in rule.needs if need not in seen[act] and (act, need) not in never_alone}
        assert missing == set(), f"{act}: no case is closed by {missing} alone"

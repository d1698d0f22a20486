"""docs/server.md says what is true: every command and option stands in it, every limit is the one in the code."""

from pathlib import Path

import pytest

from sync.records.protocol import MAX_BATCH, MAX_EVIDENCE_BYTES, MAX_FACT_BYTES, MAX_PIXELS
from sync.server import cli, opening
from sync.server.api.guard import MAX_JSON_BYTES
from sync.server.casework import codes
from sync.server.settings import DEFAULT_PORT

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "server.md").read_text()
COMMANDS = next(action.choices for action in cli.parser()._actions if action.choices)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_and_its_options_stand_in_the_page(name):
    assert f"`siltwatch {name}" in PAGE
    if name != "law":
        for action in COMMANDS[name]._actions:
            for option in action.option_strings:
                assert option in ("-h", "--help") or f"{option}" in PAGE, f"{name} {option}"


def test_the_defaults_and_limits_are_those_of_the_code():
    plain = " ".join(PAGE.split())
    assert f"`{DEFAULT_PORT}`" in PAGE
    assert f"{MAX_JSON_BYTES // 1024**2} MB and {MAX_BATCH} facts" in plain
    assert f"a fact of at most {MAX_FACT_BYTES // 10**6} MB" in plain
    assert f"file of at most {MAX_EVIDENCE_BYTES // 1024**2} MB" in plain
    assert f"{MAX_PIXELS // 10**6} megapixels" in plain
    assert [codes.LIFE[purpose].days for purpose in ("enrol", "personal", "link")] == [2, 2, 1]
    for name in (opening.DATABASE, opening.ADDRESS, opening.SECRET, opening.EVIDENCE):
        assert f"`{name}" in PAGE


def test_every_problem_that_this_room_raises_is_in_the_catalogue():
    import re

    from sync.records.problems import CATALOGUE

    server = Path(cli.__file__).parent
    raised = {code for path in server.rglob("*.py")
              for code in re.findall(r'Problem\(\s*"([a-z0-9-]+)"', path.read_text())}
    assert len(raised) > 25
    assert raised <= set(CATALOGUE)

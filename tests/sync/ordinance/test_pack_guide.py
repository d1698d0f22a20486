"""The guide to packs names every file, every key that a pack may hold, and nothing that does not exist."""

import re
import tomllib
from pathlib import Path

import pytest

from sync.ordinance.items import DUE_KINDS, SEVERITIES, SUBJECTS, TYPES
from sync.ordinance.need import EXCEPTIONS, TRIGGERS
from sync.ordinance.pack import FILES
from sync.where import pack_files

GUIDE = (Path(__file__).resolve().parents[3] / "docs" / "ordinance-pack.md").read_text(encoding="utf-8")


def keys(value: object, languages: tuple[str, ...] = ("en", "es")) -> set[str]:
    """Keys that a person writes, as far as the reader fixes them (not the names a pack gives to its own things)."""
    if isinstance(value, list):
        return set().union(*(keys(one) for one in value)) if value else set()
    if not isinstance(value, dict) or set(value) == set(languages):
        return set()
    return {key for key in value if re.fullmatch(r"[a-z_]+", key)} | set().union(*(keys(one) for one in value.values()))


@pytest.mark.parametrize("file", FILES)
def test_every_file_has_its_chapter(file):
    assert re.search(rf"^### .*{re.escape(file)}", GUIDE, re.MULTILINE)


def test_every_key_of_the_shipped_packs_is_explained():
    named_by_the_pack = {"king", "presidents", "memorial", "juneteenth", "independence", "primary", "labor", "columbus",
                         "election", "veterans", "thanksgiving", "christmas", "new_year"}
    for name in ("demo", "blank"):
        files = pack_files(name)
        tables = {file: tomllib.loads(text) for file, text in files.items()}
        named = set(named_by_the_pack)
        for group in ("act", "duty"):
            named |= set(tables["acts.toml"][group])
        named |= set(tables["powers.toml"]["power"]) | set(tables["powers.toml"]["role"])
        named |= set(tables["permits.toml"]["application"]["label"]) | set(tables["pack.toml"].get("office", ()))
        for file, table in tables.items():
            missing = {key for key in keys(table) - named if not re.search(rf"\b{key}\b", GUIDE)}
            assert missing - {"label", "question"} == set(), f"{file}: {missing} are not in the guide"


@pytest.mark.parametrize("name", [*TYPES, *SEVERITIES, *SUBJECTS, *DUE_KINDS, *TRIGGERS, *EXCEPTIONS,
                                  *(f"K{number}" for number in range(1, 13))])
def test_every_value_that_may_be_chosen_is_explained(name):
    assert name in GUIDE

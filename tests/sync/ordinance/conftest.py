"""The packs that the law tests run on: the shipped demo and blank ones, and the small one of the tests."""

from pathlib import Path

import pytest

from sync.ordinance.pack import load_pack
from sync.where import pack_files

SMALL = Path(__file__).resolve().parents[2] / "packs" / "small"


def small_files() -> dict[str, str]:
    return {place.name: place.read_text(encoding="utf-8") for place in SMALL.glob("*.toml")}


@pytest.fixture(scope="session")
def pack():
    return load_pack(pack_files("demo"))


@pytest.fixture(scope="session")
def blank():
    return load_pack(pack_files("blank"))


@pytest.fixture(scope="session")
def small():
    return load_pack(small_files())

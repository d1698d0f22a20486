"""``siltwatch law pack install`` and ``list``: an ordinance taken into force from a folder, dated and in the record."""

import shutil

import pytest

from sync.server.casework import audit, queries
from sync.server.cli import main
from sync.where import assets
from tests.support.city import folder_city
from tests.support.clock import StoppedClock


@pytest.fixture
def data(tmp_path):
    city = folder_city(tmp_path / "city", StoppedClock())
    city.db.close()
    return tmp_path / "city"


@pytest.fixture
def pack(tmp_path):
    """The demo city's ordinance under its next version."""
    place = tmp_path / "pack"
    shutil.copytree(assets() / "ordinance" / "demo", place)
    text = (place / "pack.toml").read_text(encoding="utf-8").replace('version = "2026.1"', 'version = "2026.2"')
    (place / "pack.toml").write_text(text, encoding="utf-8")
    return place


@pytest.fixture
def run(capsys, data):
    def law(*words):
        code = main(["law", "pack", *map(str, words), "--data", str(data)])
        out, err = capsys.readouterr()
        return code, out, err

    return law


def test_a_folder_is_taken_into_force_once(run, pack, data):
    code, out, _ = run("install", pack)
    assert code == 0 and out.startswith("demo@2026.2 is in force from ")
    assert run("install", pack)[1].endswith("nothing was changed.\n")
    code, out, _ = run("list")
    assert code == 0
    (now,) = [line for line in out.splitlines() if line.endswith("in force")]
    assert now.startswith("demo@2026.2") and "demo@2026.1" in out
    from sync.server.opening import open_city

    city = open_city(data, StoppedClock(), "http://localhost")
    assert "pack_in_force" in {row["what"] for row in queries.audit_list(city)} and audit.verify(city)
    city.db.close()


def test_a_folder_with_a_mistake_changes_nothing(run, pack, tmp_path):
    (pack / "limits.toml").write_text("not TOML [", encoding="utf-8")
    code, out, err = run("install", pack)
    assert code == 2 and out == "" and "limits.toml" in err
    assert run("install", tmp_path)[0] == 2
    assert "2026.2" not in run("list")[1]


def test_one_that_would_not_come_down_to_tablets_is_refused(run, pack, capsys):
    place = pack / "need.toml"
    place.write_text(place.read_text(encoding="utf-8") + "\n# é" * 300_000, encoding="utf-8")
    code, out, err = run("install", pack)
    assert code == 2 and out == "" and "need.toml" in err and "at most 1000000 bytes together" in err
    assert "2026.2" not in run("list")[1]
    assert main(["law", "pack", "validate", str(pack)]) == 1
    assert "no tablet would get them" in capsys.readouterr().err


def test_the_same_version_with_another_text_is_refused(run, pack):
    assert run("install", pack)[0] == 0
    place = pack / "limits.toml"
    place.write_text(place.read_text(encoding="utf-8") + "\n# another word\n", encoding="utf-8")
    code, _, err = run("install", pack)
    assert code == 2 and "give it a new version" in err


def test_without_a_city_it_says_so(capsys, pack, tmp_path):
    assert main(["law", "pack", "install", str(pack), "--data", str(tmp_path / "none")]) == 2
    assert "there is no city" in capsys.readouterr().err

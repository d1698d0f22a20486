"""``siltwatch city new`` in real processes: a city is founded, served, signed in to, and given a tablet and people."""

import re
import shutil
import subprocess
import sys
from contextlib import contextmanager

import httpx
import pytest

from sync.records.protocol import HELLO
from sync.server import opening
from sync.server.casework import audit, queries
from sync.server.cli import main
from sync.server.opening import open_city
from sync.where import assets
from tests.support.clock import StoppedClock
from tests.support.static_server import free_port

PACK = assets() / "ordinance" / "blank"


def siltwatch(*words):
    done = subprocess.run([sys.executable, "-m", "sync.server.cli", *map(str, words)], capture_output=True, text=True,
                          timeout=120)
    return done.returncode, done.stdout, done.stderr


@contextmanager
def served(data):
    """`siltwatch serve` over the folder; gives its address."""
    port = free_port()
    command = [sys.executable, "-m", "sync.server.cli", "serve", "--data", str(data), "--port", str(port)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout.readline() == f"Siltwatch serves City of Oakbend at http://localhost:{port}\n"
        yield f"http://localhost:{port}"
    finally:
        process.terminate()
        process.wait()
        process.stdout.close()


def found(data, *more, name="City of Oakbend", admin="Carol Brandt"):
    return siltwatch("city", "new", "--data", data, "--name", name, "--pack", PACK, "--admin", admin, *more)


@pytest.fixture(scope="module")
def founded(tmp_path_factory):
    data = tmp_path_factory.mktemp("founded") / "city"
    code, out, err = found(data, "--title", "Building Inspector", "--power", "issue", "--power", "inspect")
    assert (code, err) == (0, "")
    return data, out


def test_a_founded_city_is_served_and_its_administrator_signs_in_once(founded, tmp_path):
    data, out = founded
    assert out.startswith(f"City of Oakbend was founded in {data}: id oakbend, ordinance blank@1, days counted in ")
    assert re.search(r"Passphrase for forgotten PINs: [A-Z0-9-]{20,}", out)
    shutil.copytree(data, tmp_path / "city")
    link = re.search(r"http://localhost:8321(/office/sign-in\S+)", out)[1]
    code, said, _ = siltwatch("city", "person", "ada", "--name", "Ada Lindqvist", "--title", "Inspector", "--power",
                              "inspect", "--power", "post", "--data", tmp_path / "city")
    assert code == 0 and said.startswith("Ada Lindqvist (ada) was added, and holds from today: inspect, post.")
    with served(tmp_path / "city") as address, httpx.Client(base_url=address, follow_redirects=True) as office:
        token = re.search(r'name="link" value="([^"]+)"', office.get(link).text)[1]
        office.post("/office/sign-in", data={"link": token}, headers={"Origin": address})
        people = office.get("/office/people").text
        assert "Carol Brandt" in people and "Ada Lindqvist" in people
        assert office.post("/office/tablets/code", headers={"Origin": address}).status_code == 200
        said = office.get(HELLO).json()
        assert (said["siltwatch"], said["city"]) == (True, "oakbend")


def test_what_is_there_already_is_refused_and_stays(founded, tmp_path):
    data, _ = founded
    before = {path.name: path.read_bytes() for path in data.iterdir() if path.is_file()}
    code, out, err = found(data, name="City of Elsewhere")
    assert (code, out) == (2, "") and "already-decided" in err and "nothing was changed" in err
    assert {path.name: path.read_bytes() for path in data.iterdir() if path.is_file()} == before
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "letter.txt").write_text("keep me", "utf-8")
    assert "folder-in-the-way" in found(tmp_path / "full")[2]
    assert [path.name for path in (tmp_path / "full").iterdir()] == ["letter.txt"]


@pytest.mark.parametrize(("more", "says"), [
    (("--zone", "Europe/Berlin"), "counts its days in America/Chicago"),
    (("--zone", "Nowhere/Here"), "there is no time zone 'Nowhere/Here'"),
    (("--power", "fly"), "there is no power 'fly'"),
    (("--id", "!!"), "no id can be made of '!!'"),
    (("--admin", "  "), "1 to 200 characters are needed"),
    (("--pack", "no-such-folder"), "holds no pack.toml"),
    (("--admin", "Keeper Jones"), "give another id"),
    (("--public-url", "siltwatch.oakbend.gov"), "is no address such as https://"),
    (("--admin", "A B", "--admin-id", "server"), "give another id"),
    (("--name", "Oak\udcffbend"), "only such as can be printed"),
    (("--title", "T" * 201), "1 to 200 characters are needed"),
    (("--data", str(PACK / "pack.toml" / "city")), "Name a folder that can be written to"),
])
def test_what_cannot_be_leaves_nothing_behind(tmp_path, capsys, more, says):
    code = main(["city", "new", "--data", str(tmp_path / "c"), "--name", "Oakbend", "--pack", str(PACK), "--admin", "A",
                 *more])
    out, err = capsys.readouterr()
    assert (code, out) == (2, "") and says in err and list(tmp_path.iterdir()) == []


def test_only_what_it_left_itself_is_cleared_away_beside_the_folder(tmp_path, capsys):
    """A founding that was stopped in the middle leaves half a city beside its folder; whatever else is there stays."""
    building = tmp_path / "c.setting-up"

    def founds():
        code = main(["city", "new", "--data", str(tmp_path / "c"), "--name", "Oakbend", "--pack", str(PACK), "--admin",
                     "A"])
        return code, capsys.readouterr().err

    building.mkdir()
    (building / "letters").mkdir()
    (building / "letters" / "letter.txt").write_text("keep me", "utf-8")
    assert founds()[0] == 2
    with pytest.raises(KeyboardInterrupt), opening.built_beside(tmp_path / "d") as left:
        opening.make_city(left, StoppedClock(), "http://localhost", ident="d", name="D", zone="America/Chicago",
                          pack_files={path.name: path.read_text("utf-8") for path in PACK.glob("*.toml")})
        raise KeyboardInterrupt
    (tmp_path / "d.setting-up").rename(tmp_path / "half")
    for half in (tmp_path / "half").iterdir():
        half.rename(building / half.name)
    code, said = founds()
    assert code == 2 and "folder-in-the-way" in said and "c.setting-up is there" in said
    assert (building / "letters" / "letter.txt").read_text("utf-8") == "keep me" and not (tmp_path / "c").exists()
    shutil.rmtree(building / "letters")
    assert founds()[0] == 0 and not building.exists()
    assert not [path for path in (tmp_path / "c").iterdir() if path.name.startswith(".being")]


def test_a_folder_named_by_a_dot_and_a_name_with_accents(tmp_path, capsys, monkeypatch):
    (tmp_path / "city").mkdir()
    monkeypatch.chdir(tmp_path / "city")
    assert main(["city", "new", "--data", ".", "--name", "Oakbend", "--pack", str(PACK), "--admin", "José Núñez"]) == 0
    assert "José Núñez (jose) administers it" in capsys.readouterr().out
    assert (tmp_path / "city" / "city.secret").is_file() and len(list(tmp_path.iterdir())) == 1


def test_an_id_that_is_somebodys_is_given_to_nobody_else(founded, tmp_path, capsys):
    shutil.copytree(founded[0], tmp_path / "city")
    other = ["city", "person", "carol", "--name", "Carol Nguyen", "--power", "post", "--data", str(tmp_path / "city")]
    assert main(other) == 2
    assert "carol is Carol Brandt: give somebody else another id" in capsys.readouterr().err
    assert main([*other, "--rename"]) == 0
    city = open_city(tmp_path / "city", StoppedClock("2030-01-01T12:00:00-06:00"), "http://localhost")
    assert [one["name"] for one in queries.people_list(city)] == ["Carol Nguyen"]
    city.db.close()


def test_who_is_there_is_brought_up_to_date_and_loses_nothing(founded, tmp_path, capsys):
    shutil.copytree(founded[0], tmp_path / "city")
    data = ["--data", str(tmp_path / "city")]
    assert main(["city", "person", "carol", "--power", "post", "--power", "issue", *data]) == 0
    assert main(["city", "person", "dora", "--name", "Dora Nguyen", *data]) == 2
    assert main(["city", "person", "ghost", *data]) == 2
    assert "give --name to add them" in capsys.readouterr().err
    city = open_city(tmp_path / "city", StoppedClock("2030-01-01T12:00:00-06:00"), "http://localhost")
    [carol] = queries.people_list(city)
    assert (carol["name"], carol["title"]) == ("Carol Brandt", "Building Inspector")
    assert sorted(grant["power"] for grant in carol["powers"]) == ["administer", "inspect", "issue", "post"]
    assert audit.verify(city) > 0
    city.db.close()

"""siltwatch import FILE: at the machine itself, with exit codes that a shell understands."""

import pytest

from sync.records.exports import read_receipts_file
from sync.records.macs import fingerprint
from sync.server import cli
from sync.server.casework.lives import mark_now
from sync.server.opening import open_city
from tests.support.city import PUBLIC_URL, field_tablet, folder_city, inspection_body
from tests.support.clock import StoppedClock
from tests.support.exported import exported
from tests.support.office import picture

PHOTO = picture(6, (40, 30))


@pytest.fixture(scope="module")
def there(tmp_path_factory):
    """A city's folder and a file of one of its tablets."""
    home = tmp_path_factory.mktemp("import")
    city = folder_city(home / "city", StoppedClock())
    tablet = field_tablet(city)
    fact = tablet.fact("inspection_signed", inspection_body(), evidence=[(fingerprint(PHOTO), "photo")])
    (home / "t.zip").write_bytes(exported(tablet, fact, files={PHOTO: "photo"}))
    city.db.close()
    return home


def run(there, *words):
    return cli.main(["import", *words, "--data", str(there / "city")])


def test_look_then_take_in_then_again(there, capsys):
    assert run(there, str(there / "t.zip"), "--look") == 0
    assert "1 records, 1 of them not here yet" in capsys.readouterr().out
    for _ in range(2):
        assert run(there, str(there / "t.zip")) == 0
        assert "Taken in: records 1 applied; 1 evidence files held." in capsys.readouterr().out
    assert len(read_receipts_file((there / "t.receipts.json").read_bytes()).facts) == 1
    assert run(there, str(there / "t.zip"), "--look") == 0
    assert "0 of them not here yet" in capsys.readouterr().out
    assert cli.main(["audit", "verify", "--data", str(there / "city")]) == 0


def test_bad_files_say_what_to_do_and_exit_with_two(there, capsys):
    (there / "cut.zip").write_bytes((there / "t.zip").read_bytes()[:-40])
    (there / "photo.jpg").write_bytes(PHOTO)
    for name, code in (("cut.zip", "export-damaged"), ("photo.jpg", "export-malformed"), ("none.zip", "not-found")):
        assert run(there, str(there / name)) == 2
        assert f"[{code}]" in capsys.readouterr().err


def test_what_comes_into_a_backup_bears_the_mark_of_another_life(there, capsys):
    """Whoever takes a file in before the copy was ever served must not give a number a second time."""
    copy = ["--data", str(there / "copy")]
    assert cli.main(["backup", "--to", str(there / "copy"), "--data", str(there / "city")]) == 0
    assert cli.main(["import", str(there / "t.zip"), "--look", *copy]) == 0
    marks = []
    for _ in range(2):
        assert cli.main(["import", str(there / "t.zip"), *copy]) == 0
        city = open_city(there / "copy", StoppedClock(), PUBLIC_URL)
        with city.db.read() as tx:
            marks.append(mark_now(tx, city))
        city.db.close()
    assert marks[0] and marks[0] == marks[1], "once"
    capsys.readouterr()


def test_nothing_is_taken_in_where_the_receipts_cannot_be_written(tmp_path, capsys):
    city = folder_city(tmp_path / "city", StoppedClock())
    tablet = field_tablet(city)
    (tmp_path / "t.zip").write_bytes(exported(tablet, tablet.fact("inspection_signed", inspection_body())))
    city.db.close()
    assert run(tmp_path, str(tmp_path / "t.zip"), "--receipts", str(tmp_path / "nowhere" / "r.json")) == 1
    assert "[file-not-written]" in capsys.readouterr().err
    assert run(tmp_path, str(tmp_path / "t.zip"), "--look") == 0
    assert "1 records, 1 of them not here yet" in capsys.readouterr().out
    assert run(tmp_path, str(tmp_path / "t.zip"), "--receipts", str(tmp_path / "r.json")) == 0
    assert len(read_receipts_file((tmp_path / "r.json").read_bytes()).facts) == 1
    assert sorted(one.name for one in tmp_path.glob("*.unfinished")) == []

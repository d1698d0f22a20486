"""A backup is whole although the city is being served, and a city restored from it knows its own."""

import hashlib
import io
import os
import shutil
import threading

import pytest
from PIL import Image

from sync.records.problems import Problem
from sync.records.receipts import open_receipt
from sync.server import cli, opening
from sync.server.casework import audit, queries
from sync.server.casework.enrolment import tablet_by_token
from sync.server.casework.evidence import already_held, hold_bytes, missing_evidence
from sync.server.casework.lives import begin_life, mark_now, register_lines
from sync.server.casework.receiving import receive_facts
from sync.server.opening import back_up, open_city
from tests.support.city import PUBLIC_URL, field_tablet, folder_city, inspection_body, order_body
from tests.support.clock import StoppedClock
from tests.support.exported import exported
from tests.support.killed_process import die, forked


@pytest.fixture
def clock():
    return StoppedClock()


@pytest.fixture
def city(tmp_path, clock):
    found = folder_city(tmp_path / "data", clock)
    yield found
    found.db.close()


def picture(shade):
    out = io.BytesIO()
    Image.new("RGB", (40, 30), (shade, 0, 0)).save(out, "PNG")
    return out.getvalue()


def hold(city, tablet, shade):
    data = picture(shade)
    sha = hashlib.sha256(data).hexdigest()
    hold_bytes(city, tablet.tablet, sha, "photo", data)
    return sha


def test_a_copy_made_while_a_tablet_sends_is_whole(city, tmp_path, clock):
    tablet = field_tablet(city, "ada")
    enough = threading.Event()

    def send():
        shade = 0
        while not enough.is_set() and shade < 250:
            sha = hold(city, tablet, shade)
            tablet.push(tablet.fact("inspection_signed", inspection_body(), evidence=[(sha, "photo")]))
            shade += 1

    sender = threading.Thread(target=send)
    sender.start()
    try:
        for round_ in range(3):
            back_up(city, tmp_path / "data", tmp_path / f"copy{round_}")
    finally:
        enough.set()
        sender.join()
    for round_ in range(3):
        copy = open_city(tmp_path / f"copy{round_}", clock, PUBLIC_URL)
        audit.verify(copy)
        assert list(missing_evidence(copy)) == []
        assert copy.secret == city.secret
        copy.db.close()


def test_a_city_restored_from_yesterday_takes_again_what_its_tablets_still_hold(city, tmp_path, clock):
    """The order, its photo and the tablet itself are newer than the backup."""
    back_up(city, tmp_path / "data", tmp_path / "yesterday")
    tablet = field_tablet(city, "ada")
    sha = hold(city, tablet, 7)
    fact = tablet.fact("order_posted", order_body(tablet), evidence=[(sha, "photo")])
    assert tablet.push(fact)[0].whole
    city.db.close()
    shutil.rmtree(tmp_path / "data")
    (tmp_path / "yesterday").rename(tmp_path / "data")
    restored = open_city(tmp_path / "data", clock, PUBLIC_URL)
    epoch = begin_life(restored)
    again = tablet_by_token(restored, tablet.enrolled.device_token)
    [answer] = receive_facts(restored, again, [tablet.item(fact)])
    receipt = open_receipt(answer, tablet.tablet.receipt_key)
    assert (receipt.answer, receipt.epoch, receipt.evidence) == ("applied", epoch, {sha: False})
    hold(restored, tablet, 7)
    assert queries.order_list(restored)[0]["number"] == fact.body["number"]
    assert queries.order_list(restored)[0]["register"] != "R-2026-00001", "that one may be on a paper already"
    audit.verify(restored)
    restored.db.close()


def test_a_backup_that_is_served_begins_another_life_by_itself(city, tmp_path, clock):
    """Whoever forgets the mark must not give a number twice."""
    back_up(city, tmp_path / "data", tmp_path / "copy")
    found = []
    for _ in range(2):
        copy = open_city(tmp_path / "copy", clock, PUBLIC_URL, serving=True)
        with copy.db.read() as tx:
            found.append((copy.epoch(), mark_now(tx, copy)))
        copy.db.close()
    assert found[0] == found[1], "once: the next start finds it marked"
    assert found[0][0] != city.epoch() and found[0][1]
    with city.db.read() as tx:
        assert mark_now(tx, city) == "", "the original goes on as it was"


@pytest.mark.parametrize("length", [0, 50])
def test_of_a_photo_that_a_restored_folder_has_in_part_nobody_says_that_it_is_held(city, tmp_path, length):
    """The copy of the evidence was cut off: the receipt says so, the tablet brings the photo, and it is whole again."""
    tablet = field_tablet(city, "ada")
    sha = hold(city, tablet, 7)
    fact = tablet.fact("order_posted", order_body(tablet), evidence=[(sha, "photo")])
    assert tablet.push(fact)[0].whole
    place = tmp_path / "data" / "evidence" / sha[:2] / sha
    os.truncate(place, length)
    assert tablet.push(fact)[0].evidence == {sha: False}
    assert list(missing_evidence(city)) == [sha]
    assert already_held(city, tablet.tablet, sha) is None, "it must come again"
    hold(city, tablet, 7)
    assert tablet.push(fact)[0].whole and place.read_bytes() == picture(7)
    assert list(missing_evidence(city)) == []


def test_a_backup_never_writes_over_anything_and_never_hides_a_damage(city, tmp_path):
    tablet = field_tablet(city, "ada")
    sha = hold(city, tablet, 7)
    (tmp_path / "there").mkdir()
    with pytest.raises(Problem) as caught:
        back_up(city, tmp_path / "data", tmp_path / "there")
    assert caught.value.code == "folder-in-the-way"
    place = tmp_path / "data" / "evidence" / sha[:2] / sha
    place.write_bytes(place.read_bytes()[:-1] + b"x")
    with pytest.raises(Problem) as caught:
        back_up(city, tmp_path / "data", tmp_path / "copy")
    assert (caught.value.code, sha in caught.value.detail) == ("data-damaged", True)


def test_the_command(city, tmp_path, capsys):
    hold(city, field_tablet(city, "ada"), 7)
    assert cli.main(["backup", "--data", str(tmp_path / "data"), "--to", str(tmp_path / "copy")]) == 0
    assert "1 evidence files" in capsys.readouterr().out
    assert cli.main(["audit", "verify", "--data", str(tmp_path / "copy")]) == 0
    assert cli.main(["backup", "--data", str(tmp_path / "data"), "--to", str(tmp_path / "copy")]) == 2


def test_a_command_that_was_interrupted_does_not_say_that_it_is_done(city, tmp_path, monkeypatch, capsys):
    """`siltwatch backup ... && rm old` keeps the old one."""

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(opening, "_copy_all", interrupted)
    assert cli.main(["backup", "--data", str(tmp_path / "data"), "--to", str(tmp_path / "copy")]) == 130
    assert "interrupted" in capsys.readouterr().err and not (tmp_path / "copy").exists()


def test_a_backup_into_which_a_tablets_file_is_taken_before_it_is_served_gives_no_number_twice(city, tmp_path, clock):
    first, second = field_tablet(city, "ada"), field_tablet(city, "ada", seed=3)
    back_up(city, tmp_path / "data", tmp_path / "backup")
    [lost] = first.push(first.fact("order_posted", order_body(first)))
    (tmp_path / "t.zip").write_bytes(exported(second, second.fact("order_posted", order_body(second))))
    for _ in range(2):
        assert cli.main(["import", str(tmp_path / "t.zip"), "--data", str(tmp_path / "backup")]) == 0
    copy = open_city(tmp_path / "backup", clock, PUBLIC_URL, serving=True)
    begun, order = register_lines(copy)
    assert begun["restored"] and begun["mark"] in order["register"] and order["register"] != lost.register
    assert copy.epoch() != city.epoch()
    copy.db.close()


def test_a_copy_that_was_cut_off_is_no_city_and_the_next_one_takes_its_place(city, tmp_path, monkeypatch):
    """Killed, or no room left: the folder that was asked for is not there, and what is there is not served."""
    tablet = field_tablet(city, "ada")
    hold(city, tablet, 1)
    hold(city, tablet, 2)
    copy, begun = tmp_path / "copy", tmp_path / "copy.unfinished"
    streams, real = [], city.blobs.stream

    def killed(sha256):
        streams.append(sha256)
        if len(streams) == 2:
            raise KeyboardInterrupt
        return real(sha256)

    monkeypatch.setattr(city.blobs, "stream", killed)
    with pytest.raises(KeyboardInterrupt):
        back_up(city, tmp_path / "data", copy)
    assert begun.exists() and not copy.exists()
    with pytest.raises(Problem) as refused:
        open_city(begun, StoppedClock(), PUBLIC_URL)
    assert refused.value.code in ("data-missing", "data-damaged")

    def full(sha256):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(city.blobs, "stream", full)
    with pytest.raises(Problem) as refused:
        back_up(city, tmp_path / "data", copy)
    assert refused.value.code == "file-not-written" and not begun.exists() and not copy.exists()

    monkeypatch.setattr(city.blobs, "stream", real)
    assert back_up(city, tmp_path / "data", copy) == 2
    assert not begun.exists()
    open_city(copy, StoppedClock(), PUBLIC_URL).db.close()


def test_a_copy_that_lacks_nothing_but_its_name_is_called_what_it_is_and_kept(city, tmp_path):
    """Killed after its secret was written, it can be served: nobody throws it away, and nobody calls it foreign."""
    hold(city, field_tablet(city, "ada"), 1)
    copy, begun = tmp_path / "copy", tmp_path / "copy.unfinished"

    def dies_before(name):
        def work(_):
            setattr(opening, name, lambda *_: die())
            back_up(city, tmp_path / "data", copy)

        assert forked(work)[0] and begun.exists() and not copy.exists()

    dies_before("_write_for_owner")
    (begun / "city.secret").touch()  # killed a moment later
    dies_before("flush_folder")
    with pytest.raises(Problem) as refused:
        back_up(city, tmp_path / "data", copy)
    assert refused.value.code == "folder-in-the-way" and "is a whole copy of a city" in refused.value.detail
    begun.rename(copy)
    open_city(copy, StoppedClock(), PUBLIC_URL, serving=True).db.close()


def test_a_folder_of_something_else_is_not_thrown_away_for_a_copy(city, tmp_path):
    other = tmp_path / "copy.unfinished"
    other.mkdir()
    (other / "letters.txt").write_text("mine")
    with pytest.raises(Problem) as refused:
        back_up(city, tmp_path / "data", tmp_path / "copy")
    assert refused.value.code == "folder-in-the-way" and (other / "letters.txt").read_text() == "mine"
    assert "holds letters.txt" in refused.value.detail

"""``siltwatch law`` as a person or a script runs it: what it prints, and its exit codes 0, 1 and 2."""

import io
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from sync.server.cli import main
from sync.where import assets

ROOT = Path(__file__).resolve().parents[3]
CASES = ROOT / "tests" / "cases"
SMALL = Path(__file__).resolve().parents[2] / "packs" / "small"
GOOD = (
    '[[deadline]]\nid = "D1"\nclock = "entry"\ngiven = { notice_issued = 2026-08-03 }\n'
    "expect = { eligible_from = 2026-08-18 }\n"
)
WRONG = GOOD.replace("D1", "D2").replace("2026-08-18", "2026-08-17")


@pytest.fixture
def law(capsys):
    def run(*arguments):
        code = main(["law", *map(str, arguments)])
        out, err = capsys.readouterr()
        return code, out, err

    return run


def write(folder: Path, text: str, name: str = "cases.toml") -> Path:
    place = folder / name
    place.write_text(text, encoding="utf-8")
    return place


def test_check_is_quiet_when_all_hold(law):
    code, out, err = law("check", *sorted(CASES.glob("*.toml")))
    assert code == 0 and err == ""
    assert out.count("\n") == 1 and " 0 failed" in out


def test_check_prints_one_line_per_case_that_differs(law, tmp_path):
    code, out, _ = law("check", write(tmp_path, GOOD + WRONG))
    assert code == 1
    lines = out.splitlines()
    assert lines[0].startswith("D2: expected eligible_from 2026-08-17, came 2026-08-18 | notice issued Mon Aug 3")
    assert lines[1:] == ["1 held, 1 failed (demo@2026.1)"]


@pytest.mark.parametrize(
    "text, words",
    [
        ("[[deadline", "cannot be read as TOML"),
        (GOOD.replace("given", "givven"), "case D1: given: is missing"),
        (GOOD + "colour = 1\n", "case D1: colour: is not a key that is known here"),
        (
            GOOD.replace("2026-08-03", "2033-08-03").replace("entry", "revocation").replace("notice_issued", "issued"),
            "2033",
        ),
        ('[[tort]]\nid = "X"\n', "tort"),
    ],
)
def test_check_says_what_it_cannot_read(law, tmp_path, text, words):
    code, out, err = law("check", write(tmp_path, text))
    assert code == 2 and words in err and "could not be read" in out


@pytest.mark.parametrize(
    "data, words", [(b'id = "\xff"', "it is not UTF-8 text"), (b"x = " + b"[" * 5000, "too deep"), (None, "directory")]
)
def test_a_file_that_is_no_case_file_is_said_in_one_sentence(law, tmp_path, data, words):
    place = tmp_path / "cases.toml"
    place.mkdir() if data is None else place.write_bytes(data)
    code, _, err = law("check", place)
    assert code == 2 and words in err and err.count("\n") == 1


def test_a_reader_that_goes_away_is_no_traceback(tmp_path):
    place = write(tmp_path, WRONG * 2000)
    command = f"{sys.executable} -m sync.server.cli law check {place} | head -1"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, cwd=ROOT, timeout=60, check=False)
    assert done.stdout.startswith("D2: expected") and done.stderr == ""


def test_bad_input_outweighs_a_case_that_differs_and_the_rest_is_still_checked(law, tmp_path):
    code, out, err = law("check", tmp_path / "none.toml", write(tmp_path, GOOD + WRONG))
    assert code == 2 and "none.toml" in err and "1 held, 1 failed, 1 could not be read" in out


def test_check_against_another_pack(law, tmp_path):
    place = write(tmp_path, GOOD.replace("2026-08-18", "2026-08-09"))
    assert law("check", "--pack", SMALL, place)[0] == 0
    assert law("check", place)[0] == 1
    code, _, err = law("check", "--pack", "nowhere", place)
    assert code == 2 and "there are: blank, demo" in err


def test_office_closed_counts_in_its_own_file_alone(law, tmp_path):
    review = (
        '[[deadline]]\nid = "D"\nclock = "application_review"\ngiven = { received = 2026-06-26 }\n'
        "expect = { last_day = 2026-07-DAY }\n"
    )
    first = write(tmp_path, "office_closed = [2026-07-03]\n" + review.replace("DAY", "13"), "a.toml")
    second = write(tmp_path, review.replace("DAY", "10"), "b.toml")
    assert law("check", first, second)[0] == 0


@pytest.mark.parametrize(
    "flags, result",
    [
        (("--in-city", "yes", "--area", "700sqft@15deg"), "result: required; triggers: C1"),
        (("--in-city", "yes", "--area", "2acres@1:20"), "result: undetermined"),
        (("--in-city", "yes", "--cut", "60", "--fill", "40"), "result: required; triggers: C2"),
        (("--in-city", "yes", "--strip", "12x2700"), "result: required; triggers: C2"),
        (("--in-city", "yes", "--utility", "150", "--utility", "150"), "result: required; triggers: C4"),
        (("--in-city", "no"), "result: not_required"),
        (("--agricultural-use", "yes"), "result: exempt"),
        (
            (
                "--in-city",
                "yes",
                "--area",
                "none",
                "--cut",
                "0",
                "--fill",
                "0",
                "--road-work",
                "none",
                "--utility",
                "0",
                "--dewatering",
                "none",
            ),
            "result: not_required",
        ),
    ],
)
def test_need_with_flags(law, flags, result):
    code, out, _ = law("need", *flags)
    assert code == 0 and out.splitlines()[1] == result


@pytest.mark.parametrize(
    "flags",
    [
        ("--area", "700@15deg"),
        ("--area", "700sqft@15"),
        ("--area", "xsqft@15%"),
        ("--cut", "-1"),
        ("--cut", "much"),
        ("--strip", "6"),
        ("--area", "700sqft@95deg"),
        ("--area", "700sqft@1:0"),
    ],
)
def test_need_refuses_what_it_cannot_read(law, flags):
    code, out, err = law("need", *flags)
    assert code == 2 and out == "" and err.startswith("siltwatch law: ")


def test_need_asks_for_what_no_flag_gives(law, monkeypatch):
    answers = ["no", "no", "500sqft@15.01%", "", "", "", "none", "0", "none"]
    monkeypatch.setattr("sys.stdin", io.StringIO("\n".join(answers) + "\n"))
    code, out, err = law("need", "--ask", "--in-city", "yes")
    assert code == 0 and "A permit is required because of the disturbed area and its slope (clause C(1))." in out
    assert "Is it a state project?" in err and "Is the site in the city?" not in err


def test_need_without_any_flag_asks_everything(law, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("yes\nno\nno\n"))
    code, out, err = law("need")
    assert code == 0 and err.count("?") >= 6 and "result: undetermined" in out


def test_clocks_print_the_derivation(law):
    code, out, _ = law("clocks", "--posted", "2026-08-27", "--permit", "yes")
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()] == ["K4", "K6", "K7"]
    assert "posted Thu Aug 27; day 10 is Sun Sep 6; Mon Sep 7 is Labor Day; last day Tue Sep 8" in out
    code, out, _ = law(
        "clocks",
        "--received",
        "2026-05-15",
        "--permit-issued",
        "2026-03-02",
        "--base-expiry",
        "2026-08-29",
        "--notice-issued",
        "2026-09-09",
        "--language",
        "es",
    )
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()] == ["K7", "K1", "K2", "K3"]
    assert "el lunes 25 de mayo es feriado (Día de los Caídos)" in out


@pytest.mark.parametrize("flags", [(), ("--posted", "2033-01-05"), ("--notice-issued", "9999-12-30"),
                                   ("--posted", "2026-08-27", "--issued", "2026-08-28")])
def test_clocks_without_a_day_or_outside_the_tables(law, flags):
    code, out, err = law("clocks", *flags)
    assert code == 2 and out == "" and err


def test_pack_validate(law, tmp_path):
    for folder in (assets() / "ordinance" / "demo", assets() / "ordinance" / "blank", SMALL):
        assert law("pack", "validate", folder)[0] == 0
    broken = tmp_path / "broken"
    shutil.copytree(SMALL, broken)
    text = (broken / "clocks.toml").read_text(encoding="utf-8")
    (broken / "clocks.toml").write_text(text.replace('unit = "hours"', 'unit = "moons"'), encoding="utf-8")
    code, _, err = law("pack", "validate", broken)
    assert code == 1 and err.startswith("clocks.toml: K4.unit: must be one of days, hours")
    (broken / "clocks.toml").write_bytes(b'[K4]\nunit = "\xff"')
    code, _, err = law("pack", "validate", broken)
    assert code == 1 and err == "clocks.toml: is not UTF-8 text\n"
    assert law("check", "--pack", broken, CASES / "deadlines.toml")[0] == 2
    (broken / "clocks.toml").write_text(text, encoding="utf-8")
    head = (broken / "pack.toml").read_text(encoding="utf-8")
    (broken / "pack.toml").write_text(head.replace('zone = "', 'zone = "Moon/'), encoding="utf-8")
    code, _, err = law("pack", "validate", broken)
    assert code == 1 and err.startswith("pack.toml: zone: 'Moon/")
    assert law("pack", "validate", tmp_path)[0] == 2
    assert law("pack", "validate", tmp_path / "nowhere")[0] == 2

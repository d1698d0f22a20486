"""The demo city: set up once, found again, complete, nothing set aside; and the command line around it."""

import re
import stat
from datetime import datetime, timedelta

import pytest

from sync.records.problems import CATALOGUE, Problem
from sync.server import cli
from sync.server.casework import audit, queries
from sync.server.casework.feed import changes_since
from sync.server.db.schema import cities, packs
from sync.server.demo import greeting, open_demo
from sync.server.opening import open_city
from sync.server.settings import Settings
from tests.support.city import field_tablet
from tests.support.clock import StoppedClock

ADDRESS = "http://localhost:8321"


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("demo") / "data"
    city, fresh = open_demo(folder, StoppedClock(), ADDRESS)
    assert fresh
    city.db.close()
    return folder


@pytest.fixture
def city(data):
    found, fresh = open_demo(data, StoppedClock(), ADDRESS)
    assert not fresh, "a second start finds its data again"
    yield found
    found.db.close()


def test_twelve_sites_in_all_states_with_what_belongs_to_them(city):
    sites = queries.site_list(city)
    assert len(sites) == 12
    assert len({s["address"] for s in sites}) == len({s["parcel"] for s in sites}) == 12
    assert all(42_900_000 < s["lat_udeg"] < 43_200_000 and -89_600_000 < s["lon_udeg"] < -89_300_000 for s in sites)
    states = {p["state"] for s in sites for p in s["permits"]}
    assert states == {"in_force", "expired", "revoked", "applied", "denied"}
    assert any(not s["permits"] for s in sites)
    pages = [queries.site_page(city, s["id"]) for s in sites]
    assert all(page["inlets"] for page in pages)
    assert sum(len(page["devices"]) for page in pages) >= 12
    assert all(p["conditions"] for s in sites for p in s["permits"] if p["state"] == "in_force")


def test_permits_in_force_are_in_force_on_the_day_of_setting_up(city):
    for site in queries.site_list(city):
        for permit in site["permits"]:
            if permit["state"] == "in_force":
                assert permit["issued_on"] <= "2026-08-27" <= permit["last_valid_day"]
            if permit["state"] == "expired":
                assert permit["last_valid_day"] < "2026-08-27"


def test_open_findings_came_in_by_the_usual_door(city):
    assert not any(queries.set_aside(city).values())
    assert sum(s["open_findings"] for s in queries.site_list(city)) >= 4
    assert {i["person_name"] for i in queries.inspection_list(city)} == {"Ada Lindqvist", "Ben Okafor", "Carol Brandt"}
    findings = queries.site_page(city, "site-01")["findings"]
    assert {f["severity"] for f in findings} == {"major"} and all(f["due"] and f["title"] for f in findings)


def test_the_people_hold_separate_powers(city):
    powers = {p["id"]: {g["power"] for g in p["powers"]} for p in queries.people_list(city)}
    assert "post" in powers["ada"] and "post" not in powers["ben"]
    assert {"confirm_or_decline", "issue"} <= powers["carol"]
    assert not any(powers[other] & {"confirm_or_decline", "issue"} for other in ("ada", "ben", "dora", "eli"))


def test_powers_are_those_that_the_ordinance_knows(city):
    with city.db.read() as tx:
        known = set(city.pack(tx).powers.labels)
    assert {g["power"] for p in queries.people_list(city) for g in p["powers"]} <= known


def test_devices_and_classes_of_sites_are_words_that_law_and_tablet_know(city):
    from field_app.work.words import SITE_CLASS

    with city.db.read() as tx:
        known = set(city.pack(tx).devices)
    assert {d["kind"] for s in queries.site_list(city) for d in queries.site_page(city, s["id"])["devices"]} <= known
    assert {s["site_class"] for s in queries.site_list(city)} == set(SITE_CLASS)


def test_a_tablet_gets_all_of_it(city):
    tablet = field_tablet(city, "ada")
    assert int(tablet.tablet.code[1:]) >= 7
    page = changes_since(city, tablet.tablet.id, "", "", 0, 500)
    kinds = [item.kind for item in page.items]
    assert (kinds.count("site"), kinds.count("person"), kinds.count("pack")) == (12, 5, 1)
    assert not page.more


def test_the_data_belongs_to_its_owner_alone(data):
    assert stat.S_IMODE((data / "city.secret").stat().st_mode) == 0o600
    assert stat.S_IMODE(data.stat().st_mode) == 0o700


def test_the_greeting_names_addresses_links_and_limits(city, data):
    text = greeting(city, Settings(data=data), fresh=True)
    links = re.findall(r"http://localhost:8321/office/sign-in\?link=\S+", text)
    assert len(set(links)) == 5
    assert "http://localhost:8321/app/" in text and "this machine only" in text and "TLS" in text
    assert "password" in text
    again = greeting(city, Settings(data=data), fresh=False)
    assert not set(links) & set(re.findall(r"http\S+link=\S+", again)), "every start prints fresh links"


def test_a_folder_that_holds_something_else_is_left_alone(tmp_path):
    (tmp_path / "letter.txt").write_text("mine")
    with pytest.raises(Problem) as caught:
        open_demo(tmp_path, StoppedClock(), ADDRESS)
    assert caught.value.code == "folder-in-the-way"
    assert [p.name for p in tmp_path.iterdir()] == ["letter.txt"]


def test_a_set_up_that_was_interrupted_leaves_no_half_city(tmp_path, monkeypatch):
    from sync.server import demo

    def fails(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(demo, "_history", fails)
        with pytest.raises(KeyboardInterrupt):
            open_demo(tmp_path / "d", StoppedClock(), ADDRESS)
    assert not (tmp_path / "d").exists()
    city, fresh = open_demo(tmp_path / "d", StoppedClock(), ADDRESS)
    assert fresh and len(queries.site_list(city)) == 12
    city.db.close()


@pytest.mark.parametrize("gone, code", [("city.secret", "data-damaged"), ("siltwatch.sqlite", "data-damaged")])
def test_a_folder_that_lacks_a_part_is_refused_and_not_made_anew(tmp_path, gone, code):
    city, _ = open_demo(tmp_path / "d", StoppedClock(), ADDRESS)
    city.db.close()
    (tmp_path / "d" / gone).unlink()
    with pytest.raises(Problem) as caught:
        open_city(tmp_path / "d", StoppedClock(), ADDRESS)
    assert caught.value.code == code
    assert not (tmp_path / "d" / gone).exists()


def test_a_server_that_cannot_read_its_own_ordinance_does_not_start(tmp_path, capsys):
    city, _ = open_demo(tmp_path / "d", StoppedClock(), ADDRESS)
    city.db.write(lambda tx: tx.execute(packs.update().values(files={"pack.toml": "id = 1"}, sha256="0" * 64)))
    city.db.close()
    assert cli.main(["serve", "--data", str(tmp_path / "d"), "--port", "0"]) == 2
    assert "ordinance pack" in capsys.readouterr().err


def test_another_city_is_not_served_as_the_demo(tmp_path):
    city, _ = open_demo(tmp_path / "d", StoppedClock(), ADDRESS)
    city.db.write(lambda tx: [tx.execute(table.update().values(city_id="madeup")) for table in (cities, packs)])
    city.db.close()
    with pytest.raises(Problem) as caught:
        open_demo(tmp_path / "d", StoppedClock(), ADDRESS)
    assert caught.value.code == "folder-in-the-way"


# --- the command line ---------------------------------------------------------------------------------------------
def test_codes_and_links_from_the_command_line(data, capsys):
    assert cli.main(["enrol-code", "--data", str(data)]) == 0
    assert re.fullmatch(r"(\w{4}-){2}\w{4}\n", capsys.readouterr().out)
    assert cli.main(["personal-code", "ada", "--data", str(data)]) == 0
    assert cli.main(["sign-in-link", "carol", "--data", str(data), "--public-url", "https://x.example/"]) == 0
    assert "https://x.example/office/sign-in?link=" in capsys.readouterr().out


def test_audit_verify_from_the_command_line(data, capsys):
    assert cli.main(["audit", "verify", "--data", str(data)]) == 0
    assert "whole" in capsys.readouterr().out


def test_a_broken_audit_record_is_told_with_where_and_what_to_do(tmp_path, capsys):
    city, _ = open_demo(tmp_path / "d", StoppedClock(), ADDRESS)
    city.db.write(lambda tx: tx.execute(queries.audit.update().where(queries.audit.c.seq == 2).values(who="x")))
    city.db.close()
    assert cli.main(["audit", "verify", "--data", str(tmp_path / "d")]) == 1
    said = capsys.readouterr().err
    assert "audit[2]" in said and "[audit-broken]" in said and CATALOGUE["audit-broken"].advice in said


@pytest.mark.parametrize("argv, code, words", [
    (["audit", "verify", "--data", "/nowhere/at/all"], 2, "no city"),
    (["serve", "--data", "/nowhere/at/all", "--port", "0"], 2, "no city"),
    (["serve", "--data", "/nowhere", "--public-url", "oakbend.gov/siltwatch"], 2, "is no address"),
    (["serve", "--data", "/nowhere", "--certificate", "x.pem"], 2, "key")])
def test_mistakes_on_the_command_line_are_told_plainly(argv, code, words, capsys):
    assert cli.main(argv) == code
    assert words in capsys.readouterr().err


def test_a_person_who_is_not_there(data, capsys):
    assert cli.main(["personal-code", "zoe", "--data", str(data)]) == 2
    assert "zoe" in capsys.readouterr().err


def test_a_port_that_is_taken_is_told_before_anything_is_set_up(tmp_path, capsys):
    import socket

    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        assert cli.main(["demo", "--data", str(tmp_path / "d"), "--port", str(port)]) == 2
    assert "port" in capsys.readouterr().err
    assert not (tmp_path / "d").exists()


def test_no_option_moves_the_clock():
    """Every option of the commands that serve, so that a new one is looked at here."""
    commands = next(action.choices for action in cli.parser()._actions if action.choices)
    for name in ("serve", "demo"):
        options = {option for action in commands[name]._actions for option in action.option_strings}
        assert options == {"-h", "--help", "--data", "--host", "--port", "--public-url", "--web", "--certificate",
                           "--key", "--largest-file"}


def test_the_law_has_its_own_commands(capsys):
    assert cli.main(["law", "clocks", "--posted", "2026-08-27", "--permit", "yes"]) == 0
    assert "last day Tue Sep 8" in capsys.readouterr().out


def test_a_restored_folder_is_marked(tmp_path, capsys):
    city, _ = open_demo(tmp_path / "d", StoppedClock(), ADDRESS)
    with city.db.read() as tx:
        before = city.row(tx).epoch
    city.db.close()
    assert cli.main(["restore-mark", "--data", str(tmp_path / "d")]) == 0
    city = open_city(tmp_path / "d", StoppedClock(), ADDRESS)
    with city.db.read() as tx:
        assert city.row(tx).epoch != before
    audit.verify(city)
    city.db.close()


@pytest.mark.processes
def test_the_demo_command_serves_what_it_prints_and_finds_it_again(tmp_path):
    """The command a person types, as a process: printed links work once, a second start prints fresh ones."""
    import subprocess
    import sys

    import httpx

    from tests.support.static_server import free_port

    port = free_port()
    command = [sys.executable, "-m", "sync.server.cli", "demo", "--data", str(tmp_path / "d"), "--port", str(port)]

    def start():
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        lines = []
        while not lines or not lines[-1].startswith("Stop with"):
            lines.append(process.stdout.readline())
            assert lines[-1], "it ended"
        return process, "".join(lines)

    links = []
    for words in ("was set up", "was found again"):
        process, said = start()
        try:
            assert words in said
            links.append(re.findall(r"http\S+link=\S+", said))
            with httpx.Client(base_url=f"http://localhost:{port}") as office:
                page = office.get(links[-1][0])
                assert page.status_code == 200 and "Ada Lindqvist" in page.text
                token = links[-1][0].partition("link=")[2]
                sent = {"data": {"link": token}, "headers": {"Origin": f"http://localhost:{port}"}}
                assert office.post("/office/sign-in", **sent).status_code == 303
                assert office.get("/office/").status_code == 200
                assert office.post("/office/sign-in", **sent).status_code == 409
        finally:
            process.terminate()
            process.wait()
            process.stdout.close()
    assert len(set(links[0] + links[1])) == 10


def test_earlier_inspections_name_the_permit_and_their_tablet_was_heard_from(city):
    permits = {p["id"]: p for s in queries.site_list(city) for p in s["permits"]}
    found = [queries.inspection_page(city, one["id"]) for one in queries.inspection_list(city)]
    assert len(found) == 4
    for page in found:
        permit = permits[page["body"]["permit"]]
        assert permit["site"] == page["body"]["site"] and permit["state"] == "in_force"
        assert permit["issued_on"] <= page["body"]["inspected_on"] <= permit["last_valid_day"]
    first = queries.tablet_list(city)[0]  # others may have been enrolled by the tests before this one
    assert first["code"] == "T06"
    ended = sorted(datetime.fromisoformat(page["body"]["ended"]) for page in found)
    came = sorted(page["row"]["received_at"] for page in found)
    assert all(timedelta(0) < arrived - end < timedelta(hours=1) for end, arrived in zip(ended, came, strict=True))
    assert first["enrolled_at"] < ended[0] and first["seen_at"] == came[-1] < StoppedClock().now()


def test_sites_know_their_inspectors_works_and_plans(city):
    from sync.records.down import Inspection, Plan, Site
    from sync.server.casework.plans import file_for_tablet, plans_of

    tablet = field_tablet(city, "ada")
    told = changes_since(city, tablet.tablet.id, "", "", 0, 500).items
    sites = {i.id: Site.from_wire(i.doc) for i in told if i.kind == "site"}
    people = {i.id for i in told if i.kind == "person"}
    assert all(site.inspectors and set(site.inspectors) <= people and site.area for site in sites.values())
    assert sum(bool(site.timetable) for site in sites.values()) >= 6
    assert all({"id", "activity", "start", "end", "done_on", "note"} == step.keys()
               for site in sites.values() for step in site.timetable)
    assert sites["site-01"].schedule["rain_in"] == "0.5" and sites["site-01"].rains[0]["inches"] == "0.62"
    assert len({step["id"] for site in sites.values() for step in site.timetable}) == sum(
        len(site.timetable) for site in sites.values())
    lines = [Inspection.from_wire(i.doc) for i in told if i.kind == "inspection"]
    assert len(lines) == 4 and all(line.inspector and line.ended for line in lines)
    assert [(doc["version"], doc["status"]) for doc in plans_of(city, "site-01")] == [
        ("Rev B", "current"), ("Rev A", "replaced")]
    plans = [Plan.from_wire(i.doc) for i in told if i.kind == "plan"]
    assert len(plans) == 3
    for plan in plans:
        for page in plan.pages:
            assert file_for_tablet(city, tablet.tablet.id, page["sha256"]) == (page["size"], page["media"])
            assert page["size"] < 300_000

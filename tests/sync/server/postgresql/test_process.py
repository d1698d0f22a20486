"""The real server process on PostgreSQL: killed in the middle of batches, asked by many at once, worked beside, and a
tablet's day from enrolling to the last receipt through `siltwatch serve` itself.
"""

import os
import signal
import subprocess
import sys

import httpx
import pytest

from sync.records.protocol import HELLO
from sync.server.casework import audit, queries
from sync.server.casework.evidence import missing_evidence
from sync.server.clock import SystemClock
from sync.server.opening import open_city
from tests.support.city import folder_city
from tests.support.clock import StoppedClock
from tests.support.headless_tablet import HeadlessTablet
from tests.support.server import ROOT, START, Server
from tests.support.static_server import free_port
from tests.sync.server.test_process import (  # noqa: F401
    test_killed_in_the_middle_of_batches_it_keeps_what_it_acknowledged_and_nothing_twice,
    test_the_office_and_the_server_work_on_one_folder_at_once,
    test_thirty_two_at_once_are_one,
)

pytestmark = pytest.mark.processes


@pytest.fixture(scope="module")
def running(server_of_the_run, tmp_path_factory):
    """One server for all tests here; its database stays until the last."""
    data = tmp_path_factory.mktemp("server") / "data"
    server_of_the_run.folder_city(data, StoppedClock(START), for_good=True).db.close()
    with Server(data) as found:
        yield found


@pytest.fixture
def server(running):
    running.set_time(START)
    return running


class Served:
    """`siltwatch serve` as an administrator starts it."""

    def __init__(self, data):
        self.data, self.port = data, free_port()
        self.address = f"http://localhost:{self.port}"

    def start(self):
        log = self.data.with_name("log")
        with log.open("ab") as told:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "sync.server.cli", "serve", "--data", str(self.data), "--port", str(self.port)],
                cwd=ROOT, stdout=subprocess.PIPE, stderr=told, text=True)
        line = self.process.stdout.readline()
        assert line.startswith("Siltwatch serves Demo City at"), line + log.read_text()

    def end(self, how):
        os.kill(self.process.pid, how)
        self.process.wait(60)
        self.process.stdout.close()

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_failure):
        if self.process.poll() is None:
            self.end(signal.SIGKILL)

    def command(self, *words):
        return subprocess.run([sys.executable, "-m", "sync.server.cli", *words, "--data", str(self.data)], cwd=ROOT,
                              check=True, capture_output=True, text=True).stdout.strip()


def test_a_tablets_day_through_the_server_that_is_killed_meanwhile(tmp_path):
    folder_city(tmp_path / "data", SystemClock()).db.close()
    with Served(tmp_path / "data") as served:
        first, second = a_day_through(served, tmp_path)
    city = open_city(tmp_path / "data", SystemClock(), served.address)
    assert city.db.engine.dialect.name == "postgresql"
    assert {order["number"]: order["status"] for order in queries.order_list(city)} == {
        first["number"]: "in_force", second["number"]: "in_force"}
    assert audit.verify(city) > 0 and list(missing_evidence(city)) == []
    city.db.close()


def a_day_through(served, tmp_path):
    """Two orders of one tablet, all of it at the server; they are given back. The server has ended by itself."""
    code, personal = served.command("enrol-code"), served.command("personal-code", "ada")
    with HeadlessTablet(tmp_path / "tablet", served.address, tmp_path / "no-clock") as tablet:
        tablet.say("enrol", code=code, personal=personal)
        first = tablet.say("order")
        assert {row[1] for row in tablet.say("sync")["facts"].values()} == {"safe"}
        served.end(signal.SIGKILL)
        second = tablet.say("order")
        with pytest.raises(httpx.ConnectError):
            httpx.get(served.address + HELLO)
        tablet.ask("sync")
        served.start()
        after = tablet.hear()
    assert {row[1] for row in after["facts"].values()} == {"safe"} and all(after["files"].values())
    assert {first["number"], second["number"]} and len(after["facts"]) >= 4
    served.end(signal.SIGTERM)
    return first, second

"""A real server process for tests: started, stopped, killed and started again on the same port and data folder.

    with Server(tmp_path / "data") as server:
        server.set_time("2026-08-27T14:00:00-05:00")   # stands still; run_from(...) runs on from there
        server.enrol_code(), server.personal_code("ada"), server.office_link("carol")
        server.kill(); server.start()

It serves the demo city (tablet T06 is the office's own; the first one enrolled is T07).
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import httpx

from sync.records.protocol import HEADER_PROTOCOL, HELLO, PROTOCOL
from sync.server.casework.city import City
from sync.server.casework.enrolment import create_enrolment_code, create_personal_code
from sync.server.casework.sessions import create_sign_in_link
from sync.server.opening import open_city
from tests.support.server_process import FileClock
from tests.support.static_server import free_port

ROOT = Path(__file__).resolve().parents[2]
START = "2026-08-27T13:00:00-05:00"


class Server:
    """``data``: the folder, set up as the demo city at the first start. ``at``: where its clock stands (None: the
    machine's time)."""

    def __init__(self, data: Path, *, port: int | None = None, at: str | None = START, web: Path | None = None):
        self.data = data
        self.port = port or free_port()
        self.web = web
        self.address = f"http://localhost:{self.port}"
        self.log = data.with_name(data.name + ".log")
        self._clock = data.with_name(data.name + ".clock")
        self._process: subprocess.Popen | None = None
        self._stands = at is not None
        if at is not None:
            self.set_time(at)

    # --- its clock ------------------------------------------------------------------------------------------------
    def _say(self, said: dict) -> None:
        assert self._stands, "it goes by the machine's time"
        fresh = self._clock.with_suffix(".new")
        fresh.write_text(json.dumps(said))
        os.replace(fresh, self._clock)

    def set_time(self, at: str) -> None:
        """The server's clock stands at ``at`` (ISO with offset) from now on."""
        self._say({"at": at})

    def run_from(self, at: str) -> None:
        """The server's clock shows ``at`` now and runs on."""
        self._say({"ahead_s": (datetime.fromisoformat(at) - datetime.now(UTC)).total_seconds()})

    # --- the process ----------------------------------------------------------------------------------------------
    def start(self) -> Server:
        """Starts the process and waits until it listens; fails with its log when it ends instead."""
        assert self._process is None, "it runs already"
        command = [sys.executable, "-m", "tests.support.server_process", "--data", str(self.data), "--port",
                   str(self.port)]
        if self._stands:
            command += ["--clock", str(self._clock)]
        if self.web:
            command += ["--web", str(self.web)]
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=log)
        line = self._process.stdout.readline()
        if line.strip() != b"ready":
            self._process.wait()
            self._process = None
            raise RuntimeError(f"the server did not start:\n{self.log.read_text()[-4000:]}")
        return self

    @property
    def pid(self) -> int:
        return self._process.pid

    def stop(self) -> None:
        """As an administrator stops it; afterwards the port refuses connections."""
        self._end(signal.SIGTERM)

    def kill(self) -> None:
        """As a power cut stops it."""
        self._end(signal.SIGKILL)

    def _end(self, how: signal.Signals) -> None:
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait()
            self._process.stdout.close()
            self._process = None

    def __enter__(self) -> Server:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    # --- what the office would do ---------------------------------------------------------------------------------
    @contextmanager
    def city(self) -> Iterator[City]:
        """The same data folder, opened beside the server (as the command line does), with the same clock."""
        city = open_city(self.data, FileClock(self._clock), self.address)
        try:
            yield city
        finally:
            city.db.close()

    def enrol_code(self) -> str:
        """A fresh code for one tablet."""
        with self.city() as city:
            return create_enrolment_code(city, "carol")

    def personal_code(self, person: str) -> str:
        """A fresh code with which ``person`` signs in on one tablet."""
        with self.city() as city:
            return create_personal_code(city, "carol", person)

    def office_link(self, person: str) -> str:
        """A fresh address that signs ``person`` in at the office."""
        from sync.server.console.signing_in import sign_in_link

        with self.city() as city:
            return sign_in_link(self.address, create_sign_in_link(city, "carol", person))

    def client(self, token: str | None = None) -> httpx.Client:
        """An HTTP client that speaks our protocol, with the tablet's token when given."""
        headers = {HEADER_PROTOCOL: str(PROTOCOL)}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        return httpx.Client(base_url=self.address, headers=headers, timeout=30)

    def hello(self) -> dict:
        """What the server says of itself."""
        with self.client() as client:
            return client.get(HELLO).raise_for_status().json()

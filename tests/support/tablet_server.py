"""The tablet app in server mode for tests: started, killed and started again on the same data folder.

It is the native code path (files, Pillow, requests in a thread) behind a browser.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from pathlib import Path

from tests.support.static_server import free_port

ROOT = Path(__file__).resolve().parents[2]


class TabletServer:
    """`data`: the tablet's folder. `server`: the central server's address. `clock`: the file of the test's clock."""

    def __init__(self, data: Path, server: str, clock: Path, *, port: int | None = None) -> None:
        self.data, self.server, self.clock = data, server, clock
        self.port = port or free_port()
        self.address = f"http://127.0.0.1:{self.port}/"
        self.log = data.with_name(data.name + ".log")
        self._process: subprocess.Popen | None = None

    def start(self) -> TabletServer:
        """Start it and wait until it listens; fails with its log when it ends instead."""
        environment = os.environ | {
            "FLET_FORCE_WEB_SERVER": "1", "FLET_SERVER_IP": "127.0.0.1", "FLET_SERVER_PORT": str(self.port),
            "SILTWATCH_TABLET_DATA": str(self.data), "SILTWATCH_SERVER": self.server,
        }
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.support.tablet_process", "--clock", str(self.clock)],
                cwd=ROOT, stdout=log, stderr=log, env=environment,
            )
        return self.listening()

    def listening(self) -> TabletServer:
        """Waits until the process just started listens."""
        while True:
            if self._process.poll() is not None:
                raise RuntimeError(f"the tablet app did not start:\n{self.log.read_text()[-4000:]}")
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return self
            time.sleep(0.1)

    def kill(self) -> None:
        """As the system kills an app: without a word."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def said(self) -> str:
        """What it wrote: nothing but Flet's own lines when all is well."""
        return self.log.read_text()

    def __enter__(self) -> TabletServer:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.kill()

"""The tablet app in server mode that can be led by commands beside the taps; see tests/support/tour_process.py."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

from tests.support.tablet_server import ROOT, TabletServer


class Led(TabletServer):
    """A `TabletServer` whose process also takes commands: `do` gives one and waits for what it says."""

    def start(self) -> Led:
        environment = os.environ | {
            "FLET_FORCE_WEB_SERVER": "1", "FLET_SERVER_IP": "127.0.0.1", "FLET_SERVER_PORT": str(self.port),
            "SILTWATCH_TABLET_DATA": str(self.data), "SILTWATCH_SERVER": self.server,
        }
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.support.tour_process", "--clock", str(self.clock)], text=True, cwd=ROOT,
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, env=environment)
        return self.listening()

    def do(self, what: str, **given: Any) -> dict[str, Any]:
        self._process.stdin.write(json.dumps({"do": what, **given}) + "\n")
        self._process.stdin.flush()
        while not (line := self._process.stdout.readline()).startswith("{"):
            assert line, self.said()[-3000:]
        said = json.loads(line)
        assert "failed" not in said, said["failed"]
        return said

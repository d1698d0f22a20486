"""The tablet's process (`tests.faults.tablet_process`) as a test holds it."""

import subprocess
import sys
import threading
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


class TabletProcess:
    """A tablet's process over one folder: started, killed, started again."""

    def __init__(self, folder: Path, url: str, enrol: str, person: str, photos: int, *more: str):
        self._command = [sys.executable, "-m", "tests.faults.tablet_process", "--folder", str(folder), "--server", url,
                         "--enrol", enrol, "--person", person, "--photos", str(photos), *more]  # fmt: skip
        self.log = folder.with_name(folder.name + ".log")
        self.taken = self.safe = 0
        self.done = threading.Event()
        self._process: subprocess.Popen | None = None

    def start(self) -> None:
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(self._command, cwd=ROOT, stdout=subprocess.PIPE, stderr=log, text=True)
        self._reader = threading.Thread(target=self._read, args=(self._process,), daemon=True)
        self._reader.start()

    def _read(self, process: subprocess.Popen) -> None:
        for line in process.stdout:
            if line.strip() == "done":
                self.done.set()
            else:
                self.taken, self.safe = (int(word) for word in line.split())

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._reader.join(5)
            self._process.stdout.close()
            self._process = None

    def lives(self) -> None:
        assert self.done.is_set() or self._process.poll() is None, self.log.read_text()[-4_000:]

"""Serves a built web app on loopback, from a process of its own that a test can really stop.

`python -m tests.support.static_server FOLDER PORT [BASE [LOG]]`: files of FOLDER under BASE (default /app/), gzipped,
with an ETag and `Cache-Control: no-cache`, and with the content security policy of the app, as the central server
does. Each answer is written to LOG as "status path".
"""

import gzip
import hashlib
import mimetypes
import socket
import subprocess
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from sync.where import assets

TYPES = {".mjs": "text/javascript", ".js": "text/javascript", ".wasm": "application/wasm", ".woff2": "font/woff2"}


class Handler(BaseHTTPRequestHandler):
    """One GET at a time; connections stay open."""

    protocol_version = "HTTP/1.1"
    folder: Path
    base: str
    policy: str
    log: Path | None = None
    packed: dict[tuple[str, int], tuple[bytes, bytes, str]] = {}  # noqa: RUF012 one cache for the whole process

    def do_GET(self):
        path = self.path.split("?", 1)[0].split("#", 1)[0]
        place = (self.folder / path.removeprefix(self.base)).resolve()
        if path == self.base:
            place = self.folder / "index.html"
        known = path.startswith(self.base) and place.is_relative_to(self.folder.resolve())
        if path.startswith("/tiles/"):  # of the city's map, in a folder beside that of the app
            place = (self.folder.parent / path.lstrip("/")).resolve()
            known = place.is_relative_to((self.folder.parent / "tiles").resolve())
        if not known or not place.is_file():
            self.reply(404, b"no such file", {"Content-Type": "text/plain"})
            return
        key = (str(place), place.stat().st_mtime_ns)
        if key not in self.packed:
            data = place.read_bytes()
            self.packed[key] = (data, gzip.compress(data, 6, mtime=0), hashlib.sha256(data).hexdigest())
        data, small, tag = self.packed[key]
        kind = TYPES.get(place.suffix) or mimetypes.guess_type(place.name)[0] or "application/octet-stream"
        headers = {"Content-Type": kind, "ETag": f'"{tag}"', "Cache-Control": "no-cache"}
        headers["Content-Security-Policy"] = self.policy
        if self.headers.get("If-None-Match") == headers["ETag"]:
            self.reply(304, b"", headers)
        elif len(small) < len(data) and not place.name.endswith(".gz"):
            self.reply(200, small, {**headers, "Content-Encoding": "gzip", "Vary": "Accept-Encoding"})
        else:
            self.reply(200, data, headers)

    def reply(self, status, body, headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        if self.log:
            with self.log.open("a") as log:
                log.write(f"{status} {self.path}\n")

    def log_message(self, *_):
        pass


def serve(folder: str, port: str, base: str = "/app/", log: str = "") -> None:
    """Serve until killed."""
    Handler.folder, Handler.base, Handler.log = Path(folder), base, Path(log) if log else None
    Handler.policy = (assets() / "pwa" / "csp.txt").read_text("utf-8").strip()
    ThreadingHTTPServer(("127.0.0.1", int(port)), Handler).serve_forever()


class Served:
    """A server process that a test starts and stops as it likes."""

    def __init__(self, folder: Path, port: int, base: str = "/app/", log: Path | None = None):
        self.folder, self.port, self.base, self.log = folder, port, base, log
        self.address = f"http://127.0.0.1:{port}{base}"
        self.process = None

    def start(self):
        """Start the process and wait until it answers."""
        command = [sys.executable, "-m", "tests.support.static_server", str(self.folder), str(self.port), self.base]
        command += [str(self.log)] if self.log else []
        self.process = subprocess.Popen(command, cwd=Path(__file__).resolve().parents[2])
        for _ in range(200):
            with socket.socket() as probe:
                probe.settimeout(0.2)
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return self
            time.sleep(0.05)
        raise RuntimeError(f"the server for {self.folder} did not start on port {self.port}")

    def stop(self):
        """End the process and wait until it is gone; the port refuses connections from then on."""
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process = None

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.stop()


def free_port() -> int:
    """A loopback port that nothing listens on at this moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


if __name__ == "__main__":
    serve(*sys.argv[1:])

"""A page in headless Chromium whose worker runs our Python in flet-web's own Pyodide: the browser's real OPFS.

The page comes from a server on loopback in this process; the worker gets the named files of the project as one
archive and nothing else, and no request leaves the machine. A snapshot of a
worker's memory is taken once, so that each worker of the test is ready in a fraction of the time.
"""

from __future__ import annotations

import importlib.util
import io
import json
import threading
import zipfile
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.support.chromium import FLAGS, executable

ROOT = Path(__file__).resolve().parents[2]
TYPES = {".mjs": "text/javascript", ".js": "text/javascript", ".wasm": "application/wasm", ".html": "text/html",
         ".json": "application/json"}

HTML = """<!doctype html><title>store</title><link rel="icon" href="data:,"><script>
let number = 0;
const waiting = new Map();
async function snapshot() {  // From a worker of its own: one that makes a snapshot sees its world through proxies.
  const worker = new Worker("/worker.mjs", {type: "module"});
  window.snapshot = await new Promise((yes) => {
    worker.onmessage = ({data}) => yes(data.snapshot);
    worker.postMessage({snapshot: null});
  });
  worker.terminate();
}
function begin() {
  const worker = new Worker("/worker.mjs", {type: "module"});
  worker.heard = [];
  worker.onmessage = ({data}) => {
    if (data.said !== undefined) { worker.heard.push(data.said); return; }
    const {id, value, error} = data;
    const [yes, no] = waiting.get(id);
    waiting.delete(id);
    error === undefined ? yes(value) : no(new Error(error));
  };
  worker.run = (code) => new Promise((yes, no) => {
    waiting.set(++number, [yes, no]);
    worker.postMessage({id: number, code});
  });
  worker.postMessage({snapshot: window.snapshot});
  worker.onerror = (event) => console.error("worker failed:", event.message);
  return worker;
}
window.begin = begin;
</script>"""

WORKER = """
import {loadPyodide} from "/pyodide/pyodide.mjs";
let began;
const ready = new Promise((yes) => { began = yes; });
async function begin(snapshot) {
  const options = {indexURL: "/pyodide/", env: {HOME: "/home"}};
  const archive = fetch("/project.zip").then((reply) => reply.arrayBuffer());
  const py = await loadPyodide(snapshot ? {...options, _loadSnapshot: snapshot} : {...options, _makeSnapshot: true});
  py.unpackArchive(await archive, "zip", {extractDir: "/project"});
  if (!snapshot) {
    py.runPython("import sys; sys.path.insert(0, '/project')");
    py.runPython("import asyncio, contextlib, hashlib, json, random, struct, zlib, tinydb");
    py.runPython(WARM);
    self.postMessage({snapshot: py.makeMemorySnapshot()});
  }
  return py;
}
self.say = (text) => self.postMessage({said: text});
self.onmessage = async ({data: {id, code, snapshot}}) => {
  if (snapshot !== undefined) { began(begin(snapshot)); return; }
  try {
    const value = await (await ready).runPythonAsync(code);
    self.postMessage({id, value: value === undefined ? null : value});
  } catch (error) {
    self.postMessage({id, error: String(error.message ?? error)});
  }
};
"""


def archive(*paths: str) -> bytes:
    """The named files and folders of the project, and tinydb, as one zip."""
    tinydb = Path(importlib.util.find_spec("tinydb").origin).parent
    into = io.BytesIO()
    with zipfile.ZipFile(into, "w") as out:
        for path in [tinydb, *(ROOT / name for name in paths)]:
            base = path.parent if path == tinydb else ROOT
            files = sorted(path.rglob("*.py")) if path.is_dir() else [path]
            for file in files:
                out.write(file, file.relative_to(base).as_posix())
    return into.getvalue()


def pyodide_folder() -> Path:
    return Path(importlib.util.find_spec("flet_web").origin).parent / "web" / "pyodide"


@contextmanager
def served(files: dict[str, bytes]):
    """Serves ``files`` and Pyodide on a free loopback port; gives the address."""
    pyodide = pyodide_folder()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            name = self.path.split("?")[0]
            data = files.get(name)
            if data is None and name.startswith("/pyodide/") and (file := pyodide / name[9:]).is_file():
                data = file.read_bytes()
            self.send_response(404 if data is None else 200)
            self.send_header("Content-Type", TYPES.get(Path(name).suffix, "application/octet-stream"))
            self.send_header("Cache-Control", "max-age=600")
            self.send_header("Content-Length", str(len(data or b"")))
            self.end_headers()
            self.wfile.write(data or b"")

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()


class WorkerPage:
    """One page with one worker at a time, and what its Python gives back."""

    def __init__(self, page):
        self.page = page
        page.evaluate("snapshot()")
        self.begin()

    def begin(self) -> None:
        """Starts a worker. Python is ready in it when the first ``run`` is answered."""
        self.page.evaluate("() => { window.worker = begin() }")

    def end(self) -> None:
        """Ends the worker at once, as the system would."""
        self.page.evaluate("() => window.worker.terminate()")

    def run(self, code: str):
        """Runs Python (top-level await allowed) in the worker; its last expression, which must be JSON text,
        as a value. An exception there is one here, with its traceback."""
        return json.loads(self.page.evaluate("code => window.worker.run(code)", code))


@contextmanager
def worker_page(*paths: str, warm: str = ""):
    """A WorkerPage that has the named files of the project, in a new profile.

    ``warm`` is Python (usually imports of modules that do not touch JavaScript) that has run in every worker.
    """
    worker = WORKER.replace("WARM", json.dumps(warm))
    files = {"/index.html": HTML.encode(), "/worker.mjs": worker.encode(), "/project.zip": archive(*paths)}
    with served(files) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable(), headless=True, args=list(FLAGS))
        try:
            page = browser.new_page()
            page.on("console", lambda message: print("page:", message.text))
            page.goto(f"{address}index.html")
            yield WorkerPage(page)
        finally:
            browser.close()

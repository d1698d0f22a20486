"""The browser transport in a worker of a real Chromium: its own fetch, a file from OPFS, and answers gone wrong.

The page and the misbehaving answers come from one origin on loopback, as tablet app and API do.
"""

import hashlib
import json
import socket
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

from sync.client.calls import Reply
from sync.client.replies import judge
from tests.support.chromium import FLAGS, executable
from tests.support.pyodide_page import HTML, TYPES, WORKER, WorkerPage, archive, pyodide_folder

pytestmark = pytest.mark.browser
PAGE = b"<!DOCTYPE html><html><body>Free Wi-Fi! Please accept our terms.</body></html>"
OURS = {"Siltwatch-Protocol": "1", "Siltwatch-Epoch": "e1", "Content-Type": "application/json"}

CALL = """
import json
import js
from sync.client.calls import Request, Target
from sync.client.transports.browser import BrowserTransport

async def call(case, *, method="POST", body=b'{{"n":1}}', source=None, timeout=5000, server=None, part=None):
    headers = {{"Content-Type": "application/json"}}
    request = Request("push", method, "/api/v1/" + case, timeout, headers, body, part=part)
    reply = await BrowserTransport().send(Target(server or "{origin}", "tok"), request, source)
    return [reply.status, dict(reply.headers), reply.body.decode("latin-1"), reply.failure]
"""


@contextmanager
def misbehaving():
    """Serves the page and ``/api/v1/CASE``; gives (origin, the requests to the API)."""
    files = {"/index.html": HTML.encode(), "/worker.mjs": WORKER.replace("WARM", json.dumps("")).encode(),
             "/project.zip": archive("sync/__init__.py", "sync/client", "sync/records")}  # fmt: skip
    pyodide, seen, gone = pyodide_folder(), [], threading.Event()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            name = self.path.split("?")[0]
            if name.startswith("/api/"):
                self.api(name.removeprefix("/api/v1/"))
                return
            data = files.get(name)
            if data is None and name.startswith("/pyodide/") and (file := pyodide / name[9:]).is_file():
                data = file.read_bytes()
            cookie = {"Set-Cookie": "office=secret; Path=/"} if name == "/index.html" else {}
            kind = TYPES.get(Path(name).suffix, "application/octet-stream")
            self.reply(404 if data is None else 200, {"Content-Type": kind, **cookie}, data or b"")

        def api(self, case):
            digest, left = hashlib.sha256(), int(self.headers.get("Content-Length", 0))
            while left > 0 and (block := self.rfile.read(min(left, 65536))):
                digest.update(block)
                left -= len(block)
            headers = {name.lower(): value for name, value in self.headers.items()}
            seen.append({"case": case, "method": self.command, "headers": headers, "sha256": digest.hexdigest()})
            match case:
                case "good":
                    self.reply(200, OURS, b'{"results":[]}')
                case "problem":
                    self.reply(403, OURS, b'{"code":"tablet-revoked","detail":"withdrawn"}')
                case "portal":
                    self.reply(200, {"Content-Type": "text/html"}, PAGE)
                case "redirect":
                    self.reply(302, {"Location": "/api/v1/portal"}, b"")
                case "foreign":
                    self.reply(201, {"Content-Type": "application/json"}, b'{"id": 7}')
                case "empty":
                    self.reply(200, {}, b"")
                case "cut":
                    self.send_response(200)
                    self.send_header("Content-Length", "5000")
                    self.end_headers()
                    self.wfile.write(b'{"results":[')
                    self.close_connection = True
                case "reset":
                    self.close_connection = True
                    self.connection.shutdown(socket.SHUT_RDWR)
                case "silent":
                    self.connection.recv(1)  # until the caller gives up and closes
                    gone.set()
                    self.close_connection = True

        do_POST = do_PUT = do_PATCH = do_GET

        def reply(self, status, headers, body):
            self.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(body))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", seen, gone
    finally:
        server.shutdown()
        server.server_close()


@pytest.fixture(scope="module")
def browser():
    """(run a call in the worker, the requests that came, the event "the silent call was given up")."""
    with misbehaving() as (origin, seen, gone), sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=executable(), headless=True, args=list(FLAGS))
        try:
            page = chromium.new_page()
            page.goto(f"{origin}/index.html")
            worker = WorkerPage(page)
            worker.run(CALL.format(origin=origin) + "json.dumps(None)")

            def call(code):
                status, headers, body, failure = worker.run(f"json.dumps(await call({code}))")
                return Reply(status, headers, body.encode("latin-1"), failure)

            yield call, worker, seen, gone
        finally:
            chromium.close()


def test_a_good_answer_comes_back_whole_and_no_cookie_goes_out(browser):
    call, _, seen, _ = browser
    reply = call("'good'")
    assert (reply.status, reply.body, reply.failure) == (200, b'{"results":[]}', None)
    assert judge(reply).ok and judge(reply).epoch == "e1"
    request = seen[-1]
    assert request["method"] == "POST" and request["sha256"] == hashlib.sha256(b'{"n":1}').hexdigest()
    assert request["headers"]["authorization"] == "Bearer tok" and request["headers"]["siltwatch-protocol"] == "1"
    assert "cookie" not in request["headers"] and "referer" not in request["headers"]


@pytest.mark.parametrize(("case", "code"), [
    ("portal", "wifi-login"), ("redirect", "wifi-login"), ("foreign", "wrong-server"), ("empty", "wrong-server"),
    ("cut", "connection-cut"), ("reset", "offline"), ("problem", "tablet-revoked"),
])  # fmt: skip
def test_a_bad_answer_is_never_a_success_and_has_its_name(browser, case, code):
    call, _, seen, _ = browser
    before = len(seen)
    answer = judge(call(f"'{case}'"))
    assert (answer.ok, answer.code) == (False, code)
    if case == "redirect":
        assert [request["case"] for request in seen[before:]] == ["redirect"]  # it was not followed


def test_nobody_there(browser):
    call, _, _, _ = browser
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    assert call(f"'good', server='http://127.0.0.1:{port}'").failure == "offline"


def test_a_black_hole_is_left_in_time_and_its_connection_freed(browser):
    call, _, _, gone = browser
    assert call("'silent', timeout=300").failure == "timeout"
    assert gone.wait(30)


def test_a_file_goes_out_from_opfs_as_it_is(browser):
    call, worker, seen, _ = browser
    size, sha = worker.run("""
import hashlib
from pyodide.ffi import to_js
root = await js.navigator.storage.getDirectory()
handle = await (await root.getFileHandle("photo", js.JSON.parse('{"create":true}'))).createSyncAccessHandle()
data = bytes(range(256)) * 20_000
handle.write(to_js(data))
handle.flush()
handle.close()
json.dumps([len(data), hashlib.sha256(data).hexdigest()])
""")
    reply = call("'good', method='PUT', body=None, source=await (await root.getFileHandle('photo')).getFile()")
    assert judge(reply).ok
    request = seen[-1]
    assert (request["method"], request["sha256"]) == ("PUT", sha)
    assert request["headers"]["content-length"] == str(size) == "5120000"
    assert json.loads(reply.body) == {"results": []}


def test_a_part_of_a_file_goes_out_and_no_byte_of_it_enters_the_memory_of_python(browser):
    """32 MB in parts of 8 MB: what the worker's WASM memory has grown by is less than one part."""
    call, worker, seen, _ = browser
    digests = worker.run("""
import hashlib
from pyodide.ffi import to_js
root = await js.navigator.storage.getDirectory()
handle = await (await root.getFileHandle("large", js.JSON.parse('{"create":true}'))).createSyncAccessHandle()
digests = []
for n in range(32):
    data = bytes([n]) * 2**20
    handle.write(to_js(data), to_js({"at": n * 2**20}, dict_converter=js.Object.fromEntries))
    if n % 8 == 0:
        digest = hashlib.sha256()
        digests.append(digest)
    digest.update(data)
handle.flush()
handle.close()
del data
json.dumps([digest.hexdigest() for digest in digests])
""")
    heap = "import pyodide_js; json.dumps(pyodide_js._module.HEAPU8.length)"
    before = worker.run(heap)
    for n, digest in enumerate(digests):
        reply = call(f"'good', method='PATCH', body=None, part=({n} * 8 * 2**20, 8 * 2**20), "
                     "source=await (await root.getFileHandle('large')).getFile()")
        assert judge(reply).ok
        assert (seen[-1]["method"], seen[-1]["sha256"]) == ("PATCH", digest)
        assert seen[-1]["headers"]["content-length"] == str(8 * 2**20)
    assert worker.run(heap) - before < 8 * 2**20

"""The browser transport in a worker of a real Chromium: its own fetch, a file from OPFS, and answers gone wrong.

The page and the misbehaving answers come from one origin on loopback, as tablet app and API do.
"""

import hashlib
import json
import random
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
LARGE = random.Random(5).randbytes(24 * 2**20)
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
             "/project.zip": archive("sync/__init__.py", "sync/client", "sync/records", "field_app/__init__.py",
                                     "field_app/store", "field_app/photos")}  # fmt: skip
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
                case _ if case.startswith("files/"):
                    self.part_of_a_file()
                case "silent":
                    self.connection.recv(1)  # until the caller gives up and closes
                    gone.set()
                    self.close_connection = True

        def part_of_a_file(self):
            """A part of LARGE as the server gives it; the third time only half of it comes, the fifth a log-in page."""
            first, last = (int(n) for n in self.headers["Range"].removeprefix("bytes=").split("-"))
            asked = sum(1 for one in seen if one["case"].startswith("files/"))
            if asked == 5:
                self.reply(200, {"Content-Type": "text/html"}, PAGE)
                return
            part = LARGE[first : last + 1]
            headers = {"Siltwatch-Protocol": "1", "Content-Type": "image/png",
                       "Content-Range": f"bytes {first}-{last}/{len(LARGE)}"}
            if asked != 3:
                self.reply(206, headers, part)
                return
            self.send_response(206)
            for name, value in {**headers, "Content-Length": str(len(part))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(part[: len(part) // 2])
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


def test_a_file_comes_down_into_opfs_and_no_byte_of_it_enters_the_memory_of_python(browser):
    """24 MB by the very loop of the app, over a connection that breaks and a log-in page: whole in OPFS, under its hash
    and the worker's WASM memory has grown by less than a part."""
    _, worker, seen, _ = browser
    before = worker.run("import pyodide_js; json.dumps(pyodide_js._module.HEAPU8.length)")
    name = hashlib.sha256(LARGE).hexdigest()
    found = worker.run(f"""
import time
from field_app.photos.fetched_opfs import open_opfs_fetched
from sync.client.fetcher import Fetcher, FetchPolicy
from sync.client.fetching import PAGE, Wanted

class Clock:
    skipped = 0
    def monotonic_ms(self):
        return int(time.monotonic() * 1000) + self.skipped

class Notes:
    def __init__(self, box):
        self.opened, self.rows = box, {{}}
    def wanted(self):
        return (Wanted("{name}", {len(LARGE)}, PAGE, (0,)), Wanted("{'0' * 64}", 5, PAGE, (1,)))[:1]
    def budget(self):
        return 10**9
    def held(self):
        return dict(self.rows)
    async def box(self):
        return self.opened
    async def have(self, sha, size):
        self.rows[sha] = size
    async def forget(self, shas):
        for sha in shas:
            self.rows.pop(sha, None)

box = await open_opfs_fetched()
clock, notes, parts = Clock(), Notes(box), []
fetcher = Fetcher(lambda server: BrowserTransport(), lambda: Target(js.location.origin, "tok"), notes, clock,
                  lambda: "all", FetchPolicy(part_first=2**20, part_most=4 * 2**20))
for _ in range(60):
    parts.append(await box.part_size("{name}"))
    until = await fetcher.step()
    if until is None:
        break
    clock.skipped += max(0, until - clock.monotonic_ms())
heap = pyodide_js._module.HEAPU8.length
whole = await box.read("{name}")
json.dumps([notes.rows, parts, await box.shas(), await box.parts(), heap, len(whole)])
""")
    rows, parts, shas, left, heap, whole = found
    assert rows == {name: len(LARGE)} and shas == [name] and left == [] and whole == len(LARGE)
    came = [size for size in parts if size]
    assert came == sorted(came) and len(came) > 8, "what came stays, whatever broke"
    asked = [one for one in seen if one["case"] == f"files/{name}"]
    firsts = [int(one["headers"]["range"].removeprefix("bytes=").partition("-")[0]) for one in asked]
    assert firsts == sorted(firsts) and len(firsts) >= 8
    assert heap - before < 4 * 2**20


def test_changed_bytes_do_not_become_a_file(browser):
    _, worker, _, _ = browser
    assert worker.run("""
from pyodide.ffi import to_js
from field_app.photos.fetched_opfs import open_opfs_fetched
box = await open_opfs_fetched()
held = sorted(await box.shas())
sink = await box.sink("ab" * 32, 0)
sink.write(to_js(b"not what the name says"))
sink.close()
first = await box.part_size("ab" * 32)
json.dumps([first, await box.finish("ab" * 32), await box.part_size("ab" * 32), sorted(await box.shas()) == held])
""") == [22, False, 0, True]

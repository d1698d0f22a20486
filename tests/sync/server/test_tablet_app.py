"""The tablet app under /app/: the right types and policy, compressed, asked for anew by tag, nothing outside it."""

import gzip

import pytest
from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.testclient import TestClient

from sync.server.tablet_app import TYPES, TabletApp
from sync.where import assets

FILES = {
    "index.html": b"<!doctype html><title>Siltwatch</title>" + b" " * 600,
    "sw.js": b"// worker\n" * 100,
    "pyodide/pyodide.mjs": b"export const x = 1;\n" * 100,
    "pyodide/pyodide.asm.wasm": b"\x00asm" + bytes(2000),
    "manifest.json": b"{}",
    "app.tar.gz": gzip.compress(b"x" * 5000),
    "icons/icon.png": b"\x89PNG",
}


@pytest.fixture
def folder(tmp_path):
    web = tmp_path / "web"
    for name, data in FILES.items():
        (web / name).parent.mkdir(parents=True, exist_ok=True)
        (web / name).write_bytes(data)
    (tmp_path / "secret.txt").write_text("outside")
    (web / "link.txt").symlink_to(tmp_path / "secret.txt")
    return web


@pytest.fixture
def client(folder):
    with TestClient(Starlette(routes=[Mount("/app", TabletApp(folder))])) as found:
        yield found


@pytest.mark.parametrize("name, kind", [
    ("", "text/html; charset=utf-8"), ("sw.js", "text/javascript; charset=utf-8"),
    ("pyodide/pyodide.mjs", "text/javascript; charset=utf-8"), ("pyodide/pyodide.asm.wasm", "application/wasm"),
    ("manifest.json", "application/json"), ("app.tar.gz", "application/octet-stream"), ("icons/icon.png", "image/png")])
def test_every_file_has_its_type_its_bytes_and_the_policy_of_the_app(client, name, kind):
    response = client.get(f"/app/{name}")
    assert response.content == FILES[name or "index.html"]
    assert response.headers["content-type"] == kind
    assert response.headers["content-security-policy"] == (assets() / "pwa" / "csp.txt").read_text().strip()
    assert response.headers["x-content-type-options"] == "nosniff"
    assert response.headers["cache-control"] == "no-cache"
    assert "camera=(self)" in response.headers["permissions-policy"]
    assert "set-cookie" not in response.headers


def test_text_and_code_travel_compressed_and_archives_as_they_are(client):
    for name in ("sw.js", "pyodide/pyodide.asm.wasm"):
        assert client.get(f"/app/{name}").headers["content-encoding"] == "gzip"
        plain = client.get(f"/app/{name}", headers={"Accept-Encoding": "identity"})
        assert "content-encoding" not in plain.headers and plain.content == FILES[name]
    assert "content-encoding" not in client.get("/app/app.tar.gz").headers


def test_an_unchanged_file_costs_a_few_bytes_and_a_new_build_is_seen_at_once(client, folder):
    tag = client.get("/app/sw.js").headers["etag"]
    again = client.get("/app/sw.js", headers={"If-None-Match": tag})
    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["etag"] == tag
    (folder / "sw.js").write_bytes(b"// another\n" * 90)
    fresh = client.get("/app/sw.js", headers={"If-None-Match": tag})
    assert (fresh.status_code, fresh.content) == (200, b"// another\n" * 90)
    assert fresh.headers["etag"] != tag


@pytest.mark.parametrize("path", ["/app/nothing.js", "/app/../secret.txt", "/app/%2e%2e/secret.txt", "/app/pyodide",
                                  "/app/link.txt", "/app//etc/passwd", "/app/%00",
                                  "/app/" + "x" * 5000])
def test_nothing_outside_the_app_is_served(client, path):
    response = client.get(path)
    assert response.status_code == 404
    assert "outside" not in response.text


def test_only_reading_is_possible(client):
    for method in ("POST", "PUT", "DELETE"):
        assert client.request(method, "/app/sw.js").status_code == 405
    head = client.head("/app/sw.js")
    assert (head.status_code, head.content) == (200, b"")


def test_the_address_without_its_slash_leads_to_the_app(client):
    assert client.get("/app", follow_redirects=False).headers["location"].endswith("/app/")


def test_before_it_is_built_the_page_says_what_to_do(tmp_path):
    with TestClient(Starlette(routes=[Mount("/app", TabletApp(tmp_path / "none"))])) as client:
        response = client.get("/app/")
    assert response.status_code == 503
    assert "make webapp" in response.text


def test_every_kind_of_file_of_a_real_build_has_a_type():
    from pathlib import Path

    web = Path(__file__).resolve().parents[3] / "build" / "web"
    known = {*TYPES, ".gz", ".whl", ".zip", ".bin", ".frag", ".data", ""}
    assert {path.suffix for path in web.rglob("*") if path.is_file()} <= known

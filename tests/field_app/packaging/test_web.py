"""The built web app as files: what is in it, what is not, and that two builds are the same bytes."""

import gzip
import hashlib
import io
import json
import re
import tarfile
from pathlib import Path

import pytest

from field_app.packaging import web
from field_app.packaging.patches import SCRIPTS
from tests.support.web_build import test_build

ROOT = Path(__file__).resolve().parents[3]
CACHE = ROOT / "build" / "cache" / "wheels"
FIRST_LOAD_MB = 17


@pytest.fixture(scope="module")
def builds(tmp_path_factory):
    """A release, the same release once more, and the build for tests that the browsers use."""
    home = tmp_path_factory.mktemp("web")
    made = {
        "release": web.build(home / "release", cache=CACHE),
        "again": web.build(home / "again", cache=CACHE),
    }
    (home / "test").symlink_to(test_build())
    return home, made


def names_in_archive(folder: Path) -> dict[str, bytes]:
    with tarfile.open(fileobj=io.BytesIO(gzip.decompress((folder / web.ARCHIVE).read_bytes()))) as tar:
        return {member.name: tar.extractfile(member).read() for member in tar.getmembers()}


def files_of(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file()
    }


def table(folder: Path) -> dict[str, list]:
    return json.loads(re.search(r"const FILES = (\{.*?\n\});", (folder / "sw.js").read_text(), re.DOTALL)[1])


def test_two_builds_are_the_same_bytes(builds):
    home, made = builds
    assert files_of(home / "release") == files_of(home / "again")
    assert made["release"] == made["again"]


def test_the_service_worker_names_every_file_with_its_fingerprint(builds):
    home, _ = builds
    listed = table(home / "release")
    on_disk = files_of(home / "release")
    assert set(listed) == set(on_disk) - {"sw.js", *web.ONLINE_ONLY}
    for name, (digest, size, engine) in listed.items():
        assert digest == on_disk[name]
        assert size == (home / "release" / name).stat().st_size
        spare = "spare" if name.startswith("assets/fonts/spare/") else ""
        assert engine == (spare if not name.startswith("canvaskit/") else "chromium" if "chromium" in name else "full")


def test_a_first_visit_stays_small(builds):
    home, made = builds
    assert made["release"]["gzip_mb"] <= FIRST_LOAD_MB
    assert web.first_load_mb(home / "release", "full") <= FIRST_LOAD_MB


def test_the_archive_holds_the_app_and_nothing_of_the_server_or_the_build(builds):
    names = set(names_in_archive(builds[0] / "release"))
    assert {"main.py", "field_app/__init__.py", "field_app/hardware/browser.py", "sync/where.py"} <= names
    assert any(name.startswith("__pypackages__/flet/") for name in names)
    assert any(name.startswith("__pypackages__/msgpack/") and name.endswith(".so") for name in names)
    for name in names:
        assert not name.startswith(("sync/server", "field_app/packaging", "tests/", "docs/")), name
        assert not name.endswith((".pyc", "pyproject.toml", "requirements.txt")), name
    assert any(name.startswith("sync/_assets/ordinance/") for name in names)


def test_a_release_has_no_way_to_set_its_date(builds):
    """Both archives, compared: the test build differs by the clock alone, and the release knows nothing of it."""
    home, _ = builds
    release, tests = names_in_archive(home / "release"), names_in_archive(home / "test")
    assert "set_clock.py" in tests and b"set_clock" in tests["main.py"]
    assert "set_clock.py" not in release
    assert set(tests) - set(release) == {"set_clock.py"} and set(release) <= set(tests)
    assert b"clock" not in release["main.py"]
    for name, data in release.items():
        if not name.startswith("__pypackages__/"):
            for word in (b"set_clock", b"SetClock", b"clockOffsetMs", b"siltwatch-test-clock"):
                assert word not in data, f"{name} names {word!r}"
    assert "set_clock.js" not in files_of(home / "release")
    assert "set_clock.js" in files_of(home / "test")
    for page in ("index.html", "start.js", "sw.js"):
        assert "set_clock" not in (home / "release" / page).read_text()


def test_the_page_gives_flets_scripts_every_setting_that_they_read(builds):
    home, _ = builds
    folder = home / "release"
    settings = (folder / "start.js").read_text().split("var flet = {")[1].split("\n};")[0]
    given = set(re.findall(r"^  (\w+):", settings, re.MULTILINE))
    read = set()
    for script in ("python.js", "flutter_bootstrap.js"):
        read |= set(re.findall(r"\bflet\.(\w+)", (folder / script).read_text()))
    read |= set(re.findall(r"flet\.(\w+)", (folder / "main.dart.js").read_text())) & {"pyodide", "webSocketEndpoint"}
    assert read - {"flutterApp", "flutterAppResolve"} <= given, "a new setting of Flet's: look at what it means"


def test_nothing_is_fetched_from_another_host(builds):
    home, _ = builds
    scripts = ("start.js", "papers.js", "sw.js", "python.js", "python-worker.js")
    for name in ("index.html", "start.css", "manifest.json", *scripts):
        text = (home / "release" / name).read_text()
        assert not re.findall(r"[\"'(](https?:)?//[a-z]", text), name
    assert "cdn.jsdelivr" not in (home / "release" / "main.dart.js").read_text()


def test_every_font_that_flutter_may_ask_for_is_here(builds):
    client = (builds[0] / "release" / "main.dart.js").read_text("utf-8")
    asked = {name.replace(" ", "").lower() for name in SCRIPTS} | {"han", "hangul", "emoji", "signs"}
    held = {path.stem for path in (builds[0] / "release" / "assets" / "fonts" / "spare").glob("*.woff2")}
    assert held == asked
    assert all(f'A.z("Noto Sans {name}"' in client for name in SCRIPTS)


def test_the_page_has_no_script_of_its_own_inside(builds):
    """The content security policy allows scripts from files alone."""
    page = (builds[0] / "release" / "index.html").read_text()
    assert re.findall(r"<script(?![^>]*\bsrc=)", page) == []
    assert not re.search(r"\son\w+=", page)


def test_another_base_path_is_used_everywhere(tmp_path):
    web.build(tmp_path / "web", base="tablet", cache=CACHE)
    assert '<base href="/tablet/">' in (tmp_path / "web" / "index.html").read_text()
    assert 'BASE = "/tablet/"' in (tmp_path / "web" / "sw.js").read_text()
    assert json.loads((tmp_path / "web" / "manifest.json").read_text())["scope"] == "/tablet/"
    assert "/app/" not in (tmp_path / "web" / "start.js").read_text()


def test_a_template_word_that_nobody_gives_stops_the_build():
    with pytest.raises(KeyError):
        web.fill("{{unheard_of}}", {"base": "/"})


def test_every_icon_of_the_manifest_exists_at_its_size(builds):
    from PIL import Image

    folder = builds[0] / "release"
    for icon in json.loads((folder / "manifest.json").read_text())["icons"]:
        with Image.open(folder / icon["src"]) as image:
            assert "{}x{}".format(*image.size) == icon["sizes"]

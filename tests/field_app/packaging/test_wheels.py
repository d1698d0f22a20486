"""The packages inside the web app: pinned by hash, the versions the tests ran, only what is used."""

import hashlib
import zipfile
from pathlib import Path

import pytest

from field_app.packaging import wheels

ROOT = Path(__file__).resolve().parents[3]


def test_every_package_is_pinned_by_hash_at_the_version_that_the_tests_run():
    carried = wheels.pinned(wheels.CONSTRAINTS.read_text("utf-8"))
    tested = wheels.pinned((ROOT / "constraints.txt").read_text("utf-8"))
    assert set(carried) == set(wheels.WANTED)
    for name, (version, hashes) in carried.items():
        assert hashes, f"{name} has no hash"
        assert tested[name][0] == version, f"{name}: run `python -m field_app.packaging.wheels --lock`"


def test_an_unpinned_line_is_refused():
    with pytest.raises(wheels.WheelError, match="requests>=2"):
        wheels.pinned("requests>=2\n")


def test_a_changed_download_is_not_taken(tmp_path):
    """A file with the right name and other bytes is as good as absent, even with pip unable to help."""
    (tmp_path / "six-1.17.0-py2.py3-none-any.whl").write_bytes(b"not the wheel that was pinned")
    constraints = tmp_path / "constraints.txt"
    constraints.write_text("six==1.17.0 \\\n    --hash=sha256:" + hashlib.sha256(b"the right one").hexdigest() + "\n")
    with pytest.raises(wheels.WheelError):
        wheels.fetch(tmp_path, constraints)


def test_a_cached_download_needs_no_network(tmp_path, monkeypatch):
    data = b"the wheel"
    (tmp_path / "six-1.17.0-py2.py3-none-any.whl").write_bytes(data)
    constraints = tmp_path / "constraints.txt"
    constraints.write_text(f"six==1.17.0 \\\n    --hash=sha256:{hashlib.sha256(data).hexdigest()}\n")
    monkeypatch.setattr(wheels.sys, "executable", "/nonexistent/python")  # pip cannot be started
    assert [path.name for path in wheels.fetch(tmp_path, constraints)] == ["six-1.17.0-py2.py3-none-any.whl"]


def wheel(place: Path, names: list[str]) -> Path:
    with zipfile.ZipFile(place, "w") as archive:
        for name in names:
            archive.writestr(name, name)
    return place


def test_unpacking_leaves_out_what_no_tablet_runs(tmp_path):
    made = wheel(
        tmp_path / "flet-1.whl",
        [
            "flet/page.py",
            "flet/testing/tester.py",
            "flet/cli.py",
            "flet/py.typed",
            "flet/page.pyi",
            "flutter/camera/lib/camera.dart",
            "flet-1.dist-info/METADATA",
            "flet-1.dist-info/RECORD",
            "flet-1.dist-info/licenses/LICENSE",
        ],
    )
    wheels.unpack([made], tmp_path / "out")
    found = {path.relative_to(tmp_path / "out").as_posix() for path in (tmp_path / "out").rglob("*") if path.is_file()}
    assert found == {"flet/page.py", "flet-1.dist-info/METADATA", "flet-1.dist-info/licenses/LICENSE"}


def test_a_wheel_cannot_write_outside_its_folder(tmp_path):
    made = wheel(tmp_path / "bad-1.whl", ["../escaped.py"])
    with pytest.raises(wheels.WheelError, match="outside"):
        wheels.unpack([made], tmp_path / "out")
    assert not (tmp_path / "escaped.py").exists()

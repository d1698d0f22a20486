"""What `flet build apk` and `flet build ipa` would make of our settings: asked of Flet's own code, without an SDK."""

import argparse
import base64
import json
import tomllib
from pathlib import Path

import pytest

from field_app.packaging import native

MANIFEST = {
    "default_python_version": "3.14",
    "pythons": {
        "3.14": {
            "full_version": "3.14.2",
            "standalone_release_date": "none",
            "pyodide_version": "314.0.7",
            "android_abis": ["arm64-v8a", "x86_64"],
            "prerelease": False,
        }
    },
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    out = tmp_path_factory.mktemp("native") / "app"
    native.build(out, org="gov.example")
    return out


@pytest.fixture
def asked(folder, tmp_path, monkeypatch):
    """asked("apk") -> the template data that Flet's build command computes from the folder."""
    manifest = tmp_path / "manifest.json"
    manifest.write_text(json.dumps(MANIFEST))
    monkeypatch.setenv("FLET_PYTHON_BUILD_MANIFEST", str(manifest))
    from flet_cli.commands.build import Command
    from flet_cli.utils.pyproject_toml import load_pyproject_toml
    from flet_cli.utils.python_versions import resolve_python_version

    def ask(target: str) -> dict:
        parser = argparse.ArgumentParser()
        command = Command(parser)
        command.options = parser.parse_args([target, str(folder)])
        command.target_platform = target
        command.package_platform = command.platforms[target]["package_platform"]
        command.config_platform = command.platforms[target]["config_platform"]
        command.python_app_path = Path(folder)
        command.get_pyproject = load_pyproject_toml(Path(folder))
        command.python_release = resolve_python_version(None, command.get_pyproject)
        command.flutter_dir = Path(folder) / "build/flutter"
        command.python_module_name = "main"
        command.flutter_dependencies = {}
        command.debug_platform = None
        command.setup_template_data()
        return command.template_data

    return ask


def test_android_asks_for_camera_microphone_and_the_position_in_use_and_for_nothing_else(asked):
    options = asked("apk")["options"]
    granted = {name for name, wanted in options["android_permissions"].items() if wanted}
    assert granted == {
        "android.permission.INTERNET",
        "android.permission.CAMERA",
        "android.permission.RECORD_AUDIO",
        "android.permission.ACCESS_FINE_LOCATION",
        "android.permission.ACCESS_COARSE_LOCATION",
    }
    removed = {name for name, wanted in options["android_permissions"].items() if not wanted}
    assert {
        "android.permission.ACCESS_BACKGROUND_LOCATION",
        "android.permission.WRITE_EXTERNAL_STORAGE",
    } <= removed


def test_android_backs_nothing_up_and_talks_in_clear_to_nobody(asked):
    found = json.dumps(asked("apk"), default=str)
    assert '"allowBackup": "false"' in found
    assert '"usesCleartextTraffic": "false"' in found


def test_ios_says_in_plain_words_why_and_never_always(asked):
    info = asked("ipa")["options"]["info_plist"]
    assert {name: info[name] for name in native.IOS_WORDS} == native.IOS_WORDS
    assert not [name for name in info if "Always" in name or "BackgroundModes" in name]


def test_names_and_first_screens_are_ours(asked):
    for target in ("apk", "ipa"):
        found = asked(target)
        assert found["product_name"] == "Siltwatch"
        assert (found["org_name"], found["project_name"]) == ("gov.example", "siltwatch")
        assert found["splash"]["color"] == native.BACKGROUND
        words = json.loads(base64.b64decode(found["boot_screen"]["options_b64"]))
        assert words["startup_message"] == "Siltwatch is starting"


def test_the_folder_holds_the_app_without_server_and_build(folder):
    source = folder / "src"
    assert (source / "main.py").is_file() and (source / "assets" / "icon.png").is_file()
    assert (source / "field_app" / "hardware" / "native.py").is_file()
    assert (source / "sync" / "_assets" / "ordinance").is_dir()
    for absent in ("field_app/packaging", "sync/server", "set_clock.py", "pyproject.toml", "__pypackages__"):
        assert not (source / absent).exists(), absent
    assert "clock" not in (source / "main.py").read_text()


def test_it_asks_for_the_projects_own_dependencies_and_no_extras(folder):
    project = tomllib.loads((folder / "pyproject.toml").read_text())["project"]
    names = {line.split("=")[0].split(">")[0].split("<")[0].split(";")[0].strip() for line in project["dependencies"]}
    assert {"flet", "flet-audio-recorder", "flet-camera", "flet-geolocator", "flet-map", "tinydb", "requests",
            "fpdf2", "segno", "tzdata"} <= names
    assert any(line.startswith("pillow") for line in project["dependencies"])
    assert not {"fastapi", "pytest", "sqlalchemy", "flet-web", "flet-cli", "hypothesis"} & names

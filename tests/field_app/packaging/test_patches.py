"""Each patch of a flet-web file: it finds its target in the installed package, and refuses when it does not."""

from pathlib import Path

import flet_web
import pytest

from field_app.packaging.patches import PATCHES, Patch, PatchError

CLIENT = Path(flet_web.get_package_web_dir())


@pytest.mark.parametrize("patch", PATCHES, ids=lambda patch: patch.name)
def test_a_patch_finds_its_target_exactly_once_and_leaves_none(patch):
    before = (CLIENT / patch.file).read_text("utf-8")
    after = patch.apply(before)
    assert after != before
    assert patch.put in after
    with pytest.raises(PatchError) as refused:
        patch.apply(after)
    assert patch.name in str(refused.value) and patch.file in str(refused.value)


@pytest.mark.parametrize("patch", PATCHES, ids=lambda patch: patch.name)
def test_a_patch_stops_the_build_when_flet_web_has_changed(patch):
    with pytest.raises(PatchError) as refused:
        patch.apply("another client altogether")
    assert "0 times" in str(refused.value) and patch.why in str(refused.value)


def test_a_target_found_twice_is_refused():
    with pytest.raises(PatchError, match="2 times"):
        Patch("twice", "a.js", "x", "y", "no reason").apply("x and x")


def test_after_all_patches_the_worker_is_ours_alone_and_no_cdn_is_named():
    texts = {file: (CLIENT / file).read_text("utf-8") for file in {patch.file for patch in PATCHES}}
    for patch in PATCHES:
        texts[patch.file] = patch.apply(texts[patch.file])
    tail = texts["flutter_bootstrap.js"].rsplit("_flutter.loader.load(", 1)[1]
    assert "serviceWorkerSettings" not in tail
    assert "onEntrypointLoaded" in tail, "only the settings go, the start itself stays"
    assert "cdn.jsdelivr.net" not in texts["main.dart.js"]
    assert "pagePort: flet.pagePort" in texts["python.js"]
    assert "self.pagePort = event.data.pagePort" in texts["python-worker.js"]

"""The backends of the evidence store against their contract, and what is particular to the local disk."""

import hashlib
import os

import pytest

from sync.server.blobs.local import LocalBlobs
from sync.server.blobs.memory import MemoryBlobs
from tests.sync.server.blobs.contract import DATA, BlobsContract, keep


class TestMemory(BlobsContract):
    @pytest.fixture
    def blobs(self):
        return MemoryBlobs()


class TestLocal(BlobsContract):
    nameless = True

    @pytest.fixture
    def blobs(self, tmp_path):
        return LocalBlobs(tmp_path / "evidence", nameless=self.nameless)

    def test_files_fan_out_in_two_levels(self, blobs, tmp_path):
        _, name = keep(blobs, DATA)
        assert (tmp_path / "evidence" / name[:2] / name).read_bytes() == DATA

    def test_what_a_killed_process_left_half_received_is_swept_and_the_rest_stays(self, blobs, tmp_path):
        _, name = keep(blobs, DATA)
        half = blobs.incoming()
        half.write(DATA[:5000])
        again = LocalBlobs(tmp_path / "evidence")
        assert again.sweep() == (0 if self.nameless else 1)
        assert again.sweep() == 0
        assert list(again.names()) == [name] and again.read(name) == DATA

    @pytest.mark.parametrize("left", [b"", DATA[:-1], bytes(len(DATA))], ids=["empty", "cut off", "other bytes"])
    @pytest.mark.parametrize("way", ["incoming", "adopt"])
    def test_a_damaged_file_is_replaced_by_the_good_one_that_comes(self, blobs, tmp_path, left, way):
        _, name = keep(blobs, DATA)
        (tmp_path / "evidence" / name[:2] / name).write_bytes(left)
        if way == "adopt":
            (blobs.unfinished / "x.data").write_bytes(DATA)
            assert blobs.adopt(blobs.unfinished / "x.data", name)
        else:
            assert keep(blobs, DATA)[0]
        assert blobs.read(name) == DATA and list(blobs.names()) == [name] and blobs.sweep() == 0
        assert not keep(blobs, DATA)[0], "a good one is left alone"

    @pytest.mark.parametrize("name", ["", "..", "../../etc/passwd", "A" * 64, "a" * 63])
    def test_a_name_that_is_no_fingerprint_reaches_no_file(self, blobs, name):
        for act in (blobs.has, blobs.size, blobs.read):
            with pytest.raises(KeyError):
                act(name)

    def test_a_folder_that_is_not_there_is_made_for_an_announced_file(self, blobs, tmp_path):
        name = hashlib.sha256(DATA).hexdigest()
        (tmp_path / "evidence" / name[:2]).rmdir()
        incoming = blobs.coming(name)
        incoming.write(DATA)
        assert incoming.keep() and blobs.read(name) == DATA
        incoming.drop()

    def test_the_file_and_its_folder_are_flushed_before_it_counts(self, blobs, monkeypatch):
        """The order of the steps is the promise: flush the bytes, give the name, flush the folder."""
        steps = []
        real = {name: getattr(os, name) for name in ("fsync", "fdatasync", "link")}

        def flush(name):
            def act(handle):
                steps.append("folder" if os.path.isdir(f"/proc/self/fd/{handle}") else "file")
                real[name](handle)

            return act

        def link(*names, **more):
            steps.append("link")
            real["link"](*names, **more)

        keep(blobs, b"first")  # makes no folder that the next one needs
        monkeypatch.setattr(os, "fsync", flush("fsync"))
        monkeypatch.setattr(os, "fdatasync", flush("fdatasync"))
        monkeypatch.setattr(os, "link", link)
        keep(blobs, DATA)
        assert steps == ["file", "link", "folder"]

    def test_a_full_disk_keeps_nothing(self, blobs, monkeypatch):
        incoming = blobs.incoming()
        incoming.write(DATA)

        def full(*_):
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(os, "fdatasync", full)
        with pytest.raises(OSError):
            incoming.keep()
        incoming.drop()
        monkeypatch.undo()
        assert list(blobs.names()) == [] and blobs.sweep() == 0


class TestLocalWithTemporaryNames(TestLocal):
    """A disk that knows no files without a name."""

    nameless = False


def test_a_disk_that_knows_no_nameless_files_is_noticed(tmp_path, monkeypatch):
    blobs = LocalBlobs(tmp_path / "evidence")
    monkeypatch.delattr(os, "O_TMPFILE")
    _, name = keep(blobs, DATA)
    assert blobs.read(name) == DATA and [path.name for path in (tmp_path / "evidence").glob(".*")] == []

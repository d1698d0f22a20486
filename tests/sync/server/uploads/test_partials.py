"""What is told of an unfinished upload is on the disk before: bytes, then the line that counts them, then the word."""

import os
from datetime import UTC, datetime

import pytest

from sync.server.blobs.local import LocalBlobs
from sync.server.uploads import partials
from sync.server.uploads.partials import Head, Partials

NOW = datetime(2026, 8, 27, 20, tzinfo=UTC)


@pytest.fixture
def files(tmp_path):
    return Partials(LocalBlobs(tmp_path / "files"))


def test_bytes_then_their_line_then_the_word(files, monkeypatch):
    part = files.create("T.x", Head("a" * 64, "photo", 100), NOW)
    steps, told = [], []
    real = partials.flush_bytes
    by_handle = {part._data.fileno(): "bytes", part._log.fileno(): "line"}

    def flush(handle):
        # What had been written, and what was told, when this flush began.
        steps.append((by_handle[handle], files._log_path("T.x").read_bytes().count(b"\n") - 2))
        told.append(part.offset)
        real(handle)

    monkeypatch.setattr(partials, "flush_bytes", flush)
    part.write(b"x" * 40, NOW)
    assert part.offset == 0 and steps == []
    part.commit(NOW)
    assert steps == [("bytes", 0), ("line", 1)] and told == [0, 0] and part.offset == 40
    part.close()


@pytest.mark.parametrize("fails", ["bytes", "line"])
def test_what_could_not_be_made_safe_is_not_told_and_not_found_again(files, monkeypatch, fails):
    part = files.create("T.x", Head("a" * 64, "photo", 100), NOW)
    part.write(b"x" * 40, NOW)
    part.commit(NOW)
    handles = {"bytes": part._data.fileno(), "line": part._log.fileno()}
    real = partials.flush_bytes

    def flush(handle):
        if handle == handles[fails]:
            raise OSError(5, "Input/output error")
        real(handle)

    part.write(b"y" * 30, NOW)
    monkeypatch.setattr(partials, "flush_bytes", flush)
    with pytest.raises(OSError):
        part.commit(NOW)
    assert part.offset == 40
    part.close()
    monkeypatch.undo()
    again = files.open("T.x", NOW)
    # The line may have reached the disk although nobody could say so; the bytes that it counts had, before it.
    assert again.offset == (40 if fails == "bytes" else 70)
    assert again.path.stat().st_size == again.offset
    again.close()


def test_a_line_that_counts_more_than_is_there_begins_anew(files):
    part = files.create("T.x", Head("a" * 64, "photo", 100), NOW)
    part.write(b"x" * 40, NOW)
    part.commit(NOW)
    part.close()
    os.truncate(files.data_path("T.x"), 39)
    assert files.open("T.x", NOW) is None

"""Files of a tablet that are larger than the first ZIP could say: here, for the browser's Python has no such disk."""

import io
import zipfile
import zlib
from datetime import datetime

import pytest

from sync.records import archive
from sync.records.archive import Archive, content, read
from sync.records.problems import Problem

AT = datetime(2026, 8, 27, 14, 3, 22)


def test_beyond_four_gigabytes_too(tmp_path):
    """A file with a hole: the second entry begins beyond what 32 bits can say."""
    made, big, path = Archive(AT), 0xFFFF_FFF0, tmp_path / "large.zip"
    with path.open("wb") as out:
        out.write(made.begin("hole", big, 0))
        out.seek(big, 1)
        out.write(made.begin("small", 5, zlib.crc32(b"small")) + b"small")
        out.write(made.begin("more", 4, zlib.crc32(b"more")) + b"more")
        out.write(made.end())
    with path.open("rb") as file:
        assert b"".join(content(file, read(file)["more"])) == b"more"
        assert zipfile.ZipFile(file).read("small") == b"small"
    with pytest.raises(ValueError, match="too large"):
        made.begin("x", 0xFFFF_FFFF, 0)


def test_more_entries_than_sixteen_bits_can_count(monkeypatch):
    made, out = Archive(AT), io.BytesIO()
    for number in range(65_536):
        out.write(made.begin(f"{number:05d}", 0, 0))
    out.write(made.end())
    assert len(read(out)) == len(zipfile.ZipFile(out).namelist()) == 65_536
    monkeypatch.setattr(archive, "MOST_ENTRIES", 65_535)
    with pytest.raises(Problem) as caught:
        read(out)
    assert caught.value.code == "export-malformed"

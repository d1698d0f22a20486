"""The ZIP files of tablets: any program can open them, and only they are taken, whole."""

import io
import zipfile
import zlib
from datetime import datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sync.records.archive import Archive, content, read
from sync.records.problems import Problem

AT = datetime(2026, 8, 27, 14, 3, 22)
FILES = {"READ-ME.txt": b"hello", "facts/000001-ä.json": b"{}", "evidence/x": bytes(range(256)) * 3, "empty": b""}


def packed(files=None, at=AT) -> bytes:
    out, made = io.BytesIO(), Archive(at)
    for name, data in (FILES if files is None else files).items():
        out.write(made.begin(name, len(data), zlib.crc32(data)))
        out.write(data)
    out.write(made.end())
    assert made.size == len(out.getvalue())
    return out.getvalue()


def test_any_program_can_open_it():
    with zipfile.ZipFile(io.BytesIO(packed())) as other:
        assert other.testzip() is None
        assert {name: other.read(name) for name in other.namelist()} == FILES
        assert other.infolist()[0].date_time == (2026, 8, 27, 14, 3, 22)


@pytest.mark.parametrize("year, shown", [(1, 1980), (1970, 1980), (2107, 2107), (2108, 2107), (9999, 2107)])
def test_whatever_year_the_clock_shows_it_is_written(year, shown):
    with zipfile.ZipFile(io.BytesIO(packed(at=AT.replace(year=year)))) as other:
        assert other.testzip() is None and other.infolist()[0].date_time == (shown, 8, 27, 14, 3, 22)


def test_what_was_written_is_what_is_read():
    file = io.BytesIO(packed())
    found = read(file)
    assert {name: b"".join(content(file, entry, 7)) for name, entry in found.items()} == FILES
    assert all(zlib.crc32(FILES[name]) == entry.crc for name, entry in found.items())


@settings(max_examples=25, deadline=None, derandomize=True)
@given(st.dictionaries(st.text(min_size=1, max_size=30), st.binary(max_size=300), min_size=1, max_size=8))
def test_whatever_is_in_it(files):
    file = io.BytesIO(packed(files))
    assert {name: b"".join(content(file, entry)) for name, entry in read(file).items()} == files
    with zipfile.ZipFile(file) as other:
        assert other.testzip() is None


def test_cut_anywhere_it_is_damaged_and_never_half_read():
    whole = packed()
    for end in range(len(whole)):
        with pytest.raises(Problem) as caught:
            read(io.BytesIO(whole[:end]))
        assert caught.value.code == ("export-malformed" if end < 4 else "export-damaged"), end


def by_another_program(**how) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", **how) as other:
        for name, data in FILES.items():
            other.writestr(name, data)
    return out.getvalue()


@pytest.mark.parametrize("data", [
    b"", b"PK", b"hello, I am no ZIP file at all, and long enough to be one", b"\x89PNG\r\n\x1a\n" + b"\0" * 100,
    by_another_program(compression=zipfile.ZIP_DEFLATED),
    packed({"a": b"x"})[:26] + b"\xff\xff" + packed({"a": b"x"})[28:],  # a name of 65535 letters
])  # fmt: skip
def test_any_other_file_is_refused_as_such(data):
    with pytest.raises(Problem) as caught:
        read(io.BytesIO(data))
    assert caught.value.code == "export-malformed"


def test_a_bomb_does_not_go_off():
    """Ten bytes that say they unpack to four gigabytes: only stored entries are read, and they must be there."""
    bomb = io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as other:
        other.writestr("manifest.json", b"0" * 50_000_000)
    liar = bytearray(packed({"manifest.json": b"0" * 10}))
    liar[18:26] = b"\xfe\xff\xff\xff" * 2
    for data, code in ((bomb.getvalue(), "export-malformed"), (bytes(liar), "export-damaged")):
        with pytest.raises(Problem) as caught:
            read(io.BytesIO(data))
        assert caught.value.code == code


def test_a_name_twice_is_refused():
    made, out = Archive(AT), io.BytesIO()
    for data in (b"one", b"two"):
        out.write(made.begin("same", 3, zlib.crc32(data)) + data)
    out.write(made.end())
    with pytest.raises(Problem) as caught:
        read(out)
    assert caught.value.code == "export-malformed"


def test_something_put_in_between_is_seen():
    whole = packed()
    at = whole.index(b"PK\x01\x02")
    for data in (whole[:at] + b"extra" + whole[at:], whole + b"more", packed({"a": b"1"})[:-22] + whole[-22:]):
        with pytest.raises(Problem) as caught:
            read(io.BytesIO(data))
        assert caught.value.code == "export-damaged"

"""What a tus request asks, and every way in which it may be wrong."""

import base64
import hashlib
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sync.records.problems import Problem
from sync.server.uploads import core

SHA = "ab" * 32
BYTES = {"content-type": core.MEDIA}


def b64(text):
    return base64.b64encode(text if isinstance(text, bytes) else text.encode()).decode()


def code(act, *arguments):
    with pytest.raises(Problem) as caught:
        act(*arguments)
    return caught.value.code


@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.dictionaries(st.from_regex(r"[A-Za-z0-9_-]{1,12}", fullmatch=True), st.text(max_size=30), max_size=5))
def test_metadata_comes_back_as_it_was_said(said):
    text = ",".join(f"{key} {b64(value)}" if value else key for key, value in said.items())
    assert core.metadata(text) == said


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.text(max_size=60))
def test_any_metadata_is_read_or_refused(text):
    try:
        assert isinstance(core.metadata(text), dict)
    except Problem as problem:
        assert problem.code == "upload-malformed"


@pytest.mark.parametrize("text", ["a !!", "a YQ==,a YQ==", ",", "a YQ==,,b YQ==", f"a {b64(bytes([255]))}"])
def test_metadata_that_cannot_be_meant(text):
    assert code(core.metadata, text) == "upload-malformed"


def test_an_upload_is_made_with_a_hash_a_kind_and_a_length():
    ask = core.read_create({"upload-length": "12", "upload-metadata": f"sha256 {b64(SHA)},kind {b64('placard')}"})
    assert (ask.sha256, ask.kind, ask.length, ask.first, ask.checksum) == (SHA, "placard", 12, False, None)
    plain = core.read_create({"upload-length": "12", "upload-metadata": f"sha256 {b64(SHA)}", "content-length": "0"})
    assert (plain.kind, plain.first) == ("photo", False)


@pytest.mark.parametrize("extra", [{"content-length": "5"}, {"transfer-encoding": "chunked"}])
def test_bytes_may_come_along(extra):
    sum_ = f"sha1 {b64(hashlib.sha1(b'x').digest())}"
    said = {"upload-length": "12", "upload-metadata": f"sha256 {b64(SHA)}", "upload-checksum": sum_, **extra}
    ask = core.read_create({**said, **BYTES})
    assert ask.first and ask.checksum.algorithm == "sha1"
    assert code(core.read_create, said) == "upload-media"


@pytest.mark.parametrize("change", [
    {"upload-length": "-1"}, {"upload-length": "x"}, {"upload-length": ""}, {"upload-length": "٣"},
    {"upload-length": "9" * 16}, {"upload-defer-length": "1"}, {"upload-metadata": ""},
    {"upload-metadata": "a " + "A" * 4096}, {"content-length": "13", **BYTES}])
def test_an_upload_that_cannot_be_made(change):
    fine = {"upload-length": "12", "upload-metadata": f"sha256 {b64(SHA)}"}
    core.read_create(fine)
    assert code(core.read_create, {**fine, **change}) == "upload-malformed"


@pytest.mark.parametrize("change, expected", [
    ({}, None), ({"content-type": "text/plain"}, "upload-media"), ({"content-type": ""}, "upload-media"),
    ({"content-type": core.MEDIA.upper() + "; x=1"}, None), ({"upload-offset": "-1"}, "upload-malformed"),
    ({"upload-offset": "1.5"}, "upload-malformed"), ({"upload-checksum": "md5 AAAA"}, "upload-malformed"),
    ({"upload-checksum": f"sha256 {b64(b'short')}"}, "upload-malformed"),
    ({"upload-checksum": "sha1 !"}, "upload-malformed"), ({"upload-checksum": ""}, "upload-malformed"),
    ({"upload-checksum": f"sha256 {b64(hashlib.sha256().digest())}"}, None),
    ({"content-length": "many"}, "upload-malformed")])
def test_bytes_to_be_added(change, expected):
    said = {**BYTES, "upload-offset": "3", "content-length": "4", **change}
    if expected:
        assert code(core.read_append, said) == expected
    else:
        ask = core.read_append(said)
        assert (ask.offset, ask.size) == (3, 4)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.integers(0, 40), st.one_of(st.none(), st.integers(0, 40)), st.integers(0, 30), st.integers(0, 30))
def test_only_bytes_that_begin_where_the_upload_ends_and_fit_are_taken(at, size, offset, missing):
    ask, length = core.Append(at, size, None), offset + missing
    try:
        core.check_append(ask, offset, length)
    except core.Conflict as conflict:
        assert at != offset and conflict.offset == offset
    except Problem as problem:
        assert problem.code == "upload-malformed" and at == offset and at + size > length
    else:
        assert at == offset and (size is None or at + size <= length)


def test_another_version_is_refused():
    core.check_version({"tus-resumable": "1.0.0"})
    for said in ({}, {"tus-resumable": "0.2.2"}, {"tus-resumable": "1.0"}):
        assert code(core.check_version, said) == "upload-version"


def test_a_post_may_stand_for_another_method():
    assert core.method_of("POST", {}) == "POST"
    assert core.method_of("POST", {"x-http-method-override": "patch"}) == "PATCH"
    assert core.method_of("HEAD", {"x-http-method-override": "DELETE"}) == "HEAD"
    assert code(core.method_of, "POST", {"x-http-method-override": "PUT"}) == "method-not-allowed"


def test_a_date_is_written_as_http_writes_it():
    assert core.expires(datetime(2026, 9, 3, 20, 0, 5, 999, tzinfo=UTC)) == "Thu, 03 Sep 2026 20:00:05 GMT"

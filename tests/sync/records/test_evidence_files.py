"""Each kind of evidence file has its own check: what is whole is taken, every cut and every other kind is refused."""

import io
import mmap
import tempfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from sync.records.evidence_files import MAX_PREVIEW_BYTES, Seen, check_file, media_type
from sync.records.facts import EVIDENCE_KINDS
from sync.records.pictures import look
from sync.records.problems import Problem
from sync.records.recordings import Recording, listen
from tests.contract.pictures import TURNED_JPEG, WEBP, png
from tests.contract.recordings import LIVE_MP4, LIVE_WEBM
from tests.support import evidence_files as made

TAKEN = [
    ("photo", TURNED_JPEG, "image/jpeg"), ("photo", png(), "image/png"), ("photo", WEBP, "image/webp"),
    ("photo", made.heic(), "image/heic"), ("placard", made.pdf(), "application/pdf"),
    ("placard", TURNED_JPEG, "image/jpeg"), ("signature", png(), "image/png"),
    ("signature", made.signature(), "application/vnd.siltwatch.signature+json"),
    ("annotation", made.annotation(), "application/vnd.siltwatch.annotation+json"),
    ("voice_note", made.m4a(), "audio/mp4"), ("voice_note", made.fragmented_m4a(), "audio/mp4"),
    ("voice_note", made.webm(), "audio/webm"), ("voice_note", made.webm(live=False), "audio/webm"),
    ("voice_note", made.wav(), "audio/wav"), ("voice_note", made.ogg(), "audio/ogg"),
    ("voice_note", LIVE_WEBM, "audio/webm"), ("voice_note", LIVE_MP4, "audio/mp4"),
    ("preview", TURNED_JPEG, "image/jpeg"),
]  # fmt: skip
NAMES = [f"{n} {kind} {media}" for n, (kind, _, media) in enumerate(TAKEN)]


def refused(kind: str, data: bytes) -> str:
    with pytest.raises(Problem) as caught:
        check_file(kind, data)
    assert caught.value.status in (413, 422)
    return caught.value.code


@pytest.mark.parametrize(("kind", "data", "media"), TAKEN, ids=NAMES)
def test_what_is_whole_is_taken_from_memory_and_from_a_map(kind, data, media):
    assert check_file(kind, data).media == media_type(data) == media
    with tempfile.TemporaryFile() as file:
        file.write(data)
        file.flush()
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
            assert check_file(kind, mapped) == check_file(kind, data)


@pytest.mark.parametrize(("kind", "data", "media"), TAKEN, ids=NAMES)
def test_no_part_of_it_is_taken(kind, data, media):
    """Anchor B9: 0-byte and cut-off files are refused, at capture and at the server, by this one check. A live
    recording has no length of its own, so a cut exactly between two of its parts leaves a shorter whole one."""
    between = 0
    for length in range(len(data)):
        try:
            check_file(kind, data[:length])
        except Problem as problem:
            assert problem.code == "evidence-empty" if length == 0 else problem.code.startswith("evidence-")
        else:
            between += 1
    # The line break after a PDF's end is no part of it.
    assert between <= {"audio/webm": data.count(b"\xa3"), "audio/mp4": 2, "application/pdf": 1}.get(media, 0)


@pytest.mark.parametrize(
    ("kind", "data", "code"),
    [
        ("photo", made.pdf(), "evidence-not-an-image"),
        ("photo", made.m4a(), "evidence-not-an-image"),
        ("photo", b"GIF89a" + bytes(100), "evidence-not-an-image"),
        ("photo", b"<svg xmlns='http://www.w3.org/2000/svg'/>", "evidence-not-an-image"),
        ("photo", png(0, 12), "evidence-not-an-image"),
        ("photo", made.heic(20_000, 20_000), "evidence-too-many-pixels"),
        ("photo", b"\xff\xd8\xff\xe0broken", "evidence-truncated"),
        ("placard", b"<html>", "evidence-not-a-paper"),
        ("placard", made.pdf()[:-8], "evidence-truncated"),
        ("voice_note", TURNED_JPEG, "evidence-not-a-recording"),
        ("voice_note", made.heic(), "evidence-not-a-recording"),
        ("voice_note", made.m4a(track=b"vide"), "evidence-not-a-recording"),
        ("voice_note", b"<script>alert(1)</script>", "evidence-not-a-recording"),
        ("voice_note", made.m4a()[:700], "evidence-truncated"),
        ("voice_note", made.wav(b""), "evidence-truncated"),
        ("signature", made.annotation(), "evidence-not-a-signature"),
        ("signature", b"{}", "evidence-not-a-signature"),
        ("signature", b'{"signature":1,"width":6,"height":2,"strokes":[]}', "evidence-not-a-signature"),
        ("signature", b'{"signature":1,"width":6,"height":2,"strokes":[[[1,2]]]}', "evidence-not-a-signature"),
        ("signature", b'{"signature":1,"width":6,"height":2,"strokes":[[[1,2.5],[3,4]]]}', "evidence-not-a-signature"),
        ("annotation", made.signature(), "evidence-not-an-annotation"),
        ("annotation", made.annotation("no hash"), "evidence-not-an-annotation"),
        ("preview", png(), "evidence-not-an-image"),
        ("preview", TURNED_JPEG + bytes(MAX_PREVIEW_BYTES), "evidence-too-large"),
    ],
)
def test_another_kind_of_file_is_refused_by_name(kind, data, code):
    assert refused(kind, data) == code


def test_a_preview_is_small():
    out = io.BytesIO()
    Image.new("RGB", (2_049, 20)).save(out, "JPEG")
    assert refused("preview", out.getvalue()) == "evidence-not-an-image"
    assert check_file("photo", out.getvalue()) == Seen("image/jpeg", 2_049, 20)


def test_a_kind_that_nobody_knows_is_said_so():
    with pytest.raises(Problem) as caught:
        check_file("invoice", TURNED_JPEG)
    assert caught.value.code == "body-malformed"
    assert all(check_file(kind, data) for kind in EVIDENCE_KINDS for k, data, _ in TAKEN if k == kind)


def test_a_recording_that_was_stopped_hard_says_so():
    """The app was killed while it recorded: the recorder never wrote what it writes last."""
    assert refused("voice_note", made.m4a()[: made.m4a().index(b"moov") - 4]) == "evidence-truncated"
    unfinished = made.wav()[:40] + bytes(4) + made.wav()[44:]
    assert refused("voice_note", unfinished) == "evidence-truncated"


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.sampled_from(TAKEN), st.lists(st.tuples(st.integers(0, 2_000), st.binary(max_size=6)), max_size=8),
       st.integers(0, 2_000))  # fmt: skip
def test_no_damage_makes_it_fail(one, changes, length):
    kind, seed, _ = one
    data = bytearray(seed)
    for at, new in changes:
        data[at : at + len(new)] = new
    try:
        seen = check_file(kind, bytes(data[:length]))
    except Problem as problem:
        assert problem.code.startswith("evidence-")
    else:
        assert seen.media
    media_type(bytes(data[:length]))


@pytest.mark.parametrize("kind, name, code", [("photo", b"iprp", "evidence-not-an-image"),
                                              ("voice_note", b"trak", "evidence-not-a-recording")])
def test_boxes_in_boxes_without_end_are_no_reason_to_fail(kind, name, code):
    deep = b"".join((8 * left).to_bytes(4, "big") + name for left in range(3_000, 0, -1))
    if kind == "photo":
        data = made.box(b"ftyp", b"heic" + bytes(4) + b"mif1") + made.box(b"meta", bytes(4) + deep)
    else:
        data = made.box(b"ftyp", b"M4A " + bytes(4)) + made.box(b"moov", deep)
    assert refused(kind, data + made.box(b"mdat", b"x")) == code


class Counted:
    """Bytes that count how often they are looked at."""

    def __init__(self, data):
        self.data, self.looks = data, 0

    def __len__(self):
        return len(self.data)

    def __getitem__(self, at):
        self.looks += 1
        return self.data[at]


MANY = 225_000
CRAFTED = {
    "jpeg": b"\xff\xd8" + b"\xff\xe1\x00\x02" * MANY + b"\xff\xda\x00\x02\xff\xd9",
    "png": b"\x89PNG\r\n\x1a\n" + (bytes(4) + b"IDAT" + bytes(4)) * MANY + bytes(4) + b"IEND" + bytes(4),
    "webp": b"RIFF" + (8 * MANY + 4).to_bytes(4, "little") + b"WEBP" + (b"EXIF" + bytes(4)) * MANY,
    "heic": made.box(b"ftyp", b"heic" + bytes(4)) + made.box(
        b"meta", bytes(4) + made.box(b"iprp", made.box(b"free", b"") * MANY)) + made.box(b"mdat", b""),
    "mp4": made.box(b"ftyp", b"isom" + bytes(4)) + made.box(
        b"moov", made.box(b"trak", made.box(b"free", b"") * MANY)) + made.box(b"mdat", b"x"),
    "wav": b"RIFF" + bytes(4) + b"WAVE" + (b"LIST" + bytes(4)) * MANY,
    "ogg": (b"OggS" + bytes(23)) * MANY,
    "webm": b"\x1aE\xdf\xa3\x84webm" + b"\xec\x80" * 4 * MANY,
    "webm of heads": b"\x1aE\xdf\xa3\x84webm" * MANY,
}


@pytest.mark.parametrize("name", CRAFTED)
def test_a_file_in_more_pieces_than_any_device_makes_costs_no_more_than_a_real_one(name):
    """A megabyte or two that would keep the server busy for seconds; it is none that we know."""
    data = Counted(CRAFTED[name])
    found = look(data) if name in ("jpeg", "png", "webp", "heic") else listen(data)
    assert found is None
    assert data.looks < 8 * 100_000, "the work does not follow from the size of the file"


def test_a_long_recording_and_a_large_picture_in_small_pieces_are_known():
    """Half an hour in blocks of 20 ms, and a PNG in as many chunks as one of 64 MB has in chunks of 4 kB."""
    webm = b"\x1aE\xdf\xa3\x84webm\x18\x53\x80\x67\xff\x1f\x43\xb6\x75\xff" + b"\xa3\x81x" * 90_000
    assert listen(webm) == Recording("audio/webm", True)
    chunk = (64).to_bytes(4, "big") + b"IDAT" + bytes(64) + bytes(4)
    png = b"\x89PNG\r\n\x1a\n" + chunk * 16_000 + bytes(4) + b"IEND" + bytes(4)
    assert look(png).whole

"""Whether some bytes are a sound recording we know, and whether it was finished.

The formats are those that a tablet's recorder gives: MP4 with AAC, WebM or Ogg with Opus, WAV. Pure and safe on
hostile input: only the frame of the file is walked, every length is checked against what is there, nothing is decoded.
``data`` may be a memory map.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from sync.records.pictures import MOST_DEEP, Work, boxes

_EBML, _SEGMENT, _CLUSTER, _BLOCKS = 0x1A45DFA3, 0x18538067, 0x1F43B675, (0xA0, 0xA3)
_DOCUMENTS = (b"webm", b"matroska")
_MOST_PIECES = 100_000
"""Half an hour in pieces of 20 ms: a recorder's blocks, pages or boxes. What falls into more is none of a tablet's."""
_LONGEST_HEAD = 4_096
_OGG_PAGES = 3
"""An Ogg stream has a page of identification, one of comments, and at least one of sound."""


@dataclass(frozen=True, slots=True)
class Recording:
    """A recording's media type and whether it is complete: begun properly, with sound in it, and not cut off."""

    media: str
    whole: bool


def listen(data: bytes) -> Recording | None:
    """The recording that these bytes are, or None when they are none that we know."""
    work = Work(_MOST_PIECES)
    found = _listen(data, work)
    return None if work.spent else found


def _listen(data: bytes, work: Work) -> Recording | None:
    if data[:4] == b"OggS":
        return Recording("audio/ogg", _ogg(data, work))
    if data[:4] == b"RIFF" and data[8:12] == b"WAVE":
        return Recording("audio/wav", _wav(data, work))
    if data[:4] == b"\x1aE\xdf\xa3":
        return Recording("audio/webm", _webm(data, work))
    if data[4:8] == b"ftyp":
        return _mp4(data, work)
    return None


def _mp4(data: bytes, work: Work) -> Recording | None:
    """MP4 whose movie has a sound track and no picture track. A recorder that was stopped hard left no "moov"."""
    movie = sound = False
    end = 0
    for kind, start, stop in boxes(data, 0, len(data), work):
        end = stop
        sound = sound or (kind == b"mdat" and stop > start)
        if kind == b"moov":
            handlers = set(_handlers(data, start, stop, work))
            if b"vide" in handlers or b"soun" not in handlers:
                return None
            movie = True
        elif kind == b"meta":
            return None  # a still picture (HEIF) has its items here
    return Recording("audio/mp4", movie and sound and end == len(data))


def _handlers(data: bytes, at: int, end: int, work: Work, deep: int = 0) -> Iterator[bytes]:
    for kind, start, stop in boxes(data, at, end, work):
        if kind in (b"trak", b"mdia") and deep < MOST_DEEP:
            yield from _handlers(data, start, stop, work, deep + 1)
        elif kind == b"hdlr":
            yield data[start + 8 : start + 12]


def _wav(data: bytes, work: Work) -> bool:
    """A recorder writes the sizes last: one that was stopped hard leaves nought, or more than there is."""
    at, form = 12, False
    while at + 8 <= len(data) and work.step():
        size, start = int.from_bytes(data[at + 4 : at + 8], "little"), at + 8
        if data[at : at + 4] == b"fmt ":
            form = size >= 16
        elif data[at : at + 4] == b"data":
            return form and 0 < size <= len(data) - start
        at = start + size + (size & 1)
    return False


def _ogg(data: bytes, work: Work) -> bool:
    at = pages = 0
    while at + 27 <= len(data) and data[at : at + 4] == b"OggS" and work.step():
        count = data[at + 26]
        sizes = data[at + 27 : at + 27 + count]
        end = at + 27 + count + sum(sizes)
        if len(sizes) < count or end > len(data):
            return False
        at, pages = end, pages + 1
    return at == len(data) and pages >= _OGG_PAGES


def _number(data: bytes, at: int, longest: int, *, marked: bool) -> tuple[int, int] | None:
    """An EBML number at ``at`` and where it ends; an id keeps its length mark, a size loses it. None when cut off."""
    first = data[at] if at < len(data) else 0
    length = 9 - first.bit_length()
    if first == 0 or length > longest or at + length > len(data):
        return None
    value = int.from_bytes(data[at : at + length], "big")
    return (value if marked else value & ((1 << 7 * length) - 1)), at + length


def _webm(data: bytes, work: Work) -> bool:
    """Walks the elements; segment and clusters are gone into, for a live recorder does not know their length."""
    at, blocks, ends = 0, 0, 0
    while work.step():
        if at == len(data):
            return blocks > 0 and ends <= at
        ident = _number(data, at, 4, marked=True)
        size = ident and _number(data, ident[1], 8, marked=False)
        if not ident or not size:
            return False
        start = size[1]
        unknown = size[0] == (1 << 7 * (start - ident[1])) - 1
        end = start if unknown else start + size[0]
        if ident[0] in (_SEGMENT, _CLUSTER):
            at, ends = start, max(ends, end)
            continue
        if unknown or end > len(data):
            return False
        if ident[0] == _EBML and not any(name in data[start : min(end, start + _LONGEST_HEAD)] for name in _DOCUMENTS):
            return False
        blocks += ident[0] in _BLOCKS
        at = end
    return False

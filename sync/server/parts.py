"""Files by their SHA-256 over HTTP, whole or in the part that is asked for: tablets go on where they stopped, and
Safari plays a sound only from a server that gives parts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from starlette.responses import Response, StreamingResponse

from sync.records.problems import Problem
from sync.server.blobs import Blobs

_RANGE = re.compile(r"bytes=(\d{1,15})-(\d{1,15})?")


def part(header: str | None, size: int) -> tuple[int, int] | None:
    """(first, after the last) of the part that the header Range asks for; None for the whole file.

    Only one part, counted from the front; anything else is answered with the whole file, as HTTP allows. Raises Problem
    "range-malformed" for a part that begins after the end.
    """
    asked = _RANGE.fullmatch(header.strip()) if header else None
    if asked is None:
        return None
    first = int(asked[1])
    last = int(asked[2]) if asked[2] else size - 1
    if asked[2] and last < first:
        return None
    if first >= size:
        raise Problem("range-malformed", f"the file has {size} bytes", where="Range")
    return first, min(last, size - 1) + 1


def file_answer(asked: Mapping[str, str], blobs: Blobs, sha256: str, size: int, media: str,
                headers: Mapping[str, str]) -> Response:
    """The file of ``size`` bytes that is held, or its part; ``asked`` are the headers of the request.

    Raises Problem "range-malformed"; its answer says the size in Content-Range (`beyond`).
    """
    tag = f'"{sha256}"'
    wanted = part(asked.get("range"), size) if asked.get("if-range", tag) == tag else None
    first, end = wanted or (0, size)
    said = {**headers, "ETag": tag, "Accept-Ranges": "bytes", "Content-Length": str(end - first)}
    if wanted:
        said["Content-Range"] = f"bytes {first}-{end - 1}/{size}"
    return StreamingResponse(_pieces(blobs, sha256, first, end - first), media_type=media, headers=said,
                             status_code=206 if wanted else 200)


def beyond(answer: Response, size: int) -> Response:
    """The answer to a part beyond the end, with the header that says how long the file is."""
    answer.headers["Content-Range"] = f"bytes */{size}"
    return answer


def _pieces(blobs: Blobs, sha256: str, first: int, left: int) -> Iterator[bytes]:
    for piece in blobs.stream(sha256, start=first):
        yield piece[:left]
        left -= len(piece)
        if left <= 0:
            return

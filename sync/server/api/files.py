"""Files that come down to a tablet under their SHA-256: pages of plans, small pictures of findings; whole or in parts.

What a tablet may fetch follows from the sites it sees. Knowing a hash grants nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from fastapi import APIRouter, Request
from starlette.responses import Response, StreamingResponse

from sync.records.macs import is_fingerprint
from sync.records.problems import Problem
from sync.server.api.access import ActiveTablet, TheCity
from sync.server.api.errors import problem_response
from sync.server.blobs import Blobs
from sync.server.casework.plans import file_for_tablet

router = APIRouter()
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


def _pieces(blobs: Blobs, sha256: str, first: int, left: int) -> Iterator[bytes]:
    for piece in blobs.stream(sha256, start=first):
        yield piece[:left]
        left -= len(piece)
        if left <= 0:
            return


@router.get("/files/{sha256}", response_class=StreamingResponse,
            responses={206: {"description": "The part that was asked for with Range: bytes=first-last"}})
def get_file(request: Request, city: TheCity, tablet: ActiveTablet, sha256: str) -> Response:
    """A file of a plan, or a small picture of a finding. A part with ``Range: bytes=first-last``."""
    if not is_fingerprint(sha256):
        raise Problem("file-unknown", where="sha256")
    size, media = file_for_tablet(city, tablet.id, sha256)
    if not city.blobs.has(sha256):  # a restored folder lacks it
        raise Problem("file-unknown", "the file is not on the server", where=sha256)
    tag = f'"{sha256}"'
    headers = {"ETag": tag, "Accept-Ranges": "bytes", "Cache-Control": "private, max-age=31536000, immutable",
               "Content-Disposition": "attachment"}
    other = request.headers.get("if-range", tag) != tag
    try:
        wanted = None if other else part(request.headers.get("range"), size)
    except Problem as problem:
        answer = problem_response(problem)
        answer.headers["Content-Range"] = f"bytes */{size}"
        return answer
    first, end = wanted or (0, size)
    headers["Content-Length"] = str(end - first)
    if wanted:
        headers["Content-Range"] = f"bytes {first}-{end - 1}/{size}"
    return StreamingResponse(_pieces(city.blobs, sha256, first, end - first), media_type=media, headers=headers,
                             status_code=206 if wanted else 200)

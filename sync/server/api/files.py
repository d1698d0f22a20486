"""Files that come down to a tablet under their SHA-256: pages of plans, small pictures of findings; whole or in parts.

What a tablet may fetch follows from the sites it sees. Knowing a hash grants nothing.
"""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response, StreamingResponse

from sync.records.macs import is_fingerprint
from sync.records.problems import Problem
from sync.server.api.access import ActiveTablet, TheCity
from sync.server.api.errors import problem_response
from sync.server.casework.plans import file_for_tablet
from sync.server.parts import beyond, file_answer

router = APIRouter()


@router.get("/files/{sha256}", response_class=StreamingResponse,
            responses={206: {"description": "The part that was asked for with Range: bytes=first-last"}})
def get_file(request: Request, city: TheCity, tablet: ActiveTablet, sha256: str) -> Response:
    """A file of a plan, or a small picture of a finding. A part with ``Range: bytes=first-last``."""
    if not is_fingerprint(sha256):
        raise Problem("file-unknown", where="sha256")
    size, media = file_for_tablet(city, tablet.id, sha256)
    if not city.blobs.has(sha256):  # a restored folder lacks it
        raise Problem("file-unknown", "the file is not on the server", where=sha256)
    headers = {"Cache-Control": "private, max-age=31536000, immutable", "Content-Disposition": "attachment"}
    try:
        return file_answer(request.headers, city.blobs, sha256, size, media, headers)
    except Problem as problem:
        return beyond(problem_response(problem), size)

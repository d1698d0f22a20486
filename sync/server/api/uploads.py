"""tus 1.0 over HTTP: an evidence file in parts. Made by POST, asked by HEAD, brought by PATCH, given up by DELETE.

An upload lies under the tablet and the file's SHA-256, so making it twice is making it once. The answer to its last
byte bears the same sealed receipt as a PUT, in a header.
"""

from __future__ import annotations

import base64
from collections.abc import Awaitable, Callable

from fastapi import APIRouter, Request
from starlette.responses import Response

from sync.records.problems import Problem
from sync.records.protocol import HEADER_RECEIPT, UPLOADS
from sync.records.wire import encode
from sync.server.api.access import AnyTablet, TheCity
from sync.server.api.errors import problem_response
from sync.server.casework.city import City
from sync.server.casework.enrolment import Tablet
from sync.server.uploads import core
from sync.server.uploads.transfers import Standing, Transfers

router = APIRouter()
_BYTES = {"requestBody": {"content": {core.MEDIA: {"schema": {"type": "string", "format": "binary"}}}}}
_TUS = {"Tus-Resumable": core.VERSION}
_ABOUT = {**_TUS, "Tus-Version": core.VERSION, "Tus-Extension": core.EXTENSIONS,
          "Tus-Checksum-Algorithm": ",".join(core.ALGORITHMS)}


def _refused(problem: Problem, city: City) -> Response:
    response = problem_response(problem)
    response.headers.update(_TUS)
    if isinstance(problem, core.Conflict):
        response.headers["Upload-Offset"] = str(problem.offset)
    if problem.code == "upload-version":
        response.headers["Tus-Version"] = core.VERSION
    if problem.status == 413:
        response.headers["Tus-Max-Size"] = str(city.evidence_bytes)
    return response


def _answer(status: int, standing: Standing, **more: str) -> Response:
    headers = {**_TUS, "Upload-Offset": str(standing.offset), **more}
    if standing.expires is not None:
        headers["Upload-Expires"] = core.expires(standing.expires)
    if standing.receipt is not None:
        receipt = {name: standing.receipt[name] for name in ("text", "mac")}
        headers[HEADER_RECEIPT] = base64.b64encode(encode(receipt)).decode()
    return Response(status_code=status, headers=headers)


def _once(request: Request) -> None:
    """Two values for one header: nobody knows which is meant. Raises Problem "upload-malformed"."""
    for name in ("Upload-Length", "Upload-Offset", "Upload-Metadata", "Upload-Checksum"):
        if len(request.headers.getlist(name)) > 1:
            raise Problem("upload-malformed", "it stands there twice", where=name)


async def _tus(request: Request, work: Callable[[Transfers], Awaitable[Response]]) -> Response:
    """What ``work`` answers, or why not, with the marks of tus on it."""
    try:
        core.check_version(request.headers)
        _once(request)
        return await work(request.app.state.transfers)
    except Problem as problem:
        return _refused(problem, request.app.state.city)


def _own(tablet: Tablet, code: str) -> None:
    if tablet.code != code:
        raise Problem("upload-unknown", where="tablet")


@router.options("/uploads", status_code=204, response_class=Response)
@router.options("/uploads/{tablet_code}/{sha256}", status_code=204, response_class=Response,
                include_in_schema=False)
async def about(city: TheCity) -> Response:
    """What this server can do, and how large a file may be. Needs no token."""
    return Response(status_code=204, headers={**_ABOUT, "Tus-Max-Size": str(city.evidence_bytes)})


@router.post("/uploads", status_code=201, response_class=Response, openapi_extra=_BYTES)
async def create(request: Request, tablet: AnyTablet) -> Response:
    """Makes an upload (creation, creation-with-upload). Upload-Metadata gives the file's sha256, its kind, and of a
    preview the original (of).

    The same file again finds the same upload: Upload-Offset says how far it is.
    """

    async def work(transfers: Transfers) -> Response:
        ask = core.read_create(request.headers)
        standing = await transfers.create(tablet, ask, request.stream())
        # In full, as the asker sees us: some clients do not resolve a path against the address they asked.
        origin = f"{request.url.scheme}://{request.headers['host']}" if "host" in request.headers else ""
        return _answer(201, standing, Location=f"{origin}{UPLOADS}/{tablet.code}/{ask.sha256}")

    return await _tus(request, work)


@router.head("/uploads/{tablet_code}/{sha256}", response_class=Response)
async def look(request: Request, tablet: AnyTablet, tablet_code: str, sha256: str) -> Response:
    """How far the upload is. A transfer that is still under way is stopped, so that the answer holds."""

    async def work(transfers: Transfers) -> Response:
        _own(tablet, tablet_code)
        standing = await transfers.look(tablet, sha256)
        more = {"Upload-Metadata": standing.said} if standing.said else {}
        return _answer(200, standing, **{"Upload-Length": str(standing.length), "Cache-Control": "no-store", **more})

    return await _tus(request, work)


@router.patch("/uploads/{tablet_code}/{sha256}", status_code=204, response_class=Response, openapi_extra=_BYTES)
async def append(request: Request, tablet: AnyTablet, tablet_code: str, sha256: str) -> Response:
    """Adds bytes where the upload ends. The offset that comes back is on the disk."""

    async def work(transfers: Transfers) -> Response:
        _own(tablet, tablet_code)
        ask = core.read_append(request.headers)
        return _answer(204, await transfers.append(tablet, sha256, ask, request.stream()))

    return await _tus(request, work)


@router.delete("/uploads/{tablet_code}/{sha256}", status_code=204, response_class=Response)
async def remove(request: Request, tablet: AnyTablet, tablet_code: str, sha256: str) -> Response:
    """Gives up an unfinished upload (termination). A file that is held stays held."""

    async def work(transfers: Transfers) -> Response:
        _own(tablet, tablet_code)
        await transfers.remove(tablet, sha256)
        return Response(status_code=204, headers=_TUS)

    return await _tus(request, work)


@router.post("/uploads/{tablet_code}/{sha256}", include_in_schema=False)
async def overridden(request: Request, tablet: AnyTablet, tablet_code: str, sha256: str) -> Response:
    """A POST that stands for another method, for networks that let no PATCH through."""
    try:
        meant = core.method_of("POST", request.headers)
    except Problem as problem:
        return _refused(problem, request.app.state.city)
    acts = {"PATCH": append, "HEAD": look, "DELETE": remove}
    if meant not in acts:
        wrong = Problem("method-not-allowed", "POST makes an upload at the address above this one")
        return _refused(wrong, request.app.state.city)
    return await acts[meant](request, tablet, tablet_code, sha256)

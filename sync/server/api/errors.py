"""The one place where a problem becomes an HTTP answer: application/problem+json (RFC 9457) with a stable code."""

from __future__ import annotations

import errno
import gzip
import logging

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import JSONResponse, Response

from sync.records.problems import Problem
from sync.records.wire import encode

log = logging.getLogger(__name__)
# The folder is gone (a volume that is not mounted), locked, or fails: no call's fault, and no other call's luck.
_NO_DISK = (errno.EROFS, errno.EIO, errno.ENOENT, errno.ENOTDIR, errno.EACCES, errno.EPERM, errno.EMFILE, errno.ENFILE)


class WireResponse(JSONResponse):
    """JSON as the records write it: canonical, without floats."""

    def render(self, content: object) -> bytes:
        return encode(content)


def compressed(request: Request, content: object) -> Response:
    """A large answer, gzipped where the asker can read that: a first pull over a weak network."""
    data = encode(content)
    headers = {"Vary": "Accept-Encoding"}
    if "gzip" in request.headers.get("accept-encoding", "") and len(data) > 1_000:
        return Response(gzip.compress(data, 5, mtime=0), media_type="application/json",
                        headers={**headers, "Content-Encoding": "gzip"})
    return Response(data, media_type="application/json", headers=headers)


class ProblemResponse(WireResponse):
    """A problem as its members of RFC 9457."""

    media_type = "application/problem+json"


def problem_response(problem: Problem) -> Response:
    """The answer for a problem; a 401 says how to authenticate, a 503 when to come back, a 408
    that nobody waits any longer."""
    headers = {}
    if problem.status == 401:
        headers["WWW-Authenticate"] = 'Bearer realm="siltwatch"'
    if problem.status == 503:
        headers["Retry-After"] = "2"
    if problem.status == 408:
        headers["Connection"] = "close"
    wire = {key: _writable(value) for key, value in problem.to_wire().items()}
    return ProblemResponse(wire, status_code=problem.status, headers=headers)


def _writable(value: object) -> object:
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value


def answer_to(request: Request, error: Exception) -> Response:
    """The answer for anything that went wrong; what was not foreseen is logged and told as such."""
    if isinstance(error, Problem):
        return problem_response(error)
    if isinstance(error, RequestValidationError):
        first = error.errors()[0]
        where = ".".join(str(part) for part in first.get("loc", ()))
        return problem_response(Problem("body-malformed", str(first.get("msg", "")), where=where))
    if isinstance(error, HTTPException):
        return _http(request, error)
    if isinstance(error, ClientDisconnect):
        return problem_response(Problem("wire-malformed", "the sender went away in the middle"))
    if problem := of_the_disk(request, error):
        return problem_response(problem)
    log.error("%s %s failed", request.method, request.url.path, exc_info=error)
    return problem_response(Problem("server-failed"))


def of_the_disk(request: Request, error: Exception) -> Problem | None:
    """"server-full" or "server-disk", where that is what went wrong; it is logged."""
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        log.error("the disk is full: %s", error)
        return Problem("server-full", "there is no room for the file")
    if isinstance(error, OSError) and error.errno in _NO_DISK:
        log.error("%s %s: the disk cannot be written to: %s", request.method, request.url.path, error)
        return Problem("server-disk")
    return None


def _http(request: Request, error: HTTPException) -> Response:
    if isinstance(error.__cause__, Problem):  # raised while the body was read
        return problem_response(error.__cause__)
    if error.status_code == 405:
        return problem_response(Problem("method-not-allowed", f"{request.method} is not possible here"))
    if error.status_code == 404:
        return problem_response(Problem("not-found", where=request.url.path[:200]))
    return problem_response(Problem("wire-malformed", str(error.detail)))


def install(app: FastAPI) -> None:
    """Makes every failure of ``app`` answer with a problem."""

    async def answer(request: Request, error: Exception) -> Response:
        return answer_to(request, error)

    for kind in (Problem, RequestValidationError, HTTPException, ClientDisconnect, OSError, Exception):
        app.add_exception_handler(kind, answer)

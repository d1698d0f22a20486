"""What every console answer keeps: a strict content policy, one session cookie, and no forged requests.

A request that may change something is served only when the browser says that it comes from this very site:
`Sec-Fetch-Site: same-origin`, or, from browsers that do not send it, an `Origin` equal to the configured public
address. Everything else is refused, a missing header included, because a form in a browser always sends one of
the two. That replaces tokens in forms, which a long open page would let expire.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping
from urllib.parse import parse_qsl, urlsplit

from starlette.datastructures import FormData
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import Request
from starlette.responses import Response

from sync.records.problems import Problem

COOKIE = "siltwatch_office"
OFFICE = "/office/"
FORM_BYTES = 200_000
MOST_FILES, MOST_FIELDS = 50, 500
IDLE_S = 60
"""A form of which nothing comes for so many seconds is given up."""

CONTENT_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "media-src 'self'",
        "font-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)

HEADERS = {
    "Content-Security-Policy": CONTENT_POLICY,
    "X-Content-Type-Options": "nosniff",
    # Not "no-referrer": browsers would then send "Origin: null" with our own forms.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cache-Control": "no-store",
}


def guard(response: Response, *, cache: str | None = None) -> Response:
    """Put the headers on that every answer carries; `cache` replaces "no-store" for what may be kept."""
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)
    if cache:
        response.headers["Cache-Control"] = cache
    return response


def origin_of(public_url: str) -> str:
    """Scheme, host and port of the configured public address, as a browser writes an Origin."""
    parts = urlsplit(public_url)
    return f"{parts.scheme}://{parts.netloc}"


def require_same_origin(headers: Mapping[str, str], public_url: str) -> None:
    """Raises Problem "cross-site" unless the request comes from a page of this site."""
    site = headers.get("sec-fetch-site")
    if site is not None:
        if site == "same-origin":
            return
        raise Problem("cross-site", f"the browser says the request is {site!r}", where="Sec-Fetch-Site")
    origin = headers.get("origin")
    if origin is None or origin != origin_of(public_url):
        raise Problem("cross-site", "the request does not come from a page of this office", where="Origin")


async def _pieces(request: Request) -> AsyncGenerator[bytes, None]:
    """The body as it comes. Raises Problem "transfer-idle" when nothing comes for long: a form that anybody may send
    must not keep its connection for ever."""
    stream = request.stream()
    while True:
        try:
            async with asyncio.timeout(IDLE_S):
                piece = await anext(stream, None)
        except TimeoutError:
            raise Problem("transfer-idle", f"no byte came for {IDLE_S} seconds") from None
        if piece is None:
            return
        yield piece


async def read_form(request: Request) -> dict[str, str]:
    """The fields of a urlencoded form; the last value wins. Raises Problem "body-malformed", "wire-too-large"."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind not in ("application/x-www-form-urlencoded", ""):
        raise Problem("body-malformed", f"a form is needed, not {kind!r}", where="Content-Type")
    body = b""
    async for chunk in _pieces(request):
        body += chunk
        if len(body) > FORM_BYTES:
            raise Problem("wire-too-large", f"a form has at most {FORM_BYTES} bytes")
    try:
        fields = parse_qsl(body.decode("utf-8"), keep_blank_values=True, strict_parsing=bool(body), errors="strict")
    except ValueError as err:
        raise Problem("body-malformed", "the form cannot be read", where="body") from err
    return {name: value.replace("\r\n", "\n").strip() for name, value in fields}


async def read_files(request: Request, limit: int) -> FormData:
    """The fields and files of a multipart form of at most ``limit`` bytes; larger files lie on the disk while they are
    looked at. Close it afterwards. Raises Problem "body-malformed", "plan-too-large"."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "multipart/form-data":
        raise Problem("body-malformed", f"a form with a file is needed, not {kind!r}", where="Content-Type")
    length = request.headers.get("content-length", "0")
    too_large = Problem("plan-too-large", f"a form with its files has at most {limit // 1_000_000} MB")
    if not (length.isascii() and length.isdigit()) or int(length[:15]) > limit:
        raise too_large

    async def bounded() -> AsyncGenerator[bytes, None]:
        left = limit
        async for chunk in _pieces(request):
            left -= len(chunk)
            if left < 0:
                raise too_large
            yield chunk

    try:
        parser = MultiPartParser(request.headers, bounded(), max_files=MOST_FILES, max_fields=MOST_FIELDS,
                                 max_part_size=FORM_BYTES)
        return await parser.parse()
    except (MultiPartException, KeyError, UnicodeDecodeError) as err:
        raise Problem("body-malformed", "the form cannot be read", where="body") from err


def set_session(response: Response, token: str, *, seconds: int, public_url: str) -> None:
    """The one cookie: not readable by scripts, not sent from other sites, only over TLS where there is TLS."""
    response.set_cookie(
        COOKIE,
        token,
        max_age=seconds,
        path=OFFICE,
        httponly=True,
        samesite="lax",
        secure=public_url.startswith("https://"),
    )


def drop_session(response: Response, *, public_url: str) -> None:
    response.delete_cookie(COOKIE, path=OFFICE, httponly=True, samesite="lax", secure=public_url.startswith("https://"))

"""Serves the built tablet app under /app/: the right types, its own content policy, always asked for anew by ETag.

The service worker checks every file's SHA-256 by itself; nothing here may change a byte of what it is sent.
"""

from __future__ import annotations

import gzip
import hashlib
from pathlib import Path

from anyio import to_thread
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import Receive, Scope, Send

from sync.where import assets

TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".webmanifest": "application/manifest+json",
    ".wasm": "application/wasm",
    ".txt": "text/plain; charset=utf-8",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".ico": "image/x-icon",
    ".ttf": "font/ttf",
    ".otf": "font/otf",
    ".woff2": "font/woff2",
}
_PACKED = {".gz", ".zip", ".whl", ".png", ".woff2", ".jpg"}


class TabletApp:
    """ASGI application over the folder of a built web app, which may be built again while it is served."""

    def __init__(self, folder: Path):
        self._folder = folder.resolve()
        self._policy = (assets() / "pwa" / "csp.txt").read_text("utf-8").strip()
        # By path and change time: the gzipped bytes and the tag, so that a large file is packed once.
        self._known: dict[tuple[str, int, int], tuple[bytes | None, str]] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        response = await to_thread.run_sync(self._answer, scope)
        await response(scope, receive, send)

    def _answer(self, scope: Scope) -> Response:
        if scope["method"] not in ("GET", "HEAD"):
            return PlainTextResponse("This cannot be done here.\n", 405, headers={"Allow": "GET, HEAD"})
        path = scope["path"].removeprefix(scope.get("root_path", ""))
        if path == "":
            return RedirectResponse(scope.get("root_path", "") + "/", 307)
        if not (self._folder / "index.html").is_file():
            words = "The tablet app has not been built on this server. Run: make webapp\n"
            return PlainTextResponse(words, 503, headers={"Retry-After": "30"})
        place = self._place(path.lstrip("/") or "index.html")
        if place is None:
            return PlainTextResponse("There is nothing here.\n", 404, headers=self._headers())
        headers = Headers(scope=scope)
        packed, tag = self._look(place)
        found = {**self._headers(), "ETag": f'"{tag}"', "Vary": "Accept-Encoding",
                 "Content-Type": TYPES.get(place.suffix, "application/octet-stream")}
        if tag in headers.get("if-none-match", ""):
            return Response(status_code=304, headers=found)
        if packed is not None and "gzip" in headers.get("accept-encoding", ""):
            return Response(packed, headers={**found, "Content-Encoding": "gzip"})
        return Response(place.read_bytes(), headers=found)

    def _place(self, name: str) -> Path | None:
        """The file of that name inside the folder, None for anything else that may be asked for."""
        try:
            place = (self._folder / name).resolve()
            return place if place.is_relative_to(self._folder) and place.is_file() else None
        except (OSError, ValueError):  # a name that no file can have
            return None

    def _headers(self) -> dict[str, str]:
        return {
            "Cache-Control": "no-cache",  # keep it, but ask each time: the tag answers in a few bytes
            "Content-Security-Policy": self._policy,
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "no-referrer",
            "Cross-Origin-Opener-Policy": "same-origin",
            "Cross-Origin-Resource-Policy": "same-origin",
            "Permissions-Policy": "camera=(self), geolocation=(self), microphone=(self)",
        }

    def _look(self, place: Path) -> tuple[bytes | None, str]:
        """The gzipped bytes (None when packing gains nothing) and the SHA-256 tag of a file as it is now."""
        stat = place.stat()
        key = (str(place), stat.st_mtime_ns, stat.st_size)
        if key not in self._known:
            data = place.read_bytes()
            small = None
            if place.suffix not in _PACKED and len(data) > 512:
                beside = place.with_name(place.name + ".gz")
                small = beside.read_bytes() if beside.is_file() else gzip.compress(data, 6, mtime=0)
                if len(small) >= len(data):
                    small = None
            self._known[key] = (small, hashlib.sha256(data).hexdigest())
        return self._known[key]

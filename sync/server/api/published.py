"""The interface as it is published (OpenAPI), made true where the framework only guesses.

Failures are problem+json and not plain JSON; each call but the first of all names the protocol it speaks; and uploads
have the headers of tus, which no function signature shows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fastapi import FastAPI

from sync.records.protocol import HEADER_PROTOCOL, HEADER_RECEIPT, PROTOCOL
from sync.server.uploads import core

PROBLEM = "application/problem+json"
_WITHOUT_PROTOCOL = {("/hello", "get"), ("/uploads", "options")}
_UPLOADS = "/uploads"
_Operation = dict[str, Any]


def _header(name: str, words: str, schema: dict[str, Any], *, required: bool = False) -> dict[str, Any]:
    return {"in": "header", "name": name, "description": words, "required": required, "schema": schema}


_NUMBER = {"type": "string", "pattern": "^[0-9]{1,15}$"}
_TEXT = {"type": "string", "maxLength": 4_000}
_TUS = {
    "options": [],
    "post": [
        _header("Upload-Length", "bytes of the whole file", _NUMBER, required=True),
        _header("Upload-Metadata", "sha256 and kind of the file, each in base64", _TEXT, required=True),
    ],
    "head": [],
    "patch": [
        _header("Upload-Offset", "where these bytes begin, which is where the upload ends", _NUMBER, required=True),
        _header("Upload-Checksum", "of these bytes: sha1 or sha256, and the digest in base64", _TEXT),
    ],
    "delete": [],
}
_VERSION = _header("Tus-Resumable", "the version of tus", {"type": "string", "const": core.VERSION}, required=True)


def publish(api: FastAPI) -> None:
    """Makes ``api.openapi`` (and what /openapi.json tells) the true description."""
    guess: Callable[[], dict[str, Any]] = api.openapi

    def openapi() -> dict[str, Any]:
        if api.openapi_schema is None:
            guessed = guess()
            for path, operations in guessed["paths"].items():
                for method, operation in operations.items():
                    _mend(path, method, operation)
            api.openapi_schema = guessed
        return api.openapi_schema

    api.openapi = openapi  # type: ignore[method-assign]


def _mend(path: str, method: str, operation: _Operation) -> None:
    for status, response in operation["responses"].items():
        if status in ("4XX", "5XX"):
            response["content"] = {PROBLEM: response["content"].pop("application/json")}
            if method == "head":  # which never has a body
                del response["content"]
    parameters = operation.setdefault("parameters", [])
    if (path, method) not in _WITHOUT_PROTOCOL:
        parameters.append(_header(HEADER_PROTOCOL, f"the protocol that the asker speaks: {PROTOCOL}",
                                  {"type": "string", "pattern": "^[0-9]{1,6}$"}, required=True))
    if path.startswith(_UPLOADS):
        parameters += [*_TUS[method], *([_VERSION] if method != "options" else [])]
        for status in ("200", "201", "204"):
            if status in operation["responses"] and method in ("post", "head", "patch"):
                operation["responses"][status]["headers"] = {
                    "Upload-Offset": {"description": "bytes that are safely here", "schema": _NUMBER},
                    HEADER_RECEIPT: {"description": "once the file is whole: the sealed receipt, JSON in base64",
                                     "schema": {"type": "string"}},
                }  # fmt: skip

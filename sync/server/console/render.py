"""Templates to HTML: one environment, escaping everything, refusing names that a page forgot to pass."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.responses import HTMLResponse, Response

from sync.documents.language import translator
from sync.server.console.security import guard
from sync.where import assets

TEMPLATES = Path(__file__).resolve().parent / "templates"


@cache
def environment() -> Environment:
    return Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


@cache
def static_version() -> str:
    """A short mark of what style sheet and script say, so that browsers never mix versions."""
    home = assets() / "console"
    seal = hashlib.sha256()
    for name in ("console.css", "vendor/htmx.min.js"):
        seal.update((home / name).read_bytes())
    return seal.hexdigest()[:12]


def html(template: str, *, status: int = 200, language: str = "en", **context: Any) -> Response:
    """A whole page with the headers that every answer carries; a 503 says when to come back."""
    page = environment().get_template(template)
    text = page.render(_=translator(language), language=language, static_version=static_version(), **context)
    return guard(HTMLResponse(text, status_code=status, headers={"Retry-After": "2"} if status == 503 else None))

"""The whole server as one ASGI application: tablets at /api/v1, the office at /office/, the public page at /o/, the
tablet app at /app/. Only here are they put together.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from sync.records.protocol import MAX_EVIDENCE_BYTES
from sync.server.api.service import guarded_api
from sync.server.casework.city import City
from sync.server.clock import Clock, SystemClock
from sync.server.console.routes import console_routes, refusals
from sync.server.opening import open_city
from sync.server.settings import Settings
from sync.server.tablet_app import TabletApp
from sync.server.tiles import tell_tablets, tile_route
from sync.where import assets

_API = "/api/v1"


class _Front(Starlette):
    """The application; what is plainly for the tablets' interface goes there at once, and not past every route."""

    def __init__(self, api: ASGIApp, **named: Any) -> None:
        super().__init__(**named)
        self._api = api

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and not scope["root_path"] and scope["path"].startswith(f"{_API}/"):
            scope.update(app=self, root_path=_API, app_root_path="", path_params={})  # as a mount does
            await self._api(scope, receive, send)
        else:
            await super().__call__(scope, receive, send)


def create_app(settings: Settings, clock: Clock | None = None) -> Starlette:
    """The server of the city in the settings' data folder. ``clock`` is for tests alone; no command can set it.

    Raises Problem "data-missing", "data-damaged", "database-newer".
    """
    city = open_city(settings.data, clock or SystemClock(), settings.address, serving=True)
    tell_tablets(city, settings.data)
    return compose(city, settings)


def compose(city: City, settings: Settings) -> Starlette:
    """The application over a city that is already open. ``app.state.city`` is that city, as the settings say;
    ``app.state.lane`` answers what the lines of `serving` may ask without the application."""
    if settings.largest_file != MAX_EVIDENCE_BYTES:
        city = replace(city, evidence_bytes=settings.largest_file)

    async def home(_: Request) -> Response:
        return RedirectResponse("/office/", 303)

    async def robots(_: Request) -> Response:
        # Placards are for people who stand in front of them, not for search engines.
        return PlainTextResponse("User-agent: *\nDisallow: /\n")

    async def icon(_: Request) -> Response:
        # Browsers ask for it by themselves, beside a photo opened on its own for instance.
        return FileResponse(assets() / "icons" / "favicon.png", headers={"Cache-Control": "max-age=86400"})

    api = guarded_api(city)
    app = _Front(
        api,
        routes=[
            Route("/favicon.ico", icon, methods=["GET"]),
            Route("/", home, methods=["GET"]),
            Route("/robots.txt", robots, methods=["GET"]),
            _all_below(_API, api),
            Mount("/app", TabletApp(settings.web_folder)),
            tile_route(settings.data),
            *console_routes(city),
        ],
        exception_handlers=refusals(city),
    )
    app.state.city, app.state.lane = city, api.lane
    return app


def _all_below(path: str, app: ASGIApp) -> Mount:
    """A mount that also takes addresses with a line break in them, which Starlette's own passes by: the tablets'
    interface answers everything below it, and with its own marks."""
    found = Mount(path, app)
    found.path_regex = re.compile(found.path_regex.pattern, re.DOTALL)
    return found

"""Puts the tablets' interface together as one application over one city."""

from __future__ import annotations

from functools import cache

from fastapi import FastAPI
from starlette.routing import BaseRoute

from sync.server.api import errors, files, sending, shapes, tablets, uploads
from sync.server.api.guard import Guard
from sync.server.api.lane import Lane
from sync.server.api.published import publish
from sync.server.casework.city import City
from sync.server.uploads.transfers import Transfers


def _empty() -> FastAPI:
    return FastAPI(
        title="Siltwatch tablet interface", version="1",
        description="What a tablet and the central server say to each other. See docs/protocol.md.",
        docs_url=None, redoc_url=None, openapi_url="/openapi.json", default_response_class=errors.WireResponse,
        responses={"4XX": {"model": shapes.ProblemTell}, "5XX": {"model": shapes.ProblemTell}},
    )


@cache
def _calls() -> tuple[BaseRoute, ...]:
    """The calls of the interface. What FastAPI works out of their signatures (30 ms) belongs to no city, and is worked
    out once for all that one process opens."""
    api = _empty()
    own = len(api.router.routes)
    for router in (tablets.router, sending.router, files.router, uploads.router):
        api.include_router(router)
    return tuple(api.router.routes[own:])


def create_api(city: City) -> FastAPI:
    """The application that stands behind ``Guard`` at /api/v1."""
    api = _empty()
    api.router.routes += _calls()
    api.state.city = city
    api.state.transfers = Transfers(city)
    errors.install(api)
    publish(api)
    return api


def guarded_api(city: City) -> Guard:
    """What is mounted at /api/v1. The guard is outermost, so that even an unforeseen failure carries our marks.
    ``lane``: what lines may ask past it."""
    lane = Lane(create_api(city), city)
    guard = Guard(lane, city)
    guard.lane = lane
    return guard

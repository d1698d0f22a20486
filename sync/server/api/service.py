"""Puts the tablets' interface together as one application over one city."""

from __future__ import annotations

from fastapi import FastAPI

from sync.server.api import errors, files, sending, shapes, tablets, uploads
from sync.server.api.guard import Guard
from sync.server.api.lane import Lane
from sync.server.api.published import publish
from sync.server.casework.city import City
from sync.server.uploads.transfers import Transfers


def create_api(city: City) -> FastAPI:
    """The application that stands behind ``Guard`` at /api/v1."""
    api = FastAPI(
        title="Siltwatch tablet interface", version="1",
        description="What a tablet and the central server say to each other. See docs/protocol.md.",
        docs_url=None, redoc_url=None, openapi_url="/openapi.json", default_response_class=errors.WireResponse,
        responses={"4XX": {"model": shapes.ProblemTell}, "5XX": {"model": shapes.ProblemTell}},
    )
    api.state.city = city
    api.include_router(tablets.router)
    api.include_router(sending.router)
    api.include_router(files.router)
    api.state.transfers = Transfers(city)
    api.include_router(uploads.router)
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

"""Map tiles that the city keeps on its own server, if it does: a folder ``tiles`` beside the database.

``tiles/map.toml`` names where they come from and which zooms there are; the pictures lie in ``tiles/{z}/{x}/{y}.png``.
At its start the server tells the tablets of them, or takes them back. Without the folder tablets draw a plain grid; no
server of a stranger is ever asked.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.routing import Route

from sync.records.problems import Problem
from sync.server.casework.city import City
from sync.server.casework.feed import publish
from sync.server.db.engine import Tx, find
from sync.server.db.schema import feed

FOLDER, ABOUT = "tiles", "map.toml"
KIND, IDENT = "map", "tiles"
PATH = "/tiles/{z}/{x}/{y}.png"


def about_tiles(data: Path) -> dict[str, Any] | None:
    """What tablets are told of the tiles in the data folder, None without any. Raises Problem "map-malformed"."""
    file = data / FOLDER / ABOUT
    if not file.is_file():
        return None
    try:
        raw = tomllib.loads(file.read_text(encoding="utf-8"))
        found = {"id": IDENT, "path": PATH, "attribution": str(raw["attribution"]),
                 "min_zoom": int(raw["min_zoom"]), "max_zoom": int(raw["max_zoom"])}
    except (tomllib.TOMLDecodeError, KeyError, ValueError, TypeError) as error:
        raise Problem("map-malformed", f"{file} names attribution, min_zoom and max_zoom: {error}",
                      where=str(file)) from error
    if not 0 <= found["min_zoom"] <= found["max_zoom"] <= 24 or not found["attribution"].strip():
        raise Problem("map-malformed", f"{file}: zooms from 0 to 24, and whose map it is", where=str(file))
    return found


def tell_tablets(city: City, data: Path) -> None:
    """Says which tiles there are, when that has changed. Raises Problem "map-malformed"."""
    found = about_tiles(data)

    def work(tx: Tx) -> None:
        if found is not None or find(tx, feed, city_id=city.id, kind=KIND, id=IDENT) is not None:
            publish(tx, city, KIND, IDENT, found)

    city.db.write(work)


def tile_route(data: Path) -> Route:
    """The pictures themselves; whole numbers alone make a path, so none leads out of the folder."""
    home = data / FOLDER

    async def tile(request: Request) -> Response:
        place = home / str(request.path_params["z"]) / str(request.path_params["x"]) / f"{request.path_params['y']}.png"
        if not place.is_file():
            return PlainTextResponse("There is no such part of the map.\n", 404)
        return FileResponse(place, media_type="image/png", headers={"Cache-Control": "max-age=604800"})

    return Route("/tiles/{z:int}/{x:int}/{y:int}.png", tile, methods=["GET"])

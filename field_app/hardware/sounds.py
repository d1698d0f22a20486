"""Recorded sound in the browser: fetched from where the recorder left it, and played by the page beside Python."""

import js

from field_app.hardware.page_port import PagePort


async def read_blob(place: str) -> bytes:
    """The bytes of a recording that the page holds under a blob address, which is then given back."""
    answer = await js.fetch(place)
    data = (await answer.arrayBuffer()).to_bytes()
    js.URL.revokeObjectURL(place)
    return data


def player(port: PagePort):
    """`await play(data, media)` begins to play and returns; another call ends the one before; empty data is silence.
    Raises RuntimeError with the browser's own words when it cannot play it."""

    async def play(data: bytes, media: str) -> None:
        await port.ask("play-sound", wait=10.0, bytes=data, media=media)

    return play
